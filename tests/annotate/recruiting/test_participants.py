"""The way of a participant over HTTP: from a link to a code, on every platform."""

import csv
import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.exchange.raw import content
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.recruiting import pace, services
from annotate.recruiting.models import Arrival, Entrance, Outcome
from annotate.recruiting.platforms import external_submit, way_back
from annotate.studies.models import Membership, Study
from annotate.studies.services import end_study, set_state
from tests.support.addresses import address_of, keys_of_addresses
from tests.support.cases import cases
from tests.support.factories import add_annotator, add_researcher
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.participants import (
    JSON,
    PRACTICE,
    admitted,
    agree,
    answer,
    answer_all,
    arrival_in,
    code_on,
    crowd_study,
    ids,
    learn,
    link,
    make_entrance,
    right_answer,
    waiting,
    wrong_answer,
)

pytestmark = pytest.mark.django_db
made_study = made_once(crowd_study)


@pytest.fixture
def entrance(study):
    return make_entrance(study)


def nothing_stored():
    return not (Arrival.objects.exists() or Session.objects.exists() or Membership.objects.exists())


# From the link to the code

AGAIN = "The same link shows this page again."


def test_three_clicks_lead_from_the_link_to_the_first_counted_pair(study, entrance):
    browser = Client()
    page = browser.get(link(entrance), ids())
    assert page.status_code == 200
    clicks = 0
    page = browser.post(link(entrance), ids(), follow=True)
    clicks += 1
    assert page.redirect_chain[-1][0] == reverse("learning:short", args=[study.slug])
    page = browser.post(page.request["PATH_INFO"], PRACTICE)
    clicks += 1
    start = re.search(r'<form class="actions" method="post" action="([^"]+)"', flat(page.text))[1]
    page = browser.post(start, {"begin": "1"}, follow=True)
    clicks += 1
    assert page.status_code == 200
    assert "data-screen-id" in page.text
    assert "Pair 1 of 6" in page.text
    assert clicks == 3


@pytest.mark.parametrize("language", ["en", "fr"])
@cases("platform", ["prolific", "link", "mturk"])
def test_fewer_than_500_words_lead_from_the_link_to_the_first_pair(study, platform, language):
    """Words of the pages, folded or not, without the texts that describe pictures.

    Half of the practice answers are not as expected, which takes more words.
    """
    study.contact = "Ana Silva, ana@example.org"
    study.save(update_fields=["contact"])
    entrance = make_entrance(study, platform, min_width=900, min_height=600)
    browser = Client(headers={"accept-language": language})
    sent = {"prolific": ids(), "mturk": TURK}.get(platform, {})
    pages = [browser.get(link(entrance), sent)]
    if platform == "mturk":
        pages.append(browser.get(reverse("join:frame", args=[entrance.slug]), sent))
    pages.append(browser.post(link(entrance), sent, follow=True))
    pages.append(browser.post(reverse("learning:short", args=[study.slug]), PRACTICE))
    assert [page.status_code for page in pages] == [200] * len(pages)
    assert f'lang="{language}"' in pages[0].text
    n_words = [len(words_of(page.text)) for page in pages]
    assert min(n_words) > 20
    assert sum(n_words) < 500, n_words


