"""Python and the shell compute, print and write the same in any order of rows.

Rows of the same answers and scores are shuffled, and pairs turned; every byte stays.
"""

import csv
import itertools
import json
import random

import pytest

import text_rankings as tr
from rankings.__main__ import main as rankings_main
from tests.support import commands

METHODS = [f"method_{at}" for at in range(1, 5)]
IMAGES = [f"img_{at}" for at in range(1, 14)]
PEOPLE = ["dan", "ann", "cat", "ben"]
CRITERIA = ["preference", "recall", "contrast", "precision"]
MIRRORED = {"left": "right", "right": "left", "equal": "equal"}


def drawn_ranking(rng):
    buckets = []
    for method in rng.sample(METHODS, len(METHODS)):
        if buckets and rng.random() < 0.3:
            buckets[-1].append(method)
        else:
            buckets.append([method])
    return [sorted(bucket) for bucket in buckets]


@pytest.fixture(scope="module")
def study():
    """Rows of rankings, of pairs, some of which contradict each other, and of scores."""
    rng = random.Random(11)
    cells = list(itertools.product(CRITERIA, IMAGES, PEOPLE))
    names = ("criterion", "image", "annotator")
    rankings = [
        dict(zip(names, cell, strict=True), buckets=json.dumps(drawn_ranking(rng)))
        for cell in cells
        if rng.random() < 0.95
    ]
    pairs = []
    for row in rankings:
        place = {m: at for at, of in enumerate(json.loads(row["buckets"])) for m in of}
        for first, second in itertools.combinations(METHODS, 2):
            a, b = place[first], place[second]
            verdict = "equal" if a == b else "left" if a < b else "right"
            if rng.random() < 0.01:
                verdict = rng.choice([*MIRRORED])
            both = {"method_a": first, "method_b": second, "verdict": verdict}
            if rng.random() < 0.97:
                pairs.append({name: row[name] for name in names} | both)
    scores = [
        {
            "protocol": protocol,
            "method": method,
            "image": image,
            "recall": rng.randint(0, 20) / 20,
            "precision": rng.random(),
            "recalled": rng.randint(0, 9),
            "n_truth": 9,
            "precise": 3,
            "n_detections": 5,
        }
        for protocol, method, image in itertools.product(["tiou", "iou", "area"], METHODS, IMAGES)
    ]
    return {"rankings": rankings, "pairs": pairs, "scores": scores}


def turned(row):
    return row | {
        "method_a": row["method_b"],
        "method_b": row["method_a"],
        "verdict": MIRRORED[row["verdict"]],
    }


@pytest.fixture(scope="module", params=[3, pytest.param(7, marks=pytest.mark.release)])
def shuffled(request, study):
    rng = random.Random(request.param)
    pairs = [turned(row) if rng.random() < 0.5 else row for row in study["pairs"]]
    rows = {**study, "pairs": pairs}
    return {name: rng.sample(of, len(of)) for name, of in rows.items()}


def written(folder, rows):
    folder.mkdir()
    for name, of in rows.items():
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(of[0]))
            writer.writeheader()
            writer.writerows(of)
    return folder


@pytest.mark.parametrize("answers", ["rankings", "pairs"])
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("analyse", ("--resamples", "30", "--sentinel", "area")),
        ("analyse", ("--resamples", "30", "--json")),
        ("detectors", ("--resamples", "20", "--permutations", "20")),
        ("detectors", ("--resamples", "20", "--permutations", "20", "--json")),
        ("power", ("--images", "20", "--people", "3", "--json")),
    ],
)
def test_the_shell_prints_the_same(
    tmp_path, monkeypatch, study, shuffled, answers, command, options
):
    said = []
    for name, rows in (("one", study), ("other", shuffled)):
        monkeypatch.chdir(written(tmp_path / name, rows))
        done = commands.run_here(rankings_main, command, f"{answers}.csv", "scores.csv", *options)
        assert done.returncode == 0, done.stderr
        said.append((done.stdout, done.stderr))
    assert said[0] == said[1]


def test_the_plain_report_is_the_same(tmp_path, study, shuffled):
    """Its people have no names, so the order of an image's rankings is kept."""
    said = []
    for at, rows in enumerate((study, shuffled)):
        people = {}
        for row in rows["rankings"]:
            own = people.setdefault(row["criterion"], {}).setdefault(row["image"], {})
            own[row["annotator"]] = json.loads(row["buckets"])
        people = {
            criterion: {image: [of[1] for of in sorted(own.items())] for image, own in of.items()}
            for criterion, of in people.items()
            if criterion != "contrast"
        }
        scores = {}
        for row in rows["scores"]:
            of_image = scores.setdefault(row["image"], {}).setdefault(row["protocol"], {})
            of_image[row["method"]] = {name: row[name] for name in ("recall", "precision")}
        path = tmp_path / f"{at}.json"
        path.write_text(json.dumps({"annotator_rankings": people, "protocol_scores": scores}))
        done = commands.run_here(rankings_main, "report", str(path), "--bootstrap", "20")
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0] == said[1]


@pytest.mark.parametrize("answers", ["rankings", "pairs"])
def test_python_writes_the_same_files(tmp_path, study, shuffled, answers):
    files = []
    for name, rows in (("one", study), ("other", shuffled)):
        folder = written(tmp_path / name, rows)
        people = tr.rank(rows[answers])
        report = tr.report(people, folder / "scores.csv", n_resamples=20)
        paths = report.save(folder / "report")
        content = {path.name: path.read_bytes() for path in paths}
        shown = [repr(people), people.tables(), repr(report), report.left_out]
        files.append((content, shown, list(people.strengths), people.left_out, people.notes))
    assert files[0] == files[1]
    assert len(files[0][0]) > 10
