"""The files of annotation tools and libraries: read, guessed, and refused with a sentence."""

# Files as they are, in few lines.
# ruff: noqa: E501

import io
import json
from dataclasses import replace

import pytest

from protocols.command_line.main import main
from protocols.core.regions import Region
from protocols.formats.containers.image_sizes import picture_size
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from protocols.formats.writing.converting import write
from protocols.formats.writing.regions import NotWritable
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.cases import cases

TRIANGLE = (48.0, 84.0, 61.0, 79.0, 75.0, 73.0)
POINTS = [[48, 84], [61, 79], [75, 73]]
BOX = (38.0, 43.0, 126.0, 43.0, 126.0, 60.0, 38.0, 60.0)


def dumped(data):
    return json.dumps(data, ensure_ascii=False).encode()


PADDLE = (
    b'images/img_1.jpg\t[{"transcription": "CARE", "points": [[48,84],[61,79],[75,73]], "difficult": false},'
    b' {"transcription": "*", "points": [[38,43],[126,43],[126,60],[38,60]]}]\nimages/img_2.jpg\t[]\n'
)
HIERTEXT = {
    "image_id": "img_1", "image_width": 200, "image_height": 100,
    "paragraphs": [{"vertices": POINTS, "legible": True, "lines": [
        {"vertices": POINTS, "text": "CARE", "legible": True,
         "words": [{"vertices": POINTS, "text": "CARE", "legible": True}]},
        {"vertices": [[38, 43], [126, 43], [126, 60], [38, 60]], "text": "", "legible": False, "words": []},
    ]}],
}  # fmt: skip
LABELME = {
    "version": "5.4.1", "imagePath": "..\\images\\img_1.jpg", "imageHeight": 100, "imageWidth": 200, "shapes": [
        {"label": "text", "description": "CARE", "points": POINTS, "shape_type": "polygon", "flags": {}},
        {"label": "###", "points": [[126, 60], [38, 43]], "shape_type": "rectangle", "flags": {}},
    ],
}  # fmt: skip
VIA = {"img_1.jpg123": {"filename": "img_1.jpg", "size": 123, "file_attributes": {}, "regions": [
    {"shape_attributes": {"name": "polygon", "all_points_x": [48, 61, 75], "all_points_y": [84, 79, 73]},
     "region_attributes": {"transcription": "CARE"}},
    {"shape_attributes": {"name": "rect", "x": 38, "y": 43, "width": 88, "height": 17},
     "region_attributes": {"transcription": "###"}},
]}}  # fmt: skip
MMOCR = {"metainfo": {}, "data_list": [{"img_path": "a/img_1.jpg", "height": 100, "width": 200, "instances": [
    {"polygon": [48, 84, 61, 79, 75, 73], "text": "CARE", "ignore": False},
    {"bbox": [38, 43, 126, 60], "ignore": True},
]}]}  # fmt: skip
PAGE = (
    b'<?xml version="1.0"?><PcGts xmlns="http://x"><Page imageFilename="img_1.png" imageWidth="200" '
    b'imageHeight="100"><TextRegion id="r"><Coords points="0,0 9,0 9,9"/><TextLine id="l"><Coords '
    b'points="0,0 9,0 9,9"/><Word id="w"><Coords points="48,84 61,79 75,73"/><TextEquiv conf="0.5"><Unicode>'
    b"CA&amp;RE</Unicode></TextEquiv></Word></TextLine></TextRegion></Page></PcGts>"
)
PAGE_2010 = (
    b'<pc:PcGts xmlns:pc="http://x"><pc:Page imageFilename="img_1.png"><pc:TextRegion id="r"><pc:Coords>'
    b'<pc:Point x="48" y="84"/><pc:Point x="61" y="79"/><pc:Point x="75" y="73"/></pc:Coords>'
    b"</pc:TextRegion></pc:Page></pc:PcGts>"
)
ALTO = (
    b"<alto><Description><MeasurementUnit>pixel</MeasurementUnit><sourceImageInformation><fileName>a/img_1.tif"
    b'</fileName></sourceImageInformation></Description><Layout><Page WIDTH="200" HEIGHT="100"><TextLine '
    b'ID="l"><String ID="s" CONTENT="CARE" HPOS="38" VPOS="43" WIDTH="88" HEIGHT="17" WC="0.5"/>'
    b'<String CONTENT="x" HPOS="0" VPOS="0" WIDTH="1" HEIGHT="1"><Shape><Polygon POINTS="48,84 61,79 75,73"/>'
    b"</Shape></String></TextLine></Page></Layout></alto>"
)
HOCR = (
    b"<!DOCTYPE html><html><body><div class='ocr_page' title='image \"a b/img_1.png\"; bbox 0 0 200 100; ppageno 0'>"
    b"<span class='ocr_line' id='l' title='bbox 0 0 9 9'><span class='ocrx_word' id='w' title='bbox 38 43 126 60; "
    b"x_wconf 50'><strong>CA&amp;RE</strong></span> <span class='ocrx_word' title='bbox 0 0 9 9; poly 48 84 61 79 "
    b"75 73'>x</span></span></div></body></html>"
)
YOLO = zip_bytes({
    "labels/img_1.txt": "0 0.41 0.515 0.44 0.17\n1 0.24 0.84 0.305 0.79 0.375 0.73 0.3 0.9\n",
    "labels/classes.txt": "word of a line\nline\n", "images/img_1.png": picture_bytes(200, 100),
})  # fmt: skip


