"""Boxes on photographs with an EXIF orientation: two sizes, and the turn between two frames.

Expected boxes are those of black words that Pillow turns with their picture, and that are then found in
its pixels.
"""

import io
import json
import struct
from dataclasses import replace
from itertools import pairwise

import pytest
from PIL import Image as Picture
from PIL import ImageOps

from protocols import iou
from protocols.command_line.converting import convert
from protocols.core.base import Scene
from protocols.core.regions import Region, decode_regions
from protocols.diagnostics.frames import truth_upright
from protocols.diagnostics.inspection import Against, look
from protocols.formats.containers.frames import PictureSize, turned, turned_back
from protocols.formats.containers.image_sizes import exif_orientation, picture_size, picture_sizes
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.support.archives import stored, with_orientation, zip_bytes, zip_file
from tests.support.cases import cases

ORIENTATIONS = range(1, 9)
TURNED = range(2, 9)
WIDTH, HEIGHT = 600, 400
WORD = (103, 138, 360, 184)


def page(word=WORD, size=(WIDTH, HEIGHT)):
    """Return a white picture with a black word."""
    picture = Picture.new("L", size, 255)
    picture.paste(0, word)
    return picture


def place_of(picture):
    """Return the box of what is black, by its edges."""
    return ImageOps.invert(picture.convert("L")).point(lambda of: 255 * (of > 128)).getbbox()


def in_file(orientation, word=WORD):
    return place_of(stored(page(word), orientation))


def size_of(orientation):
    return PictureSize.of_stored(*stored(page(), orientation).size, orientation)


def score(truth, results):
    [score] = iou.Iou().score([Scene(tuple(truth), tuple(results))])
    return score.recall, score.precision


@cases("orientation", ORIENTATIONS)
def test_pictures_of_these_tests_are_upright_once_they_are_turned(orientation):
    picture = Picture.open(io.BytesIO(with_orientation(page(), orientation)))
    assert place_of(ImageOps.exif_transpose(picture)) == WORD


@cases("kind", ["JPEG", "PNG"])
@cases("orientation", ORIENTATIONS)
def test_a_picture_has_two_sizes(kind, orientation):
    size = picture_size(with_orientation(page(), orientation, kind))
    assert (size, size.orientation) == ((WIDTH, HEIGHT), orientation)
    assert size.stored == ((HEIGHT, WIDTH) if orientation > 4 else (WIDTH, HEIGHT))


@cases("orientation", TURNED)
def test_xmp_turns_no_picture_and_a_webp_is_asked_about(orientation):
    sides = stored(page(), orientation).size
    by_xmp = picture_size(with_orientation(page(), orientation, by_xmp=True))
    assert (by_xmp, by_xmp.orientation, by_xmp.asked) == (sides, 1, 1)
    webp = picture_size(with_orientation(page(), orientation, "WEBP"))
    assert (webp, webp.orientation, webp.asked) == (sides, 1, orientation)


@cases("order", ["<", ">"])
def test_both_orders_of_bytes_are_read_and_damage_is_no_turn(order):
    begin = b"II*\0" if order == "<" else b"MM\0*"
    entry = struct.pack(f"{order}HHIHH", 274, 3, 1, 6, 0)
    block = begin + struct.pack(f"{order}IH", 8, 1) + entry
    assert exif_orientation(b"Exif\0\0" + block) == exif_orientation(block) == 6
    for cut in range(len(block)):
        assert exif_orientation(block[:cut]) == 1
    # A long number, as of no camera: Chromium does not turn by it.
    assert (
        exif_orientation(
            block.replace(struct.pack(f"{order}HH", 274, 3), struct.pack(f"{order}HH", 274, 4))
        )
        == 1
    )


def test_a_header_behind_half_a_megabyte_is_found_in_a_folder_and_a_zip(tmp_path):
    content = with_orientation(page(), 6)
    other = (
        b"\xff\xe1"
        + struct.pack(">H", 65_000)
        + b"http://ns.adobe.com/xmp/extension/\0".ljust(64_998, b"x")
    )
    content = content[:2] + other * 8 + content[2:]
    (tmp_path / "photographs").mkdir()
    (tmp_path / "photographs" / "img_1.jpg").write_bytes(content)
    for source in (tmp_path / "photographs", zip_file(tmp_path / "p.zip", {"img_1.jpg": content})):
        assert picture_sizes(source) == {"img_1": (WIDTH, HEIGHT)}


