"""The comparison page's addresses, with and without JavaScript."""

import json
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.judging import current_screen, services
from annotate.judging.models import Judgement, Skip
from annotate.scoring.services import score_protocol
from annotate.studies.models import Study
from tests.support.factories import add_annotator, add_researcher, make_person, make_study
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import (
    CRITERIA,
    answer,
    asked_verdicts,
    judged,
    rank_everything,
    same_truth,
    shown_now,
)

pytestmark = pytest.mark.django_db

AB = same_truth([["alpha-net"], ["beta-net"], ["gamma-net"]])
JSON = {"Accept": "application/json"}
# Effect and label of each key; tests/js checks keys.js with the same table.
KEYS = json.loads(Path(__file__).with_name("keys.json").read_text())


made_study = made_once(lambda: make_study(["alpha-net", "beta-net", "gamma-net"], images=2))


@pytest.fixture
def page(client, annotator):
    """A browser in which the annotator is signed in."""
    client.force_login(annotator)
    return client


@pytest.fixture
def turn(study, annotator):
    return services.start(study=study, annotator=annotator).turn


def answer_url(turn):
    return reverse("judging:answer", args=[turn.screen.public_id])


def test_pages_print_the_keys_that_work(page, study, turn):
    text = flat(page.get(reverse("judging:judge", args=[study.slug])).text)
    printed = set(re.findall(r'<kbd[^>]* data-key="(\w+)">(.*?)</kbd>', text))
    assert printed - {("help", "?")} <= set(KEYS.items())
    for criterion in ("recall", "precision", "preference"):
        for verdict in ("left", "equal", "right"):
            name = f"{criterion}_{verdict}"
            radio = rf'name="{criterion}" value="{verdict}" aria-keyshortcuts="{KEYS[name]}"'
            assert re.search(radio, text), name


def test_looking_at_a_study_changes_nothing(page, study):
    response = page.get(reverse("judging:judge", args=[study.slug]))
    assert response.status_code == 200
    assert "judging/start.html" in [template.name for template in response.templates]
    assert not study.assignments.exists()


def test_start_shows_the_first_pair(page, study):
    response = page.post(reverse("judging:start", args=[study.slug]), follow=True)
    assert "judging/screen.html" in [template.name for template in response.templates]


def test_without_javascript_an_answer_redirects_to_the_next_pair(page, study, turn):
    response = page.post(answer_url(turn), asked_verdicts(AB, turn) | {"seconds_taken": "2.5"})
    assert response.status_code == 302
    assert response["Location"] == reverse("judging:judge", args=[study.slug])
    assert Judgement.objects.get().seconds_taken == 2.5


@pytest.mark.parametrize("seconds", ["", "soon", "-3", "nan", "inf", "1e9"])
def test_a_clock_that_went_wrong_does_not_cost_the_answer(page, turn, seconds):
    answers = asked_verdicts(AB, turn) | {"seconds_taken": seconds}
    assert page.post(answer_url(turn), answers, headers=JSON).status_code == 200
    assert Judgement.objects.get().seconds_taken is None


def test_with_javascript_an_answer_brings_the_next_pair(page, turn):
    response = page.post(answer_url(turn), asked_verdicts(AB, turn), headers=JSON)
    data = response.json()
    assert response.status_code == 200
    assert data["screen"]["id"] != turn.screen.public_id
    assert data["message"].startswith("Saved.")
    assert data["can_undo"] is True
    assert len(data["image"]["results"][data["left"]]["polygons"]) == 1


def test_after_the_last_pair_the_answer_says_where_to_go(page, study, annotator, turn):
    data = {}
    while "done" not in data:
        turn = current_screen.waiting_turn(study, annotator)
        data = page.post(answer_url(turn), asked_verdicts(AB, turn), headers=JSON).json()
    response = page.get(data["done"]["url"])
    assert "judging/own.html" in [template.name for template in response.templates]