def opened(content, name="truth.x", **given):
    return read(io.BytesIO(content), kind=given.pop("kind", "truth"), name=name, **given)


def what(region):
    known = ("text", "ignored", "confidence", "label", "id", "parent")
    return (region.points, *(getattr(region, name) for name in known))


# Format: name, content, size of the image, its regions.
READ = {
    "paddle": ("Label.txt", PADDLE, None,
               [(TRIANGLE, "CARE", False, None, None, None, None), (BOX, "*", True, None, None, None, None)]),
    "hiertext": ("train.jsonl", dumped({"info": {}, "annotations": [HIERTEXT]}), (200, 100),
                 [(TRIANGLE, "CARE", False, None, None, None, "0.0")]),
    "labelme": ("img_1.json", dumped(LABELME), (200, 100),
                [(TRIANGLE, "CARE", False, None, None, None, None), (BOX, None, True, None, "###", None, None)]),
    "via": ("via.json", dumped(VIA), None,
            [(TRIANGLE, "CARE", False, None, None, None, None), (BOX, "###", True, None, None, None, None)]),
    "mmocr": ("textdet_test.json", dumped(MMOCR), (200, 100),
              [(TRIANGLE, "CARE", False, None, None, None, None), (BOX, None, True, None, None, None, None)]),
    "page-xml": ("img_1.xml", PAGE, (200, 100), [(TRIANGLE, "CA&RE", False, 0.5, None, "w", "l")]),
    "alto-xml": ("img_1.xml", ALTO, (200, 100),
                 [(BOX, "CARE", False, 0.5, None, "s", "l"), (TRIANGLE, "x", False, None, None, None, "l")]),
    "hocr": ("img_1.hocr", HOCR, (200, 100),
             [(BOX, "CA&RE", False, 0.5, None, "w", "l"), (TRIANGLE, "x", False, None, None, None, "l")]),
    "yolo": ("labels.zip", YOLO, (200, 100), None),
}  # fmt: skip


@cases("slug", READ)
def test_a_file_is_guessed_and_read(slug):
    name, content, size, regions = READ[slug]
    assert guess(io.BytesIO(content), name).format == slug
    archive = opened(content, name)
    assert (archive.format, archive.errors) == (slug, ())
    assert archive.sizes.get("img_1") == size
    if regions is not None:
        assert list(map(what, archive.regions["img_1"])) == regions


def test_an_image_without_regions_is_kept():
    assert opened(PADDLE, "Label.txt").regions["img_2"] == ()


def test_shares_are_multiplied_by_the_size_of_the_photograph_beside_them():
    box, quad = opened(YOLO, "l.zip").regions["img_1"]
    # 0.41 - 0.22 = 0.19 of 200; 0.515 - 0.085 = 0.43 of 100.
    assert box.points == pytest.approx(BOX)
    assert quad.points == pytest.approx((48, 84, 61, 79, 75, 73, 60, 90))
    assert (box.label, quad.label) == ("word of a line", "line")