def words_of(page):
    """Return the words of a page outside its head, its scripts and its tags."""
    text = re.sub(r"<head.*?</head>|<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL)
    return re.findall(r"\w[\w'’.-]*", unescape(text))


@cases(
    ("fields", "first"),
    [
        ({}, "A telephone, a tablet or a computer will do."),
        ({"min_width": 900}, "You need a window of at least 900 by 600 pixels."),
        (
            {"input": "touch"},
            "A telephone, a tablet or a computer will do. You need a touch screen.",
        ),
    ],
)
def test_the_device_is_told_in_the_first_line(study, fields, first):
    entrance = make_entrance(study, **({"min_width": 390, "min_height": 600} | fields))
    page = flat(Client().get(link(entrance), ids()).text)
    assert re.search(r"</h1>\s*</header>\s*<p class=\"lead\">\s*([^<]*?)\s*</p>", page)[1] == first


def test_a_telephone_is_let_in_unless_the_study_says_otherwise():
    assert Entrance().min_width == 390


def test_t54_the_first_pair_comes_after_answers_to_the_lesson(study, entrance):
    browser = admitted(entrance, taught=False)
    short = reverse("learning:short", args=[study.slug])
    finish = reverse("learning:finish", args=[study.slug])
    assert browser.post(finish, {"begin": "1"}).headers["location"] == short
    given = PRACTICE | {"street-recall": "equal", "garden-precision": ""}
    page = browser.post(short, given)
    assert page.status_code == 422
    assert page.text.count("Choose an answer.") == 1
    assert 'id="garden-precision-missing"' in page.text
    checked = re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]+)"[^>]*checked', page.text)
    assert dict(checked) == {name: answer for name, answer in given.items() if answer}
    assert browser.post(finish, {"begin": "1"}).headers["location"] == short
    page = browser.post(short, PRACTICE)
    # Of six answers "left", those to the recall of one pair and the precision of another are expected.
    assert page.text.count("As expected.") == 2
    assert "Expected: Right better." in page.text
    browser.post(finish, {"begin": "1"})
    assert waiting(browser).number == 1


@cases("unit", ["pairs", "images"])
def test_a_visit_shows_no_ground_truth_and_no_matches(study, unit):
    study.ground_truth, study.match_protocol = "always", "iou"
    study.save(update_fields=["ground_truth", "match_protocol"])
    browser = admitted(make_entrance(study, unit=unit, size=5))
    page = browser.get(reverse("judging:judge", args=[study.slug])).text
    data = json.loads(re.search(r'<script id="screen-data"[^>]*>(.*?)</script>', page)[1])
    ahead = browser.get(reverse("judging:next_image", args=[study.slug])).json()
    for image in (data["image"], ahead["image"]):
        assert image["truth"] is image["matches"] is None
    assert data["study"]["settings"]["ground_truth"] == "never"
    assert data["study"]["settings"]["match_colours"] == ""
    tools = set(re.findall(r'data-do="(\w+)"', page))
    assert {"zoom_in", "blink", "boxes_hidden", "next_difference"} <= tools
    assert tools.isdisjoint({"link", "auto_blink", "differences", "note"})


def test_the_last_answer_leads_to_the_code_without_a_click(entrance):
    browser = admitted(entrance)
    for _ in range(5):
        assert answer(browser, **JSON).json().get("done") is None
    last = answer(browser, **JSON).json()["done"]["url"]
    page = browser.get(last)
    assert code_on(page) == entrance.code_completed
    assert AGAIN in page.text
    assert (
        f"https://app.prolific.com/submissions/complete?cc={entrance.code_completed}" in page.text
    )
    arrival = arrival_in(browser)
    assert (arrival.outcome, arrival.n_pairs, arrival.n_checks, arrival.n_right) == (
        Outcome.COMPLETED,
        6,
        3,
        3,
    )
    assert arrival.active_seconds == 24


def test_no_known_answer_is_among_the_first_two_pairs(entrance):
    for person in range(3):
        browser = admitted(entrance, ids(f"p{person}"))
        answer_all(browser)
        screens = Screen.objects.filter(assignment__annotator=arrival_in(browser).person)
        known = [screen.known is not None for screen in screens.order_by("created", "pk")]
        assert known[:2] == [False, False]
        assert known.count(True) == 3


def test_a_visit_of_whole_images_ends_after_so_many(study):
    entrance = make_entrance(study, unit="images", size=4)
    browser = admitted(entrance)
    answer_all(browser)
    of_person = Assignment.objects.filter(annotator=arrival_in(browser).person)
    assert of_person.count() == 4
    assert arrival_in(browser).outcome == Outcome.COMPLETED


