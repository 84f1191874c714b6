"""The drawings of the cards, and that what the site ships is what is drawn."""

from itertools import combinations
from xml.etree import ElementTree

import pytest

from annotate.learning import pictures as shipped
from tools.artwork.cards import pictures
from tools.artwork.cards.letters import Word
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
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, path.name
    drawings = [path for path in made if path.suffix == ".svg"]
    assert len(drawings) == len(PICTURES) == 12
    assert set(drawings[0].parent.glob("*.svg")) == set(drawings)


def test_the_site_reads_each_picture_as_it_was_drawn():
    assert (shipped.WIDTH, shipped.HEIGHT) == (WIDTH, HEIGHT)
    assert list(shipped.PICTURES) == list(PICTURES)
    for slug, picture in PICTURES.items():
        read = shipped.PICTURES[slug]
        assert (read.slug, read.says) == (slug, picture.says)
        assert list(read.boxes.items()) == [(word.text, word.box) for word in picture.words]


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