@cases("orientation", ORIENTATIONS)
@cases("word", [WORD, (0, 0, 1, 1), (599, 399, 600, 400), (7, 3, 8, 4)])
def test_edges_turn_with_their_picture(orientation, word):
    """One of the words is a single pixel."""
    size = size_of(orientation)
    here = in_file(orientation, word)
    assert turned(Region.from_box(*here), size).box == word
    assert turned_back(Region.from_box(*word), size).box == here


@cases("orientation", ORIENTATIONS)
@cases("word", [WORD, (7, 3, 8, 4)])
def test_boxes_with_their_last_pixel_turn_as_pixels_do(orientation, word):
    left, top, right, bottom = in_file(orientation, word)
    given = Region.from_box(left, top, right - 1, bottom - 1)
    [x, y, r, b] = word
    expected = Region.from_box(x, y, r - 1, b - 1)
    assert turned(given, size_of(orientation), with_last_pixel=True) == expected


@cases("orientation", ORIENTATIONS)
def test_corners_keep_their_order_and_outlines_their_direction(orientation):
    """The first corner is that of the first letter; a mirrored outline would run the other way."""
    region = Region((103, 138, 360, 140, 358, 184, 101, 180))
    moved = turned(turned_back(region, size_of(orientation)), size_of(orientation))
    assert moved == region
    area = sum(
        (b[0] - a[0]) * (b[1] + a[1])
        for a, b in pairwise(
            [*zip(moved.points[::2], moved.points[1::2], strict=True), moved.points[:2]]
        )
    )
    assert area < 0
    first = turned_back(region, size_of(orientation)).points[:2]
    dot = page((103, 138, 104, 139))
    assert (
        place_of(stored(dot, orientation))[0] <= first[0] <= place_of(stored(dot, orientation))[2]
    )


@cases("orientation", ORIENTATIONS)
def test_pixels_of_a_mask_turn_with_their_picture(orientation):
    mask = Region.from_mask(103, 138, ["1101", "0111", "1000"])
    upright = Picture.new("1", (WIDTH, HEIGHT))
    for row, start, end in mask.pixels:
        for column in range(start, end):
            upright.putpixel((column, row), 1)
    here = stored(upright, orientation)
    left, top, right, bottom = here.getbbox()
    rows = [
        "".join("01"[here.getpixel((x, y)) > 0] for x in range(left, right))
        for y in range(top, bottom)
    ]
    assert turned(Region.from_mask(left, top, rows), size_of(orientation)) == mask


# Files of one word, as their tools write them, from the box of the word and the sides of its picture.


def _yolo(box, sides):
    (left, top, right, bottom), (width, height) = box, sides
    middle = (left + right) / 2 / width, (top + bottom) / 2 / height
    numbers = (*middle, (right - left) / width, (bottom - top) / height)
    return "img_1.txt", "0 " + " ".join(f"{number:.17g}" for number in numbers)


def _google(box, sides, stated=None):
    (left, top, right, bottom), (width, height) = box, sides
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    vertices = [{"x": x / width, "y": y / height} for x, y in corners]
    word = {"boundingBox": {"normalizedVertices": vertices}, "symbols": [{"text": "a"}]}
    given = {} if stated is None else {"width": stated[0], "height": stated[1]}
    side = {**given, "blocks": [{"paragraphs": [{"words": [word]}]}]}
    return "img_1.json", json.dumps(
        {"responses": [{"fullTextAnnotation": {"pages": [side], "text": "a"}}]}
    )


def _box_file(box, sides):
    left, top, right, bottom = box
    return "img_1.box", f"a {left} {sides[1] - bottom} {right} {sides[1] - top} 0\n"


SHARES = {"yolo": _yolo, "google-vision": _google}


def opened(file, orientation, format, photograph="JPEG"):
    name, content = file
    picture = with_orientation(page(), orientation, photograph)
    packed = zip_bytes({name: content, f"img_1.{photograph.lower()}": picture})
    return read(io.BytesIO(packed), kind="results", format=format, name="net.zip")


@cases("format", SHARES)
@cases("orientation", ORIENTATIONS)
@cases("photograph", ["JPEG", "PNG"])
def test_right_shares_score_one_beside_their_photograph(format, orientation, photograph):
    archive = opened(SHARES[format](WORD, (WIDTH, HEIGHT)), orientation, format, photograph)
    assert not archive.errors
    assert score([Region.from_box(*WORD)], archive.regions["img_1"]) == (1, 1)
    assert archive.sizes["img_1"] == (WIDTH, HEIGHT)
    if orientation > 1:
        assert [of.code for of in archive.warnings] == ["F8"]
        assert "1 photograph with an EXIF orientation" in str(archive.warnings[0])


