"""The command ``text-rankings judge`` with a stub of a model's server, and with a command."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from annotate.judges.comparison import programs_and_people, rankings_of
from annotate.judges.models import Judge, JudgeAnswer
from annotate.judges.tasks import tasks_of, to_do
from annotate.reports.services import asked_now, usual_settings
from tests.support.factories import add_researcher, make_study
from tests.support.judges import release
from tests.support.model_server import model_server
from tests.support.world import create_token
from text_rankings.judge import command, web

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "sk-a-key-that-must-not-be-seen"
# Method a has more box pixels than b, b more than c.
BOXES = {
    "a": [(10, 10, 300, 90), (10, 100, 300, 190)],
    "b": [(10, 10, 300, 90)],
    "c": [(10, 10, 80, 40)],
}
ORDER = {"a": 0, "b": 1, "c": 2}


@pytest.fixture
def study(live_server):
    return make_study([*"abc"], images=2, boxes=BOXES)


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Pauses before another attempt, which are not waited for."""
    seconds = []
    monkeypatch.setattr(web, "_wait", seconds.append)
    return seconds


@pytest.fixture
def environment(study, monkeypatch):
    _, secret = create_token(person=add_researcher(study), name="judge", scopes=["program"])
    monkeypatch.setenv("SITE_TOKEN", secret)
    monkeypatch.setenv("MODEL_KEY", KEY)
    return secret


@pytest.fixture
def run(study, environment, live_server, capfd):
    """Run the command; return its exit code, its summary, and all that it printed."""

    def run_it(*options, url=None, is_released=True):
        if is_released and not study.releases.exists():
            release(study, ["127.0.0.1", "command"])
        asked = [study.slug, "--site", live_server.url, "--token-env", "SITE_TOKEN"]
        asked += ["--model-url", url, "--model", "stub"] if url else []
        code = command.main([*asked, "--pairs", "all", *map(str, options)])
        out, errors = capfd.readouterr()
        summary = json.loads(out.splitlines()[-1]) if out.strip() else {}
        return code, summary, out + errors

    return run_it


def outcomes():
    return Counter(JudgeAnswer.objects.values_list("outcome", flat=True))


def test_a_model_answers_every_task_and_the_same_command_has_nothing_to_do(study, run):
    with model_server() as stub:
        code, summary, _ = run("--key-env", "MODEL_KEY", url=stub.url)
        assert (code, summary["outcomes"], summary["left"]) == (0, {"answered": 12}, 0)
        assert (summary["requests"], summary["tokens_in"]) == (12, 1200)
        code, summary, _ = run("--key-env", "MODEL_KEY", url=stub.url)
        assert (code, summary["outcomes"], summary["requests"]) == (0, {}, 0)
        assert len(stub.requests) == 12
        sent = stub.requests[0]
        assert (sent["temperature"], sent["seed"], sent["max_tokens"]) == (0.0, 1, 1024)
        assert {headers["Authorization"] for headers in stub.headers} == {f"Bearer {KEY}"}
    for answer in JudgeAnswer.objects.select_related("left__method", "right__method"):
        better = ORDER[answer.left.method.name] < ORDER[answer.right.method.name]
        assert {*answer.verdicts.values()} == {"left" if better else "right"}
        assert (answer.model, answer.fingerprint) == ("stub-7b", "fp-1")
        assert len(answer.pictures) == 1


def test_always_left_contradicts_itself_and_ties_everything(study, run):
    with model_server("left") as stub:
        assert run(url=stub.url)[0] == 0
    tied = {image.name: (("a", "b", "c"),) for image in study.images.all()}
    assert {*map(str, rankings_of(Judge.objects.get()).values())} == {str(tied)}
    found = programs_and_people(asked_now(study, usual_settings(study)))["judges"]
    assert {*found} == {"recall", "precision", "preference"}
    for [row] in found.values():
        assert (row["contradictions"], row["first_place"], row["n_missing"]) == (1, 1, 0)


def test_nothing_that_is_sent_names_methods_people_files_or_the_study(study, run):
    with model_server() as stub:
        run(url=stub.url)
        sent = json.dumps([json.dumps(one)[:3000] for one in stub.requests])
    image = study.images.first().name
    person = study.memberships.first().person.username
    for name in (study.name, study.slug, study.dataset.name, image, person, "method-"):
        assert name not in sent


