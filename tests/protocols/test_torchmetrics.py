"""A metric of torchmetrics: collections, copies, devices, states; skipped without the extra [torch]."""

import pickle

import pytest

from protocols.torch import TextDetectionMetric
from tests.support.batches import at_once, batch, images
from tests.support.cases import cases

torchmetrics = pytest.importorskip("torchmetrics", reason="needs the extra [torch]")


def seen(slug="iou", **parameters):
    metric = TextDetectionMetric(slug, **parameters)
    metric.update(*batch(images()))
    return metric


def test_it_is_a_metric():
    assert isinstance(TextDetectionMetric("iou"), torchmetrics.Metric)


def test_a_collection_keeps_metrics_apart_that_agree_at_first():
    """Collections merge metrics whose states are equal after the first batch; here all find all."""
    perfect = [([[0, 0, 100, 40]], [0.9], [[0, 0, 100, 40]])]
    collection = torchmetrics.MetricCollection(
        {
            "iou": TextDetectionMetric("iou"),
            "strict": TextDetectionMetric("iou", min_iou=0.95),
            "deteval": TextDetectionMetric("deteval"),
        }
    )
    collection.update(*batch(perfect))
    collection.update(*batch(images()))
    found, some = collection.compute(), [*perfect, *images()]
    for name in ("iou", "deteval"):
        for figure, value in at_once(name, some).items():
            assert found[f"{name}_{figure}"] == value
    assert found["strict_recall"] < found["iou_recall"]


@cases("slug", ["iou", "average-precision"])
def test_a_copy_goes_on_by_itself(slug):
    metric = seen(slug)
    for copy in (metric.clone(), pickle.loads(pickle.dumps(metric)), metric.to("cpu")):
        assert copy.compute() == at_once(slug, images())
    other = metric.clone()
    other.reset()
    other.update(*batch(images()[:2]))
    assert other.compute() == at_once(slug, images()[:2])
    assert metric.compute() == at_once(slug, images())


def test_a_checkpoint_holds_numbers_only():
    state = seen().state_dict()
    assert {str(part.dtype) for part in state["seen"]} == {"torch.uint8"}
    other = TextDetectionMetric("iou")
    other.load_state_dict(state)
    with pytest.warns(UserWarning, match="called before the ``update`` method"):
        # torchmetrics counts updates, not states.
        assert other.compute() == at_once("iou", images())


def test_its_options_are_those_of_torchmetrics():
    assert TextDetectionMetric("iou", dist_sync_on_step=True, min_iou=0.6).dist_sync_on_step
