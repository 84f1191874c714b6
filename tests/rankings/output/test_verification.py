"""The program with which readers recompute a paper's tables from rankings and scores."""

import csv
import io
import json
import re
import subprocess
import sys
from functools import cache

import pytest

from rankings.agreement.report import Settings
from rankings.inference.clusters import Declared
from rankings.output.verification import verification_tables
from tests.support.analyses import near_equal_study, random_study, shuffled
from tests.support.demo import demo_study
from tests.support.examples import scaled
from tests.support.verified import drawn_study, kept, paper_of, program, said, written


def run(folder):
    # Without this project on its path.
    return subprocess.run(
        [sys.executable, "-I", "verify.py"], cwd=folder, capture_output=True, text=True, check=False
    )


@cache
def demo_files():
    _, rankings, scores, sentinels = demo_study()
    return paper_of(kept(rankings, scores, sentinels=sentinels))


def test_it_agrees_with_every_table_of_the_demo(tmp_path):
    done = run(written(tmp_path, demo_files().items()))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.splitlines()[-1] == "Everything agrees."
    n_numbers = sum(
        len(row) - len(program().TABLES[slug][0]) - 1
        for slug in program().TABLES
        if slug != "programs"  # Nothing judged in the demo.
        for row in list(csv.reader(io.StringIO(demo_files()[f"csv/{slug}.csv"])))[1:]
    )
    # Those of the table of criteria, with three rows of three numbers, and the texts come on top.
    [n_compared] = re.findall(r"(\d+) numbers and texts", done.stdout)
    assert int(n_compared) > n_numbers + 9


def test_drawn_studies_raise_no_false_alarm(tmp_path, capsys):
    no_false_alarm(range(24), tmp_path, capsys)


@pytest.mark.release
def test_more_drawn_studies_raise_no_false_alarm(tmp_path, capsys):
    """More than a thousand of them in `make test-thorough`."""
    no_false_alarm(range(24, 24 + scaled(200)), tmp_path, capsys)


def no_false_alarm(seeds, folder, capsys):
    for seed in seeds:
        data = kept(*drawn_study(seed), n_resamples=20)
        out = said(written(folder / str(seed), paper_of(data).items()), capsys)
        assert "Everything agrees." in out, (seed, out)


def test_files_name_protocols_that_order_all_images_alike_and_it_checks_them(tmp_path, capsys):
    """On pages they are one row; "copy" has the scores of "p0" times a half."""
    rankings, scores = random_study(n_images=4)
    first = sorted(next(iter(scores.values())))[0]
    for of_image in scores.values():
        of_image["copy"] = {
            name: tuple(None if value is None else value / 2 for value in both)
            for name, both in of_image[first].items()
        }
    files = paper_of(kept(rankings, scores, Settings(min_annotators=1), n_resamples=20))
    rows = list(csv.DictReader(io.StringIO(files["csv/report.csv"])))
    same = {row["protocol"]: row["same_as"] for row in rows if row["criterion"] == "recall"}
    group = sorted(name for name, of in same.items() if of)
    assert group == sorted(["copy", first])
    assert len({same[name] for name in group}) == 1
    sentence = f"one protocol in tests: {' = '.join(group)}."
    assert sentence in files["table.tex"]
    assert files["report.md"].count(sentence) == len(rankings)
    assert "Everything agrees." in said(written(tmp_path / "all", files.items()), capsys)
    for name in ("table.tex", "report.md"):
        changed = files | {name: files[name].replace(" = copy", "").replace("copy = ", "")}
        out = said(written(tmp_path / name, changed.items()), capsys)
        assert f"DIFFERS {name}" in out
        assert "recomputed that these are alike" in out
    other = files | {"csv/report.csv": files["csv/report.csv"].replace(f",{same['copy']},", ",,")}
    assert ", same_as: recomputed " in said(written(tmp_path / "csv", other.items()), capsys)


@pytest.mark.release
@pytest.mark.parametrize(
    ("groups", "scenes"),
    [("aab", ""), ("abc", "kkllmmnnoopp"), ("", "kkkkllllmmmm"), ("aaa", "k" * 12)],
    ids=["groups", "groups and scenes", "scenes", "one of each"],
)
def test_it_agrees_with_groups_and_scenes(tmp_path, groups, scenes, capsys):
    rankings, scores = random_study(n_images=12)
    images = sorted(rankings["recall"])
    declared = Declared(
        dict(zip("abc", groups, strict=False)), dict(zip(images, scenes, strict=False))
    )
    data = kept(rankings, scores, Settings(min_annotators=1), declared=declared)
    tested = data["analysis"]["recall"]["comparisons"]
    assert tested["reason"] is None
    assert tested["n_annotators"] == (len({*groups}) if len({*groups}) > 1 else 3)
    assert tested["n_images"] == (len({*scenes}) if len({*scenes}) > 1 else 12)
    assert "Everything agrees." in said(written(tmp_path, paper_of(data).items()), capsys)


