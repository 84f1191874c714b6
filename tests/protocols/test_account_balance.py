"""The account of drawn files: units are counted a second way, in the file, and each reason by hand."""

import csv
import io
import json
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import text_rankings as tr
from protocols.core.errors import DataWarning
from protocols.core.regions import Region
from protocols.formats.containers.contents import Account, LeftOut
from protocols.formats.recognition.reading import read
from protocols.formats.writing.converting import WRITTEN, write
from tests.support.archives import zip_bytes, zip_file

NO_TEXT = "words or lines without text"


def boxes(n):
    return [(10 + 50 * at, 20, 50 + 50 * at, 40) for at in range(n)]


def hocr(texts):
    words = "".join(
        f"<span class='ocrx_word' title='bbox {x} {y} {r} {b}'>{text}</span>"
        for (x, y, r, b), text in zip(boxes(len(texts)), texts, strict=True)
    )
    line = f"<span class='ocr_line' title='bbox 0 0 999 99'>{words}</span>"
    page = f"<div class='ocr_page' title='image a.png; bbox 0 0 2000 100'>{line}</div>"
    return f"<html><body>{page}</body></html>".encode()


def alto(texts):
    words = "".join(
        f'<String HPOS="{x}" VPOS="{y}" WIDTH="{r - x}" HEIGHT="{b - y}" CONTENT="{text}"/>'
        for (x, y, r, b), text in zip(boxes(len(texts)), texts, strict=True)
    )
    line = f'<TextLine HPOS="0" VPOS="0" WIDTH="999" HEIGHT="99">{words}</TextLine>'
    block = f"<PrintSpace><TextBlock>{line}</TextBlock></PrintSpace>"
    return (
        '<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Description><MeasurementUnit>pixel'
        f'</MeasurementUnit></Description><Layout><Page WIDTH="2000" HEIGHT="100">{block}</Page></Layout>'
        "</alto>"
    ).encode()


COLUMNS = "level page_num block_num par_num line_num word_num left top width height conf text"


def tesseract(texts):
    rows = [COLUMNS.split(), [1, 1, 0, 0, 0, 0, 0, 0, 2000, 100, -1, ""]]
    rows += [
        [5, 1, 1, 1, 1, at, x, y, r - x, b - y, 90, text]
        for at, ((x, y, r, b), text) in enumerate(zip(boxes(len(texts)), texts, strict=True), 1)
    ]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()


def n_elements(pattern):
    def count(content):
        return len(re.findall(pattern, content))

    return count


def n_rows(content):
    rows = csv.DictReader(io.StringIO(content.decode()), delimiter="\t", quoting=csv.QUOTE_NONE)
    return sum(row["level"] == "5" for row in rows)


# The suffix of a file, how it is made of texts, and how its words are counted.
ENGINES = {
    "hocr": (".hocr", hocr, n_elements(rb"class='ocrx_word'")),
    "alto-xml": (".xml", alto, n_elements(rb"<String ")),
    "tesseract-tsv": (".tsv", tesseract, n_rows),
}


@pytest.mark.parametrize("format", ENGINES)
@given(drawn=st.lists(st.sampled_from(["keep", "blank", "remove"]), min_size=1, max_size=9))
def test_words_blanked_or_removed_change_the_account_by_exactly_that(format, drawn):
    suffix, make, count = ENGINES[format]
    kept = ["keep", *(of for of in drawn if of != "remove")]
    content = make(["" if of == "blank" else "w" for of in kept])
    archive = read(
        io.BytesIO(zip_bytes({f"a{suffix}": content})), kind="results", format=format, name="a.zip"
    )
    assert not archive.errors
    account = archive.account
    assert (account.units, account.regions) == (count(content), kept.count("keep"))
    assert account.levels == {"word": count(content)}
    assert account.read == {"word": kept.count("keep")}
    left = [(of.reason, of.n) for of in account.left_out]
    assert left == [(NO_TEXT, n) for n in [kept.count("blank")] if n]
    assert all(of.first.startswith(f"a.zip > a{suffix}") for of in account.left_out)


def corners(box):
    left, top, right, bottom = box
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def flat(box):
    return [value for point in corners(box) for value in point]