def test_the_own_page_shows_the_last_answers_which_can_be_changed_while_the_study_is_open(
    page, study, annotator
):
    n_screens = rank_everything(study, annotator, AB)
    assert n_screens > 3
    own = reverse("judging:own", args=[study.slug])
    text = page.get(own).text
    assert (text.count("<tr>"), text.count("/change/")) == (1 + 3, 3)
    Study.objects.update(state=Study.State.CLOSED)
    text = page.get(own).text
    assert (text.count("<tr>"), text.count("/change/")) == (1 + 3, 0)


def test_an_incomplete_answer_is_422_with_the_reason_beside_the_question(page, turn):
    answers = asked_verdicts(AB, turn)
    del answers["precision"]
    data = page.post(answer_url(turn), answers, headers=JSON)
    assert data.status_code == 422
    assert data.json() == {"errors": {"precision": "Choose left, equal or right."}}
    shown = page.post(answer_url(turn), answers)
    assert shown.status_code == 422
    fieldset = re.search(
        r"<fieldset[^>]*data-criterion=\"precision\".*?</fieldset>", shown.text, re.S
    )
    assert fieldset, "the question is a fieldset"
    assert "Choose left, equal or right." in fieldset[0]
    kept = re.search(r"<input[^>]*name=\"recall\"[^>]*checked[^>]*>", shown.text)
    assert kept, "what was answered stays chosen"
    assert f'value="{answers["recall"]}"' in kept[0]
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("forged", ["best", "LEFT", "1", "left right"])
def test_a_forged_verdict_is_422(page, turn, forged):
    answers = asked_verdicts(AB, turn) | {"recall": forged}
    response = page.post(answer_url(turn), answers, headers=JSON)
    assert response.status_code == 422
    assert list(response.json()["errors"]) == ["recall"]
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("headers", [JSON, {}])
def test_a_changed_answer_is_409_with_the_current_pair(page, turn, headers):
    answers = asked_verdicts(AB, turn)
    page.post(answer_url(turn), answers)
    other = "equal" if answers["recall"] != "equal" else "left"
    response = page.post(answer_url(turn), answers | {"recall": other}, headers=headers)
    assert response.status_code == 409
    assert "answered in another tab" in response.text
    assert Judgement.objects.count() == 1
    if headers:
        assert response.json()["payload"]["screen"]["id"] != turn.screen.public_id


@pytest.mark.parametrize("headers", [JSON, {}])
def test_a_changed_answer_to_the_last_pair_is_named_where_the_study_ends(client, headers):
    study = make_study(["a", "b"], images=1)
    annotator = add_annotator(study)
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    answers = dict.fromkeys(("recall", "precision", "preference"), "left")
    first = client.post(answer_url(turn), answers, headers=JSON).json()["done"]["url"]
    assert "another tab" not in client.get(first).text
    response = client.post(answer_url(turn), answers | {"recall": "right"}, headers=headers)
    assert response.status_code == 409
    shown = client.get(response.json()["done"]["url"]) if headers else response
    assert "All done" in shown.text
    assert "This pair was answered in another tab." in shown.text
    # The same answer again is not another one.
    assert client.post(answer_url(turn), answers, headers=JSON).status_code == 200
    assert "another tab" not in client.get(first).text


def test_the_same_answer_twice_is_one_event_with_the_same_response(page, turn):
    answers = asked_verdicts(AB, turn)
    first, second = (page.post(answer_url(turn), answers, headers=JSON).json() for _ in range(2))
    assert first["screen"] == second["screen"]
    assert Judgement.objects.count() == 1


@pytest.mark.parametrize("headers", [JSON, {}])
@pytest.mark.parametrize("what", ["answer", "skip"])
def test_somebody_elses_screen_is_404(client, study, turn, what, headers):
    strangers = [add_annotator(study), add_researcher(study), make_person()]
    for stranger in strangers:
        client.force_login(stranger)
        url = reverse(f"judging:{what}", args=[turn.screen.public_id])
        for data in (asked_verdicts(AB, turn) | {"reason": "other"}, {}):
            assert client.post(url, data, headers=headers).status_code == 404
    assert not Judgement.objects.exists()
    assert not Skip.objects.exists()


