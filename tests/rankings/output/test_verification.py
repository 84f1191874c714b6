"""The program with which readers recompute a paper's tables."""

import json
import subprocess
import sys
from functools import cache

import pytest

from rankings.agreement.report import Settings, report_from_json
from rankings.analysis.analysis import analyse
from rankings.inference.clusters import Declared
from rankings.output import report_files, table_files, verify
from rankings.output.analysis_tables import tables_of
from rankings.output.verification import program, verification_tables
from tests.support.analyses import near_equal_study, random_study, shuffled
from tests.support.demo import demo_study


def files_of(data):
    yield "csv/report.csv", report_files.to_csv(report_from_json(data), {})
    for table in tables_of(data):
        yield f"csv/{table.slug}.csv", table_files.to_csv(table, {})
    for table in verification_tables(data):
        yield f"csv/{table.slug}.csv", table_files.to_csv(table, {})
    yield "verify.py", program()


def run(folder, data):
    for name, text in files_of(data):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    # Without this project on its path.
    return subprocess.run(
        [sys.executable, "-I", "verify.py"], cwd=folder, capture_output=True, text=True, check=False
    )


def some(rankings, keep):
    """The rankings for which keep(number of the image, annotator) holds."""
    return {
        criterion: {
            image: {name: own for name, own in of_image.items() if keep(at, name)}
            for at, (image, of_image) in enumerate(of.items())
        }
        for criterion, of in rankings.items()
    }


KEPT = {
    "all": lambda at, name: True,
    "cells missing": lambda at, name: name != "c" or at % 3,
    "one ranking an image": lambda at, name: name == "abc"[at % 3],
}


@cache
def packed_data(kept):
    rankings, scores = random_study(n_images=12)
    settings = Settings(min_annotators=1)
    return json.dumps(analyse(some(rankings, KEPT[kept]), scores, settings).to_json())


@pytest.mark.parametrize("kept", KEPT)
def test_it_agrees_with_the_tables_to_1e_9(tmp_path, kept):
    data = json.loads(packed_data(kept))
    done = run(tmp_path, data)
    assert done.returncode == 0, done.stdout + done.stderr
    n_protocols = len(data["criteria"]["recall"]["rows"])
    n_pairs = n_protocols * (n_protocols - 1) // 2
    # Best, Worst, Score and its limits, mean and its limits, cluster; four numbers a pair; six for each
    # protocol against all tied and against a random order.
    assert f"recall: {21 * n_protocols + 4 * n_pairs} numbers compared" in done.stdout


@pytest.mark.release
@pytest.mark.parametrize(
    ("groups", "scenes"),
    [("aab", ""), ("abc", "kkllmmnnoopp"), ("", "kkkkllllmmmm"), ("aaa", "k" * 12)],
    ids=["groups", "groups and scenes", "scenes", "one of each"],
)
def test_it_agrees_with_groups_and_scenes_to_1e_9(tmp_path, groups, scenes):
    rankings, scores = random_study(n_images=12)
    images = sorted(rankings["recall"])
    declared = Declared(
        dict(zip("abc", groups, strict=False)), dict(zip(images, scenes, strict=False))
    )
    analysed = analyse(rankings, scores, Settings(min_annotators=1), declared=declared)
    data = json.loads(json.dumps(analysed.to_json()))
    tested = data["analysis"]["recall"]["comparisons"]
    assert tested["reason"] is None
    assert tested["n_annotators"] == (len({*groups}) if len({*groups}) > 1 else 3)
    assert tested["n_images"] == (len({*scenes}) if len({*scenes}) > 1 else 12)
    done = run(tmp_path, data)
    assert done.returncode == 0, done.stdout + done.stderr
    n = len(data["criteria"]["recall"]["rows"])
    assert f"recall: {21 * n + 2 * n * (n - 1)} numbers compared" in done.stdout


NEAR_EQUAL = range(30)


