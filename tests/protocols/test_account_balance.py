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