def shares(box):
    return [{"X": x / 2000, "Y": y / 100} for x, y in corners(box)]


def in_word(box, text):
    """Return a word of Google's, whose symbols have its text."""
    vertices = [{"x": x, "y": y} for x, y in corners(box)]
    return {"boundingBox": {"vertices": vertices}, "symbols": [{"text": text}]}


def in_cell(box, text):
    """Return a cell of docling-parse, whose page counts from below."""
    numbers = [box[0], 100 - box[3], box[2], 100 - box[3], box[2], 100 - box[1], box[0]]
    names = ("r_x0", "r_y0", "r_x1", "r_y1", "r_x2", "r_y2", "r_x3", "r_y3")
    rect = dict(zip(names, [*numbers, 100 - box[1]], strict=True))
    return {"rect": rect, "text": text}


# By format: a unit of a box and a text, the document of all units, and what is once in each unit.
UNITS_OF_ENGINES = {
    "easyocr": (lambda box, text: [corners(box), text, 0.5], list, "0.5"),
    "apple-vision": (lambda box, text: [text, 0.5, [box[0] / 2000, 0.3, 0.02, 0.2]], list, "0.5"),
    "bbox-2d": (lambda box, text: {"bbox_2d": box, "text": text}, list, '"bbox_2d"'),
    "bbox-2d-1000": (lambda box, text: {"bbox_2d": box, "text": text}, list, '"bbox_2d"'),
    "kraken-json": (
        lambda box, text: {"bbox": box, "text": text},
        lambda units: {"imagename": "a.png", "lines": units},
        '"bbox"',
    ),
    "windows-ocr": (
        lambda box, text: {
            "bounding_rect": {"x": box[0], "y": 9, "width": 9, "height": 9},
            "text": text,
        },
        lambda units: {"lines": [{"words": units}]},
        '"bounding_rect"',
    ),
    "tesseract-js": (
        lambda box, text: {
            "bbox": dict(zip(("x0", "y0", "x1", "y1"), box, strict=True)),
            "text": text,
        },
        lambda units: {"blocks": [{"paragraphs": [{"lines": [{"words": units}]}]}]},
        '"bbox"',
    ),
    "rapidocr-words": (lambda box, text: [text, 0.5, corners(box)], lambda of: [of], "0.5"),
    "surya": (
        lambda box, text: {"bbox": box, "text": text},
        lambda units: {"a": [{"text_lines": units}]},
        '"bbox"',
    ),
    "doctr": (
        lambda box, text: {
            "geometry": [[box[0] / 2000, 0.1], [box[2] / 2000, 0.2]],
            "value": text,
        },
        lambda units: {
            "pages": [{"dimensions": [100, 2000], "blocks": [{"lines": [{"words": units}]}]}]
        },
        '"geometry"',
    ),
    "textract": (
        lambda box, text: {
            "BlockType": "WORD",
            "Text": text,
            "Geometry": {"Polygon": shares(box)},
        },
        lambda units: {"Blocks": units},
        '"WORD"',
    ),
    "azure-read": (
        lambda box, text: {"content": text, "polygon": flat(box)},
        lambda units: {
            "analyzeResult": {"pages": [{"width": 2000, "height": 100, "words": units}]}
        },
        '"polygon"',
    ),
    "google-vision": (
        in_word,
        lambda units: {
            "fullTextAnnotation": {"pages": [{"blocks": [{"paragraphs": [{"words": units}]}]}]}
        },
        '"boundingBox"',
    ),
    "docling-parse": (
        in_cell,
        lambda units: {
            "dimension": {"rect": {"r_x2": 2000, "r_y2": 100, "coord_origin": "BOTTOMLEFT"}},
            "word_cells": units,
        },
        '"rect": {"r_x0"',
    ),
    "mmocr": (
        lambda box, text: {"polygon": flat(box), "text": text},
        lambda units: {"data_list": [{"img_path": "a.jpg", "instances": units}]},
        '"polygon"',
    ),
    "paddle-json": (
        lambda box, text: (corners(box), text),
        lambda units: {
            "rec_polys": [of[0] for of in units],
            "rec_texts": [of[1] for of in units],
            "checked_by": ["rec"] * len(units),
        },
        '"rec"',
    ),
    "rapidocr": (
        lambda box, text: (corners(box), text),
        lambda units: {
            "boxes": [of[0] for of in units],
            "txts": [of[1] for of in units],
            "checked_by": ["rec"] * len(units),
        },
        '"rec"',
    ),
}


