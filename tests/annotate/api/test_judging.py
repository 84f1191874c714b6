"""An annotator without a browser: the same pairs, the same log, the same rankings, as blind."""

import json

import pytest
from django.urls import reverse

from annotate.judging.models import Assignment, Judgement, Skip, Withdrawal
from annotate.judging.replay import rankings_that_differ
from annotate.studies.models import Study
from tests.support.factories import add_annotator, add_newcomer, make_study
from tests.support.made_once import made_once
from tests.support.world import is_problem, signed_in

pytestmark = pytest.mark.django_db

ROOT = "/api/v1/judging"
# Two find the same number of boxes in different places: for this annotator they are equal.
BOXES = {
    "alpha-net": [(0, 0, 20, 10)],
    "beta-net": [(0, 0, 20, 10), (40, 0, 60, 10)],
    "gamma-net": [(5, 0, 25, 10), (45, 0, 65, 10)],
    "delta-net": [(0, 0, 20, 10), (40, 0, 60, 10), (80, 0, 90, 10)],
    "epsilon-net": [(n, 20, n + 5, 30) for n in range(0, 80, 10)],
}
MORE_IS_BETTER = {"recall": True, "precision": False, "preference": True}


def verdict(n_left, n_right, more_is_better):
    if n_left == n_right:
        return "equal"
    return "left" if (n_left > n_right) == more_is_better else "right"


def verdicts(open_criteria, results, left, right):
    """Return the answers of an annotator who only counts the boxes on the screen."""
    counts = (len(results[left]["polygons"]), len(results[right]["polygons"]))
    return {name: verdict(*counts, MORE_IS_BETTER[name]) for name in open_criteria}


def answer_of(screen, results=None):
    asked = [criterion["name"] for criterion in screen["criteria"] if criterion["state"] == "open"]
    results = results or screen["image"]["results"]
    return verdicts(asked, results, screen["left"], screen["right"])


made_study = made_once(lambda: make_study(list(BOXES), images=3, boxes=BOXES))


@pytest.fixture
def script(annotator):
    return signed_in(annotator, scopes=("judge",))


@pytest.fixture
def screen(script, study):
    return script.post(f"{ROOT}/studies/{study.slug}/start").json()["screen"]


def answer_address(screen):
    return f"{ROOT}/screens/{screen['id']}/answer"


def finish_by_api(script, study):
    """Answer until nothing is left; return the number of pairs."""
    answer, known, n_pairs = script.post(f"{ROOT}/studies/{study.slug}/start").json(), {}, 0
    while not answer["done"]:
        screen = answer["screen"]
        key = screen["image"]["key"]
        known[key] = screen["image"]["results"] or known[key]
        sent = answer_of(screen, known[key]) | {"seconds_taken": 1.5, "have": key}
        answer = script.post(answer_address(screen), sent).json()
        n_pairs += 1
    return n_pairs


def finish_by_pages(client, study):
    """The same through the comparison page's addresses."""
    headers = {"Accept": "application/json"}
    client.post(reverse("judging:start", args=[study.slug]))
    page = client.get(reverse("judging:judge", args=[study.slug]))
    data = page.context["payload"]
    while "done" not in data:
        asked = [
            criterion["name"] for criterion in data["criteria"] if criterion["state"] == "open"
        ]
        sent = verdicts(asked, data["image"]["results"], data["left"], data["right"])
        data = client.post(data["screen"]["answer_url"], sent, headers=headers).json()


def rankings(study, person):
    assignments = Assignment.objects.filter(study=study, annotator=person)
    return dict(assignments.values_list("image__name", "rankings"))


