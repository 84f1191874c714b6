"""Pages of a challenge in a browser: accessible in both themes, nothing wider than the screen."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.challenges import services
from annotate.challenges.forms import PARTS
from annotate.challenges.models import Challenge
from tests.support.browsing import check_page, listen, signed_in, unexpected
from tests.support.challenges import judge_final, make_challenge, make_team, submit, upload
from tests.support.factories import make_admin, make_person


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