@cases("unit", ["pairs", "images"])
def test_t57_visits_list_the_places_that_differ_in_words_only(study, unit):
    study.place_list = "always"
    study.save(update_fields=["place_list"])
    page = admitted(make_entrance(study, unit=unit, size=2)).get(
        reverse("judging:judge", args=[study.slug])
    )
    assert '"place_list": "never"' in page.text


def test_the_bar_counts_the_pairs_of_the_visit(entrance):
    browser = admitted(entrance)
    data = answer(browser, **JSON).json()
    assert data["image"]["pair"] == 2
    assert data["image"]["total"] == 6
    assert data["progress"]["text"] == "5 pairs left"
    assert data["progress"]["share"] == pytest.approx(1 / 6, abs=1e-4)


def test_an_entrance_may_speak_french_to_everybody(study):
    entrance = make_entrance(study, language="fr")
    browser = Client()
    assert '<html lang="fr"' in browser.get(link(entrance), ids()).text
    agree(browser, entrance)
    assert browser.cookies[site.LANGUAGE_COOKIE_NAME].value == "fr"


# Coming back


def test_the_same_link_leads_to_where_one_was(entrance, study):
    browser = admitted(entrance)
    answer(browser)
    screen = waiting(browser)
    again = browser.get(link(entrance), ids(), follow=True)
    assert screen.public_id in again.text
    # In another browser, after one click.
    other = Client()
    assert "Welcome back" in other.get(link(entrance), ids()).text
    there = other.post(link(entrance), ids(), follow=True)
    assert screen.public_id in there.text
    assert Arrival.objects.count() == 1


def test_the_session_is_enough_to_come_back_without_ids(study):
    entrance = make_entrance(study, "link")
    browser = admitted(entrance, {})
    answer(browser)
    assert waiting(browser).public_id in browser.get(link(entrance), follow=True).text


def test_whoever_is_done_sees_the_code_again_in_any_browser(entrance):
    browser = admitted(entrance)
    answer_all(browser)
    assert code_on(browser.get(link(entrance), ids(), follow=True)) == entrance.code_completed
    assert code_on(Client().get(link(entrance), ids())) == entrance.code_completed


def test_other_ids_in_the_same_browser_are_another_person_and_are_told(entrance):
    browser = admitted(entrance)
    page = browser.get(link(entrance), ids("somebody2"))
    assert "Another person has taken part in this browser" in page.text
    agree(browser, entrance, ids("somebody2"))
    assert Arrival.objects.count() == 2
    assert arrival_in(browser).participant == "somebody2"


def test_a_person_takes_part_once_in_a_study_whatever_the_entrance(study, entrance):
    browser = admitted(entrance)
    second = make_entrance(study)
    agree(Client(), second, ids(submission="s2"))
    assert Arrival.objects.get().entrance == entrance
    answer_all(browser)
    assert code_on(Client().get(link(second), ids())) == entrance.code_completed


def test_participants_of_a_study_that_is_named_are_not_admitted(study, entrance):
    before = make_entrance(crowd_study(images=3))
    admitted(before, taught=False)
    entrance.excludes.add(before.study)
    assert code_on(agree(Client(), entrance)) == entrance.code_device
    assert study.arrivals.count() == 0


# The table of what must hold


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"PROLIFIC_PID": ""},
        {"PROLIFIC_PID": "x" * 10_000},
        {"PROLIFIC_PID": "a\x07b"},
        {"PROLIFIC_PID": "<b>x</b>"},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"},
        {"PROLIFIC_PID": "=1+1"},
        {"PROLIFIC_PID": "good", "SESSION_ID": "<script>"},
    ],
)
def test_a_link_without_whole_ids_says_so_and_stores_nothing(entrance, given):
    for response in (Client().get(link(entrance), given), Client().post(link(entrance), given)):
        assert response.status_code == 400
        assert "The link is incomplete" in response.text
        assert "<script>" not in response.text.replace('<script type="module"', "")
    assert nothing_stored()


