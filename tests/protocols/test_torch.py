"""A metric of a training loop: the same figures however the images come, over processes too."""

import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from protocols import registry
from protocols.core.errors import ParameterError, ProtocolError
from protocols.torch import HAS_TORCHMETRICS, NotABatch, TextDetectionMetric
from tests.support.batches import at_once, batch, images
from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[2]
# Sums, ranked confidences over all images, a choice by all of the ground truth, and undefined images.
SLUGS = ["iou", "average-precision", "cleval", "deteval", "evaltex"]


@cases("slug", SLUGS)
@cases("size", [1, 4, 9])
def test_batches_of_any_size_give_the_figures_of_all_at_once(slug, size):
    some, metric = images(), TextDetectionMetric(slug)
    for start in range(0, len(some), size):
        metric.update(*batch(some[start : start + size]))
    assert metric.compute() == at_once(slug, some)
    metric.reset()
    assert is_undefined(undefined_of(metric))


ALONE = [slug for slug, of in registry.PROTOCOLS.items() if of.needs != "several methods"]


def is_undefined(figures):
    return all(map(math.isnan, figures.values()))


# torchmetrics has a warning of its own for a metric that was never updated.
SAW_NOTHING = "has seen no image|called before the ``update`` method"


def undefined_of(metric):
    with pytest.warns(UserWarning, match=SAW_NOTHING) as warned:
        figures = metric.compute()
    assert len(warned) == 1
    if not HAS_TORCHMETRICS or metric.update_called:
        assert warned[0].filename == __file__, "it names the line that called compute"
    return figures


IN_PLACE_OF_TORCH = pytest.mark.skipif(
    HAS_TORCHMETRICS, reason="torchmetrics gathers itself, which test_torchmetrics.py tries"
)


@cases("slug", ALONE)
def test_a_metric_that_saw_nothing_is_undefined_and_says_so(slug):
    metric = TextDetectionMetric(slug)
    untouched = undefined_of(metric)
    assert is_undefined(untouched)
    assert {"recall", "precision", "f_score"} <= untouched.keys()
    metric.update([], [])
    assert (again := undefined_of(metric)).keys() == untouched.keys()
    assert is_undefined(again)
    with pytest.warns(UserWarning, match="no image"):
        assert is_undefined(metric([], []))


@IN_PLACE_OF_TORCH
@pytest.mark.parametrize("slug", ["iou", "panoptic-quality", "evaltex"])
def test_processes_that_saw_nothing_together_are_undefined(slug, monkeypatch):
    ranks = [TextDetectionMetric(slug) for _ in range(2)]
    gather_from(ranks, monkeypatch)
    for metric in ranks:
        assert is_undefined(undefined_of(metric))
    ranks[1].update(*batch(images()))
    assert [metric.compute() for metric in ranks] == [at_once(slug, images())] * 2


