"""Forty faults planted in ten sets are found, and sets without a fault have no finding.

Four sets are of the field, where their files are next to the repository; all others are drawn.
"""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from protocols.core.regions import Region
from protocols.diagnostics.levels import outlines_against_texts
from protocols.formats.containers.contents import Archive, LineFormat
from protocols.formats.recognition.reading import read
from protocols.loading.looking import Truth, look_alone, look_at_results
from tests.support.archives import zip_bytes

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
REAL = {
    "icdar2013": "east-argman.zip",
    "icdar2015": "east-resnet50.zip",
    "ctw1500": "ctd.zip",
    "clova-doc": "example.zip",
}
DRAWN = [f"drawn-{seed}" for seed in range(10 - len(REAL))]
CODES = {"F10", "F12", "F13", "L4", "P2"}


def archive(regions, name="results.zip", **fields):
    return Archive(name, LineFormat.QUAD, regions, (), {}, **fields)


def drawn(seed):
    """Pages of 4 to 9 lines of 2 to 6 words, of letters half as wide as high, with texts."""
    rng = np.random.default_rng(seed)
    truth = {}
    for at in range(12):
        regions = []
        for line in range(rng.integers(4, 10)):
            x, height = 10.0, float(rng.integers(14, 40))
            for _ in range(rng.integers(2, 7)):
                text = "word"[: rng.integers(2, 5)]
                width = 0.5 * height * len(text)
                box = (x, 60.0 * line, x + width, 60.0 * line + height)
                regions.append(Region.from_box(*box, text=text, parent=f"line {line}"))
                x += width + height / 3
        truth[f"img_{at}"] = tuple(regions)
    return archive(truth, "gt.zip")


def shaken(regions, seed=1):
    """Results of a detector: each region moved by a little, without its other fields."""
    rng = np.random.default_rng(seed)
    return {
        image: tuple(
            Region.from_box(*(value + rng.uniform(-1, 1) for value in one.box))
            for one in of
            if min(one.box[2] - one.box[0], one.box[3] - one.box[1]) > 3
        )
        for image, of in regions.items()
    }


@pytest.fixture(scope="module", params=[*REAL, *DRAWN])
def loaded(request):
    if request.param in DRAWN:
        truth = look_alone(drawn(int(request.param[-1]))).archive
        return truth, archive(shaken(truth.regions))
    folder = DATA / request.param
    if not folder.exists():
        truth = look_alone(drawn(sum(map(ord, request.param)))).archive
        return truth, archive(shaken(truth.regions))
    truth = look_alone(read(str(folder / "gt.zip"), kind="truth")).archive
    return truth, read(str(folder / REAL[request.param]), kind="results")


def said(truth, results):
    """Return the codes of the curator's findings on both sides."""
    alone = look_alone(truth)
    compared = look_at_results(results, Truth.of(alone.archive), "as-read")
    problems = [*alone.archive.problems, *compared.archive.problems]
    return {problem.code for problem in problems} & CODES


def halves(region):
    left, top, right, bottom = region.box
    third = (right - left) / 3
    boxes = [(left, top, left + third, bottom), (right - 1.5 * third, top, right, bottom)]
    return [Region.from_box(*box) for box in boxes]


def test_a_set_without_a_fault_is_quiet(loaded):
    assert said(*loaded) == set()


def test_results_of_words_against_lines_are_found(loaded):
    """Each truth is taken as a line, of which the results have two words."""
    truth, _results = loaded
    words = {
        image: tuple(half for one in of if one.box[2] - one.box[0] > 6 for half in halves(one))
        for image, of in truth.regions.items()
    }
    assert "F12" in said(truth, archive(words))


def test_a_truth_that_is_all_flat_is_found(loaded):
    truth, results = loaded
    flat = {
        image: tuple(
            Region.from_box(left, top, right, top)
            for left, top, right, _bottom in (one.box for one in of)
        )
        for image, of in truth.regions.items()
    }
    assert "L4" in said(archive(flat, "gt.zip"), results)


