"""verify.py recomputes what a paper says of programs, and misses no file and no answer."""

import csv
import io
import random

import pytest

from annotate.judges import services
from annotate.judges.tasks import to_do
from annotate.judging.models import Assignment
from annotate.publication.papers import files
from annotate.reports.models import data_of
from annotate.reports.services import asked_now, available_runs, compute_report
from rankings.agreement.report import Settings
from rankings.output.latex import Look
from tests.support.factories import add_annotator, make_run, make_study
from tests.support.judges import answer_all, make_judge
from tests.support.kept import keep_report
from tests.support.verified import said, written

pytestmark = pytest.mark.django_db
OUTCOMES = [*["answered"] * 8, "refused", "unreadable"]


def ranked_at_random(groups, scenes):
    """Four methods on six images by five people, and three judges: three repeats, drawn, one order."""
    rng = random.Random(f"{groups}{scenes}")
    study = make_study([*"abcd"], images=6, min_annotators=1)
    images = [*study.images.in_order()]
    for at, image in enumerate(images):
        image.scene = f"scene {at // 2}" if scenes else ""
        image.save()
    methods = [*study.methods.values_list("pk", flat=True)]
    for number in range(5):
        person = add_annotator(study)
        study.memberships.filter(person=person).update(group=f"g{number % 3}" if groups else "")
        for position, image in enumerate(images, 1):
            rankings = {}
            for criterion in ("recall", "precision", "preference"):
                places = {method: rng.randrange(3) for method in methods}
                used = sorted({*places.values()})
                rankings[criterion] = [
                    [method for method in methods if places[method] == place] for place in used
                ]
            Assignment.objects.create(
                study=study,
                image=image,
                annotator=person,
                position=position,
                state="complete",
                items=[[result.pk] for result in image.results.order_by("pk")],
                rankings=rankings,
            )
    make_run(study, "one", dict(zip("abcd", (0.9, 0.7, 0.5, 0.1), strict=True)))
    both = ["recall", "precision"]
    for name, given in {
        "Thrice": {"repeats": 3, "criteria": both, "pairs": "all"},
        "Drawn": {"pairs": "sample:3", "criteria": both, "margin": 0.02},
        "One order": {
            "orders": "one",
            "criteria": ["recall"],
            "images": [images[0].name, images[3].name],
        },
    }.items():
        judge = make_judge(study, name=name, **given)
        while tasks := to_do(judge)[:100]:
            rows = []
            for task, attempt in tasks:
                outcome = rng.choice(OUTCOMES)
                verdicts = {
                    one: rng.choice(["left", "left", "equal", "right"]) for one in judge.criteria
                }
                row = {"task": task.name, "attempt": attempt, "outcome": outcome}
                rows.append(row | {"verdicts": verdicts if outcome == "answered" else {}})
            services.record_answers(judge=judge, sent=rows)
    # Without a row: nothing was asked yet.
    make_judge(study, name="Not begun")
    return study


def files_of(study):
    asked = asked_now(study, Settings(min_annotators=1))
    return dict(files(data_of(compute_report(asked).content), Look(), {}))


@pytest.mark.parametrize(("groups", "scenes"), [(False, False), (True, False), (True, True)])
def test_verdicts_and_all_numbers_of_programs_are_recomputed(tmp_path, capsys, groups, scenes):
    found = files_of(ranked_at_random(groups, scenes))
    rows = [*csv.DictReader(io.StringIO(found["csv/programs.csv"].lstrip("\ufeff")))]
    assert [(row["Criterion"], row["Program"]) for row in rows] == [
        *(("recall", name) for name in ("Thrice", "Drawn", "One order")),
        *(("precision", name) for name in ("Thrice", "Drawn")),
    ]
    assert all(row["Difference"] and row["From"] and row["rho"] for row in rows[:2])
    out = said(written(tmp_path, found.items()), capsys)
    assert "Everything agrees." in out, out
    assert "programs.csv" not in out


def test_a_file_that_is_missing_and_an_answer_that_was_changed_are_noticed(tmp_path, capsys):
    found = files_of(ranked_at_random(False, False))
    folder = written(tmp_path, found.items())
    for name in ("csv/judges.csv", "csv/judge_answers.csv", "csv/programs.csv"):
        (folder / name).unlink()
        assert f"DIFFERS {name}: the file is missing" in said(folder, capsys)
        written(folder, [(name, found[name])])
    for name, change in {
        "csv/judges.csv": [("repeats", "1"), ("criteria", '["recall"]'), ("margin", "0.07")],
        "csv/judge_answers.csv": [("recall", None), ("probability", "0.3"), ("outcome", "failed")],
        "csv/programs.csv": [
            ("Difference", "1.5"),
            ("To", "99"),
            ("rho", "0.123"),
            ("Missing", "77"),
        ],
    }.items():
        [head, *rows] = csv.reader(io.StringIO(found[name].lstrip("\ufeff")))
        for column, text in change:
            changed = [[*row] for row in rows]
            at = head.index(column)
            if name == "csv/judge_answers.csv":
                # Every answer of one pair in both orders, so that the verdict is another one.
                pair = {*rows[0][2:4]}
                own = [row for row in changed if row[1] == rows[0][1] and {*row[2:4]} == pair]
            else:
                own = changed[:1]
            for row in own:
                is_first = row[2] == min(row[2:4])
                row[at] = text or ("left" if is_first == (row[at] == "right") else "right")
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerows([head, *changed])
            printed = said(written(folder, [(name, out.getvalue())]), capsys)
            assert "DIFFERS csv/programs.csv" in printed, (name, column)
        written(folder, [(name, found[name])])


def test_a_report_that_was_kept_before_a_judge_has_no_such_file():
    study = make_study([*"ab"], images=2, min_annotators=1)
    make_run(study, "one", {"a": 0.9, "b": 0.1})
    kept = keep_report(
        study=study,
        settings=(settings := Settings(min_annotators=1)),
        runs=available_runs(study),
        person=None,
    )
    judge = make_judge(study, criteria=["recall"])
    answer_all(judge, lambda _: {"recall": "left"})
    later = data_of(compute_report(asked_now(study, settings)).content)
    before, after = (
        {name for name in dict(files(data, Look(), {})) if name.startswith("csv/")}
        for data in (kept.data, later)
    )
    assert after - before == {f"csv/{name}.csv" for name in ("programs", "judges", "judge_answers")}
    assert "csv/rankings.csv" in before
