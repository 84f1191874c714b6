"""preflibtools reads rankings that are written here, and writes them so that they are read here.

`make writers` runs it, in the environment of the statistics.
"""

import csv
import json
import subprocess
from pathlib import Path

import pytest

from rankings.__main__ import main
from rankings.command_line.answer_files import read_rankings
from rankings.orders.pairwise import pair_counts
from tests.support.environments import python_of

from .statistics_cases import PACKAGES, cases, ranking

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("scripts") / "preflib_.py"


@pytest.mark.parametrize("label", ["strict", "ties", "gaps"])
def test_rankings_are_the_same_in_preflibtools_and_back(label, tmp_path):
    team = cases()["alpha"][label]
    with (tmp_path / "rankings.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("image", "annotator", "criterion", "buckets"))
        writer.writerows(
            (f"img/{image}.jpg", f"ann{at}", criterion, json.dumps(ranking(places)))
            for criterion in ("recall", "preference")
            for at, of_annotator in enumerate(team)
            for image, places in enumerate(of_annotator)
            if set(places) != {None}
        )
    given = read_rankings(str(tmp_path / "rankings.csv"), print, whole=False)
    assert main(["preflib", str(tmp_path / "rankings.csv"), str(tmp_path / "ours")]) == 0
    python = python_of(ROOT / "var" / "writers" / "statistics", PACKAGES)
    subprocess.run([python, SCRIPT], cwd=tmp_path, check=True)
    found = json.loads((tmp_path / "found.json").read_text()).values()
    assert len(found) == 2 * len(team[0])
    for of in found:
        rankings = [*given[of["criterion"]][of["image"]].values()]
        assert of["faults"] == []
        assert sorted(of["rankings"]) == sorted([[sorted(b) for b in own] for own in rankings])
        counts = pair_counts(rankings)
        before = dict(zip(counts.methods, counts.before.tolist(), strict=True))
        assert before == {
            a: [of["before"][a].get(b, 0) for b in counts.methods] for a in counts.methods
        }
    for folder in ("ours", "theirs"):
        again = read_rankings(str(tmp_path / folder), print, whole=False)
        assert {
            criterion: {image: sorted(own.values()) for image, own in images.items()}
            for criterion, images in again.items()
        } == {
            criterion: {image: sorted(own.values()) for image, own in images.items()}
            for criterion, images in given.items()
        }