def written(box):
    return ";".join(f"{x},{y}" for x, y in corners(box))


# By format: a region of a box, a shape of another kind, the document of both, and its suffix.
TOOLS = {
    "supervisely": (
        lambda box: {"geometryType": "polygon", "points": {"exterior": corners(box)}},
        {"geometryType": "bitmap", "bitmap": {}},
        lambda units: json.dumps({"size": {"width": 2000, "height": 100}, "objects": units}),
    ),
    "darwin": (
        lambda box: {"name": "w", "polygon": {"path": [{"x": x, "y": y} for x, y in corners(box)]}},
        {"name": "w", "tag": {}},
        lambda units: json.dumps({"item": {"name": "a.jpg"}, "annotations": units}),
    ),
    "cvat-xml": (
        lambda box: f'<polygon label="w" points="{written(box)}"/>',
        '<points label="w" points="1,1"/>',
        lambda units: (
            f'<annotations><image name="a.jpg" width="2000" height="100">{"".join(units)}'
            "</image></annotations>"
        ),
    ),
    "manga109": (
        lambda box: '<text id="b" xmin="{}" ymin="{}" xmax="{}" ymax="{}">w</text>'.format(*box),
        '<face id="c" xmin="1" ymin="1" xmax="9" ymax="9"/>',
        lambda units: (
            f'<book><pages><page index="0" width="2000" height="100">{"".join(units)}'
            "</page></pages></book>"
        ),
    ),
}


def read_account(content, format, kind, name):
    """Return the account of a file; the size of each image is 2000 x 100 px."""
    sizes = dict.fromkeys(("a", "000"), (2000, 100))
    archive = read(
        io.BytesIO(content.encode()), kind=kind, format=format, name=name, sizes=lambda: sizes
    )
    assert not archive.errors, archive.errors
    return archive.account


@pytest.mark.parametrize("format", UNITS_OF_ENGINES)
@given(drawn=st.lists(st.sampled_from(["keep", "blank", "remove"]), min_size=1, max_size=9))
def test_units_of_formats_that_are_only_read_change_the_account_by_exactly_that(format, drawn):
    unit_of, document_of, mark = UNITS_OF_ENGINES[format]
    kept = ["keep", *(of for of in drawn if of != "remove")]
    texts = (" " if of == "blank" else "w" for of in kept)
    units = [unit_of(box, text) for box, text in zip(boxes(len(kept)), texts, strict=True)]
    content = json.dumps(document_of(units))
    account = read_account(content, format, "results", "a.json")
    assert (account.units, account.regions) == (content.count(mark), kept.count("keep"))
    left = [(of.reason, of.n) for of in account.left_out]
    assert left == [(NO_TEXT, n) for n in [kept.count("blank")] if n]


@pytest.mark.parametrize("format", TOOLS)
@given(drawn=st.lists(st.sampled_from(["keep", "other", "remove"]), max_size=9))
def test_shapes_of_annotation_tools_change_the_account_by_exactly_that(format, drawn):
    region_of, other, document_of = TOOLS[format]
    kept = [of for of in drawn if of != "remove"]
    units = [
        other if of == "other" else region_of(box)
        for box, of in zip(boxes(len(kept)), kept, strict=True)
    ]
    name = "a.xml" if format.endswith("xml") or format == "manga109" else "a.json"
    account = read_account(document_of(units), format, "truth", name)
    assert (account.units, account.regions) == (len(kept), kept.count("keep"))
    left = [(of.reason, of.n) for of in account.left_out]
    assert left == [("shapes of other types", n) for n in [kept.count("other")] if n]