def test_shares_need_a_size_which_may_be_known_otherwise():
    content = zip_bytes({"img_1.txt": "0 0.41 0.515 0.44 0.17 0.5\n"})
    [problem] = opened(content, kind="results").errors
    assert problem.found == "shares of 1 image whose size is not known (img_1)"
    archive = opened(content, kind="results", sizes=lambda: {"img_1": (200, 100)})
    [region] = archive.regions["img_1"]
    assert region.points == pytest.approx(BOX)
    assert (region.confidence, region.label) == (0.5, "0")


@cases("kind", ["JPEG", "PNG", "WEBP"])
def test_the_size_of_a_picture_is_read_from_its_beginning(kind):
    assert picture_size(picture_bytes(123, 45, kind)) == (123, 45)
    assert picture_size(picture_bytes(123, 45, kind)[:20]) is None


def test_annotations_a_line_each_and_a_project_are_read_too():
    lines = b"\n".join(dumped(HIERTEXT | {"image_id": name}) for name in ("a", "b"))
    assert list(opened(lines, "x.jsonl", format="hiertext").regions) == ["a", "b"]
    project = dumped({"_via_settings": {}, "_via_img_metadata": VIA})
    assert opened(project, "via_project.json").n_regions == 2


def test_ground_truth_of_hiertext_has_its_lines_and_paragraphs_apart_from_its_words():
    """A line without words is a line, and no word; results have words alone."""
    content = dumped({"annotations": [HIERTEXT]})
    parents = opened(content, "t.json", format="hiertext").parents["img_1"]
    assert {id_: (of.parent, of.text, of.ignored) for id_, of in parents.items()} == {
        "0": (None, None, False),
        "0.0": ("0", "CARE", False),
        "0.1": ("0", "", True),
    }
    assert parents["0.1"].points == BOX
    assert opened(content, "t.json", kind="results", format="hiertext").parents == {}


def test_predictions_of_mmocr_are_named_by_their_files():
    prediction = {
        "det_polygons": [[48, 84, 61, 79, 75, 73]],
        "det_scores": [0.5],
        "rec_texts": ["CARE"],
    }
    content = zip_bytes({"preds/img_1.json": json.dumps(prediction)})
    assert guess(io.BytesIO(content), "dbnet.zip").kind == "results"
    archive = opened(content, "dbnet.zip", kind="results")
    assert list(map(what, archive.regions["img_1"])) == [
        (TRIANGLE, "CARE", False, 0.5, None, None, None)
    ]


def test_a_page_without_words_gives_its_regions_and_prefixes_are_no_matter():
    archive = opened(PAGE_2010, "a.xml")
    assert list(map(what, archive.regions["img_1"])) == [
        (TRIANGLE, None, False, None, None, "r", None)
    ]


