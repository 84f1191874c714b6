"""Pictures for programs: panels, room, crops, and nothing but pixels in the file."""

import io
import struct
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image as Picture

from annotate.datasets.photographs import store, upright
from annotate.judges import pictures
from annotate.judges.outlines import tokens
from annotate.judges.pictures import Pair, picture, sweep
from tests.support.archives import with_orientation
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db
LEFT = [(20, 20, 80, 60), (100, 100, 180, 140)]
RIGHT = [(20, 20, 80, 60), (300, 200, 308, 204)]


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.STORAGES = settings.STORAGES | {
        "default": settings.STORAGES["default"] | {"OPTIONS": {"location": tmp_path}}
    }


@pytest.fixture
def pair():
    study = make_study(["l", "r"], boxes={"l": LEFT, "r": RIGHT})
    return Pair(study, *of(study))


def of(study):
    image = study.images.get()
    return image, *image.results.order_by("method__name")


def pixels(content):
    with Picture.open(io.BytesIO(content)) as opened:
        assert opened.mode == "RGB"
        return np.asarray(opened)


def chunks(content):
    """The names of the chunks of a PNG."""
    at, names = 8, []
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        names.append(content[at + 4 : at + 8])
        at += 12 + length
    return names


def test_both_has_two_panels_of_one_size_left_first(pair):
    both, left, right = (pixels(picture(pair, part, 1024)) for part in ("both", "left", "right"))
    assert left.shape == right.shape
    width = left.shape[1]
    assert both.shape[1] == 2 * width + 16
    assert (both[:, :width] == left).all()
    assert (both[:, width + 16 :] == right).all()
    assert (both[:, width : width + 16] == 255).all()
    exchanged = Pair(pair.study, pair.image, pair.right, pair.left)
    swapped = pixels(picture(exchanged, "both", 1024))
    assert (swapped[:, :width] == right).all()
    assert (swapped[:, width + 16 :] == left).all()


def test_the_same_bytes_twice_kept_once_and_only_pixels_in_the_file(pair, monkeypatch):
    content = picture(pair, "both", 512)
    assert set(chunks(content)) == {b"IHDR", b"IDAT", b"IEND"}
    kept = Pair(pair.study, *of(pair.study))
    with monkeypatch.context() as patch:
        patch.setattr(pictures, "_made", None)
        assert picture(kept, "both", 512) == content
    monkeypatch.setattr(pictures, "_KEPT_SECONDS", -1)
    assert sweep() == 1
    assert picture(kept, "both", 512) == content


def test_a_panel_is_at_most_as_large_as_asked_and_never_enlarged(pair):
    height, width, _ = pixels(picture(pair, "left", 256)).shape
    # The longer side, and three pixels at each edge.
    assert max(height, width) == 256 + 6
    full = pixels(picture(pair, "plain", 4096))
    left, top, right, bottom = pair.frame
    assert full.shape == (bottom - top + 6, right - left + 6, 3)
    # Without a photograph boxes are on white; "plain" has none.
    assert (full == 255).all()


def test_crops_are_the_places_that_differ_largest_first(pair):
    """One box of each side has no twin: 80 x 40 on the left, 8 x 4 on the right."""
    assert pair.parts == ["plain", "left", "right", "both", "crop-1", "crop-2"]
    assert [frame[:2] for frame in pair.places] == [(100, 100), (300, 200)]
    # Inclusive boxes are a pixel larger: 81 x 41 with a quarter of room, four times enlarged.
    first = pixels(picture(pair, "crop-1", 4096))
    assert first.shape == (round(41 * 1.5 * 4), 2 * round(81 * 1.5 * 4) + 16, 3)
    half = (first.shape[1] - 16) // 2
    assert (first[:, :half] != 255).any()
    assert (first[:, half:] == 255).all()
    small = pixels(picture(pair, "crop-1", 256))
    assert (small.shape[1] - 16) // 2 == 256
    assert picture(pair, "crop-3", 1024) is None


def test_places_join_when_half_of_one_is_inside_the_other():
    joined = pictures._joined([(0, 0, 10, 10), (20, 0, 30, 10), (4, 0, 14, 10), (12, 0, 26, 10)])
    # The third has 60 of 100 in common with the first; then the last has 60 of 140 with the second.
    assert sorted(joined) == [(0, 0, 14, 10), (12, 0, 30, 10)]


def stored_as(study, content, size):
    """Store a photograph as a load does, upright."""
    image = study.images.get()
    image.sha256, (image.width, image.height) = sha256(content).hexdigest(), size
    image.save()
    store(image.sha256, content)
    return Pair(study, *of(study))


def test_a_photograph_is_turned_and_has_room_for_boxes_beyond_its_edge():
    upright_picture = Picture.linear_gradient("L").resize((300, 400)).convert("RGB")
    content = upright(with_orientation(upright_picture, 6), 6)
    boxes = {"l": [(-4, -4, 306, 40)], "r": [(5, 5, 90, 40)]}
    pair = stored_as(make_study(["l", "r"], boxes=boxes), content, (300, 400))
    # Inclusive boxes: their last pixel is 306.
    assert pair.frame == (-6, -4, 306, 404)
    drawn = pixels(picture(pair, "plain", 4096))
    assert drawn.shape == (408 + 6, 312 + 6, 3)
    assert tuple(drawn[0, 0]) == tuple(
        int(tokens()["surround"][at : at + 2], 16) for at in (1, 3, 5)
    )
    inside = drawn[4 + 3 : -7, 6 + 3 : -9].astype(int)
    assert abs(inside - np.asarray(upright_picture).astype(int)).max() <= 12
    assert abs(inside - np.asarray(upright_picture).astype(int)).mean() < 1
    # Both boxes have no twin; the larger is the first place, and reaches beyond the photograph.
    enlarged = pixels(picture(pair, "crop-1", 4096))
    assert enlarged.shape[0] == round(45 * 1.5 * 4)


def test_what_a_camera_wrote_into_the_file_is_not_sent():
    photograph, out = Picture.new("RGB", (300, 200), "blue"), io.BytesIO()
    exif = Picture.Exif()
    exif[0x8825] = {1: "N", 2: (48.0, 51.0, 30.0)}
    exif[0x010F] = "Camera of Ada"
    photograph.save(out, "JPEG", exif=exif.tobytes(), comment=b"Ada took it")
    assert b"Camera of Ada" in out.getvalue()
    pair = stored_as(make_study(["l", "r"], boxes={"l": LEFT, "r": []}), out.getvalue(), (300, 200))
    for part in pair.parts:
        sent = picture(pair, part, 1024)
        assert set(chunks(sent)) == {b"IHDR", b"IDAT", b"IEND"}
        assert b"Ada" not in sent


def test_a_very_wide_photograph_is_reduced():
    out = io.BytesIO()
    Picture.new("RGB", (20_000, 60), "green").save(out, "PNG")
    boxes = {"l": [(10, 5, 400, 50)], "r": [(10, 5, 300, 50)]}
    pair = stored_as(make_study(["l", "r"], boxes=boxes), out.getvalue(), (20_000, 60))
    assert pixels(picture(pair, "both", 1024)).shape == (3 + 6, 2 * (1024 + 6) + 16, 3)