@pytest.mark.parametrize("method", ["get", "head"])
def test_nothing_is_stored_before_consent(entrance, method):
    assert getattr(Client(), method)(link(entrance), ids()).status_code == 200
    assert nothing_stored()


def test_no_code_is_in_any_page_before_its_outcome(entrance, study):
    codes = [entrance.code_of(outcome) for outcome in Outcome]
    browser = Client()
    pages = [browser.get(link(entrance), ids()), agree(browser, entrance)]
    pages += [browser.get(reverse("learning:short", args=[study.slug]))]
    pages += [browser.post(reverse("learning:short", args=[study.slug]), PRACTICE)]
    pages += [browser.post(reverse("learning:finish", args=[study.slug]), {"begin": "1"})]
    pages += [browser.get(reverse("judging:judge", args=[study.slug]))]
    pages += [browser.get(reverse("join:visit", args=[entrance.slug]))]
    pages += [answer(browser, **JSON)]
    # The page of thanks, opened early, leads to the next pair.
    early = browser.get(reverse("join:done", args=[entrance.slug]))
    assert early["Location"] == reverse("judging:judge", args=[study.slug])
    for page in [*pages, early]:
        said = page.content.decode() + str(page.headers)
        assert not [code for code in codes if code in said]


def test_consent_taken_back_erases_the_answers_and_frees_the_place(study):
    asked = {"when": "before", "kind": "text", "words": "Why?", "choices": []}
    entrance = make_entrance(study, questions=[asked])
    browser = Client()
    agree(browser, entrance, question_0="Fun")
    learn(browser, study)
    assert arrival_in(browser).answers == [{"words": "Why?", "answer": "Fun"}]
    for _ in range(3):
        answer(browser)
    person = arrival_in(browser).person
    page = browser.post(reverse("join:withdraw", args=[entrance.slug]), follow=True)
    assert code_on(page) == entrance.code_no_consent
    assert not Assignment.objects.filter(annotator=person).exists()
    assert not Judgement.objects.exists()
    assert arrival_in(browser).answers == []
    assert set(study.study_images.values_list("n_complete", flat=True)) == {0}
    assert entrance.arrivals.holding_places().count() == 0
    # The same ids begin no second time.
    assert code_on(Client().get(link(entrance), ids())) == entrance.code_no_consent


def test_consent_taken_back_keeps_the_answers_where_the_page_said_so(study):
    entrance = make_entrance(study, keeps_answers=True)
    browser = admitted(entrance)
    answer(browser)
    browser.post(reverse("join:withdraw", args=[entrance.slug]))
    assert Judgement.objects.count() == 1
    assert arrival_in(browser).outcome == Outcome.NO_CONSENT


def test_whoever_says_no_gets_the_code_for_it_and_only_a_count_is_stored(entrance):
    browser = Client()
    page = agree(browser, entrance, leave="no_consent")
    assert code_on(page) == entrance.code_no_consent
    # The link leads to the first page: who said no is not known.
    assert AGAIN not in page.text
    assert "Will you take part?" in browser.get(link(entrance), ids()).text
    entrance.refresh_from_db()
    assert entrance.turned_away == {"no_consent": 1}
    assert nothing_stored()


def test_a_window_that_is_too_small_gets_the_code_for_it(study):
    entrance = make_entrance(study, min_width=900, min_height=600)
    small = agree(Client(), entrance, width="390", height="844")
    assert code_on(small) == entrance.code_device
    assert nothing_stored()
    assert agree(Client(), entrance, width="1024", height="768").status_code == 302


def test_when_all_places_are_taken_newcomers_get_the_code_for_it(study):
    entrance = make_entrance(study, places=1)
    admitted(entrance, ids("first"), taught=False)
    page = Client().get(link(entrance), ids("second"))
    assert "All places are taken" in page.text
    assert entrance.code_full not in page.text
    assert code_on(agree(Client(), entrance, ids("second"), leave="full")) == entrance.code_full
    assert code_on(agree(Client(), entrance, ids("third"))) == entrance.code_full
    assert Arrival.objects.count() == 1


