"""Judges in the API: settings that lock, tasks, answers, and no picture without a release."""

from datetime import datetime, timedelta
from hashlib import sha256

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.audit.models import Act, AuditEntry
from annotate.judges.models import Judge, JudgeAnswer, PicturesSent
from annotate.judges.tasks import Task, tasks_of, to_do
from annotate.judging import services as judging
from tests.support.factories import add_annotator, add_researcher, make_admin, make_study
from tests.support.judges import HOST, JUDGE, RELEASE, answer_all, make_judge, release
from tests.support.made_once import made_once
from tests.support.world import is_problem, signed_in

pytestmark = pytest.mark.django_db
BOX = (10, 10, 60, 30)
BOXES = {"a": [BOX], "b": [(10, 10, 40, 30)], "c": [BOX], "d": []}
made_study = made_once(lambda: make_study([*"abcd"], images=2, boxes=BOXES))


@pytest.fixture
def program(study):
    """A client with a token of the scope for programs, of a researcher of the study."""
    return signed_in(add_researcher(study), ("program",))


@pytest.fixture
def judge(study):
    return make_judge(study)


def address(judge, rest=""):
    return f"/api/v1/judges/{judge.pk}{rest}"


def task_names(judge):
    return [task.name for task in tasks_of(judge)]


def test_a_pair_of_looks_is_asked_once_in_both_orders(judge):
    """Methods a and c have the same boxes: 3 looks, 3 pairs, 2 images, both orders."""
    tasks = [*tasks_of(judge)]
    assert len(tasks) == len(set(tasks)) == 3 * 2 * 2
    assert {(one.image, one.left, one.right) for one in tasks} == {
        (one.image, one.right, one.left) for one in tasks
    }
    shown = {
        method.name for method in judge.study.methods.filter(results__in=[t.left for t in tasks])
    }
    assert shown == {"a", "b", "d"}


def test_one_order_and_repeats(study):
    judge = make_judge(study, orders="one", repeats=3)
    tasks = [*tasks_of(judge)]
    assert len(tasks) == 3 * 2 * 3
    assert len({frozenset((one.left, one.right)) for one in tasks}) == 3 * 2
    assert [*tasks_of(judge)] == tasks


def test_a_sample_has_known_probabilities_and_is_the_same_again(study):
    from annotate.judges.tasks import asked_of

    judge = make_judge(study, pairs="sample:2")
    asked = asked_of(judge)
    assert [one.probability for one in asked] == [2 / 3] * 4
    assert asked_of(judge) == asked


def test_pairs_of_people_are_those_answered_or_implied(study):
    person = add_annotator(study)
    judge = make_judge(study, pairs="people")
    assert task_names(judge) == []
    turn = judging.start(study=study, annotator=person).turn
    verdicts = dict.fromkeys(["recall", "precision", "preference"], "left")
    pair = {turn.screen.left, turn.screen.right}
    while not study.assignments.filter(state="complete").exists():
        outcome = judging.record_judgement(
            screen_id=turn.screen.public_id, annotator=person, verdicts=verdicts
        )
        if turn.screen.number == 1:
            assert len(task_names(judge)) == 2
        turn = outcome.turn
    assert len(task_names(judge)) == 6
    assert {task.image for task in tasks_of(judge)} == {next(iter(pair)).image_id}


def test_a_judge_is_made_once_and_does_not_change_after_its_first_answer(study, program):
    url = f"/api/v1/studies/{study.slug}/judges"
    made = program.post(url, JUDGE, format="json")
    assert made.status_code == 201
    assert program.post(url, JUDGE, format="json").status_code == 200
    other = JUDGE | {"prompt": "Another. {questions}"}
    changed = program.post(url, other, format="json")
    assert (changed.status_code, changed.json()["prompt"]) == (200, "Another. {questions}")
    judge = Judge.objects.get()
    assert judge.prompt_sha256 == sha256(b"Another. {questions}").hexdigest()
    answer_all(judge, lambda _: {"recall": "left", "precision": "equal"})
    assert program.post(url, other, format="json").status_code == 200
    refused = program.post(url, other | {"max_side": 512}, format="json")
    assert is_problem(refused, 422, "refused")
    assert "max_side" in refused.json()["detail"]
    assert Judge.objects.get().max_side == 1024
    assert AuditEntry.objects.filter(act=Act.JUDGE_MADE, study=study).count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"api_key": "x"},
        {"criteria": ["beauty"]},
        {"pairs": "sample:0"},
        {"host": "http://127.0.0.1/v1"},
        {"host": "user:pw@model.example"},
        {"margin": 0.2},
        {"parts": []},
        {"sampling": {"temperature": 0, "max_tokens": 9, "top_k": 3}},
    ],
)
def test_unknown_fields_and_wrong_settings_are_refused(study, program, wrong):
    response = program.post(f"/api/v1/studies/{study.slug}/judges", JUDGE | wrong, format="json")
    assert is_problem(response, 422, "invalid")
    assert not Judge.objects.exists()