@cases("in_points", [1, 0.72])
@cases("orientation", TURNED)
def test_sides_that_a_page_states_decide_the_frame_where_they_fit_one_only(orientation, in_points):
    """A page in points has other sides, in the same proportion."""
    frames = [(WORD, (WIDTH, HEIGHT))]
    if orientation > 4:
        frames.append((in_file(orientation), size_of(orientation).stored))
    for box, sides in frames:
        stated = [round(in_points * side) for side in sides]
        archive = opened(_google(box, sides, stated), orientation, "google-vision")
        assert score([Region.from_box(*WORD)], archive.regions["img_1"]) == (1, 1)
        assert archive.sizes["img_1"] == (WIDTH, HEIGHT)


@cases("orientation", ORIENTATIONS)
def test_y_from_below_is_of_the_stored_photograph(orientation):
    """Tesseract's leptonica does not turn by EXIF."""
    file = _box_file(in_file(orientation), size_of(orientation).stored)
    archive = opened(file, orientation, "tesseract-box")
    assert score([Region.from_box(*WORD)], archive.regions["img_1"]) == (1, 1)


def test_shares_of_a_webp_with_an_orientation_are_not_guessed():
    archive = opened(_yolo(WORD, (WIDTH, HEIGHT)), 6, "yolo", "WEBP")
    [error] = archive.errors
    assert str(error) == (
        "net.zip: found coordinates that depend on WebP photographs with an EXIF orientation (img_1); "
        "expected photographs without it: some programs turn a WebP by it, browsers do not."
    )


@cases("suffix", ["gif", "tif", "tiff", "bmp", "avif", "heic"])
def test_a_zip_of_other_pictures_holds_photographs(suffix):
    assert (
        guess(
            io.BytesIO(zip_bytes({f"img_1.{suffix}": b"GIF89a", f"img_2.{suffix}": b"GIF89a"})),
            "p.zip",
        ).kind
        == "images"
    )


# The frame of boxes in pixels, as a reading.

WORDS = [WORD, (20, 20, 90, 40), (400, 300, 520, 340), (30, 350, 200, 380)]


def boxes_of(words, n_numbers=8):
    lines = []
    for left, top, right, bottom in words:
        numbers = (left, top, right, top, right, bottom, left, bottom)
        if n_numbers == 4:
            numbers = (left, top, right - 1, bottom - 1)
        lines.append(",".join(map(str, numbers)))
    return "\n".join(lines) + "\n"


def archive_of(by_image, n_numbers=8):
    files = {f"res_{image}.txt": boxes_of(words, n_numbers) for image, words in by_image.items()}
    return read(io.BytesIO(zip_bytes(files)), kind="results", name="net.zip")


def looked_at(results, sizes, reading="", words=WORDS):
    truth = {image: tuple(Region.from_box(*word) for word in words) for image in sizes}
    return look(results, Against(truth, len(truth)), sizes, reading, lambda _: results)


@cases("n_numbers", [4, 8])
@cases("orientation", TURNED)
def test_results_in_the_stored_frame_are_offered_that_reading(orientation, n_numbers):
    """Twelve images, as of an engine that reads bytes; every second photograph has no turn."""
    sizes = {f"img_{n}": size_of(orientation if n % 2 else 1) for n in range(12)}
    by_image = {
        image: [in_file(size.orientation, word) for word in WORDS] for image, size in sizes.items()
    }
    results = archive_of(by_image, n_numbers)
    noticed = looked_at(results, sizes)
    assert noticed.offer.reading == "stored"
    [question] = noticed.archive.questions
    assert question.code == "F2"
    assert "turned as the photographs say: recall 1.00, precision 1.00" in str(question)
    chosen = looked_at(results, sizes, "stored").archive
    for image in sizes:
        expected = [(a, b, c - (n_numbers == 4), d - (n_numbers == 4)) for a, b, c, d in WORDS]
        assert [of.box for of in chosen.regions[image]] == expected


def test_one_word_of_a_few_photographs_is_enough_to_ask():
    sizes = {f"img_{n}": size_of(6) for n in range(3)}
    results = archive_of({image: [in_file(6)] for image in sizes})
    assert looked_at(results, sizes).offer.reading == "stored"


@cases("format", SHARES)
def test_shares_of_the_stored_sides_are_offered_that_reading(format):
    sides = size_of(6).stored
    archive = opened(SHARES[format](in_file(6), sides), 6, format)
    noticed = looked_at(archive, {"img_1": archive.sizes["img_1"]}, words=[WORD])
    assert noticed.offer.reading == "stored"
    chosen = looked_at(archive, {"img_1": archive.sizes["img_1"]}, "stored", [WORD]).archive
    assert score([Region.from_box(*WORD)], chosen.regions["img_1"]) == (1, 1)


