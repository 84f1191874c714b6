"""The account of drawn files: units are counted a second way, in the file, and each reason by hand."""

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import text_rankings as tr
from protocols.core.errors import DataWarning
from protocols.core.regions import Region
from protocols.formats.containers.contents import Account, LeftOut
from protocols.formats.recognition.reading import FORMATS, read
from protocols.formats.writing.converting import WRITTEN, write
from tests.doors.files_of_documents import of_engines, of_pages, points
from tests.doors.files_of_lines import File, tsv
from tests.support.archives import zip_file

NO_TEXT = "words or lines without text"


def boxes(n):
    return [(10 + 50 * at, 20, 50 + 50 * at, 40) for at in range(n)]


def corners(box):
    left, top, right, bottom = box
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


# A line of characters of ABBYY has no word for a blank, and MMOCR's files are ground truth.
ENGINES = {*of_engines(()), *of_pages(()), "tesseract-tsv"} & FORMATS.keys() - {
    "mmocr",
    "abbyy-xml",
}


@pytest.mark.parametrize("format", sorted(ENGINES))
@given(drawn=st.lists(st.sampled_from(["keep", "blank", "remove"]), min_size=1, max_size=9))
def test_words_blanked_or_removed_change_the_account_by_exactly_that(format, drawn):
    kept = ["keep", *(of for of in drawn if of != "remove")]
    texts = ["w" if of == "keep" else " " for of in kept]
    words = [(corners(box), text) for box, text in zip(boxes(len(kept)), texts, strict=True)]
    table = File("a.tsv", tsv(zip(boxes(len(kept)), texts, strict=True)))
    file = {**of_engines(words), **of_pages(words), "tesseract-tsv": table}[format]
    account = read_account(file.entry[1], format, "results", file.entry[0])
    n_left = {NO_TEXT: kept.count("blank")}
    assert (account.units, account.regions) == (len(kept), kept.count("keep"))
    assert {of.reason: of.n for of in account.left_out} == {of: n for of, n in n_left.items() if n}


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
        lambda box: f'<polygon label="w" points="{points(corners(box)).replace(" ", ";")}"/>',
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
    """Return the account of a file; each image has 2000 x 100 px, if the file says nothing else."""
    sizes = dict.fromkeys(("a", "img_1", "000"), (2000, 100))
    archive = read(
        io.BytesIO(content.encode()), kind=kind, format=format, name=name, sizes=lambda: sizes
    )
    assert not archive.errors, archive.errors
    return archive.account


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
    truth = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": f"{line},w\n1,2,###\n"})
    words = [(corners(box), text) for box, text in zip(boxes(3), ["w", "", "v"], strict=True)]
    found = zip_file(tmp_path / "east.zip", dict([of_pages(words)["hocr"].entry]))
    options = {"drop_broken_ignored": True, "results_format": "hocr"}
    with pytest.warns(DataWarning):
        of_truth, of_results = tr.score(str(truth), str(found), **options).account[""]
    assert of_truth == Account(1, (LeftOut("invalid", 1, "gt.zip > gt_img_1.txt, line 2"),))
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
            {
                "reason": "invalid",
                "n": 1,
                "first": "gt.zip > gt_img_1.txt, line 2",
                "level": "region",
            }
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
