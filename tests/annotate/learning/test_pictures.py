"""The pictures of the examples: plain drawings whose words are where the table says."""

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

from annotate.learning.pictures import PICTURES
from tests.support.cases import cases

FOLDER = Path(__file__).resolve().parents[3] / "static" / "img" / "learning"
DRAWINGS = [picture for picture in PICTURES.values() if picture.file.endswith(".svg")]
PHOTOGRAPHS = [picture for picture in PICTURES.values() if picture.file.endswith(".webp")]


def test_each_picture_has_its_file_and_each_file_its_picture():
    assert {Path(picture.file).name for picture in PICTURES.values()} == {
        file.name for file in FOLDER.iterdir()
    }
    assert len(DRAWINGS) + len(PHOTOGRAPHS) == len(PICTURES) == 14


@cases("photograph", PHOTOGRAPHS)
def test_each_word_of_a_photograph_is_darker_or_lighter_than_what_is_round_it(photograph):
    image = Image.open(FOLDER / Path(photograph.file).name)
    assert image.size == (photograph.width, photograph.height)
    pixels = np.asarray(image.convert("L")).astype(float)
    for left, top, right, bottom in (tuple(map(round, box)) for box in photograph.boxes.values()):
        assert (
            pixels[top:bottom, left:right].std() > 2 * pixels[top - 6 : top - 2, left:right].std()
        )


@cases("picture", DRAWINGS)
def test_a_picture_is_plain_svg_whose_words_lie_inside_and_apart(picture):
    root = ElementTree.fromstring((FOLDER / Path(picture.file).name).read_text("utf-8"))
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in {"script", "style", "foreignObject", "text"}
        assert not {name for name in element.attrib if name == "style" or name.startswith("on")}
    boxes = list(picture.boxes.values())
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= picture.width
        assert 0 <= top < bottom <= picture.height
    for first, second in combinations(boxes, 2):
        is_beside = first[2] <= second[0] or second[2] <= first[0]
        is_above = first[3] <= second[1] or second[3] <= first[1]
        assert is_beside or is_above
