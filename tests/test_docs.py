"""The pages of the protocols say what the protocols do, and their pictures are up to date."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

from protocols import registry
from protocols.core.base import ImageScore, Match, Scene, Tally, Unmatched
from protocols.core.drawing import draw_scene
from protocols.core.regions import Region
from protocols.formats.readers.scenes import read_scene
from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "protocols"
PAGES = sorted(FOLDER.glob("*.md"))
EXAMPLES = sorted(path.stem for path in (FOLDER / "examples").glob("*.json"))
SVG = "{http://www.w3.org/2000/svg}"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)]+)\)")


def scored_example(slug):
    scene = read_scene(json.loads((FOLDER / "examples" / f"{slug}.json").read_text()), slug)
    [score] = registry.get(slug).score([scene])
    return scene, score


@cases("path", PAGES)
def test_what_a_page_links_to_exists(path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if not re.match(r"https?://|#", target):
            assert (path.parent / target.partition("#")[0]).is_file(), target


@cases("path", PAGES)
def test_a_page_holds_no_html(path):
    assert not re.search(r"</?[a-z][^>]*>", re.sub(r"`[^`\n]*`", "", path.read_text()))


def test_there_is_a_picture_of_each_example():
    assert {path.stem for path in (FOLDER / "img").glob("*.svg")} == set(EXAMPLES)


WORD, NEXT = Region.from_box(0, 0, 100, 50), Region.from_box(120, 0, 220, 50)


def drawn(truth, detections, slug="evaltex", title="A title", **scene):
    """The picture's elements, having checked what holds for every picture."""
    given = Scene(tuple(truth), None if detections is None else tuple(detections), **scene)
    [score] = registry.get(slug).score([given])
    return checked(draw_scene(given, score, title=title))


def checked(text):
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    width, height = map(float, root.get("viewBox").split()[2:])
    assert (root.get("width"), root.get("height")) == tuple(root.get("viewBox").split()[2:])
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "title", "desc", "rect", "path", "circle", "text",
        }  # fmt: skip
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
        assert "href" not in element.attrib
    assert not re.search(r"\b(nan|inf)\b", text)
    for found in re.findall(r'\bd="M([^"]+)"', text):
        pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)", found)
        assert all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in pairs)
    return root


def texts(root):
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def looks(root):
    """Colour and dashes of the regions' outlines, in their order."""
    return [
        (path.get("stroke"), path.get("stroke-dasharray"))
        for path in root.iter(f"{SVG}path")
        if float(path.get("stroke-width", 1)) > 1
    ]


@cases("slug", EXAMPLES)
def test_a_picture_is_plain_svg(slug):
    if slug not in registry.PROTOCOLS:
        raise AssertionError(f"{slug} is not registered")
    root = checked((FOLDER / "img" / f"{slug}.svg").read_text(encoding="utf-8"))
    scene, _ = scored_example(slug)
    assert len(looks(root)) == len(scene.truth) + len(scene.detections)


def test_a_picture_is_the_same_every_time():
    scene = Scene((WORD, NEXT), (WORD,))
    [score] = registry.get("iou").score([scene])
    assert draw_scene(scene, score, title="x") == draw_scene(scene, score, title="x")


def test_each_fate_has_its_colour_and_its_dashes():
    ignored = Region.from_box(0, 100, 100, 150, ignored=True)
    root = drawn(
        [WORD, NEXT, ignored],
        [WORD, Region.from_box(0, 100, 90, 140), Region.from_box(150, 100, 200, 150)],
        slug="iou",
    )
    found = looks(root)
    assert len(found) == 6
    assert len(set(found)) == 6
    assert len({dashes for _, dashes in found}) == 6
    for words in ("truth, matched", "truth, missed", "detection, false positive"):
        assert words in texts(root)


def test_splits_and_merges_are_marked_with_their_credits():
    across = Region.from_box(0, 0, 220, 50)
    halves = [Region.from_box(0, 100, 50, 150), Region.from_box(50, 100, 100, 150)]
    whole = Region.from_box(0, 100, 100, 150)
    root = drawn([WORD, NEXT, whole], [across, *halves], slug="deteval")
    assert "merge: R 2 · P 1" in texts(root)
    assert "split: R 0.8 · P 1.6" in texts(root)


def test_regions_are_named_by_their_ids_else_in_order():
    root = drawn([WORD, Region.from_box(120, 0, 220, 50, id="b")], [WORD])
    assert {"T1", "b", "D1"} <= set(texts(root))


def test_text_and_confidence_stand_beside_the_name():
    named = Region.from_box(0, 0, 100, 50, text="Open")
    root = drawn([named], [Region.from_box(0, 0, 100, 50, confidence=0.5)])
    assert {"T1 “Open”", "D1 0.5"} <= set(texts(root))