def test_a_study_is_finished_through_the_api_with_the_rankings_of_the_pages(
    study, annotator, script, client
):
    n_pairs = finish_by_api(script, study)
    in_a_browser = add_annotator(study)
    client.force_login(in_a_browser)
    finish_by_pages(client, study)

    by_api, by_pages = rankings(study, annotator), rankings(study, in_a_browser)
    assert by_api == by_pages
    # And both are what this annotator thinks, by hand.
    pk = dict(study.methods.values_list("name", "pk"))
    by_count = [["alpha-net"], ["beta-net", "gamma-net"], ["delta-net"], ["epsilon-net"]]
    fewest_first = [sorted(pk[name] for name in bucket) for bucket in by_count]
    expected = {
        "recall": fewest_first[::-1],
        "precision": fewest_first,
        "preference": fewest_first[::-1],
    }
    assert len(by_api) == 3
    assert all(ranking == expected for ranking in by_api.values())
    assert Judgement.objects.filter(assignment__annotator=annotator).count() == n_pairs
    assert not [assignment for assignment, differs in rankings_that_differ() if differs]

    own = script.get(f"{ROOT}/studies/{study.slug}/assignments").json()["results"]
    assert [row["state"] for row in own] == ["complete"] * 3
    assert sum(row["n_answered"] for row in own) == n_pairs
    assert script.get(ROOT).json()[0]["n_done"] == 3
    now = script.get(f"{ROOT}/studies/{study.slug}/screen").json()
    assert now == {"study": study.slug, "done": True, "screen": None}


def test_looking_changes_nothing(script, study):
    now = script.get(f"{ROOT}/studies/{study.slug}/screen").json()
    assert now == {"study": study.slug, "done": False, "screen": None}
    assert not Assignment.objects.exists()


def test_nothing_names_a_method_or_says_who_answered(study, script, annotator):
    other = add_annotator(study)
    finish_by_api(signed_in(other), study)
    said = [script.post(f"{ROOT}/studies/{study.slug}/start")]
    screen = said[0].json()["screen"]
    said += [
        script.post(answer_address(screen), answer_of(screen)),
        script.post(answer_address(screen), {"recall": "equal"}),
        script.get(f"{ROOT}/studies/{study.slug}/screen"),
        script.get(f"{ROOT}/studies/{study.slug}/history"),
        script.get(f"{ROOT}/studies/{study.slug}/assignments"),
        script.post(f"{ROOT}/studies/{study.slug}/undo", {"screen": "x"}),
        script.get(ROOT),
        script.get("/api/v1/me"),
    ]
    for response in said:
        told = response.content.decode() + json.dumps(dict(response.headers))
        assert "-net" not in told
        assert other.username not in told
    ids = set(screen["image"]["results"])
    assert not ids & {str(pk) for pk in study.methods.values_list("pk", flat=True)}
    assert sorted(ids) == list(screen["image"]["results"])


def test_two_annotators_see_the_same_results_under_different_ids(study, script, screen):
    other = signed_in(add_annotator(study)).post(f"{ROOT}/studies/{study.slug}/start").json()
    assert not set(screen["image"]["results"]) & set(other["screen"]["image"]["results"])


def test_the_same_answer_twice_is_stored_once_and_answered_alike(script, screen):
    sent = answer_of(screen)
    first, second = (script.post(answer_address(screen), sent) for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert first.json()["screen"]["id"] == second.json()["screen"]["id"] != screen["id"]
    assert Judgement.objects.count() == 1


def test_another_answer_is_409_with_the_pair_that_waits(script, screen):
    sent = answer_of(screen)
    following = script.post(answer_address(screen), sent).json()["screen"]
    other = sent | {"recall": "equal" if sent["recall"] != "equal" else "left"}
    response = script.post(answer_address(screen), other)
    assert is_problem(response, 409, "already-answered")
    assert response.json()["current"]["screen"]["id"] == following["id"]
    assert Judgement.objects.count() == 1


def test_an_incomplete_answer_is_422_and_says_where(script, screen):
    sent = answer_of(screen)
    del sent["precision"]
    response = script.post(answer_address(screen), sent)
    assert is_problem(response, 422, "invalid")
    assert response.json()["errors"] == [
        {"pointer": "#/precision", "detail": "Choose left, equal or right."}
    ]
    assert not Judgement.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"recall": "best"},
        {"recall": 1},
        {"recall": None},
        {"seconds_taken": -1},
        {"seconds_taken": "2"},
        {"seconds_taken": True},
        {"aids": {"telepathy": 1}},
        {"aids": ["zoomed"]},
        {"disputed": ["beauty"]},
        {"seen": {"first": "both", "left": 2}},
        {"seen": {"first": "top", "left": 2, "right": 2}},
        {"seen": {"first": "both", "left": 2, "right": 0}},
    ],
)
def test_a_forged_answer_is_422(script, screen, wrong):
    response = script.post(answer_address(screen), answer_of(screen) | wrong)
    assert is_problem(response, 422, "invalid")
    assert response.json()["errors"][0]["pointer"].startswith(f"#/{next(iter(wrong))}")
    assert not Judgement.objects.exists()