@pytest.mark.parametrize(
    ("behaviour", "outcome", "n_rows"),
    [
        ("left", "answered", 12),
        ("fenced", "answered", 12),
        # One new attempt.
        ("prose", "unreadable", 24),
        ("long", "unreadable", 24),
        ("bytes", "unreadable", 24),
        ("html", "unreadable", 24),
        ("refusal", "refused", 12),
        ("filtered", "refused", 12),
        ("cut_off", "cut off", 12),
    ],
)
def test_outcomes_are_stored_and_stay(run, behaviour, outcome, n_rows):
    with model_server(behaviour) as stub:
        assert run(url=stub.url)[0] == 0
        assert outcomes() == {outcome: n_rows}
        assert run(url=stub.url)[1]["requests"] == 0
    judge = Judge.objects.get()
    assert to_do(judge) == []
    assert all(len(raw) <= 8192 for raw in judge.answers.values_list("raw", flat=True))


def test_a_busy_server_is_asked_again_after_the_time_it_names(run, waits):
    with model_server(["busy", "boxes"]) as stub:
        code, summary, _ = run("--parallel", 1, url=stub.url)
    assert (code, summary["outcomes"], summary["requests"]) == (0, {"answered": 12}, 13)
    assert waits == [2.0]


def test_dropped_connections_are_tried_again(run, waits):
    with model_server("dropped", every=5) as stub:
        code, summary, _ = run(url=stub.url)
    assert (code, summary["outcomes"]) == (0, {"answered": 12})
    assert JudgeAnswer.objects.count() == 12
    assert len(waits) >= 2
    assert max(waits) <= 2.5


def test_a_server_that_fails_for_ever_ends_the_run(run, waits):
    with model_server("broken") as stub:
        code, summary, said = run("--parallel", 1, url=stub.url)
        # Ten tasks, six attempts each.
        assert len(stub.requests) == 60
    assert (code, summary["outcomes"], summary["left"]) == (1, {"failed": 10}, 12)
    assert "10 tasks in a row failed" in said
    for at, second in enumerate((1, 2, 4, 8, 16)):
        assert 0.75 * second <= waits[at] <= 1.25 * second
    # Another run tries them again.
    with model_server() as stub:
        assert run(url=stub.url)[1]["left"] == 0
    assert outcomes() == {"failed": 10, "answered": 12}


@pytest.mark.parametrize(
    ("behaviour", "says"), [("unknown", "400: no field seed"), ("elsewhere", "sends elsewhere")]
)
def test_a_refusal_or_a_redirect_ends_the_run_without_the_key(run, behaviour, says):
    with model_server(behaviour) as stub:
        code, summary, said = run("--key-env", "MODEL_KEY", "--parallel", 1, url=stub.url)
        assert len(stub.requests) == 1
    assert (code, summary["left"]) == (1, 12)
    assert says in said
    assert KEY not in said
    assert not JudgeAnswer.objects.exists()


def test_another_model_ends_the_run_unless_it_is_allowed(run):
    with model_server(["boxes", "boxes", "other"]) as stub:
        code, _, said = run("--parallel", 1, url=stub.url)
        assert (code, outcomes()) == (1, {"answered": 2})
        assert "stub-8b" in said
        assert run("--parallel", 1, url=stub.url)[0] == 1
        assert outcomes() == {"answered": 2}
        assert run("--allow-change", url=stub.url)[1]["left"] == 0
    named = {one.model for one in JudgeAnswer.objects.all()}
    assert named == {"stub-7b", "stub-8b"}


def test_the_key_is_nowhere(study, run, environment):
    with model_server("prose") as stub:
        said = run("--key-env", "MODEL_KEY", url=stub.url)[2]
    rows = [*Judge.objects.values(), *JudgeAnswer.objects.values()]
    for secret in (KEY, environment):
        assert secret not in said + repr(rows)
        assert secret not in repr([*study.audit_entries.values()])


ONE_BY_ONE = ["--max-tokens", 10, "--parallel", 1]