def sent(task, **fields):
    defaults = {"attempt": 1, "outcome": "answered", "raw": "{}"}
    defaults["verdicts"] = {"recall": "left", "precision": "right"}
    return {"task": task} | defaults | fields


def test_each_answer_is_stored_or_refused_by_itself(judge, program):
    one, two, three, *_ = task_names(judge)
    failed = {"outcome": "failed", "verdicts": {}}
    answers = [
        sent(one, tokens_in=7, tokens_out=3, pictures=["0" * 64], model="counter-1b"),
        sent(one),
        sent(one, verdicts={"recall": "equal", "precision": "right"}),
        sent(one, attempt=2, verdicts={"recall": "equal", "precision": "right"}),
        sent(two, verdicts={"recall": "left"}),
        sent(two, **failed),
        sent(two, **failed, attempt=2),
        sent("1-2-3-9"),
        sent(three, **failed | {"verdicts": {"recall": "left"}}),
    ]
    response = program.post(address(judge, "/answers"), {"answers": answers}, format="json")
    assert [row["status"] for row in response.json()["results"]] == [
        201,
        200,
        409,
        409,
        422,
        201,
        201,
        422,
        422,
    ]
    rows = JudgeAnswer.objects.order_by("pk").values_list("outcome", "attempt", "recall")
    assert [*rows] == [("answered", 1, "left"), ("failed", 1, ""), ("failed", 2, "")]
    shown = program.get(address(judge)).json()["counts"]
    assert shown["outcomes"] == {"answered": 1, "failed": 2}
    assert (shown["tokens_in"], shown["tokens_out"]) == (7, 3)
    assert program.get(address(judge, "/answers")).json()["results"][0]["model"] == "counter-1b"
    table = program.get(address(judge, "/answers?as=csv")).getvalue().decode().splitlines()
    assert len(table) == 4
    assert table[1].startswith(f"{judge.study.name},Counter,img_")


def test_the_database_holds_one_answer_of_a_task(judge):
    task = next(tasks_of(judge))
    fields = {"judge": judge, "image_id": task.image, "left_id": task.left, "right_id": task.right}
    JudgeAnswer.objects.create(**fields, repeat=1, attempt=1, outcome="answered", recall="left")
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeAnswer.objects.create(**fields, repeat=1, attempt=2, outcome="answered", recall="left")
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeAnswer.objects.create(**fields, repeat=1, attempt=3, outcome="answered")
    with pytest.raises(TypeError, match="never changes"):
        JudgeAnswer.objects.get().save()


def test_what_is_still_to_be_answered(judge, program):
    tasks = program.get(address(judge, "/tasks")).json()
    assert (tasks["n_left"], tasks["n_pairs"], tasks["n_images"]) == (12, 6, 2)
    assert [*tasks["questions"]] == ["recall", "precision"]
    first = tasks["tasks"][0]
    assert first["parts"][:5] == ["plain", "left", "right", "both", "crop-1"]
    assert set(first["polygons"]) == {"left", "right"}
    assert "truth" not in first
    names = task_names(judge)
    unreadable = {"outcome": "unreadable", "verdicts": {}}
    answers = [
        sent(names[0]),
        sent(names[1], outcome="refused", verdicts={}),
        sent(names[2], **unreadable),
        sent(names[3], **unreadable),
        sent(names[3], **unreadable, attempt=2),
        sent(names[4], outcome="failed", verdicts={}),
        sent(names[5], outcome="cut off", verdicts={}),
    ]
    program.post(address(judge, "/answers"), {"answers": answers}, format="json")
    left = {task.name: attempt for task, attempt in to_do(judge)}
    # A second attempt after one that could not be read; what failed is tried again.
    assert left == {names[2]: 2, names[4]: 2, **dict.fromkeys(names[6:], 1)}
    again = program.get(address(judge, "/tasks?outcome=refused")).json()
    assert [(row["task"], row["attempt"]) for row in again["tasks"]] == [(names[1], 2)]
    assert is_problem(program.get(address(judge, "/tasks?outcome=answered")), 422, "invalid")


def test_ground_truth_goes_only_to_a_judge_that_says_so(study, program):
    judge = make_judge(study, sees_truth=True)
    [first] = program.get(address(judge, "/tasks?limit=1")).json()["tasks"]
    assert first["truth"] == ["0,0 100,0 100,40 0,40"]


def test_a_closed_judge_takes_no_answer(judge, program):
    assert program.post(address(judge, "/close")).json()["closed"] is not None
    assert program.post(address(judge, "/close")).status_code == 200
    body = {"answers": [sent(task_names(judge)[0])]}
    assert is_problem(program.post(address(judge, "/answers"), body, format="json"), 422, "refused")
    assert AuditEntry.objects.filter(act=Act.JUDGE_CLOSED).count() == 1