NEAR_EQUAL = range(30)


def near_equal(seed, change=lambda of: of):
    """The data of a small study; intervals of Scores need few resamples."""
    rankings, scores, groups, scenes = near_equal_study(seed)
    settings, declared = Settings(min_annotators=1), Declared(groups, scenes)
    return kept(change(rankings), scores, settings, declared=declared, n_resamples=20)


@pytest.mark.release
def test_it_agrees_where_protocols_are_nearly_equal(tmp_path, capsys):
    for seed in NEAR_EQUAL:
        out = said(written(tmp_path / str(seed), paper_of(near_equal(seed)).items()), capsys)
        assert "Everything agrees." in out, (seed, out)


def test_the_order_of_rows_changes_no_bit_of_what_it_says(tmp_path, capsys):
    def turned(name, text):
        if name not in ("csv/rankings.csv", "csv/scores.csv"):
            return name, text
        head, *rows = text.splitlines(keepends=True)
        return name, "".join([head, *reversed(rows)])

    for seed in NEAR_EQUAL[:6]:
        files = paper_of(near_equal(seed))
        # A number that differs, to see all its digits.
        files["csv/intervals.csv"] = "Criterion,Protocol\n"
        out = said(written(tmp_path / f"{seed}", files.items()), capsys)
        other = written(tmp_path / f"{seed} turned", [turned(*file) for file in files.items()])
        assert sorted(said(other, capsys).splitlines()) == sorted(out.splitlines())
        assert "the row is missing; recomputed Pairs of 100 " in out


@pytest.mark.release
def test_a_study_in_another_order_has_the_same_bits():
    # Some rows of "Does the order hold?" and cross-validation draw images by their position.
    drawn = {"sensitivity", "calibration"}
    for seed in NEAR_EQUAL:
        found, other = (
            near_equal(seed, change)["analysis"]["recall"]
            for change in (dict, lambda of: shuffled(of, seed))  # noqa: B023
        )
        assert {"comparisons", "intervals"} <= found.keys() - drawn
        for key in found.keys() - drawn:
            assert found[key] == other[key], (seed, key)


# The first steps, in their order.
STEPS = ("rankings", "consensus", "distances", "report", "components", "intervals")


@pytest.mark.parametrize("last", range(len(STEPS) - 1), ids=STEPS[:-1])
def test_an_input_changed_with_all_that_follows_is_named_at_the_next_step(tmp_path, capsys, last):
    _, rankings, scores, sentinels = demo_study()
    own = rankings["recall"]
    image = sorted(own)[0]
    turned = {name: tuple(reversed(ranking)) for name, ranking in own[image].items()}
    other = kept({**rankings, "recall": {**own, image: turned}}, scores, sentinels=sentinels)
    taken = [f"csv/{slug}.csv" for slug in STEPS[: last + 1]]
    mixed = demo_files() | {name: text for name, text in paper_of(other).items() if name in taken}
    out = said(written(tmp_path, mixed.items()), capsys)
    assert not any(f"DIFFERS {name}" in out for name in taken)
    assert f"DIFFERS csv/{STEPS[last + 1]}.csv, recall / " in out


def test_a_report_without_inputs_has_no_such_files():
    rankings, scores = random_study(n_images=3)
    data = kept(rankings, scores, Settings(min_annotators=1), n_resamples=10)
    slugs = [table.slug for table in verification_tables(data)]
    assert slugs == ["rankings", "scores", "consensus", "distances", "components"]
    assert not verification_tables(data | {"inputs": None})


def test_groups_and_scenes_are_numbers():
    rankings, scores = random_study(n_images=3)
    declared = Declared({"a": "a laboratory", "c": "another"}, {"img_0": "a walk"})
    data = kept(rankings, scores, declared=declared, n_resamples=10)
    people, *_ = verification_tables(data)
    clusters = {(row[0], row[1]): row[4:] for row in people.rows}
    assert clusters["img_0", "a"] == (1, 1)
    assert clusters["img_1", "b"] == (2, 2)
    assert clusters["img_2", "c"] == (3, 3)
    assert "laboratory" not in json.dumps([table.rows for table in verification_tables(data)])
