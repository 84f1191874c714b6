"""IOU, DETEVAL and ICDAR13: the consequences of each one's definition."""

import pytest

from protocols import registry
from protocols.core.base import f_score
from protocols.core.errors import ParameterError, UnknownProtocol
from protocols.core.regions import Region
from tests.support.scenes import scored as score

WORD, NEXT = Region.from_box(0, 0, 99, 39), Region.from_box(110, 0, 209, 39)
BOTH = Region.from_box(0, 0, 209, 39)


def test_two_words_under_one_box_are_half_a_split_for_icdar13_and_a_merge_for_deteval():
    icdar13 = score("icdar13", [WORD, NEXT], [BOTH])
    assert (icdar13.recall, icdar13.precision) == (0.4, 0.8)
    assert [match.kind for match in icdar13.matches] == ["split"]
    deteval = score("deteval", [WORD, NEXT], [BOTH])
    assert (deteval.recall, deteval.precision) == (1.0, 1.0)
    assert [match.kind for match in deteval.matches] == ["merge"]


def test_an_unknown_parameter_is_refused_with_those_there_are():
    with pytest.raises(
        ParameterError, match="no parameter 'min_area'; parameters: min_area_recall"
    ):
        registry.get("deteval", {"min_area": 0.5})


def test_an_unknown_protocol_is_refused_with_those_there_are():
    with pytest.raises(UnknownProtocol, match="iou, iou-toolkits, average-precision"):
        registry.get("map")


def test_names_are_taken_in_any_case_and_a_wrong_one_gets_the_nearest():
    assert registry.get(" IoU:ART ") == registry.get("iou:art")
    for wrong, nearest in [("iuo", "iou"), ("CLEvall", "cleval"), ("iou:ars", "art")]:
        with pytest.raises(UnknownProtocol, match=f"did you mean '{nearest}'"):
            registry.get(wrong)
    with pytest.raises(UnknownProtocol) as refused:
        registry.get("x" * 10_000)
    assert "did you mean" not in str(refused.value)
    with pytest.raises(UnknownProtocol, match=r"named by a text such as 'iou', got \['iou'\]"):
        registry.get(["iou"])


@pytest.mark.parametrize(
    ("recall", "precision", "expected"),
    [(0.0, 0.0, 0.0), (1.0, 0.5, 2 / 3), (None, 1.0, None), (1.0, None, None)],
)
def test_f_score(recall, precision, expected):
    assert f_score(recall, precision) == expected