@pytest.mark.parametrize("name", ["nothing", "x" * 25, "é", "..%2f"])
def test_a_screen_that_never_was_is_404(page, name):
    assert page.post(f"/judge/screens/{name}/answer/", {}).status_code == 404


def test_signed_out_a_script_gets_401_and_a_page_the_sign_in(client, turn):
    answers = asked_verdicts(AB, turn)
    assert client.post(answer_url(turn), answers, headers=JSON).status_code == 401
    response = client.post(answer_url(turn), answers)
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))


def test_a_closed_study_is_a_plain_page_and_403(page, study, turn):
    Study.objects.update(state="closed")
    response = page.post(answer_url(turn), asked_verdicts(AB, turn))
    assert response.status_code == 403
    assert "closed" in response.text
    assert page.post(answer_url(turn), {}, headers=JSON).status_code in (403, 422)
    assert page.get(reverse("judging:judge", args=[study.slug])).status_code == 403


def test_a_skip_needs_a_reason(page, turn):
    url = reverse("judging:skip", args=[turn.screen.public_id])
    assert page.post(url, {}, headers=JSON).json() == {"errors": {"reason": "Choose a reason."}}
    shown = page.post(url, {"reason": "tired"})
    assert shown.status_code == 422
    assert "Choose one of the reasons." in shown.text
    assert not Skip.objects.exists()


def test_that_they_look_the_same_is_the_first_reason_and_an_answer(page, study, turn):
    shown = page.get(reverse("judging:judge", args=[study.slug])).text
    assert shown.index('value="same"') < shown.index('value="cannot_see"')
    url = reverse("judging:skip", args=[turn.screen.public_id])
    data = page.post(url, {"reason": "same"}, headers=JSON).json()
    assert data["message"].startswith("Saved.")
    assert Judgement.objects.get().verdicts == dict.fromkeys(CRITERIA, "equal")


def test_a_skip_brings_another_pair(page, turn):
    url = reverse("judging:skip", args=[turn.screen.public_id])
    data = page.post(url, {"reason": "other", "text": "glare"}, headers=JSON).json()
    assert data["message"].startswith("Skipped.")
    assert Skip.objects.get().text == "glare"


def test_undo_shows_the_pair_and_what_was_answered(page, study, turn):
    answers = asked_verdicts(AB, turn)
    shown = page.post(answer_url(turn), answers, headers=JSON).json()["screen"]["id"]
    undo = reverse("judging:undo", args=[study.slug])
    data = page.post(undo, {"screen": shown}, headers=JSON).json()
    assert data["screen"]["id"] == turn.screen.public_id
    assert data["answers"] == answers


def test_undo_after_the_last_pair_comes_back_to_it(page, study, annotator):
    rank_everything(study, annotator, AB)
    undo = reverse("judging:undo", args=[study.slug])
    response = page.post(undo, {"screen": ""}, follow=True)
    assert "judging/screen.html" in [template.name for template in response.templates]


def test_implied_answers_are_shown_and_cannot_be_chosen(page, study, annotator, turn):
    truth = {
        "recall": [["alpha-net"], ["beta-net"], ["gamma-net"]],
        "precision": [["alpha-net", "beta-net", "gamma-net"]],
        "preference": [["gamma-net"], ["alpha-net"], ["beta-net"]],
    }
    while not turn.implied:
        judged(turn, asked_verdicts(truth, turn))
        turn = current_screen.waiting_turn(study, annotator)
    html = page.get(reverse("judging:judge", args=[study.slug])).text
    for criterion in turn.implied:
        fieldset = re.search(
            rf"<fieldset[^>]*data-criterion=\"{criterion}\".*?</fieldset>", html, re.S
        )[0]
        assert "follows from your answers" in fieldset
        choices = re.findall(r"<input[^>]*type=\"radio\"[^>]*>", fieldset)
        assert all('aria-disabled="true"' in choice for choice in choices)


