"""Pages of a challenge in a browser: accessible in both themes, nothing too wide, all by keyboard."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotate.challenges import services
from annotate.challenges.forms import PARTS
from annotate.challenges.models import Challenge, Entry
from tests.support.browsing import check_page, listen, signed_in, unexpected
from tests.support.challenges import judge_final, make_challenge, make_team, submit, upload
from tests.support.factories import make_admin, make_person

KEY = "kite-ladder-7"


@pytest.fixture
def challenge(transactional_db):
    return make_challenge(text="Find *all* words.", terms="Be fair.")


def test_standings_with_people_and_where_they_disagree_are_accessible_and_fit(
    browser, client, live_server, challenge
):
    names = ("A team with quite a long name", "Another with a name of the same kind", "C")
    for n_hidden, name in enumerate(names, 1):
        submit(make_team(challenge, name), upload(2, n_hidden))
    now = timezone.now()
    Challenge.objects.update(opens=now - timedelta(days=9), closes=now - timedelta(days=1))
    challenge.refresh_from_db()
    admin = make_admin()
    judge_final(challenge, names, admin)
    context = browser.new_context(reduced_motion="reduce")
    page = signed_in(context, client, admin, live_server)
    page.goto(live_server.url + reverse("challenges:standings", args=[challenge.slug]))
    check_page(page)
    assert page.locator("#against").is_visible()


def test_pages_of_organisers_teams_and_the_public_are_accessible_and_fit(
    browser, client, live_server, challenge
):
    person, newcomer = make_person(), make_person()
    team = make_team(challenge, "A team with quite a long name", person)
    entry, refused = submit(team, upload(1, 1)), submit(team, b"no zip")
    submit(make_team(challenge))
    services.join(challenge=challenge, person=newcomer)
    image = challenge.images_of("visible").first()
    pages = {
        None: [("public_challenges:page", challenge.address)],
        newcomer: [("challenges:challenge", challenge.slug)],
        person: [
            ("challenges:challenge", challenge.slug),
            ("challenges:standings", challenge.slug),
            ("challenges:entry", challenge.slug, entry.pk),
            ("challenges:entry", challenge.slug, refused.pk),
            ("challenges:image", challenge.slug, entry.pk, image.pk),
        ],
        make_admin(): [
            ("challenges:new", challenge.dataset.slug),
            ("challenges:settings", challenge.slug),
            *(("challenges:part", challenge.slug, part) for part in PARTS),
        ],
    }
    for who, shown in pages.items():
        context = browser.new_context(reduced_motion="reduce")
        page = signed_in(context, client, who, live_server)
        complaints = listen(page)
        for name, *arguments in shown:
            page.goto(live_server.url + reverse(name, args=arguments))
            check_page(page)
        assert unexpected(complaints) == []
        context.close()


def test_pages_of_a_challenge_that_is_not_open_or_over_are_accessible_and_fit(
    browser, client, live_server, challenge
):
    person, admin, now = make_person(), make_admin(), timezone.now()
    submit(make_team(challenge, person=person), upload(1, 1))
    submit(make_team(challenge))
    for opens, closes in ((1, 2), (-2, -1)):
        times = {"opens": now + timedelta(days=opens), "closes": now + timedelta(days=closes)}
        Challenge.objects.update(**times)
        for who, names in {
            None: ("public_challenges:page", "public_challenges:join"),
            person: ("challenges:challenge", "challenges:standings"),
            admin: ("challenges:challenge", "challenges:settings"),
        }.items():
            context = browser.new_context(reduced_motion="reduce")
            page = signed_in(context, client, who, live_server)
            for name in names:
                of = challenge.address if name.startswith("public") else challenge.slug
                page.goto(live_server.url + reverse(name, args=[of]))
                check_page(page)
            context.close()


def tab_to(page: Page, one: Locator) -> None:
    """Press the tabulator until something has the focus."""
    one.wait_for()
    for _ in range(60):
        page.keyboard.press("Tab")
        if one.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"The keyboard does not reach {one}.")


def test_a_participant_signs_up_joins_uploads_and_chooses_the_final_entry_by_keyboard(
    page, live_server, challenge
):
    team = make_team(challenge)
    page.set_default_timeout(20_000)

    def press(role, name):
        tab_to(page, page.get_by_role(role, name=name, exact=True))
        page.keyboard.press("Enter")

    page.goto(live_server.url + reverse("public_challenges:page", args=[challenge.address]))
    press("link", "Take part")
    press("link", "Create an account")
    for field, value in (("username", "grace"), ("password1", KEY)):
        tab_to(page, page.locator(f"[name={field}]"))
        page.keyboard.type(value)
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Code of the team"))
    page.keyboard.type(team.code)
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Results"))
    # The dialog that Enter opens is the browser's own.
    file = {"name": "results.zip", "mimeType": "application/zip", "buffer": upload()}
    page.get_by_label("Results").set_input_files([file])
    press("button", "Submit")
    expect(page.get_by_role("heading", level=1)).to_contain_text("being checked")
    Entry.objects.update(told=timezone.now())
    page.reload()
    press("button", "Make it the final entry")
    expect(page.get_by_role("heading", level=1)).to_contain_text("final")
    assert Entry.objects.get().is_final
    assert team.members.filter(person__username="grace").exists()