def test_the_code_for_a_full_study_is_not_given_while_there_are_places(entrance):
    response = agree(Client(), entrance, leave="full")
    assert response.status_code == 422
    assert entrance.code_full not in response.text


def test_a_place_is_free_again_after_the_time_limit_and_late_work_still_counts(study):
    entrance = make_entrance(study, places=1)
    late = admitted(entrance, ids("late"))
    answer(late)
    Arrival.objects.update(deadline=timezone.now() - timedelta(minutes=1))
    admitted(entrance, ids("next"))
    answer_all(late)
    assert arrival_in(late).code == entrance.code_completed


def test_a_paused_entrance_asks_people_to_come_back_and_lets_others_finish(entrance):
    inside = admitted(entrance)
    Entrance.objects.update(state="paused")
    assert "taking a break" in Client().get(link(entrance), ids("new")).text
    assert agree(Client(), entrance, ids("new")).status_code == 403
    answer_all(inside)
    assert arrival_in(inside).outcome == Outcome.COMPLETED


def test_a_closed_entrance_gives_the_code_for_being_late(entrance):
    Entrance.objects.update(state="closed")
    page = agree(Client(), entrance, leave="late")
    assert code_on(page) == entrance.code_late
    # The person has answered nothing.
    assert "This study takes no more people" in page.text


def end_by_its_rule(study):
    Study.objects.filter(pk=study.pk).update(ends_by="budget", answer_budget=1)
    assert end_study(study=Study.objects.get(pk=study.pk), n_answers=1, why="budget")


@pytest.mark.parametrize(
    "end", [end_by_its_rule, lambda study: set_state(study=study, state="closed")]
)
def test_when_the_study_has_ended_the_pair_on_screen_is_taken_and_the_person_is_paid(
    study, entrance, end
):
    browser = admitted(entrance)
    answer(browser)
    end(study)
    n_before = Judgement.objects.count()
    response = answer(browser)
    assert Judgement.objects.count() == n_before + 1
    page = browser.get(response["Location"], follow=True)
    assert code_on(page) == entrance.code_late


OF_PARTICIPANTS = {"join", "learning", "judging"}
PUBLIC_PATHS = {"language", "home", "datasets:image", "datasets:small_image"}


def test_no_other_address_of_the_site_is_there_for_a_participant(study, entrance):
    browser = admitted(entrance)
    tried = 0
    for name in keys_of_addresses():
        if name.split(":")[0] in OF_PARTICIPANTS or name in PUBLIC_PATHS:
            continue
        url = address_of(name, study, pk=1, other=1, file=1)
        for method in ("get", "post"):
            assert getattr(browser, method)(url).status_code in (404, 405), name
        tried += 1
    assert tried > 80
    for url in ("/accounts/email/", "/api/v1/me", "/rescue/", "/protocols/"):
        assert browser.get(url).status_code == 404


def test_a_visit_is_of_its_own_participant_alone(study, entrance):
    admitted(entrance)
    other = make_entrance(study)
    mine = admitted(other, ids("me"))
    for name in ("visit", "done"):
        assert mine.get(reverse(f"join:{name}", args=[entrance.slug])).status_code == 404
        assert Client().get(reverse(f"join:{name}", args=[entrance.slug])).status_code == 404


def test_members_of_the_site_are_not_taken_for_participants(study, entrance):
    browser = Client()
    browser.force_login(add_researcher(study))
    assert "open it in a private window" in browser.get(link(entrance), ids()).text
    assert agree(browser, entrance).status_code == 409
    assert not Arrival.objects.exists()


# Platforms

TURK = {
    "workerId": "A1",
    "assignmentId": "X9",
    "hitId": "H",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}