def test_a_truth_of_more_flat_boxes_than_are_listed_is_refused():
    lines = "\n".join(f"{x},5,{x},9" for x in range(1_100))
    truth = read(io.BytesIO(zip_bytes({"gt_a.txt": lines})), kind="truth", name="gt.zip")
    assert truth.counts == {"L4": 1_100}
    [refused] = look_alone(truth).archive.errors
    assert (refused.code, refused.found[:30]) == ("L4", "1100 regions that are all flat")


def test_a_truth_whose_texts_all_begin_with_numbers_is_refused_though_no_box_is_flat():
    lines = "\n".join(f"{x},5,{x + 9},9,{x + 9},30,{x},26,w" for x in range(0, 500, 100))
    truth = read(io.BytesIO(zip_bytes({"gt_a.txt": lines})), kind="truth", format="ltrb")
    [refused] = look_alone(truth).archive.errors
    assert (refused.code, refused.found[:35]) == ("L1", "5 texts that all begin with numbers")


def test_outlines_of_lines_with_the_texts_of_words_are_found(loaded):
    """An outline ten times as long as high, with a text of three letters."""
    truth, results = loaded
    long = {
        image: tuple(
            Region.from_box(one.box[0], one.box[1], one.box[0] + 200, one.box[1] + 20, text="abc")
            for one in of
        )
        for image, of in truth.regions.items()
    }
    assert "F13" in said(archive(long, "gt.zip"), results)


def test_confidences_on_some_detections_are_found(loaded):
    truth, results = loaded
    some = {
        image: tuple(replace(one, confidence=0.5 if at % 2 else None) for at, one in enumerate(of))
        for image, of in results.regions.items()
    }
    assert "F10" in said(truth, archive(some))


def test_the_reverse_levels_are_found_and_the_format_of_the_other_is_offered():
    truth = look_alone(drawn(3)).archive
    lines = {}
    for image, of in truth.regions.items():
        by_line = {}
        for one in of:
            by_line.setdefault(one.parent, []).append(one.box)
        lines[image] = tuple(
            Region.from_box(
                min(box[0] for box in boxes),
                min(box[1] for box in boxes),
                max(box[2] for box in boxes),
                max(box[3] for box in boxes),
            )
            for boxes in by_line.values()
        )
    results = archive(lines, format="tesseract-tsv-lines")
    found = look_at_results(results, Truth.of(truth), "as-read").archive.problems
    [problem] = [one for one in found if one.code == "F12"]
    # A word of more than 60 % of its line is none of its parts.
    n, total = truth.n_regions, f"of {truth.n_regions} regions"
    assert problem.found.endswith(f"{total} of the ground truth that share a detection with others")
    assert 0.95 * n < int(problem.found.partition(" ")[0]) <= n
    assert problem.expected.endswith("the format tesseract-tsv reads words")


def test_outlines_of_words_with_the_texts_of_lines_are_found():
    truth = drawn(5)
    long = {
        image: tuple(replace(one, text="a line of many words") for one in of)
        for image, of in truth.regions.items()
    }
    [problem] = outlines_against_texts(archive(long))
    assert problem.found.startswith("outlines shorter than their texts: 0.0")


def test_lines_that_are_not_around_their_words_are_found():
    """Lines twice as high as their words: an IoU of 0.5 each."""
    truth = drawn(4)
    parents = {}
    for image, of in truth.regions.items():
        boxes = {}
        for one in of:
            boxes.setdefault(one.parent, []).append(one.box)
        parents[image] = {
            name: Region.from_box(
                min(box[0] for box in own),
                own[0][1],
                max(box[2] for box in own),
                own[0][3] + max(box[3] - box[1] for box in own),
            )
            for name, own in boxes.items()
        }
    [problem] = outlines_against_texts(replace(truth, parents=parents))
    assert "median IoU 0.50 of" in problem.found
    # Lines around their words are right.
    tight = {
        image: {
            name: Region.from_box(*line.box[:3], (line.box[1] + line.box[3]) / 2)
            for name, line in of.items()
        }
        for image, of in parents.items()
    }
    assert outlines_against_texts(replace(truth, parents=tight)) == []