@cases(
    ("slug", "content", "code"),
    [
        ("paddle", b"img_1.jpg [{}]", "L1"),
        ("paddle", b"a.jpg\t[{]", "A1"),
        ("paddle", b"a.jpg\t[]\na.png\t[]", "N3"),
        ("hiertext", b'{"image_id": 5}', "L1"),
        ("hiertext", b'{"image_id": "a", "paragraphs": 5}', "L1"),
        ("labelme", dumped({"shapes": [{"points": POINTS, "shape_type": "circle"}]}), "L1"),
        ("via", dumped({"a": {"filename": "a", "regions": [{"shape_attributes": {"name": "point"}}]}}), "L1"),
        ("mmocr", dumped({"data_list": [{"instances": []}]}), "S3"),
        ("mmocr", b"[]", "A1"),
        ("page-xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><PcGts/>", "A2"),
        ("page-xml", b"<PcGts/>", "A1"),
        ("page-xml", PAGE.replace(b'points="48,84 61,79 75,73"', b'points="48,84"'), "L1"),
        ("alto-xml", ALTO.replace(b">pixel<", b">mm10<"), "L2"),
        ("alto-xml", ALTO.replace(b"<alto>", b"<alto><MeasurementUnit>mm10</MeasurementUnit>"), "L2"),
        ("alto-xml", ALTO.replace(b'WIDTH="88"', b'WIDTH="-1"'), "L4"),
        ("hocr", b"<html></html>", "A1"),
        ("hocr", HOCR.replace(b"bbox 38 43 126 60", b"bbox 38 43"), "L1"),
        ("hocr", HOCR.replace(b"x_wconf 50", b"x_wconf 500"), "L3"),
        ("yolo", zip_bytes({"a.txt": "0 0.5 0.5"}), "L1"),
        ("yolo", zip_bytes({"a.txt": "0 40 50 6 7"}), "L3"),
        ("yolo", zip_bytes({"a.txt": "0 .5 .5 -.1 .1"}), "L4"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(slug, content, code):
    assert code in {problem.code for problem in opened(content, "x", format=slug).errors}


FLAT = {
    "alto-xml": ("a.xml", ALTO.replace(b'WIDTH="88"', b'WIDTH="0"')),
    "bbox-2d": ("a.json", dumped([{"bbox_2d": [1, 2, 1, 9], "text": "w"}])),
    "coco-json": ("a.json", dumped({"images": [{"id": 1, "file_name": "a"}], "annotations": [{"image_id": 1, "bbox": [1, 2, 0, 7]}]})),
    "csv": ("a.csv", b"image,x,y,width,height\na,1,2,0,7\n"),
    "evaltex-text": ("a.txt", b"a\n90,90\n1,1,2,0,7\n"),
    "hocr": ("a.hocr", HOCR.replace(b"bbox 38 43 126 60", b"bbox 38 43 38 60")),
    "ltrb": ("a.zip", zip_bytes({"a.txt": "1,2,1,9\n1,2,9,9"})),
    "ltrb-confidence": ("a.zip", zip_bytes({"a.txt": "1,2,1,9,0.5,w\n1,2,9,9,0.5,w"})),
    "ltrb-confidence-first": ("a.zip", zip_bytes({"a.txt": "0.5,1,2,1,9\n0.5,1,2,9,9"})),
    "ltwh": ("a.zip", zip_bytes({"a.txt": "1,2,0,7\n1,2,9,9"})),
    "label-studio": ("a.json", dumped([{"image": "a.jpg", "label": [{"x": 1, "y": 2, "width": 0, "height": 7, "original_width": 100, "original_height": 100}]}])),
    "msra-td500": ("a.gt", b"0 0 1 2 0 7 0\n"),
    "open-images": ("a.csv", b"ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\na,x,/m/1,1,0.1,0.1,0.2,0.9\n"),
    "surya": ("a.json", dumped({"a": [{"bboxes": [{"bbox": [1, 2, 1, 9]}]}]})),
    "tesseract-box": ("a.box", b"w 1 2 1 9 0\n"),
    "textract": ("a.json", dumped({"Blocks": [{"BlockType": "WORD", "Text": "w", "Geometry": {"BoundingBox": {"Left": 0.1, "Top": 0.2, "Width": 0, "Height": 0.7}}}]})),
    "via": ("a.json", dumped({"a": {"filename": "a", "regions": [{"shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 0, "height": 7}}]}})),
    "yolo": ("a.zip", zip_bytes({"a.txt": "0 .5 .5 0 .1"})),
}  # fmt: skip


@pytest.mark.parametrize("slug", FLAT)
def test_a_box_without_width_is_kept_and_counted_in_every_format(slug):
    """As published programs count it; its reader stops a load at a negative side alone."""
    name, content = FLAT[slug]
    sizes = {"a": (100, 100), "img_1": (100, 100)}
    archive = read(io.BytesIO(content), kind="results", format=slug, name=name, sizes=lambda: sizes)
    assert not archive.errors
    regions = [region for of in archive.regions.values() for region in of]
    flat = [of for of in regions if of.box[0] == of.box[2]]
    assert len(flat) == 1, regions
    [told] = [problem for problem in archive.problems if problem.code == "L4"]
    assert (told.severity, told.found.split(",")[0]) == ("warning", "a shape without area")
    assert (archive.account.regions, archive.account.left_out) == (len(regions), ())


# Writing


SCENE = {
    "img_1": (
        Region((48.0, 84.5, 61.0, 79.0, 75.0, 73.0), "A “b” & <c>\n d", ignored=True),
        Region((38.0, 43.0, 126.0, 43.0, 126.0, 60.0, 38.0, 60.0), "1,2"),
        Region((0.1, 0.2, 9.0, 0.0, 9.0, 9.0)),
    ),
    "img_2": (),
}
SIZES = {"img_1": (200, 100), "img_2": (20, 10)}
MORE = {
    "paddle": {"confidence": 0.25, "label": "sign"},
    "hiertext": {"parent": "0.0", "confidence": 0.25},
    "labelme": {"confidence": 0.25, "label": "sign"},
    "page-xml": {"confidence": 0.25, "id": "w1"},
}


@cases("slug", MORE)
def test_what_is_written_reads_back_equal(slug):
    held = {"img_1": (*SCENE["img_1"], replace(SCENE["img_1"][1], **MORE[slug]))}
    if slug == "hiertext":
        held["img_1"] = tuple(replace(of, parent="0.0") for of in held["img_1"])
    for regions in (SCENE, SCENE | held):
        content = write(regions, slug, kind="truth", sizes=SIZES)
        archive = opened(content, format=slug)
        assert archive.regions == regions
        assert guess(io.BytesIO(content), "x.txt").format == slug
        assert write(archive.regions, slug, kind="truth", sizes=SIZES) == content


@cases(
    ("slug", "field", "value"),
    [
        *(("paddle", "id", "w"), ("hiertext", "label", "a"), ("labelme", "parent", "a")),
        *(("page-xml", "label", "a"), ("page-xml", "text", "\x01"), ("paddle", "text", "###")),
    ],
)
def test_what_a_format_cannot_hold_is_refused_unless_it_may_be_lost(slug, field, value):
    regions = {"img_1": (replace(SCENE["img_1"][1], **{field: value}),)}
    with pytest.raises(NotWritable):
        write(regions, slug, kind="truth", sizes=SIZES)
    if field != "text":
        back = opened(write(regions, slug, kind="truth", sizes=SIZES, without=[field]), format=slug)
        assert back.regions == {"img_1": (SCENE["img_1"][1],)}


def test_a_page_needs_a_size_and_a_format_that_is_not_written_is_refused():
    with pytest.raises(NotWritable, match="the size of img_1 is not known"):
        write(SCENE, "page-xml", kind="truth")
    with pytest.raises(NotWritable, match="“hocr” is not written; formats: ltrb, quad"):
        write(SCENE, "hocr", kind="truth")


class TestConvert:
    def test_a_file_is_converted_and_back(self, tmp_path, capsys):
        lines = tmp_path / "gt.zip"
        write_to = tmp_path / "Label.txt"
        lines.write_bytes(
            zip_bytes({"gt_img_1.txt": "48,84,61,79,75,73,60,90,CARE\n", "gt_img_2.txt": ""})
        )
        assert main(["convert", str(lines), "--to", "paddle", "--out", str(write_to)]) == 0
        told = capsys.readouterr().err
        assert "Label.txt: 1 region of 2 images, read as quad, written as paddle" in told
        back = tmp_path / "back.zip"
        assert main(["convert", str(write_to), "--to", "quad", "--out", str(back)]) == 0
        again = [read(path, kind="truth").regions for path in (lines, back)]
        assert again[0] == again[1]

    def test_what_cannot_be_converted_is_refused_and_nothing_is_written(self, tmp_path, capsys):
        out = tmp_path / "out.zip"
        bad = tmp_path / "gt.zip"
        bad.write_bytes(zip_bytes({"gt_a.txt": "1,2,3"}))
        for file, told in ((bad, "found 3 numbers"), (tmp_path / "no.zip", "no such file")):
            assert main(["convert", str(file), "--to", "quad", "--out", str(out)]) == 2
            assert told in capsys.readouterr().err
        assert not out.exists()

    def test_an_encoding_is_asked_for_and_given(self, tmp_path, capsys):
        out, korean = tmp_path / "out.zip", tmp_path / "gt.zip"
        korean.write_bytes(zip_bytes({"gt_a.txt": "0,0,9,9,서울".encode("euc_kr")}))
        convert = ["convert", str(korean), "--to", "quad", "--out", str(out)]
        assert main(convert) == 2
        assert "cp949 (EUC-KR: “서울”)" in capsys.readouterr().err
        assert main([*convert, "--encoding", "klingon"]) == 2
        assert "no encoding klingon; known: cp949" in capsys.readouterr().err
        assert main([*convert, "--encoding", "cp949"]) == 0
        assert read(out, kind="truth").regions["a"][0].text == "서울"