@cases("orientation", TURNED)
def test_y_from_below_of_an_upright_picture_is_offered_that_reading(orientation):
    archive = opened(_box_file(WORD, (WIDTH, HEIGHT)), orientation, "tesseract-box")
    noticed = looked_at(archive, {"img_1": archive.sizes["img_1"]}, words=[WORD])
    assert noticed.offer.reading == "upright"
    chosen = looked_at(archive, {"img_1": archive.sizes["img_1"]}, "upright", [WORD]).archive
    assert score([Region.from_box(*WORD)], chosen.regions["img_1"]) == (1, 1)


def test_right_results_of_photographs_with_a_turn_are_offered_nothing():
    sizes = {f"img_{orientation}": size_of(orientation) for orientation in ORIENTATIONS}
    noticed = looked_at(archive_of(dict.fromkeys(sizes, WORDS)), sizes)
    assert (noticed.offer, noticed.archive.questions) == (None, ())


# Ground truth, which nothing else can be compared with.


@cases("orientation", [5, 6, 7, 8])
@cases("is_stored", [True, False])
def test_ground_truth_is_read_in_the_frame_that_holds_it(orientation, is_stored):
    words = [in_file(orientation, word) for word in WORDS] if is_stored else WORDS
    sizes = {"img_1": size_of(orientation)}
    archive, trial = truth_upright(archive_of({"img_1": words}), sizes)
    assert [of.box for of in archive.regions["img_1"]] == WORDS
    assert (trial, archive.questions) == (None, ())
    assert [of.code for of in archive.warnings] == ["F8"]
    reading = "turned as the photographs say" if is_stored else "as on the upright photographs"
    assert reading in str(archive.warnings[0])


def test_sides_in_the_file_decide_where_boxes_fit_both_frames():
    word = (20, 30, 120, 60)
    for sides, here in (((600, 400), word), ((400, 600), in_file(6, word))):
        archive = replace(archive_of({"img_1": [here]}), sizes={"img_1": sides})
        decided, trial = truth_upright(archive, {"img_1": size_of(6)})
        assert (decided.regions["img_1"][0].box, trial) == (word, None)


@cases("orientation", TURNED)
def test_ground_truth_that_fits_both_frames_is_asked_about(orientation):
    word = (250, 150, 350, 180)
    here = in_file(orientation, word)
    archive = archive_of({"img_1": [here], "img_2": [here]})
    sizes = {"img_1": size_of(orientation), "img_2": size_of(1)}
    asked, trial = truth_upright(archive, sizes)
    [question] = asked.questions
    assert str(question) == (
        "net.zip: found boxes on 1 photograph with an EXIF orientation (img_1), which may be on the upright "
        "photographs or on those as stored; expected your choice of how to read the file."
    )
    assert (trial["image"], trial["reading"]) == ("img_1", "stored")
    drawn = [decode_regions(trial[name])[0].box for name in ("as_read", "read_so")]
    assert drawn == [here, word]
    for reading, box in (("stored", word), ("as-read", here)):
        chosen, trial = truth_upright(archive, sizes, reading)
        assert (chosen.regions["img_1"][0].box, chosen.regions["img_2"][0].box) == (box, here)
        assert (trial, chosen.questions) == (None, ())


def test_ground_truth_in_two_frames_and_of_square_photographs_is_asked_about():
    both = archive_of({"img_1": WORDS, "img_2": [in_file(6, word) for word in WORDS]})
    assert truth_upright(both, dict.fromkeys(both.regions, size_of(6)))[0].questions
    square = archive_of({"img_1": [(0, 0, 300, 10)]})
    assert truth_upright(square, {"img_1": PictureSize(400, 400, 6)})[0].questions


def test_ground_truth_of_photographs_without_a_turn_is_left_alone():
    archive = archive_of({"img_1": WORDS, "img_2": []})
    sizes = {"img_1": size_of(1), "img_2": size_of(6)}
    assert truth_upright(archive, sizes) == (archive, None)


@pytest.mark.parametrize("orientation", TURNED)
def test_coco_is_written_with_the_upright_size(tmp_path, orientation):
    photographs = zip_file(tmp_path / "p.zip", {"img_1.jpg": with_orientation(page(), orientation)})
    truth = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "103,138,360,138,360,184,103,184,a\n"})
    out = tmp_path / "gt.json"
    list(convert(str(truth), out, to="coco-json", images=str(photographs)))
    [image] = json.loads(out.read_text())["images"]
    assert (image["width"], image["height"]) == (WIDTH, HEIGHT)