def n_lines(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(len(archive.read(name).splitlines()) for name in archive.namelist())


def n_shapes(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(len(json.loads(archive.read(name))["shapes"]) for name in archive.namelist())


def n_in_json(*names):
    """Count the items of lists in lists under these names."""

    def count(content):
        found = [json.loads(content)]
        for name in names:
            found = [item for one in found for item in one[name]]
        return len(found)

    return count


def n_in_maptext(content):
    return sum(len(group) for image in json.loads(content) for group in image["groups"])


def n_in_pages(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(archive.read(name).count(b"<TextLine ") for name in archive.namelist())


def n_in_paddle(content):
    return sum(len(json.loads(line.partition("\t")[2])) for line in content.decode().splitlines())


COUNTED = {
    "ltrb": n_lines,
    "quad": n_lines,
    "polygon": n_lines,
    "coco-json": lambda content: len(json.loads(content)["annotations"]),
    "paddle": n_in_paddle,
    "labelme": n_shapes,
    "hiertext": n_in_json("annotations", "paragraphs", "lines", "words"),
    "maptext": n_in_maptext,
    "page-xml": n_in_pages,
}


def test_units_are_counted_in_each_format_that_is_written():
    assert COUNTED.keys() == WRITTEN.keys()


@pytest.mark.parametrize("format", COUNTED)
@given(kept=st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_each_region_of_a_written_file_is_a_unit_and_nothing_else_is(format, kept):
    regions = {
        f"img_{at}": tuple(Region.from_box(*box, text="w") for box in boxes(n))
        for at, n in enumerate(kept)
    }
    content = write(regions, format, kind="truth", sizes=dict.fromkeys(regions, (2000, 100)))
    account = read(io.BytesIO(content), kind="truth", format=format, name="a").account
    assert (account.regions, account.left_out) == (sum(kept), ())
    assert account.units == sum(account.levels.values()) == COUNTED[format](content)


def test_python_and_the_shell_give_the_account(tmp_path, capsys):
    from protocols.command_line.main import main

    line = "10,20,50,20,50,40,10,40"
    truth = zip_file(tmp_path / "gt.zip", {"gt_a.txt": f"{line},w\n1,2,###\n"})
    found = zip_file(tmp_path / "east.zip", {"a.hocr": hocr(["w", "", "v"])})
    options = {"drop_broken_ignored": True, "results_format": "hocr"}
    with pytest.warns(DataWarning):
        of_truth, of_results = tr.score(str(truth), str(found), **options).account[""]
    assert of_truth == Account(1, (LeftOut("invalid", 1, "gt.zip > gt_a.txt, line 2"),))
    assert (of_results.units, of_results.regions) == (3, 2)
    files = ("--truth", str(truth), "--results", str(found))
    named = ("--drop-broken-ignored", "--results-format", "hocr", "--json")
    assert main(["errors", "--protocol", "iou", *files, *named]) == 0
    accounts = json.loads(capsys.readouterr().out)["accounts"]
    assert accounts[str(truth)] == {
        "units": 2,
        "levels": {"region": 2},
        "regions": 1,
        "read": {},
        "left_out": [
            {"reason": "invalid", "n": 1, "first": "gt.zip > gt_a.txt, line 2", "level": "region"}
        ],
    }
    assert accounts[str(found)]["levels"] == {"word": 3}
    out = tmp_path / "scores.json"
    assert main(["score", "--protocol", "iou", *files, *named[:-1], "--out", str(out)]) == 0
    [of_image, of_all] = json.loads(out.read_text())
    assert (of_image["accounts"], of_all["accounts"]) == (None, accounts)


def test_units_of_several_levels_are_counted_by_level():
    """A word, one without text, and a line without words; a page of a line alone."""
    word, line = (
        f"<span class='{of}' title='bbox 10 20 50 40'>{{}}</span>"
        for of in ("ocrx_word", "ocr_line")
    )
    page = "<div class='ocr_page' title='image a.png; bbox 0 0 2000 100'>{}</div>"
    lines = [line.format(word.format("w") + word.format("")), line.format("bare")]
    content = (
        "<html><body>"
        + page.format("".join(lines))
        + page.replace("a.png", "b.png").format(line.format("of"))
    )
    archive = read(
        io.BytesIO(f"{content}</body></html>".encode()),
        kind="results",
        format="hocr",
        name="a.hocr",
    )
    # The second page has lines alone, of which one is read.
    assert archive.account.read == {"word": 1, "line": 1}
    assert archive.account.levels == {"word": 1, "line": 2, "line or word": 1}
    assert archive.account.units == 4