def test_time_and_aids_are_stored_with_the_answer(script, screen):
    more = {"seconds_taken": 4.5, "aids": {"ground_truth": 2.5}}
    script.post(answer_address(screen), answer_of(screen) | more)
    stored = Judgement.objects.get()
    assert (stored.seconds_taken, stored.aids) == (4.5, {"ground_truth": 2.5})
    assert stored.seen == {"first": "unknown"}


def test_t23_a_script_says_what_it_showed(script, screen):
    assert screen["first"] in ("left", "right")
    seen = {"first": screen["first"], "left": 3.5, "right": 2.0}
    assert (
        script.post(answer_address(screen), answer_of(screen) | {"seen": seen}).status_code == 200
    )
    assert Judgement.objects.get().seen == seen


def test_a_skip_needs_a_reason_and_is_stored_once(script, screen):
    address = f"{ROOT}/screens/{screen['id']}/skip"
    assert is_problem(script.post(address, {}), 422)
    sent = {"reason": "other", "text": "upside down"}
    first, second = (script.post(address, sent).json() for _ in range(2))
    assert first["screen"]["id"] == second["screen"]["id"]
    assert Skip.objects.get().text == "upside down"


def test_undo_brings_the_pair_back_with_its_answers(script, study, screen):
    sent = answer_of(screen)
    following = script.post(answer_address(screen), sent).json()["screen"]
    address = f"{ROOT}/studies/{study.slug}/undo"
    assert is_problem(script.post(address, {"screen": screen["id"]}), 409, "already-answered")
    back = script.post(address, {"screen": following["id"]}).json()["screen"]
    assert (back["id"], back["answers"]) == (screen["id"], sent)
    assert Withdrawal.objects.count() == 1


def test_an_earlier_answer_can_be_changed(script, study, screen):
    sent = answer_of(screen)
    script.post(answer_address(screen), sent)
    [past] = script.get(f"{ROOT}/studies/{study.slug}/history").json()
    assert (past["id"], past["verdicts"]) == (screen["id"], sent)
    back = script.post(f"{ROOT}/screens/{past['id']}/change").json()["screen"]
    assert back["id"] == screen["id"]


def test_results_that_the_script_has_are_left_out(script, screen):
    sent = answer_of(screen) | {"have": screen["image"]["key"]}
    following = script.post(answer_address(screen), sent).json()["screen"]
    assert following["image"]["key"] == screen["image"]["key"]
    assert following["image"]["results"] is None


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_study_that_is_not_open_takes_no_answers(script, study, screen, state):
    Study.objects.update(state=state)
    for response in (
        script.post(answer_address(screen), answer_of(screen)),
        script.post(f"{ROOT}/studies/{study.slug}/start"),
        script.get(f"{ROOT}/studies/{study.slug}/screen"),
    ):
        assert is_problem(response, 403, "study-not-open")
    assert not Judgement.objects.exists()


def test_the_first_visit_comes_first_and_is_for_people(study):
    script = signed_in(add_newcomer(study))
    response = script.post(f"{ROOT}/studies/{study.slug}/start")
    assert is_problem(response, 409, "first-visit-due")
    assert response.json()["page"].endswith(reverse("learning:welcome", args=[study.slug]))
    assert not Assignment.objects.exists()


def test_somebody_elses_pair_is_not_there_whatever_is_sent(study, screen):
    for sent in (answer_of(screen), {}, {"recall": "best"}):
        script = signed_in(add_annotator(study))
        assert is_problem(script.post(answer_address(screen), sent), 404)
    assert not Judgement.objects.exists()
