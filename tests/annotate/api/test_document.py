"""docs/api.md: its example runs unchanged against a real server, and its tables are complete."""

import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from annotate.api.errors import ApiError
from annotate.api.problems import NAMES
from annotate.api.scopes import SCOPES
from annotate.api.tokens.services import create_token
from annotate.judges.comparison import rankings_of
from annotate.judges.tasks import to_do
from annotate.scoring.services import score_protocol
from tests.support.factories import add_annotator, add_researcher, make_person, make_study
from tests.support.judges import make_judge
from tests.support.truths import rank_everything, same_truth

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
[EXAMPLE] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
BOXES = {
    "one": [(0, 0, 20, 10)],
    "two": [(0, 0, 20, 10), (40, 0, 60, 10)],
    "three": [(0, 0, 20, 10), (40, 0, 60, 10), (80, 0, 90, 10)],
}
METHODS = list(BOXES)


def run_example(site, person, *scopes):
    """Run it in an interpreter that has nothing but the standard library."""
    _, secret = create_token(person=person, name="example", scopes=scopes)
    environment = {"SITE": site, "TOKEN": secret, "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", EXAMPLE],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def printed(site, person, *scopes):
    done = run_example(site, person, *scopes)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.django_db(transaction=True)
def test_the_example_reads_and_reports_against_a_real_server(live_server):
    study = make_study(METHODS, images=2, boxes=BOXES, min_annotators=1)
    score_protocol(dataset=study.dataset, slug="count")
    annotator = add_annotator(study)
    rank_everything(study, annotator, same_truth([[name] for name in reversed(METHODS)]))
    said = printed(live_server.url, annotator, "read", "load")
    assert said[0] == f"I am {annotator.username}, with a token for read, load."
    # The boxes share 80 of 100 units of width: an IoU of 0.8.
    assert said[1] == "IOU: recall 1.00, precision 1.00."
    assert said[2] == f"{study.name}: 2 of 2 images ranked."

    said = printed(live_server.url, add_researcher(study), "read")
    # The sentinel that counts boxes agrees with an annotator who does.
    assert said[2:] == [f"{study.name}: Sentinel: count scores 0.0."]
    judge = make_judge(study, criteria=["recall"])
    said = printed(live_server.url, add_researcher(study), "read", "program")
    # All pairs in both orders, in one request of at most 100.
    n_tasks = 2 * 2 * len([*combinations(METHODS, 2)])
    assert said[2] == f"{study.name}: Counter has given {n_tasks} answers."
    assert to_do(judge) == []
    ranked = tuple((name,) for name in reversed(METHODS))
    assert {*rankings_of(judge)["recall"].values()} == {ranked}


@pytest.mark.django_db(transaction=True)
def test_the_example_stops_with_what_the_site_says(live_server):
    done = run_example(live_server.url, make_person(), "load")
    assert done.returncode == 1
    assert "missing-scope" in done.stderr


def kinds_of(cls):
    yield cls
    for inner in cls.__subclasses__():
        yield from kinds_of(inner)


def test_every_kind_of_problem_is_in_the_table():
    table = TEXT.partition("## Errors")[2].partition("## Lists")[0]
    kinds = {names[0] for names in NAMES.values()} | {"failed"}
    kinds |= {error.problem for error in kinds_of(ApiError) if error.problem}
    assert kinds == set(re.findall(r"`([a-z-]+)`", table)) - {"type", "errors"}


def test_every_scope_is_in_the_table():
    table = TEXT.partition("## Tokens")[2].partition("## Errors")[0]
    assert list(SCOPES) == re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