@IN_PLACE_OF_TORCH
@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("n", [2, 3])
def test_processes_together_give_the_figures_of_one(slug, n, monkeypatch):
    some = images()
    ranks = [TextDetectionMetric(slug) for _ in range(n)]
    for rank, metric in enumerate(ranks):
        mine = [(at, some[at % len(some)]) for at in range(rank, -(-len(some) // n) * n, n)]
        # A sampler repeats the first images, so that every process has as many.
        metric.update(
            *batch([image for _, image in mine]), names=[str(at % len(some)) for at, _ in mine]
        )

    gather_from(ranks, monkeypatch)
    assert [metric.compute() for metric in ranks] == [at_once(slug, some)] * n


def gather_from(ranks, monkeypatch):
    """Put a stand-in for torch.distributed in place, whose gathering is what torch documents."""

    def gather(into, mine):
        into[:] = [metric.seen for metric in ranks]

    stand_in = SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: True,
        get_world_size=lambda: len(ranks),
        all_gather_object=gather,
    )
    monkeypatch.setitem(sys.modules, "torch.distributed", stand_in)


_RANK = """
import sys, torch, torch.distributed as group
from protocols.torch import TextDetectionMetric
from tests.support.batches import at_once, images
rank, address = int(sys.argv[1]), sys.argv[2]
group.init_process_group("gloo", init_method=f"file://{address}", rank=rank, world_size=2)
for slug, n_seeing in (("iou", 2), ("cleval", 2), ("average-precision", 2), ("deteval", 1)):
    metric, some = TextDetectionMetric(slug), images()
    for at in range(rank, len(some) if rank < n_seeing else 0, n_seeing):
        found, scores, truth = some[at]
        metric.update(
            [{"boxes": torch.tensor(found).reshape(-1, 4), "scores": torch.tensor(scores).double()}],
            [{"boxes": torch.tensor(truth).float().reshape(-1, 4), "texts": ["word"] * len(truth)}],
        )
    assert metric.compute() == at_once(slug, some), slug
group.destroy_process_group()
"""


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch: the extra [torch]")
def test_torch_itself_with_two_processes(tmp_path):
    command = [sys.executable, "-c", _RANK]
    ranks = [
        subprocess.Popen(
            [*command, str(rank), str(tmp_path / "meeting")],
            cwd=ROOT,
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "text_rankings.site.settings"},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    said = [rank.communicate(timeout=300)[1] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], said


@IN_PLACE_OF_TORCH
def test_torch_is_not_imported_with_it():
    look = "import sys; from protocols.torch import TextDetectionMetric as M; M('iou').compute();"
    look += "print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout == "False\n"


def test_a_batch_by_itself_is_told_and_taken():
    metric, some = TextDetectionMetric("iou"), images()
    assert metric(*batch(some[:2])) == at_once("iou", some[:2])
    metric(*batch(some[2:]))
    assert metric.compute() == at_once("iou", some)


def test_a_state_goes_on_elsewhere():
    some, first, second = images(), TextDetectionMetric("iou"), TextDetectionMetric("iou")
    first.update(*batch(some[:5]))
    second.load_state_dict(first.state_dict())
    second.update(*batch(some[5:]))
    assert second.compute() == at_once("iou", some)
    assert first.compute() == at_once("iou", some[:5])
    with pytest.raises(ProtocolError):
        first.merge_state([TextDetectionMetric("cleval")])


def test_outlines_come_as_boxes_quads_or_polygons_of_lists_or_arrays():
    square = [0, 0, 100, 0, 100, 40, 0, 40]
    for truth in (
        {"quads": np.array([square])},
        {"quads": np.array(square).reshape(1, 4, 2)},
        {"polygons": [[(0, 0), (100, 0), (100, 40), (0, 40)]]},
        {"boxes": np.array([[0, 0, 100, 40]], dtype=np.float32), "ignored": np.array([False])},
    ):
        metric = TextDetectionMetric("iou")
        metric.update([{"boxes": [[0, 0, 100, 40]]}], [truth])
        assert metric.compute()["f_score"] == 1


@cases(
    ("found", "says"),
    [
        ({}, r"detections\[0\] needs one of boxes, quads, polygons; it has nothing"),
        ({"boxes": [[1, 2, 3]]}, r"detections\[0\], boxes\[0\] has 3 numbers"),
        ({"boxes": [[1, 2, 3, 4]], "scores": []}, r"detections\[0\] has 0 scores of 1 boxes"),
    ],
)
def test_what_is_no_batch_is_named(found, says):
    with pytest.raises(NotABatch, match=says):
        TextDetectionMetric("iou").update([found], [{"boxes": []}])


def test_a_protocol_that_needs_what_no_image_has_says_so():
    metric = TextDetectionMetric("cleval")
    metric.update([{"boxes": []}], [{"boxes": [[0, 0, 9, 9]]}])
    with pytest.raises(ProtocolError, match="the ground truth has no transcriptions"):
        metric.compute()


def test_what_cannot_be_a_metric_is_refused():
    with pytest.raises(ProtocolError, match="several methods"):
        TextDetectionMetric("no-ground-truth")
    with pytest.raises(ParameterError):
        TextDetectionMetric("iou", min_iou=7)


# One word of 100 x 40 px at (10, 20) in an image of 200 x 80, in each way to write it.
WRITTEN = [
    ("xyxy", [10, 20, 110, 60]),
    ("xywh", [10, 20, 100, 40]),
    ("cxcywh", [60, 40, 100, 40]),
    ("polygons", [[10, 20], [110, 20], [110, 60], [10, 60]]),
]


@cases(("box_format", "box"), WRITTEN)
@cases("normalized", [False, True])
def test_boxes_are_read_in_the_format_that_is_named(box_format, box, normalized):
    """The second way: the same word as points in pixels, which every format gives."""
    metric = TextDetectionMetric("iou", box_format=box_format, normalized=normalized)
    sides = np.array(box, float).reshape(-1, 2) / ([200, 80] if normalized else 1)
    boxes = sides.reshape(1, *np.shape(box))
    metric.update([{"boxes": boxes}], [{"boxes": boxes}], sizes=np.array([[200, 80]]))
    assert metric.compute()["recall"] == 1
    [region] = metric._outlines.regions({"boxes": boxes}, "here", (200, 80) if normalized else None)
    assert region.points == pytest.approx((10, 20, 110, 20, 110, 60, 10, 60))


def test_shares_of_the_sides_are_noticed_once():
    metric, shares = TextDetectionMetric("iou"), [{"boxes": [[0.1, 0.2, 0.5, 0.4]]}]
    with pytest.warns(UserWarning, match="at most 1.5.*: pass normalized=True") as warned:
        metric.update(shares, shares)
    assert warned[0].filename == __file__
    metric.update(shares, shares)
    metric(shares, shares)
    assert metric.compute()["recall"] == 0  # iou cuts to whole pixels, as published


def test_a_box_that_ends_before_it_begins_is_noticed_once():
    metric, sides = TextDetectionMetric("deteval"), [{"boxes": [[50, 60, 20, 10]]}]
    with pytest.warns(UserWarning, match="box_format='xywh'") as warned:
        metric.update(sides, sides)
    metric.update(sides, sides)
    assert len(warned) == 1


@cases(
    ("box", "says"),
    [
        ([0, 0, float("nan"), 9], r"truths\[0\], boxes\[1\] needs finite numbers, got nan"),
        ([0, 0, np.inf, 9], r"truths\[0\], boxes\[1\] needs finite numbers, got inf"),
        ([0, 0, "9", 9], r"truths\[0\], boxes\[1\] needs finite numbers, got '9'"),
    ],
)
def test_a_number_that_is_none_is_named_by_image_and_region(box, says):
    with pytest.raises(NotABatch, match=says):
        TextDetectionMetric("iou").update([{"boxes": []}], [{"boxes": [[0, 0, 9, 9], box]}])


@cases(
    ("sizes", "says"),
    [
        (None, "normalized coordinates need sizes"),
        ([[9, 9], [9, 9]], "sizes need width and height of 1 images"),
        ([[9, 0]], r"sizes\[0\] needs a width and a height above 0, got \[9, 0\]"),
    ],
)
def test_shares_without_sizes_are_refused(sizes, says):
    with pytest.raises(NotABatch, match=says):
        TextDetectionMetric("iou", normalized=True).update(
            [{"boxes": []}], [{"boxes": []}], sizes=sizes
        )


def test_an_unknown_box_format_gets_the_nearest():
    with pytest.raises(ParameterError, match=r"got 'XYHW' \(did you mean 'xywh'\?\)"):
        TextDetectionMetric("iou", box_format="XYHW")