@pytest.mark.parametrize(
    ("limits", "n"),
    [
        (["--max-requests", 10, "--parallel", 4], 10),
        # A request takes 110 tokens, here at 1,000 per million.
        (["--max-tokens-total", 500, *ONE_BY_ONE], 4),
        (["--max-cost", 0.5, "--price-in", 1000, "--price-out", 1000, *ONE_BY_ONE], 4),
    ],
)
def test_limits(run, limits, n):
    with model_server(seconds=0.05) as stub:
        code, summary, _ = run(*limits, url=stub.url)
        assert len(stub.requests) == n
    assert (code, summary["left"], summary["ended_by"]) == (0, 12 - n, "budget")


def test_a_dry_run_counts_and_leaves_the_model_alone(run, tmp_path):
    with model_server() as stub:
        options = ("--dry-run", "--out", tmp_path, "--price-out", 1, "--one-by-one")
        code, counts, said = run(*options, url=stub.url)
        assert stub.requests == []
        assert code == 0
        assert len([*tmp_path.glob("*-both.png")]) == 3
        assert "Answer with one JSON object" in said
        _, summary, _ = run("--one-by-one", url=stub.url)
        assert (counts["requests"], counts["tasks"]) == (summary["requests"], 12) == (36, 12)
        assert counts["bytes_about"] > 0
    assert {len(one.verdicts) for one in JudgeAnswer.objects.all()} == {3}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--model-url", "http://model.example/v1"], "for this machine only"),
        (["--model-url", "https://me:pw@model.example/v1"], "--key-env"),
        (["--model-url", "https://model.example/v1"], "not released to model.example"),
    ],
)
def test_what_is_refused_before_the_first_request(run, options, says):
    code, summary, said = run(*options, "--model", "m")
    assert (code, summary) == (2, {})
    assert says in said
    assert "pw@" not in said
    assert not Judge.objects.exists()


def test_without_a_release_the_model_hears_nothing(study, run):
    with model_server() as stub:
        code, _, said = run(url=stub.url, is_released=False)
        assert stub.requests == []
    assert code == 2
    assert "No release" in said


ANSWERS = """
import json, pathlib, sys
for line in sys.stdin:
    task = json.loads(line)
    assert pathlib.Path(task["pictures"]["both"]).read_bytes().startswith(b"\\x89PNG")
    n = {side: len(task["polygons"][side]) for side in ("left", "right")}
    verdict = "equal" if n["left"] == n["right"] else max(n, key=n.get)
    print(json.dumps(dict.fromkeys(task["questions"], verdict)), flush=True)
"""


def test_a_command_answers_line_by_line(study, run, tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(ANSWERS)
    code, summary, _ = run("--command", f"{sys.executable} {script}", "--parallel", 2)
    assert (code, summary["outcomes"], summary["left"]) == (0, {"answered": 12}, 0)
    for answer in JudgeAnswer.objects.select_related("left", "right"):
        n_left, n_right = answer.left.n_regions, answer.right.n_regions
        expected = "equal" if n_left == n_right else "left" if n_left > n_right else "right"
        assert answer.recall == expected
    judge = Judge.objects.get()
    assert (judge.kind, judge.host) == ("command", "command")
    assert str(tmp_path) not in repr([*Judge.objects.values(), *JudgeAnswer.objects.values()])


def test_a_command_that_ends_fails(run):
    code, summary, _ = run("--command", "false", "--parallel", 1)
    assert (code, summary["outcomes"]) == (1, {"failed": 10})


def test_killed_runs_and_two_at_once_double_nothing(study, run, live_server):
    """Five runs are killed at different moments, then two go on at once."""
    with model_server(seconds=0.1) as stub:
        release(study)
        words = [sys.executable, "-m", "text_rankings.site", "judge", study.slug, "--pairs", "all"]
        words += ["--site", live_server.url, "--token-env", "SITE_TOKEN", "--repeats", "3"]
        words += ["--model-url", stub.url, "--model", "stub", "--parallel", "2"]

        def started():
            return subprocess.Popen(
                words, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )

        for moment in range(1, 6):
            process, n = started(), len(stub.requests)
            while len(stub.requests) < n + moment and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        both = [started(), started()]
        assert [one.communicate() and one.returncode for one in both] == [0, 0]
    judge = Judge.objects.get()
    assert to_do(judge) == []
    answers = judge.answers.filter(outcome="answered")
    assert answers.count() == len([*tasks_of(judge)]) == 36
    for answer in answers.select_related("left__method", "right__method"):
        better = ORDER[answer.left.method.name] < ORDER[answer.right.method.name]
        assert answer.recall == ("left" if better else "right")
