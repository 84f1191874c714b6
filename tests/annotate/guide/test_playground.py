"""The scene of the playground: its link, its checks, its steps and its scores."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.guide import playground
from annotate.guide.playground import (
    DEFAULT,
    HEIGHT,
    MAX_BOXES,
    MAX_LINE,
    MAX_TEXT,
    MIN_SIDE,
    PRESETS,
    WIDTH,
    Box,
    Drawing,
    NotAScene,
    add_box,
    change_box,
    from_link,
    score_drawing,
    to_link,
)
from protocols import registry
from protocols.core.errors import ProtocolError
from tests.support.cases import cases

LINKS = json.loads(Path(__file__).with_name("links.json").read_text())
WORD = Box(10, 10, 110, 50)


@st.composite
def boxes(draw, side):
    left = draw(st.integers(0, WIDTH - MIN_SIDE))
    top = draw(st.integers(0, HEIGHT - MIN_SIDE))
    rect = (
        left,
        top,
        draw(st.integers(left + MIN_SIDE, WIDTH)),
        draw(st.integers(top + MIN_SIDE, HEIGHT)),
    )
    text = draw(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=MAX_TEXT))
    if side == "truth":
        return Box(*rect, text, draw(st.integers(0, MAX_LINE)), draw(st.booleans()))
    return Box(*rect, text, confidence=draw(st.none() | st.integers(0, 100)))


DRAWINGS = st.builds(
    Drawing,
    st.lists(boxes("truth"), max_size=4).map(tuple),
    st.lists(boxes("detections"), max_size=4).map(tuple),
)


@given(DRAWINGS)
def test_a_drawing_comes_back_from_its_link(drawing):
    assert from_link(to_link(drawing)) == drawing


@given(DRAWINGS)
def test_a_link_needs_no_escaping_and_ends_in_nothing_that_is_cut_off(drawing):
    link = to_link(drawing)
    assert set(link) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    assert link[-1].isalnum()


def test_situations_are_drawn_as_they_are_listed():
    listed = json.loads(Path(playground.__file__).with_name("presets.json").read_text())
    size = {"width": WIDTH, "height": HEIGHT}
    for row in listed:
        sides = {side: row[side] for side in ("truth", "detections")}
        assert PRESETS[row["slug"]].drawing.data() == sides | size


@given(st.text(max_size=60) | st.text("1td_.~wlic-0A", max_size=60).map("1_t".__add__))
def test_any_text_is_a_scene_or_is_refused(text):
    with contextlib.suppress(NotAScene):
        assert from_link(to_link(from_link(text))) == from_link(text)


@cases(("link", "scene"), LINKS["good"])
def test_links_are_read_as_the_page_reads_them(link, scene):
    given = {side: scene[side] for side in ("truth", "detections")}
    assert from_link(link).data() == given | {"width": WIDTH, "height": HEIGHT}
    assert to_link(from_link(link)) == link


@cases("link", LINKS["bad"])
def test_a_damaged_link_is_refused(link):
    with pytest.raises(NotAScene):
        from_link(link)


def test_more_boxes_than_there_is_room_for_are_refused():
    assert from_link("_".join(["1"] + ["t0.0.9.9"] * MAX_BOXES))
    with pytest.raises(NotAScene, match="at most 60"):
        from_link("_".join(["1"] + ["t0.0.9.9"] * (MAX_BOXES + 1)))


def test_boxes_are_added_changed_and_deleted_by_name():
    drawing, name = add_box(Drawing((WORD,)), "truth")
    assert name == "t1"
    assert change_box(drawing, "t1", WORD) == Drawing((WORD, WORD))
    assert change_box(drawing, "t1", None) == Drawing((WORD,))


@cases("name", ["", "t", "t1", "d0", "x0", "t-1", "t99999", "t٠"])
def test_a_box_that_is_not_there_cannot_be_changed(name):
    with pytest.raises(NotAScene):
        change_box(Drawing((WORD,)), name, None)


def test_the_last_box_that_is_added_still_lies_on_the_stage():
    drawing = Drawing()
    for _ in range(MAX_BOXES):
        drawing, _name = add_box(drawing, "detections")
    with pytest.raises(NotAScene):
        add_box(drawing, "detections")


# The scores


@pytest.mark.parametrize("slug", PRESETS)
def test_every_protocol_says_something_about_every_situation(slug, caplog):
    drawing = PRESETS[slug].drawing
    said = score_drawing(drawing)
    assert [answer["slug"] for answer in said] == list(registry.PROTOCOLS)
    for answer in said:
        assert len(answer["status"]["truth"]) == len(drawing.truth)
        assert len(answer["status"]["detections"]) == len(drawing.detections)
        for name in ("recall", "precision", "f_score"):
            assert answer[name] is None or 0 <= answer[name] <= 1
    assert not caplog.records
    json.dumps(said, allow_nan=False)


def test_the_first_situation_shows_the_three_answers_of_thresholds():
    """One box over three words: all for DETEVAL, the largest word for ICDAR13, nothing for IOU."""
    said = {answer["slug"]: answer for answer in score_drawing(DEFAULT.drawing)}
    assert (said["deteval"]["recall"], said["deteval"]["precision"]) == (1.0, 1.0)
    assert said["icdar13"]["recall"] == pytest.approx(1 / 3)
    assert said["icdar13"]["precision"] == 1.0
    assert (said["iou"]["recall"], said["iou"]["precision"]) == (0.0, 0.0)
    assert said["deteval"]["status"] == {"truth": ["merge"] * 3, "detections": ["merge"]}


@cases("slug", registry.PROTOCOLS)
def test_exact_detections_with_their_texts_are_worth_everything(slug):
    (said,) = score_drawing(PRESETS["exact"].drawing, slug)
    if registry.PROTOCOLS[slug].is_sentinel:
        assert 0 < said["recall"] < 1, "a sentinel sees sizes and numbers only"
        return
    for name in ("recall", "precision", "f_score"):
        assert said[name] is None or said[name] == pytest.approx(1)


@cases("slug", ["no-ground-truth", "table-structure"])
def test_what_a_drawing_cannot_hold_is_undefined_with_the_reason(slug):
    (said,) = score_drawing(PRESETS["exact"].drawing, slug)
    assert (said["recall"], said["precision"]) == (None, None)
    assert said["error"]


def test_ignored_regions_are_told_from_unmatched_ones():
    ignored = Box(10, 10, 110, 50, ignored=True)
    (said,) = score_drawing(Drawing((ignored, Box(300, 10, 400, 50)), (WORD,)), "iou")
    assert said["status"] == {"truth": ["ignored", "unmatched"], "detections": ["ignored"]}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ProtocolError("needs two methods"), "needs two methods"),
        (ZeroDivisionError(), "not be computed"),
    ],
)
def test_a_protocol_that_fails_is_undefined_and_leaves_the_others(monkeypatch, fault, said):
    class Failing(registry.PROTOCOLS["iou"]):
        slug = "failing"

        def score(self, scenes):
            raise fault

    monkeypatch.setattr(
        playground.registry, "all_protocols", lambda: [Failing(), registry.get("deteval")]
    )
    failing, other = score_drawing(DEFAULT.drawing)
    assert (failing["recall"], failing["precision"], failing["f_score"]) == (None, None, None)
    assert said in failing["error"]
    assert failing["status"]["truth"] == ["unknown"] * 3
    assert other["recall"] == 1.0
    assert "error" not in other