def test_boxes_whose_last_pixel_is_included_reach_to_its_far_edge(page):
    study = make_study(
        ["a", "b"], boxes={"a": [(10, 10, 19, 19)], "b": [(10, 10, 19, 19), (0, 0, 5, 5)]}
    )
    client, annotator = page, add_annotator(study)
    client.force_login(annotator)
    services.start(study=study, annotator=annotator)
    html = client.get(reverse("judging:judge", args=[study.slug])).text
    assert "10,10 20,10 20,20 10,20" in html


def test_t35_boxes_beyond_the_edges_of_a_photograph_are_in_view_without_scripts_too(page):
    """A box reaches 80 px beyond an image of 100 px; the room is a twentieth of the image at most."""
    study = make_study(["a", "b"], boxes={"a": [(10, 48, 60, 60)], "b": [(90, 10, 180, 20)]})
    study.images.update(width=100, height=240, sha256="0" * 64)
    annotator = add_annotator(study)
    page.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    assert shown_now(turn)["image"]["room"] == [5, 0]
    html = page.get(reverse("judging:judge", args=[study.slug])).text
    assert html.count('viewBox="-5 -0 110 240"') == 2


def test_t29_every_control_with_a_key_shows_it_in_the_preferences(page):
    text = page.get(reverse("preferences")).text
    assert set(re.findall(r'data-action="(\w+)"', text)) == set(KEYS)


def test_t28_the_bar_is_the_share_of_this_image_and_the_words_count_its_pairs(
    study, annotator, turn
):
    shares = []
    while turn is not None and turn.assignment.position == 1:
        progress = shown_now(turn)["progress"]
        n_done = len(turn.log.entries)
        if progress["most"] == 1:
            assert progress["share"] == pytest.approx(n_done / (n_done + 1), abs=1e-4)
        shares.append(progress["share"])
        turn = answer(turn, annotator, AB)
    assert shares[0] == 0
    assert shares == sorted(shares)
    # The next image starts from the beginning.
    assert turn is None or shown_now(turn)["progress"]["share"] == 0


def test_an_answer_to_an_image_that_the_page_has_takes_eight_queries(client):
    """Session, person, lock, screen, log; the answer, its screen, the next one: however long the log is."""
    study = make_study([f"net-{number}" for number in range(8)], images=3)
    annotator = add_annotator(study)
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    truth = same_truth([[f"net-{number}"] for number in range(8)])
    counted = []
    for _ in range(10):
        have = shown_now(turn)["image"]["key"]
        sent = asked_verdicts(truth, turn) | {"have": have, "seconds_taken": "2.5"}
        with CaptureQueriesContext(connection) as asked:
            response = client.post(answer_url(turn), sent, headers=JSON)
        assert response.status_code == 200
        assert len(response.content) < 2_500
        statements = [one["sql"] for one in asked if "SAVEPOINT" not in one["sql"]]
        counted.append(len(statements))
        turn = current_screen.waiting_turn(study, annotator)
    assert counted == [8] * 10


def test_t43_an_answer_that_leads_to_another_image_takes_as_many_queries_every_time(client):
    """Visits of one pair, of an image that others have begun and whose results the page has already."""
    names = [f"net-{number}" for number in range(6)]
    boxes = {name: [(0, 0, 20 + 10 * at, 10)] for at, name in enumerate(names)}
    study = make_study(names, images=12, boxes=boxes, methods_per_visit=2)
    for slug in ("iou", "deteval"):
        score_protocol(dataset=study.dataset, slug=slug)
    truth = same_truth([[name] for name in names])
    rank_everything(study, add_annotator(study), truth)
    annotator = add_annotator(study)
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    counted = []
    for _ in range(8):
        coming = client.get(reverse("judging:next_image", args=[study.slug])).json()
        sent = asked_verdicts(truth, turn) | {"have": coming["image"]["key"]}
        with CaptureQueriesContext(connection) as asked:
            response = client.post(answer_url(turn), sent, headers=JSON)
        assert response.json()["image"]["key"] == coming["image"]["key"]
        counted.append(len([one for one in asked if "SAVEPOINT" not in one["sql"]]))
        turn = current_screen.waiting_turn(study, annotator)
    # Seven store the answer, two end the image, three choose the next one and its pair, and two
    # store them.
    assert counted == [14] * 8