@pytest.mark.parametrize(
    ("platform", "given", "back"),
    [
        ("prolific", ids(), "https://app.prolific.com/submissions/complete?cc=CODE"),
        ("connect", {"participantId": "a1", "assignmentId": "b2", "projectId": "c"}, ""),
        ("sona", {"survey_code": "4711"}, "https://uni.example/?survey_code=4711"),
        ("mturk", TURK, ""),
        ("link", {}, ""),
    ],
)  # fmt: skip
def test_every_platform_leads_to_a_code(study, platform, given, back):
    entrance = make_entrance(study, platform, code_completed="CODE")
    if platform == "sona":
        # The address of the credit page is the study's own.
        Entrance.objects.update(way_back="https://uni.example/?survey_code={id}")
    browser = admitted(entrance, given)
    page = browser.get(answer_all(browser)["Location"])
    assert code_on(page) == "CODE"
    assert (back in page.text) if back else ('class="button" href="https' not in page.text)


def test_connect_sends_back_only_people_who_finished(study):
    back = "https://connect.cloudresearch.com/finish?code={code}"
    entrance = make_entrance(study, "connect", way_back=back)
    given = {"participantId": "a1", "assignmentId": "b2"}
    page = agree(Client(), entrance, given, leave="no_consent")
    assert "connect.cloudresearch.com" not in page.text
    browser = admitted(entrance, given)
    assert "connect.cloudresearch.com" in browser.get(answer_all(browser)["Location"]).text


def test_the_frame_of_mechanical_turk_posts_the_code_back(study):
    entrance = make_entrance(study, "mturk")
    address = reverse("join:frame", args=[entrance.slug])
    page = Client().get(address, TURK)
    policy = page["Content-Security-Policy"]
    assert "frame-ancestors https://www.mturk.com https://workersandbox.mturk.com" in policy
    assert "form-action https://www.mturk.com https://workersandbox.mturk.com" in policy
    assert "X-Frame-Options" not in page
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page.text
    assert 'name="assignmentId" value="X9"' in page.text
    assert code_on(page) == ""
    browser = admitted(entrance, TURK)
    answer_all(browser)
    assert code_on(Client().get(address, TURK)) == entrance.code_completed
    # No other page may be framed.
    for other in (link(entrance), reverse("home")):
        assert "frame-ancestors 'none'" in Client().get(other, TURK)["Content-Security-Policy"]
    assert Client().get(reverse("join:frame", args=[make_entrance(study).slug])).status_code == 404


def test_a_preview_of_mechanical_turk_shows_and_takes_nothing(study):
    entrance = make_entrance(study, "mturk")
    preview = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": "A1"}
    for address in (reverse("join:frame", args=[entrance.slug]), link(entrance)):
        page = Client().get(address, preview)
        assert page.status_code == 200
        assert "preview" in page.text
        assert "<button" not in page.text
    assert Client().post(link(entrance), preview).status_code == 200
    assert nothing_stored()


@pytest.mark.parametrize(
    "to",
    ["https://evil", "https://www.mturk.com.evil.net", "http://www.mturk.com", "javascript:x"],
)
def test_a_way_back_that_was_tampered_with_is_refused_with_a_sentence(study, to):
    entrance = make_entrance(study, "mturk")
    for address in (reverse("join:frame", args=[entrance.slug]), link(entrance)):
        page = Client().get(address, TURK | {"turkSubmitTo": to})
        assert page.status_code == 400
        assert "not Amazon" in page.text
        assert to not in page.text
    assert nothing_stored()


def test_addresses_are_filled_in_safely():
    assert (
        way_back("https://x.org/?c={code}&i={id}", "A&B", "a/b") == "https://x.org/?c=A%26B&i=a%2Fb"
    )
    assert external_submit("https://www.mturk.com/") == "https://www.mturk.com/mturk/externalSubmit"


# A pause, the checks, and what the researcher asks


