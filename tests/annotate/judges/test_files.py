"""Judges in the raw data, in bundles and in study files."""

import csv
import io
import json

import pytest

from annotate.exchange import raw
from annotate.judges.comparison import programs_and_people
from annotate.reports.services import asked_now
from rankings.__main__ import main as text_order
from rankings.agreement.report import Settings
from tests.support.factories import make_study
from tests.support.judges import (
    HOST,
    RANKED,
    answer_all,
    buckets,
    make_judge,
    make_worked_example,
    verdicts_of,
)
from tests.support.made_once import made_once

pytestmark = pytest.mark.django_db


def make_judged():
    study = make_worked_example()
    answer_all(make_judge(study, pairs="all"), verdicts_of(study))
    return study


made_study = made_once(make_judged)


def table(study, name, **options):
    text = b"".join(raw.content(study, name, **options)).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_raw_data_have_judges_answers_and_the_rankings_that_follow(study):
    [judge] = table(study, "judges.csv")
    assert (judge["judge"], judge["model"], judge["host"]) == ("Counter", "counter-1", "")
    assert json.loads(judge["criteria"]) == ["recall", "precision"]
    # Three pairs of two images in both orders.
    answers = table(study, "judge_answers.csv")
    assert len(answers) == 12
    assert {(row["outcome"], row["probability"], row["preference"]) for row in answers} == {
        ("answered", "1.0", "")
    }
    rankings = table(study, "judge_rankings.csv")
    images = [image.name for image in study.images.in_order()]
    expected = [
        (criterion, image, [sorted(bucket) for bucket in buckets(text)])
        for criterion in ("recall", "precision")
        for image, text in zip(images, RANKED, strict=True)
    ]
    found = [(row["criterion"], row["image"], json.loads(row["buckets"])) for row in rankings]
    assert found == expected
    people = {row["annotator"] for row in table(study, "rankings.csv")}
    assert people == {"annotator-1", "annotator-2", "annotator-3"}


def test_a_host_is_there_only_with_user_names(study):
    assert [row["host"] for row in table(study, "judges.csv", names=True)] == [HOST]
    for name in raw.FILES:
        assert HOST.encode() not in b"".join(raw.content(study, name))


def test_text_order_finds_the_same_in_the_raw_data(study, tmp_path, capsys):
    raw.write_folder(study, tmp_path)
    files = (str(tmp_path / name) for name in ("rankings.csv", "judge_answers.csv"))
    assert text_order(["judges", *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    compared = programs_and_people(asked_now(study, Settings()))["judges"]
    assert found == json.loads(json.dumps(compared))


def test_results_that_look_alike_are_one_bucket_and_partly_asked_images_have_no_ranking():
    alike = [(10, 10, 60, 30)]
    boxes = {"a": [], "b": alike, "twin": alike, "z": [(10, 10, 20, 20)]}
    study = make_study([*boxes], boxes=boxes)
    some = make_judge(study, criteria=["recall"], pairs="sample:2")
    answer_all(some, lambda _: {"recall": "left"})
    assert table(study, "judge_rankings.csv") == []
    assert {row["probability"] for row in table(study, "judge_answers.csv")} == {repr(2 / 3)}
    b_result = study.methods.get(name="b").results.get().pk
    judge = make_judge(study, criteria=["recall"], name="For b")

    def for_b(task):
        side = "left" if task.left == b_result else "right"
        return {"recall": side if b_result in (task.left, task.right) else "equal"}

    answer_all(judge, for_b)
    [row] = table(study, "judge_rankings.csv")
    assert json.loads(row["buckets"]) == [["b", "twin"], ["a", "z"]]