def analysed(rankings, scores, groups, scenes):
    """The analysis of a small study as a report keeps it; intervals of Scores need few resamples."""
    settings, declared = Settings(min_annotators=1), Declared(groups, scenes)
    found = analyse(rankings, scores, settings, n_resamples=20, declared=declared)
    return json.loads(json.dumps(found.to_json()))


def verified(folder, data, capsys, change=str):
    """Return what the program prints of the tables in a folder; ``change`` takes each text."""
    for name, text in files_of(data):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(change(text) if "verify-" in name else text, encoding="utf-8")
    verify.main(folder / "csv")
    return capsys.readouterr().out


@pytest.mark.release
def test_it_agrees_where_protocols_are_nearly_equal(tmp_path, capsys):
    for seed in NEAR_EQUAL:
        data = analysed(*near_equal_study(seed))
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert "Everything agrees." in verified(folder, data, capsys), seed


def test_the_order_of_its_rows_changes_nothing(tmp_path, capsys):
    def turned(text):
        head, *rows = text.splitlines()
        at = next(at for at, row in enumerate([head, *rows]) if not row.startswith("#"))
        lines = [head, *rows]
        return "\n".join([*lines[: at + 1], *reversed(lines[at + 1 :]), ""])

    for seed in NEAR_EQUAL[:6]:
        data = analysed(*near_equal_study(seed))
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert "Everything agrees." in verified(folder, data, capsys, turned), seed


@pytest.mark.release
def test_a_study_in_another_order_has_the_same_bits():
    # Some rows of "Does the order hold?" and cross-validation draw images by their position.
    drawn = {"sensitivity", "calibration"}
    for seed in NEAR_EQUAL:
        rankings, scores, groups, scenes = near_equal_study(seed)
        found, other = (
            data["analysis"]["recall"]
            for data in (
                analysed(rankings, scores, groups, scenes),
                analysed(shuffled(rankings, seed), scores, groups, scenes),
            )
        )
        assert {"comparisons", "intervals", "personal"} <= found.keys() - drawn
        for key in found.keys() - drawn:
            assert found[key] == other[key], (seed, key)


def test_it_agrees_with_the_demos_tables_to_1e_9(tmp_path):
    _, rankings, scores, sentinels = demo_study()
    data = json.loads(json.dumps(analyse(rankings, scores, sentinels=sentinels).to_json()))
    done = run(tmp_path, data)
    assert done.returncode == 0, done.stdout + done.stderr
    for criterion, table in data["criteria"].items():
        around = data["analysis"][criterion]
        n, silence = len(table["rows"]), around["against_silence"].values()
        assert n > 5
        # Sentinels have no cluster, and protocols that order all images alike are one.
        n_all = 8 * n + len(around["comparisons"]["protocols"])
        n_all += 4 * len(around["comparisons"]["pairs"])
        n_all += 6 * sum(len(tested["pairs"]) for tested in silence)
        assert f"{criterion}: {n_all} numbers compared" in done.stdout


def test_it_names_a_number_that_was_changed(tmp_path):
    data = json.loads(packed_data("all"))
    data["analysis"]["recall"]["comparisons"]["pairs"][0]["adjusted_p_value"] += 1e-6
    done = run(tmp_path, data)
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("DIFFERS")]
    assert "recall, p " in line


def test_a_report_without_distances_to_annotators_has_no_such_files():
    rankings, scores = random_study(n_images=3)
    data = analyse(rankings, scores, Settings(min_annotators=1), n_resamples=10).to_json()
    slugs = [table.slug for table in verification_tables(data)]
    assert slugs == ["verify-consensus", "verify-annotators"]
    for around in data["analysis"].values():
        around["personal"]["images"] = []
    assert not verification_tables(data)


def test_annotators_are_numbers():
    rankings, scores = random_study(n_images=3)
    data = analyse(rankings, scores, Settings(min_annotators=1), n_resamples=10).to_json()
    _, people = verification_tables(data)
    assert {row[2] for row in people.rows} == {1, 2, 3}