def test_wrong_known_answers_bring_a_pause_first_and_then_the_end(study):
    entrance = make_entrance(study, size=30, n_checks=6, after_checks="end")
    browser = admitted(entrance)
    n = 0
    while not arrival_in(browser).is_paused:
        response = answer(browser, wrong_answer)
        n += 1
    assert n <= 20
    page = browser.get(response["Location"])
    assert "A short pause" in page.text
    # The pair on screen waits until the pause is read.
    judge = reverse("judging:judge", args=[study.slug])
    assert browser.get(judge)["Location"] == reverse("join:visit", args=[entrance.slug])
    browser.post(reverse("join:go_on", args=[entrance.slug]))
    page = browser.get(answer_all(browser, wrong_answer)["Location"], follow=True)
    assert code_on(page) == entrance.code_checks
    arrival = arrival_in(browser)
    assert arrival.n_pairs < 30
    assert entrance.arrivals.holding_places().count() == 0
    assert not Assignment.objects.filter(annotator=arrival.person, state="in_work").exists()


def test_after_a_pause_attention_that_returns_leads_to_the_usual_end(study):
    entrance = make_entrance(study, size=30, n_checks=8, after_checks="end")
    browser = admitted(entrance)
    while not arrival_in(browser).is_paused:
        answer(browser, wrong_answer)
    browser.post(reverse("join:go_on", args=[entrance.slug]))
    answer_all(browser)
    assert arrival_in(browser).outcome == Outcome.COMPLETED


def test_a_pace_below_that_of_almost_everybody_brings_a_pause(study, entrance, monkeypatch):
    monkeypatch.setattr(pace, "N_LEAST", 6)
    answer_all(admitted(entrance, ids("usual")))
    # Answers of 4 s each, which is the floor without any spread.
    fast = admitted(make_entrance(study, size=20, n_checks=3), ids("fast"))
    assert arrival_in(fast).floor_seconds == pytest.approx(4)
    for n in range(6):
        screen = waiting(fast)
        assert not arrival_in(fast).is_paused, n
        answer(fast, lambda screen: right_answer(screen) | {"seconds_taken": "0.4"})
        Judgement.objects.filter(screen=screen).update(seconds_taken=0.4)
    fast.get(reverse("judging:judge", args=[study.slug]))
    assert arrival_in(fast).is_paused


def test_questions_before_and_after_are_kept_with_the_visit(study):
    asked = [
        {
            "when": "before",
            "kind": "choice",
            "words": "Device?",
            "choices": ["laptop", "telephone"],
        },
        {"when": "after", "kind": "text", "words": "Anything odd?", "choices": []},
    ]
    entrance = make_entrance(study, questions=asked)
    browser = Client()
    assert "Device?" in browser.get(link(entrance), ids()).text
    assert agree(browser, entrance, question_0="tablet").status_code == 422
    agree(browser, entrance, question_0="laptop")
    learn(browser, study)
    page = browser.get(answer_all(browser)["Location"])
    assert "Anything odd?" in page.text
    assert entrance.code_completed not in page.text
    page = browser.post(
        reverse("join:done", args=[entrance.slug]), {"question_0": "no"}, follow=True
    )
    assert code_on(page) == entrance.code_completed
    # Two requests at once may both have found the questions unanswered.
    late = [{"words": "Anything odd?", "answer": "yes"}]
    services.answer_questions(arrival=arrival_in(browser), answers=late)
    assert arrival_in(browser).answers == [
        {"words": "Device?", "answer": "laptop"},
        {"words": "Anything odd?", "answer": "no"},
    ]
    rows = list(csv.DictReader(b"".join(content(study, "questions.csv")).decode().splitlines()))
    assert [
        (row["annotator"], row["entrance"], row["number"], row["question"], row["answer"])
        for row in rows
    ] == [
        ("annotator-1", entrance.name, "1", "Device?", "laptop"),
        ("annotator-1", entrance.name, "2", "Anything odd?", "no"),
    ]


def test_a_participant_has_a_pseudonym_and_no_account(entrance, study):
    browser = admitted(entrance)
    person = arrival_in(browser).person
    assert not person.has_usable_password()
    assert (person.email, person.first_name) == ("", "")
    assert "5f3c0a" not in person.username
    assert User.objects.count() == 1
    add_annotator(study)
    assert study.memberships.get(person=person).max_pairs == 6