def picture_of(judge, client, part="both", rest=""):
    name = task_names(judge)[0]
    return client.get(address(judge, f"/tasks/{name}/pictures/{part}{rest}"))


@pytest.mark.parametrize(
    "state", ["absent", "ended", "expired", "another host", "of another study"]
)
def test_without_a_release_in_force_there_is_no_picture(judge, program, state):
    if state == "ended":
        made = release(judge.study)
        judge.study.releases.filter(pk=made.pk).update(ended=timezone.now())
    elif state == "expired":
        made = release(judge.study)
        earlier = timezone.now() - timedelta(seconds=1)
        judge.study.releases.filter(pk=made.pk).update(until=earlier, since=earlier)
    elif state == "another host":
        release(judge.study, ["model.example"])
    elif state == "of another study":
        release(make_study(2))
    assert is_problem(picture_of(judge, program), 403, "pictures-not-released")
    assert not PicturesSent.objects.exists()


def test_pictures_are_for_tokens_of_programs_and_followers_of_the_study(judge):
    study = judge.study
    release(study)
    person = add_researcher(study)
    for scope in ("read", "manage", "load"):
        assert is_problem(picture_of(judge, signed_in(person, (scope,))), 403, "missing-scope")
    for stranger in (add_annotator(study), add_researcher(make_study(2))):
        assert is_problem(picture_of(judge, signed_in(stranger, ("program",))), 404)
    # A program's token opens nothing else.
    program = signed_in(person, ("program",))
    for other in ("judging", "datasets", f"studies/{study.slug}", f"studies/{study.slug}/report"):
        assert is_problem(program.get(f"/api/v1/{other}"), 403, "missing-scope")


def test_pictures_are_counted_until_the_release_ends(judge, program):
    release(judge.study)
    response = picture_of(judge, program)
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    assert response["ETag"] == f'"{sha256(response.content).hexdigest()}"'
    picture_of(judge, program, "left")
    [row] = PicturesSent.objects.all()
    assert row.n_pictures == 2
    assert row.n_bytes > len(response.content)
    assert row.token.startswith("tdr_")
    for part in ("crop-9", "truth", "crop-6"):
        assert is_problem(picture_of(judge, program, part), 404)
    assert is_problem(picture_of(judge, program, rest="?max_side=99"), 422, "invalid")
    admin = signed_in(make_admin())
    assert admin.delete(f"/api/v1/studies/{judge.study.slug}/release").status_code == 204
    assert is_problem(picture_of(judge, program), 403, "pictures-not-released")
    assert AuditEntry.objects.filter(act=Act.RELEASE_ENDED, study=judge.study).count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"may_send": False},
        {"licence": "CC0"},
        {"until": "2020-01-01T00:00:00Z"},
        {"hosts": []},
        {"hosts": ["https://model.example/"]},
        {"hosts": ["me:secret@model.example"]},
    ],
)
def test_a_release_is_confirmed_with_the_licence_note_of_the_dataset(study, wrong):
    admin = signed_in(make_admin())
    url = f"/api/v1/studies/{study.slug}/release"
    assert is_problem(admin.put(url, RELEASE | wrong, format="json"), 422)
    assert not study.releases.exists()


def test_a_later_release_takes_the_place_of_an_earlier_one(study, program):
    admin = signed_in(make_admin())
    url = f"/api/v1/studies/{study.slug}/release"
    assert admin.put(url, RELEASE, format="json").status_code == 200
    other = RELEASE | {"hosts": ["model.example"]}
    before = timezone.now()
    until = datetime.fromisoformat(admin.put(url, other, format="json").json()["until"])
    assert before <= until - timedelta(days=30) <= timezone.now()
    assert program.get(url).json()["hosts"] == ["model.example"]
    assert study.releases.count() == 2
    assert study.releases.filter(ended=None).count() == 1
    assert HOST not in study.releases.get(ended=None).hosts
    assert Task(1, 2, 3, 1).name == "1-2-3-1"


def test_images_are_named_or_drawn(study, program):
    url = f"/api/v1/studies/{study.slug}/judges"
    one, _ = names = [*study.images.in_order().values_list("name", flat=True)]
    assert program.post(url, JUDGE | {"images": [one]}, format="json").status_code == 201
    judge = Judge.objects.get()
    assert {task.image for task in tasks_of(judge)} == {study.images.get(name=one).pk}
    drawn = JUDGE | {"name": "Drawn", "n_images": 1}
    assert program.post(url, drawn, format="json").status_code == 201
    assert program.post(url, drawn, format="json").status_code == 200
    assert len(Judge.objects.get(name="Drawn").images) == 1
    unknown = JUDGE | {"name": "Unknown", "images": [*names, "elsewhere"]}
    assert is_problem(program.post(url, unknown, format="json"), 422, "refused")
