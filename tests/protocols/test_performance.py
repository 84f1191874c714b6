"""Performance graphs, by hand."""

import pytest

from protocols import registry
from protocols.core.base import Scene
from protocols.core.errors import ParameterError
from protocols.core.performance import performance_graphs
from protocols.core.regions import Region
from tests.support.cases import cases

WORD = Region.from_box(0, 0, 99, 9)
# 60 of its 100 columns, so 0.6 of the word and all of the detection.
PART = Region.from_box(0, 0, 59, 9)


def test_a_partial_detection_counts_up_to_the_share_it_covers():
    """Recall is 1 for min_area_recall up to 0.6 and 0 above: 12 of 20 steps. It is precise whatever
    min_area_precision, but never covers 0.8: that graph is 0 throughout.
    """
    performance = performance_graphs(registry.get("deteval"), [Scene((WORD,), (PART,))])
    by_recall, by_precision = performance.graphs
    assert by_recall.parameter == "min_area_recall"
    assert [point.recall for point in by_recall.points] == [1.0] * 12 + [0.0] * 8
    assert by_recall.recall_area == pytest.approx(0.6)
    assert by_precision.recall_area == 0.0
    assert performance.recall == pytest.approx(0.3)


@cases("slug", ["iou", "evaltex"])
def test_graphs_of_no_image_are_undefined(slug):
    performance = performance_graphs(registry.get(slug), [], steps=2)
    assert (performance.recall, performance.precision, performance.f_score) == (None, None, None)
    assert {point.recall for graph in performance.graphs for point in graph.points} == {None}


def test_an_exact_detection_fills_every_graph():
    performance = performance_graphs(
        registry.get("deteval-wolf"), [Scene((WORD,), (WORD,))], steps=5
    )
    assert (performance.recall, performance.precision, performance.f_score) == (1.0, 1.0, 1.0)
    assert [len(graph.points) for graph in performance.graphs] == [5, 5]


@cases(("slug", "steps"), [("count", 20), ("deteval", 0), ("deteval", 1001)])
def test_what_has_no_graph_is_refused(slug, steps):
    with pytest.raises(ParameterError):
        performance_graphs(registry.get(slug), [Scene((WORD,), (WORD,))], steps)


def test_an_undefined_point_leaves_the_area_undefined():
    protocol = registry.get("iou", {"empty_precision": "undefined"})
    performance = performance_graphs(protocol, [Scene((WORD,), ())], steps=2)
    assert performance.graphs[0].recall_area == 0.0
    assert performance.graphs[0].precision_area is None
    assert performance.f_score is None
