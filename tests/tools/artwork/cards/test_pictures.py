"""The drawings of the cards, and that what the site ships is what is drawn."""

import io
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from annotate.learning import pictures as shipped
from tools.artwork.cards import pictures
from tools.artwork.cards.letters import Word
from tools.artwork.cards.photographs import PHOTOGRAPHS
from tools.artwork.cards.pictures import PICTURES
from tools.artwork.cards.shapes import HEIGHT, WIDTH


def test_a_word_ends_where_its_last_letter_does():
    # H is 4.4 wide, I is a line, 1.9 between them; the pen of 1.15 adds its width: 7.45 of 7.
    left, top, right, bottom = Word("HI", 10, 20, 70, "#000").box
    assert (left, top) == (10, 20)
    assert right == pytest.approx(10 + 10 * (4.4 + 1.9 + 0 + 1.15))
    assert bottom == pytest.approx(20 + 10 * (7 + 1.15))


def test_small_letters_begin_lower_and_may_reach_below():
    assert Word("no", 0, 0, 70, "#000").box[1] == pytest.approx(20)
    assert Word("pop", 0, 0, 70, "#000").box[3] == pytest.approx(90 + 11.5)


def test_a_centred_word_is_centred():
    left, _, right, _ = Word.centred("EXIT", 300, 0, 20, "#000").box
    assert (left + right) / 2 == pytest.approx(300)


def test_the_shipped_files_are_what_is_drawn():
    """Run `make artwork` after a change."""
    made = dict(pictures.files())
    for path, data in made.items():
        if path.suffix == ".jpg":
            # Another version of the codec packs the same pixels otherwise.
            shipped_pixels, drawn_pixels = (
                np.asarray(Image.open(file)) for file in (path, io.BytesIO(data))
            )
            difference = np.abs(shipped_pixels.astype(int) - drawn_pixels)
            assert difference.mean() < 2, path.name
        else:
            assert path.read_bytes() == data, path.name
    drawings = [path for path in made if path.suffix in (".svg", ".jpg")]
    assert len(drawings) == len(PICTURES) + len(PHOTOGRAPHS) == 14
    assert set(drawings[0].parent.iterdir()) == set(drawings)


def test_the_site_reads_each_picture_as_it_was_drawn():
    assert list(shipped.PICTURES) == [*PICTURES, *PHOTOGRAPHS]
    for slug, picture in PICTURES.items():
        read = shipped.PICTURES[slug]
        assert (read.slug, read.says) == (slug, picture.says)
        assert (read.width, read.height) == (WIDTH, HEIGHT)
        assert list(read.boxes.items()) == [(word.text, word.box) for word in picture.words]
    for slug, photograph in PHOTOGRAPHS.items():
        read = shipped.PICTURES[slug]
        assert (read.width, read.height) == photograph.image.size
        assert (read.boxes, read.others) == (photograph.boxes, photograph.others)


@pytest.mark.parametrize("photograph", PHOTOGRAPHS.values(), ids=lambda photograph: photograph.slug)
def test_each_word_of_a_photograph_is_darker_or_lighter_than_what_is_round_it(photograph):
    pixels = np.asarray(photograph.image.convert("L")).astype(float)
    for left, top, right, bottom in (tuple(map(round, box)) for box in photograph.boxes.values()):
        assert (
            pixels[top:bottom, left:right].std() > 2 * pixels[top - 6 : top - 2, left:right].std()
        )


@pytest.mark.parametrize("picture", PICTURES.values(), ids=lambda picture: picture.slug)
def test_a_picture_is_plain_svg_whose_words_lie_inside_and_apart(picture):
    root = ElementTree.fromstring(picture.svg())
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in {"script", "style", "foreignObject", "text"}
        assert not {name for name in element.attrib if name == "style" or name.startswith("on")}
    boxes = list(picture.boxes.values())
    assert len(boxes) == len(picture.words)
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= WIDTH
        assert 0 <= top < bottom <= HEIGHT
    for first, second in combinations(boxes, 2):
        is_beside = first[2] <= second[0] or second[2] <= first[0]
        is_above = first[3] <= second[1] or second[3] <= first[1]
        assert is_beside or is_above