def test_the_description_tells_what_the_picture_shows():
    root = drawn([WORD, NEXT], [WORD], slug="iou")
    said = root.find(f"{SVG}desc").text
    assert "2 truths, 1 detection." in said
    assert "T1, D1: one-to-one, recall credit 1, precision credit 1." in said
    assert "T2: its best IoU, 0.000, is not above 0.5." in said
    assert "R = 0.5000, P = 1.0000, F = 0.6667." in said


def test_lines_of_the_ground_truth_are_drawn_where_they_have_a_shape():
    line = Region.from_box(0, 0, 220, 50)
    without = drawn([WORD], [])
    with_line = drawn([WORD], [], parents={"1": line})
    assert len(list(with_line.iter(f"{SVG}path"))) == len(list(without.iter(f"{SVG}path"))) + 1


def test_masks_are_drawn_by_their_pixels():
    root = drawn([Region.from_mask(0, 0, ["101", "111"])], [])
    assert next(path.get("d").count("M") for path in root.iter(f"{SVG}path")) == 3


@cases("detections", [None, []])
def test_nothing_to_draw_is_said(detections):
    assert "no truths and no detections" in texts(drawn([], detections))


def test_a_protocol_that_names_no_matches_leaves_the_regions_without_a_fate():
    score = ImageScore(None, 0.5, None, Tally(0, 1, 0, 1))
    root = checked(draw_scene(Scene((WORD,), (NEXT,)), score, title="x"))
    assert {"truth", "detection", "R undefined, P = 0.5000, F undefined"} <= set(texts(root))


def test_many_to_many_matches_are_drawn():
    match = Match((0, 1), (0, 1), "many-to-many", 1.5, 1.25)
    score = ImageScore(0.75, 0.625, 0.68, Tally(1.5, 2, 1.25, 2), (match,))
    root = checked(draw_scene(Scene((WORD, NEXT), (WORD, NEXT)), score, title="x"))
    assert "many-to-many: R 1.5 · P 1.25" in texts(root)
    assert len(list(root.iter(f"{SVG}circle"))) == 4


HOSTILE = [
    "<script>alert(1)</script>",
    '"/><image href="https://example.org/x"/>',
    "]]>&amp;&#0;",
    "\x00\x08\x1b\ufffe\ud800",
    "a\nb\tc",
    "‮אבג",
    "x" * 10_000,
    "字" * 500,
    "",
]


@cases("text", HOSTILE)
def test_whatever_ids_texts_and_titles_hold_is_only_text(text):
    truth = Region.from_box(0, 0, 100, 50, id=text, text=text)
    root = drawn([truth], [Region.from_box(0, 0, 100, 50, id=text, text=text)], title=text)
    assert max(map(len, texts(root))) < 100


def test_reasons_are_escaped():
    reason = Unmatched("truth", 0, "<b>&</b>")
    score = ImageScore(0.0, 0.0, 0.0, Tally(0, 1, 0, 0), (), (reason,))
    root = checked(draw_scene(Scene((WORD,), ()), score, title="x"))
    assert "T1: <b>&</b>." in root.find(f"{SVG}desc").text


@cases(
    "region",
    [
        Region.from_box(5, 0, 5, 50),
        Region.from_box(0, 5, 50, 5),
        Region.from_box(7, 7, 7, 7),
        Region.from_box(0, 0, 1, 4000),
        Region.from_box(0, 0, 4000, 1),
        Region.from_box(-300, -200, -100, -50),
        Region.from_box(-1e308, -1e308, 1e308, 1e308),
        Region.from_box(0, 0, 1e-300, 1e-300),
        Region.from_box(1e9, 1e9, 1e9 + 1, 1e9 + 1),
        Region((0, 0, 100, 100, 100, 0, 0, 100)),
        Region((10, 0, 20, 5, 15, 20, 5, 18, 0, 6)),
        Region((0, 0, 10, 0, 5, 5)),
    ],
)
def test_odd_shapes_stay_in_the_picture(region):
    score = ImageScore(0.0, 0.0, 0.0, Tally(0, 1, 0, 1))
    root = checked(draw_scene(Scene((region,), (region,)), score, title="x"))
    assert len(looks(root)) == 2


def test_signs_do_not_cover_each_other_where_there_is_room():
    """Labels of regions at the same place go to different corners."""
    root = drawn([WORD], [WORD], slug="iou")
    signs = [
        tuple(float(rect.get(name)) for name in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
        if rect.get("fill") == "#ffffff" and float(rect.get("height")) < 20
    ][:3]
    for at, (x, y, width, height) in enumerate(signs):
        for left, top, wide, high in signs[at + 1 :]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y
