"""Exports of OCR engines and annotation tools: guessed, read, and refused with a sentence."""

# Files as they are, in few lines.
# ruff: noqa: E501

import io
import json

import pytest

from protocols.command_line.main import main
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import FORMATS, read
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.cases import cases

BOX = (38.0, 43.0, 126.0, 43.0, 126.0, 60.0, 38.0, 60.0)
SLANTED = (40.0, 70.0, 80.0, 74.0, 78.0, 90.0, 38.0, 86.0)
BOX_PAIRS = [[38, 43], [126, 43], [126, 60], [38, 60]]
SLANTED_PAIRS = [[40, 70], [80, 74], [78, 90], [38, 86]]
SIZE = (200, 100)
BOTH = [(BOX, "CARE", 0.5), (SLANTED, "of", 0.25)]


def dumped(data):
    return data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode()


def opened(data, name="img_1.json", kind="results", **given):
    return read(io.BytesIO(dumped(data)), kind=kind, name=name, **given)


def what(archive, image="img_1"):
    assert archive.errors == ()
    return [(pytest.approx(of.points), of.text, of.confidence) for of in archive.regions[image]]


TSV = (
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    "1\t1\t0\t0\t0\t0\t0\t0\t200\t100\t-1\t\n"
    "4\t1\t1\t1\t1\t0\t38\t43\t120\t17\t-1\t\n"
    '5\t1\t1\t1\t1\t1\t38\t43\t88\t17\t50.0\t"CARE\n'
    "5\t1\t1\t1\t1\t2\t130\t43\t28\t17\t96\tof\n"
    "4\t1\t2\t1\t1\t0\t0\t0\t200\t1\t-1\t\n"
    "5\t1\t2\t1\t1\t1\t0\t0\t200\t1\t95\t \n"
)


class TestTesseract:
    def test_words_of_the_table_have_their_line_as_parent(self):
        archive = opened(TSV.encode(), "img_1.tsv")
        assert what(archive)[0] == (BOX, '"CARE', 0.5)
        assert [(of.id, of.parent) for of in archive.regions["img_1"]] == [
            ("1.1.1.1", "1.1.1"),
            ("1.1.1.2", "1.1.1"),
        ]
        assert archive.sizes == {"img_1": SIZE}

    def test_lines_are_read_by_choice_with_the_texts_of_their_words(self):
        [line] = opened(TSV.encode(), "img_1.tsv", format="tesseract-tsv-lines").regions["img_1"]
        assert (line.box, line.text, line.confidence) == ((38, 43, 158, 60), '"CARE of', None)

    @cases("slug", ["tesseract-tsv", "tesseract-tsv-lines"])
    def test_rules_are_left_out_and_counted(self, slug):
        """The last row of words, in line 7 of the table, and its line, in line 6, are a rule."""
        twice = (TSV + TSV.split("\n", 1)[1].replace("\t1\t", "\t2\t", 1)).encode()
        for content, n in ((TSV.encode(), 1), (twice, 2)):
            archive = opened(content, "img_1.tsv", format=slug)
            [problem] = [of for of in archive.problems if of.code == "U1"]
            assert problem.action == "left out"
            assert problem.line == (7 if slug == "tesseract-tsv" else 6)
            words = "1 word or line" if n == 1 else "2 words or lines"
            assert problem.found == f"{words} without text"

    def test_a_table_that_python_wrote_again_is_read(self):
        rows = [line.split("\t") for line in TSV.replace('"CARE', "CARE").split("\n")[:4]]
        text = "\n".join(",".join(row) for row in rows)
        assert what(opened(text.encode(), "img_1.csv")) == BOTH[:1]

    def test_boxes_without_their_photograph_are_refused(self):
        [problem] = opened(b"C 38 40 60 57 0\n", "img_1.box").errors
        assert problem.found == "y from the lower edge of 1 image whose size is not known (img_1)"


LISTS = {
    "EasyOCR": [[BOX_PAIRS, "CARE", 0.5], [SLANTED_PAIRS, "of", 0.25]],
    "EasyOCR, dict": [
        {"boxes": BOX_PAIRS, "text": "CARE", "confident": 0.5},
        {"boxes": SLANTED_PAIRS, "text": "of", "confident": 0.25},
    ],
    "EasyOCR, printed": f"({BOX_PAIRS}, 'CARE', 0.5)\n({SLANTED_PAIRS}, 'of', 0.25)\n".encode(),
    "RapidOCR": [
        {"box": BOX_PAIRS, "txt": "CARE", "score": 0.5},
        {"box": SLANTED_PAIRS, "txt": "of", "score": 0.25},
    ],
    "RapidOCR 1": [[BOX_PAIRS, "CARE", "0.5"], [SLANTED_PAIRS, "of", "0.25"]],
    "PaddleOCR 2": [[[BOX_PAIRS, ["CARE", 0.5]], [SLANTED_PAIRS, ["of", 0.25]]]],
    "several images": {
        "a/img_1.jpg": [[BOX_PAIRS, "CARE", 0.5], [SLANTED_PAIRS, "of", 0.25]],
        "b.jpg": [],
    },
}


class TestLists:
    @cases("made_by", LISTS)
    def test_lists_of_an_image_are_read(self, made_by):
        content = dumped(LISTS[made_by])
        assert guess(io.BytesIO(content), "img_1.json").kind == "results"
        archive = opened(content)
        assert (archive.format, what(archive)) == ("easyocr", BOTH)

    def test_outlines_alone_are_read(self):
        archive = opened([[BOX_PAIRS, SLANTED_PAIRS]], format="easyocr")
        assert what(archive) == [(BOX, None, None), (SLANTED, None, None)]

    @cases(
        ("content", "code", "found"),
        [
            ([[BOX_PAIRS, "CARE", "high"]], "L2", "“high” (region 1 of img_1)"),
            ([[BOX_PAIRS, "CARE", 7]], "L3", "a confidence of 7 (region 1 of img_1)"),
            ([[BOX_PAIRS, 5, 0.5]], "L1", "a list (region 1 of img_1)"),
            (b"(__import__('os'), 'a', 1)\n", "L1", "“(__import__('os'), 'a', 1)”"),
            (b"(" * 5000, "L1", None),
            (b"[" * 5000, "A1", None),
        ],
    )
    def test_what_cannot_be_read_is_named(self, content, code, found):
        [problem] = opened(content, format="easyocr").errors
        assert problem.code == code
        assert found in (None, problem.found)


PADDLE_3 = {
    "input_path": "photos/img_1.jpg", "page_index": None, "model_settings": {"use_textline_orientation": False},
    "doc_preprocessor_res": {"model_settings": {"use_doc_unwarping": False}, "angle": -1},
    "dt_polys": [BOX_PAIRS, SLANTED_PAIRS, [[0, 0], [5, 0], [5, 5], [0, 5]]],
    "rec_texts": ["CARE", "of"], "rec_scores": [0.5, 0.25], "rec_polys": [BOX_PAIRS, SLANTED_PAIRS],
    "rec_boxes": [[38, 43, 126, 60], [38, 70, 80, 90]],
}  # fmt: skip


class TestPaddle:
    @cases("data", [PADDLE_3, {"res": PADDLE_3}])
    def test_results_of_version_3_are_their_recognised_lines(self, data):
        archive = opened(data, "img_1_res.json")
        assert (archive.format, what(archive)) == ("paddle-json", BOTH)

    def test_detections_of_version_3_are_outlines(self):
        data = {"dt_polys": [BOX_PAIRS], "dt_scores": [0.5]}
        assert what(opened(data, "img_1_res.json")) == [(BOX, None, 0.5)]

    def test_pages_of_a_pdf_are_images_of_their_own(self):
        archive = opened(PADDLE_3 | {"input_path": "scan.pdf", "page_index": 1}, "scan_1_res.json")
        assert list(archive.regions) == ["scan_2"]

    def test_a_page_that_was_turned_is_refused(self):
        turned = PADDLE_3 | {"doc_preprocessor_res": {"angle": 90}}
        [problem] = opened(turned, "img_1_res.json").errors
        assert "use_doc_orientation_classify=False" in problem.expected

    def test_outlines_alone_behind_a_path_are_read(self):
        line = f"img_1.jpg\t{[BOX_PAIRS]}\nb.jpg\t[]\n".encode()
        archive = opened(line, "det_results.txt")
        assert (archive.format, what(archive)) == ("paddle", [(BOX, None, None)])


def xy(pairs, **names):
    x, y = names.get("x", "x"), names.get("y", "y")
    # A member that is 0 is left out, as in Google's JSON.
    return [{name: at for name, at in ((x, of[0]), (y, of[1])) if at} for of in pairs]


def vision_word(pairs, text, confidence, break_):
    symbols = [{"text": of} for of in text]
    symbols[-1]["property"] = {"detectedBreak": {"type": break_}}
    return {"boundingBox": {"vertices": xy(pairs)}, "symbols": symbols, "confidence": confidence}


VISION_PAGE = {"width": 200, "height": 100, "blocks": [{"paragraphs": [{"words": [
    vision_word(BOX_PAIRS, "CARE", 0.5, "EOL_SURE_SPACE"), vision_word(SLANTED_PAIRS, "of", 0.25, "LINE_BREAK"),
]}]}]}  # fmt: skip
VISION = {"responses": [{
    "textAnnotations": [
        {"locale": "en", "description": "CARE\nof", "boundingPoly": {"vertices": xy(BOX_PAIRS)}},
        {"description": "CARE", "boundingPoly": {"vertices": xy(BOX_PAIRS)}},
    ],
    "fullTextAnnotation": {"pages": [VISION_PAGE], "text": "CARE\nof"},
}]}  # fmt: skip


class TestGoogleVision:
    @cases("data", [VISION, VISION["responses"][0]])
    def test_words_are_read(self, data):
        archive = opened(data)
        assert (archive.format, what(archive), archive.sizes) == (
            "google-vision",
            BOTH,
            {"img_1": SIZE},
        )

    def test_names_of_the_library_for_python_are_read(self):
        text = dumped(VISION).decode()
        for name in (
            "fullTextAnnotation",
            "textAnnotations",
            "boundingBox",
            "boundingPoly",
            "detectedBreak",
        ):
            text = text.replace(name, "".join(f"_{c.lower()}" if c.isupper() else c for c in name))
        assert what(opened(text.encode())) == BOTH

    def test_words_of_text_annotations_come_after_the_whole_text(self):
        data = {"responses": [{"textAnnotations": VISION["responses"][0]["textAnnotations"]}]}
        assert what(opened(data)) == [(BOX, "CARE", None)]
        corner = {
            "description": "a",
            "boundingPoly": {"vertices": xy([[0, 0], [9, 0], [9, 9], [0, 9]])},
        }
        [found] = what(opened({"textAnnotations": [corner, corner]}))
        assert found[0] == (0, 0, 9, 0, 9, 9, 0, 9)
        assert opened({"responses": [{}]}).regions == {"img_1": ()}

    def test_lines_end_where_the_break_says_so_and_have_the_direction_of_their_words(self):
        first, second = what(opened(VISION, format="google-vision-lines"))
        assert (first, second[1]) == ((BOX, "CARE", None), "of")
        # Two words of a line that rises by 45 degrees.
        first = vision_word([[0, 20], [10, 10], [15, 15], [5, 25]], "a", 1, "SPACE")
        second = vision_word([[12, 8], [20, 0], [25, 5], [17, 13]], "b", 1, "LINE_BREAK")
        page = VISION_PAGE | {"blocks": [{"paragraphs": [{"words": [first, second]}]}]}
        data = {"fullTextAnnotation": {"pages": [page]}}
        [line] = what(opened(data, format="google-vision-lines"))
        assert line == ((0, 20, 20, 0, 25, 5, 5, 25), "a b", None)

    def test_pages_of_a_pdf_have_shares_of_their_pictures(self):
        shares = [[x / 200, y / 100] for x, y in BOX_PAIRS]
        word = {"boundingBox": {"normalizedVertices": xy(shares)}, "symbols": [{"text": "a"}]}
        page = {"width": 100, "height": 50, "blocks": [{"paragraphs": [{"words": [word]}]}]}
        answer = {
            "fullTextAnnotation": {"pages": [page]},
            "context": {"uri": "gs://a/scan.pdf", "pageNumber": 2},
        }
        archive = opened({"responses": [answer]}, sizes=lambda: {"scan_2": SIZE})
        assert what(archive, "scan_2") == [(BOX, "a", None)]
        # Without its picture a page has the size that the answer gives.
        assert opened({"responses": [answer]}).regions["scan_2"][0].box == (19, 21.5, 63, 30)


def block(type_, id_, pairs, text, confidence, **more):
    shares = [[x / 200, y / 100] for x, y in pairs]
    return {
        "BlockType": type_, "Id": id_, "Text": text, "Confidence": confidence,
        "Geometry": {"Polygon": [{"X": x, "Y": y} for x, y in shares]}, **more,
    }  # fmt: skip


TEXTRACT = {"DocumentMetadata": {"Pages": 1}, "Blocks": [
    {"BlockType": "PAGE", "Id": "p", "Geometry": {"BoundingBox": {"Left": 0, "Top": 0, "Width": 1, "Height": 1}}},
    block("LINE", "l", BOX_PAIRS, "CARE of", 40, Relationships=[{"Type": "CHILD", "Ids": ["v", "w"]}]),
    block("WORD", "v", BOX_PAIRS, "CARE", 50), block("WORD", "w", SLANTED_PAIRS, "of", 25),
]}  # fmt: skip


class TestTextract:
    def test_words_have_shares_of_the_photograph(self):
        archive = opened(TEXTRACT, sizes=lambda: {"img_1": SIZE})
        assert (archive.format, what(archive)) == ("textract", BOTH)
        assert {of.parent for of in archive.regions["img_1"]} == {"l"}
        pack = zip_bytes({"img_1.json": dumped(TEXTRACT), "img_1.png": picture_bytes(*SIZE)})
        assert what(opened(pack, "textract.zip")) == BOTH

    def test_lines_are_read_by_choice(self):
        archive = opened(TEXTRACT, format="textract-lines", sizes=lambda: {"img_1": SIZE})
        assert what(archive) == [(BOX, "CARE of", 0.4)]

    def test_a_box_is_read_where_there_is_no_polygon(self):
        box = {"BoundingBox": {"Left": 0.19, "Top": 0.43, "Width": 0.44, "Height": 0.17}}
        data = {"Blocks": [{"BlockType": "WORD", "Text": "CARE", "Geometry": box}]}
        assert what(opened(data, sizes=lambda: {"img_1": SIZE})) == [(BOX, "CARE", None)]

    def test_pages_of_several_answers_are_images(self):
        second = {
            "Blocks": [block("WORD", "x", BOX_PAIRS, "CARE", 50, Page=2)],
            "NextToken": "more",
        }
        sizes = {"scan_1": SIZE, "scan_2": SIZE}
        archive = opened([TEXTRACT, second], "scan.json", sizes=lambda: sizes)
        assert (what(archive, "scan_1"), what(archive, "scan_2")) == (BOTH, BOTH[:1])
        assert [of.expected for of in archive.warnings] == ["a list of all answers"]


def flat(pairs):
    return [value for pair in pairs for value in pair]


AZURE_READ = {"status": "succeeded", "analyzeResult": {"version": "3.2", "readResults": [
    {"page": 1, "angle": 0, "width": 200, "height": 100, "unit": "pixel", "lines": [
        {"boundingBox": flat(BOX_PAIRS), "text": "CARE of", "words": [
            {"boundingBox": flat(BOX_PAIRS), "text": "CARE", "confidence": 0.5},
            {"boundingBox": flat(SLANTED_PAIRS), "text": "of", "confidence": 0.25}]}]}]}}  # fmt: skip
DOCUMENT_INTELLIGENCE = {"analyzeResult": {"apiVersion": "2024-11-30", "modelId": "prebuilt-read", "content": "CARE of", "pages": [
    {"pageNumber": 1, "width": 200, "height": 100, "unit": "pixel",
     "words": [{"content": "CARE", "polygon": flat(BOX_PAIRS), "confidence": 0.5},
               {"content": "of", "polygon": flat(SLANTED_PAIRS), "confidence": 0.25}],
     "lines": [{"content": "CARE of", "polygon": flat(BOX_PAIRS)}]}]}}  # fmt: skip
IMAGE_ANALYSIS = {"metadata": {"width": 200, "height": 100}, "readResult": {"blocks": [{"lines": [
    {"text": "CARE of", "boundingPolygon": xy(BOX_PAIRS), "words": [
        {"text": "CARE", "boundingPolygon": xy(BOX_PAIRS), "confidence": 0.5},
        {"text": "of", "boundingPolygon": xy(SLANTED_PAIRS), "confidence": 0.25}]}]}]}}  # fmt: skip


class TestAzure:
    @cases("data", [AZURE_READ, DOCUMENT_INTELLIGENCE, IMAGE_ANALYSIS])
    def test_words_and_lines_of_each_version_are_read(self, data):
        archive = opened(data)
        assert (archive.format, what(archive), archive.sizes) == (
            "azure-read",
            BOTH,
            {"img_1": SIZE},
        )
        assert what(opened(data, format="azure-read-lines")) == [(BOX, "CARE of", None)]

    def test_inches_become_shares_of_the_picture(self):
        page = {"width": 2, "height": 1, "unit": "inch"}
        word = {"content": "CARE", "polygon": [of / 100 for of in flat(BOX_PAIRS)]}
        data = {"analyzeResult": {"pages": [page | {"words": [word]}, page | {"words": []}]}}
        archive = opened(data, "scan.json", sizes=lambda: {"scan_1": SIZE, "scan_2": SIZE})
        assert (what(archive, "scan_1"), what(archive, "scan_2")) == ([(BOX, "CARE", None)], [])
        [problem] = opened(data, "scan.json").errors
        assert "whose size is not known (scan_1)" in problem.found


def shares(pairs):
    return [[x / 200, y / 100] for x, y in pairs]


DOCTR = {"pages": [{"page_idx": 0, "dimensions": [100, 200], "orientation": {"value": None}, "blocks": [
    {"geometry": shares([[38, 43], [126, 90]]), "lines": [{"geometry": shares([[38, 43], [126, 60]]), "words": [
        {"value": "CARE", "confidence": 0.5, "geometry": shares([[38, 43], [126, 60]])},
        {"value": "of", "confidence": 0.25, "geometry": shares(SLANTED_PAIRS)}]}]}]}]}  # fmt: skip


class TestDoctr:
    def test_words_and_lines_are_shares_of_the_page(self):
        archive = opened(DOCTR)
        assert (archive.format, what(archive), archive.sizes) == ("doctr", BOTH, {"img_1": SIZE})
        assert what(opened(DOCTR, format="doctr-lines")) == [(BOX, "CARE of", None)]

    def test_predictions_of_key_information_are_words(self):
        word = DOCTR["pages"][0]["blocks"][0]["lines"][0]["words"][0]
        data = {
            "pages": [{"page_idx": 0, "dimensions": [100, 200], "predictions": {"words": [word]}}]
        }
        assert what(opened(data)) == BOTH[:1]

    def test_labels_of_a_data_set_are_truth_in_pixels(self):
        data = {
            "img_1.jpg": {"img_dimensions": [100, 200], "img_hash": "x", "polygons": [BOX_PAIRS]},
            "img_2.jpg": {
                "img_dimensions": [100, 200],
                "polygons": {"words": [BOX_PAIRS], "dates": []},
            },
        }
        assert guess(io.BytesIO(dumped(data)), "labels.json").kind == "truth"
        archive = opened(data, "labels.json", "truth")
        assert what(archive) == [(BOX, None, None)]
        assert [of.label for of in archive.regions["img_2"]] == ["words"]
        assert archive.sizes == {"img_1": SIZE, "img_2": SIZE}


SURYA = {"img_1": [{"page": 1, "image_bbox": [0, 0, 200, 100], "languages": ["en"], "text_lines": [
    {"polygon": BOX_PAIRS, "bbox": [38, 43, 126, 60], "text": "CARE", "confidence": 0.5,
     "words": [{"polygon": SLANTED_PAIRS, "text": "C", "confidence": 0.25}]},
    {"polygon": SLANTED_PAIRS, "bbox": [38, 70, 80, 90], "text": "of", "confidence": 0.25}]}]}  # fmt: skip


class TestSurya:
    def test_lines_are_read_and_words_by_choice(self):
        archive = opened(SURYA, "results.json")
        assert (archive.format, what(archive), archive.sizes) == ("surya", BOTH, {"img_1": SIZE})
        assert what(opened(SURYA, format="surya-words")) == [(SLANTED, "C", 0.25)]

    def test_detections_of_several_pages_are_read(self):
        page = {"bboxes": [{"bbox": [38, 43, 126, 60], "polygon": BOX_PAIRS, "confidence": 0.5}]}
        archive = opened({"scan": [page, {"bboxes": []}]}, "results.json")
        assert archive.format == "surya"
        assert (what(archive, "scan_1"), what(archive, "scan_2")) == ([(BOX, None, 0.5)], [])


VIA_3 = {
    "project": {"pid": "__VIA_PROJECT_ID__", "data_format_version": "3.1.1", "vid_list": ["1", "2"]}, "config": {},
    "attribute": {"1": {"aname": "TEXT", "anchor_id": "FILE1_Z0_XY1", "type": 1, "options": {}},
                  "2": {"aname": "Type", "anchor_id": "FILE1_Z0_XY1", "type": 3, "options": {"0": "sign", "1": "book"}}},
    "file": {"1": {"fid": 1, "fname": "a/img_1.jpg", "type": 2}, "2": {"fid": 2, "fname": "img_2.jpg", "type": 2}},
    "view": {"1": {"fid_list": ["1"]}, "2": {"fid_list": ["2"]}},
    "metadata": {"1_a": {"vid": "1", "flg": 0, "z": [], "xy": [2, 38, 43, 88, 17], "av": {"1": "CARE", "2": "1"}},
                 "1_b": {"vid": "1", "flg": 0, "z": [], "xy": [7, 40, 70, 80, 74, 78, 90, 38, 86], "av": {"1": "of"}},
                 "1_c": {"vid": "1", "flg": 0, "z": [], "xy": [], "av": {"1": "about the image"}}},
}  # fmt: skip
VIA_3_CSV = (
    "# Exported using VGG Image Annotator (http://www.robots.ox.ac.uk/~vgg/software/via)\n"
    '# ATTRIBUTE = {"1":{"aname":"TEXT","options":{}},"2":{"aname":"Type","options":{"0":"sign","1":"book"}}}\n'
    "# CSV_HEADER = metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata\n"
    '"1_a","[""img_1.jpg""]",0,"[]","[2,38,43,88,17]","{""1"":""CARE"",""2"":""1""}"\n'
    '"1_b","[""img_1.jpg""]",0,"[]","[7,40,70,80,74,78,90,38,86]","{""1"":""of""}"\n'
)
VIA_2_CSV = (
    "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n"
    'img_1.jpg,9,"{}",2,0,"{""name"":""rect"",""x"":38,""y"":43,""width"":88,""height"":17}","{""text"":""CARE"",""type"":""book""}"\n'
    'img_1.jpg,9,"{}",2,1,"{""name"":""polygon"",""all_points_x"":[40,80,78,38],""all_points_y"":[70,74,90,86]}","{""text"":""of""}"\n'
    'img_2.jpg,9,"{}",0,0,"{}","{}"\n'
)


class TestVia:
    @cases("data", [VIA_3, VIA_3_CSV.encode(), VIA_2_CSV.encode()])
    def test_projects_of_version_3_and_tables_are_read(self, data):
        archive = opened(data, "via.x", "truth")
        assert (archive.format, archive.problems) == ("via", ())
        assert what(archive) == [(BOX, "CARE", None), (SLANTED, "of", None)]
        assert [of.label for of in archive.regions["img_1"]] == ["book", None]
        assert archive.regions.get("img_2", ()) == ()

    def test_four_extreme_points_are_a_box(self):
        shape = [8, 60, 43, 126, 50, 70, 60, 38, 55]
        data = VIA_3 | {"metadata": {"1_a": {"vid": "1", "xy": shape, "av": {}}}}
        assert what(opened(data, kind="truth")) == [(BOX, None, None)]

    @cases(
        ("change", "code"),
        [
            ({"metadata": {"1_a": {"vid": "1", "xy": [3, 9, 9, 5], "av": {}}}}, "L1"),
            ({"metadata": {"1_a": {"vid": "7", "xy": [2, 0, 0, 5, 5], "av": {}}}}, "N2"),
            ({"view": {"1": {"fid_list": ["7"]}}}, "S3"),
            ({"file": 5}, "A1"),
        ],
    )
    def test_what_is_no_region_of_an_image_is_refused(self, change, code):
        assert [of.code for of in opened(VIA_3 | change, kind="truth").errors][:1] == [code]

    def test_a_fault_of_a_table_has_its_line(self):
        [problem] = opened(VIA_3_CSV.replace("[2,38", "[5,38").encode(), "via.csv", "truth").errors
        assert (problem.code, problem.line) == ("L1", 4)


PLACE = {"original_width": 200, "original_height": 100}
PER_CENT = {"x": 19, "y": 43, "width": 44, "height": 17, "rotation": 0}
SLANTED_PER_CENT = [[20, 70], [40, 74], [39, 90], [19, 86]]
SHORT = [{"ocr": "/data/upload/1/0a1b2c3d-img_1.jpg", "id": 7, "annotator": 1,
          "bbox": [PER_CENT | PLACE],
          "label": [{**PER_CENT, **PLACE, "labels": ["Sign"]}, {"points": SLANTED_PER_CENT, **PLACE, "labels": ["###"]}],
          "transcription": ["CARE", "of"], "annotation_id": 3, "lead_time": 1.5}]  # fmt: skip
FULL = [{"id": 7, "data": {"image": "/data/local-files/?d=a/img_1.jpg"}, "annotations": [
    {"was_cancelled": True, "result": []},
    {"was_cancelled": False, "result": [
        {"id": "a", "type": "rectangle", "from_name": "bbox", "to_name": "image", **PLACE, "value": PER_CENT},
        {"id": "a", "type": "labels", "from_name": "label", "to_name": "image", **PLACE, "value": {**PER_CENT, "labels": ["Sign"]}},
        {"id": "a", "type": "textarea", "from_name": "transcription", "to_name": "image", **PLACE, "value": {**PER_CENT, "text": ["CARE"]}},
        {"id": "b", "type": "polygonlabels", "from_name": "label", "to_name": "image", **PLACE,
         "value": {"points": SLANTED_PER_CENT, "polygonlabels": ["###"], "text": "of"}},
        {"id": "c", "type": "choices", "from_name": "kind", "to_name": "image", "value": {"choices": ["street"]}}]}]}]  # fmt: skip


class TestLabelStudio:
    @cases("data", [SHORT, FULL])
    def test_tasks_are_read_whole_and_short(self, data):
        assert guess(io.BytesIO(dumped(data)), "export.json").kind == "truth"
        archive = opened(data, "export.json", "truth")
        assert (archive.format, archive.sizes) == ("label-studio", {"img_1": SIZE})
        skipped = ["1 annotation that was skipped, or is a draft (first in img_1)"]
        found = [problem.found for problem in archive.problems]
        assert found == (skipped if "annotations" in data[0] else [])
        assert what(archive) == [(BOX, "CARE", None), (SLANTED, "of", None)]
        assert [(of.label, of.ignored) for of in archive.regions["img_1"]] == [
            ("Sign", False),
            ("###", True),
        ]

    def test_a_box_turns_about_its_corner(self):
        # By a right angle clockwise: 20 px to the right become 20 px down.
        box = {"x": 50, "y": 40, "width": 10, "height": 10, "rotation": 90, **PLACE}
        assert what(opened([{"image": "img_1.jpg", "label": [box]}], kind="truth")) == [
            ((100, 40, 100, 60, 90, 60, 90, 40), None, None)
        ]

    def test_without_its_size_an_image_needs_its_photograph(self):
        task = {"image": "img_1.jpg", "label": [PER_CENT]}
        given = {"format": "label-studio", "kind": "truth"}
        assert what(opened([task], sizes=lambda: {"img_1": SIZE}, **given)) == [(BOX, None, None)]
        assert opened([task], **given).errors[0].code == "S3"
        turned = [task | {"label": [PER_CENT | {"rotation": 5}]}]
        assert guess(io.BytesIO(dumped(turned)), "export.json").format == "label-studio"
        assert opened(turned, **given).errors[0].expected == '"original_width"'

    def test_texts_that_cannot_be_told_apart_are_left_out_with_a_warning(self):
        archive = opened([SHORT[0] | {"transcription": ["CARE"]}], kind="truth")
        assert [of.code for of in archive.warnings] == ["S3"]
        assert [of.text for of in archive.regions["img_1"]] == [None, None]


BDD = [{"name": "img_1.jpg", "labels": [
    {"id": "1", "category": "sign", "box2d": {"x1": 38, "y1": 43, "x2": 126, "y2": 60}, "score": 0.5},
    {"id": "2", "category": "sign", "attributes": {"crowd": True}, "poly2d": [{"vertices": SLANTED_PAIRS, "types": "LLLL", "closed": True}]},
]}, {"name": "b.jpg", "labels": None}]  # fmt: skip


@cases("data", [BDD, {"frames": BDD, "config": {}}])
def test_frames_of_bdd_are_read(data):
    archive = opened(data, "bdd.json")
    assert (archive.format, archive.regions["b"]) == ("bdd", ())
    assert what(archive) == [(BOX, None, 0.5), (SLANTED, None, None)]
    assert [of.ignored for of in archive.regions["img_1"]] == [False, True]


FUNSD = {"form": [{"id": 3, "box": [38, 43, 126, 60], "text": "CARE of", "label": "question", "linking": [],
                   "words": [{"box": [38, 43, 126, 60], "text": "CARE"}]}]}  # fmt: skip
XFUND = {
    "lang": "fr",
    "documents": [
        {
            "id": "fr_0",
            "img": {"fname": "img_1.jpg", "width": 200, "height": 100},
            "document": FUNSD["form"],
        }
    ],
}


@cases("data", [FUNSD, XFUND])
def test_words_of_forms_are_read_and_entities_by_choice(data):
    assert guess(io.BytesIO(dumped(data)), "img_1.json").kind == "truth"
    archive = opened(data, kind="truth")
    assert (archive.format, what(archive)) == ("funsd", [(BOX, "CARE", None)])
    assert archive.regions["img_1"][0].parent == "3"
    entities = opened(data, kind="truth", format="funsd-entities")
    assert what(entities) == [(BOX, "CARE of", None)]
    assert (entities.regions["img_1"][0].id, entities.regions["img_1"][0].label) == (
        "3",
        "question",
    )


def test_boxes_of_msra_turn_about_their_centres():
    # (82, 51.5) is the centre of the first. The second turns by a right angle.
    content = zip_bytes({"img_1.gt": "0 0 38 43 88 17 0.0\n1 1 100 40 20 10 1.5707963267948966\n"})
    archive = opened(content, "td500.zip", "truth")
    assert (archive.format, archive.problems) == ("msra-td500", ())
    assert what(archive) == [(BOX, None, None), ((115, 35, 115, 55, 105, 55, 105, 35), None, None)]
    assert [of.ignored for of in archive.regions["img_1"]] == [False, True]


OPEN_IMAGES = (
    b"ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside\n"
    b"img_1,xclick,/m/a,1,0.19,0.63,0.43,0.6,0,0,0,0,0\nimg_1,xclick,/m/a,1,0,0.5,0,0.5,0,0,1,0,0\n"
)


def test_boxes_of_open_images_are_shares():
    archive = opened(OPEN_IMAGES, "boxes.csv", "truth", sizes=lambda: {"img_1": SIZE})
    assert (archive.format, what(archive)[0]) == ("open-images", (BOX, None, None))
    assert [of.ignored for of in archive.regions["img_1"]] == [False, True]
    assert opened(OPEN_IMAGES, "boxes.csv", "truth").errors[0].code == "S3"


def test_a_folder_is_read_as_a_zip_of_its_files(tmp_path):
    folder = tmp_path / "engine"
    (folder / "more").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "a.json").write_text("{}")
    (folder / "img_1.json").write_bytes(dumped(TEXTRACT))
    (folder / "more" / "img_2.json").write_bytes(dumped({"Blocks": []}))
    (folder / "img_1.png").write_bytes(picture_bytes(*SIZE))
    assert guess(folder).format == "textract"
    archive = read(folder, kind="results")
    assert (archive.name, what(archive), archive.regions["img_2"]) == ("engine", BOTH, ())


def test_results_in_shares_have_the_sizes_of_their_truth(tmp_path, capsys):
    truth, found, table = tmp_path / "gt.json", tmp_path / "textract", tmp_path / "scores.csv"
    found.mkdir()
    (found / "img_1.json").write_bytes(dumped(TEXTRACT))
    image = {"id": 1, "file_name": "img_1.jpg", "width": 200, "height": 100}
    words = [{"image_id": 1, "segmentation": [of]} for of in (BOX, SLANTED)]
    truth.write_bytes(dumped({"images": [image], "annotations": words}))
    arguments = ["score", "--protocol", "iou", "--truth", str(truth), "--results", str(found)]
    for more in ([], ["--results-format", "textract"]):
        assert main([*arguments, *more, "--out", str(table)]) == 0
        assert "iou,textract,*,1.0,1.0,1.0" in table.read_text()
    (found / "img_1.json").write_bytes(dumped({"Blocks": []}))
    assert main([*arguments, "--out", str(table)]) == 0
    assert "iou,textract,*,0.0" in table.read_text()


@cases(
    ("name", "content", "look"),
    [
        ("a.json", b'{"input_path": "a.jpg", "rec_text": "CARE", "rec_score": 0.9}', "PaddleOCR's texts without boxes"),
        ("a.json", b'{"rec_texts": ["CARE"], "rec_scores": [0.9]}', "MMOCR's texts without boxes"),
        ("a.json", b'{"pages": [{"index": 0, "markdown": "# CARE"}]}', "Markdown without boxes, as of Mistral OCR"),
        ("a.json", b'["CARE", "of"]', "a list of texts without boxes"),
        ("rec_gt.txt", b"img/a.jpg\tCARE\nimg/b.jpg\tof\n", "PaddleOCR's texts without boxes"),
        ("predicts.txt", b"img/a.jpg\tCARE\t0.98\n", "PaddleOCR's texts without boxes"),
        ("a.jsonl", b'{"text": "CARE", "attributes": {"pdf_page_numbers": [[0, 4, 1]]}}', "texts without boxes, as of olmOCR"),
        ("a.json", b'{"found": [1, 2]}', "JSON of no known format"),
        ("a.txt", b"CARE\nof\n", "the text of one image; all such files belong in one zip"),
        ("a.md", b"# CARE\nof\n", "text of no known format"),
        ("a.bin", b"\x01\x00\x02", "a file of no known format, which is not text"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_named_with_what_to_do(name, content, look):
    [problem] = opened(content, name).errors
    assert (problem.code, problem.found) == ("A1", f"what looks like {look}")
    assert "image,left,top,right,bottom,text,confidence" in problem.expected


@cases(
    ("slug", "data", "code"),
    [
        *((slug, [5], "A1") for slug in ("google-vision", "textract", "paddle-json")),
        *((slug, 5, "A1") for slug in ("azure-read", "doctr", "surya")),
        ("google-vision", {"textAnnotations": [{}, {}]}, "L1"),
        ("google-vision", {"fullTextAnnotation": {"pages": 5}}, "L1"),
        ("textract", {"Blocks": [{"BlockType": "WORD", "Geometry": {"Polygon": [5]}}]}, "L1"),
        ("textract", {"Blocks": [{"BlockType": "WORD", "Geometry": {"Polygon": [{}, {}, {}]}, "Confidence": "high"}]}, "L2"),
        ("textract", {"Blocks": [{"Page": "two"}]}, "L2"),
        ("azure-read", {"readResult": {"blocks": [{"lines": [{"words": [{"text": "a"}]}]}]}}, "L1"),
        ("azure-read", {"analyzeResult": {"pages": [{"unit": "inch", "width": 0, "height": 1}]}}, "L4"),
        ("doctr", {"a.jpg": 5}, "A1"),
        ("surya", {"a": [{}]}, "A1"),
        ("surya", {"a": [{"bboxes": [{"bbox": [9, 9, 5, 5]}]}]}, "L4"),
        ("paddle-json", {"rec_polys": 5}, "L1"),
        ("tesseract-tsv", b"a\tb\n", "A1"),
        ("tesseract-tsv", TSV.replace("50.0", "high").encode(), "L2"),
        ("tesseract-tsv", TSV.replace("50.0", "500").encode(), "L3"),
        ("tesseract-tsv", TSV.replace("\t88\t", "\t-1\t").encode(), "L4"),
        ("tesseract-tsv", TSV.replace("\t88\t", "\t").encode(), "L1"),
        ("tesseract-box", b"C 38 40\n", "L1"),
        ("label-studio", [5], "A1"),
        ("label-studio", [{"id": 5}], "S3"),
        ("label-studio", [{"image": "a.jpg", "label": [{"rle": [1]}]}], "L1"),
        ("label-studio", [{"image": "a.jpg", "label": [PER_CENT | {"width": -1}]}], "L4"),
        ("bdd", [{"labels": []}], "A1"),
        ("bdd", [{"name": "a", "labels": [{"poly2d": []}]}], "L1"),
        ("bdd", BDD + BDD, "N3"),
        ("funsd", [], "A1"),
        ("funsd", {"documents": [{}]}, "A1"),
        ("funsd", {"documents": [{"document": []}]}, "S3"),
        ("funsd", {"form": [{"words": [{"box": [1, 2]}]}]}, "L1"),
        ("msra-td500", b"0 0 38 43 88 17\n", "L1"),
        ("msra-td500", b"0 0 38 43 -1 17 0\n", "L4"),
        ("open-images", b"image,left\n", "A1"),
        ("open-images", OPEN_IMAGES.replace(b"0.63", b"0.1"), "L4"),
        ("via", b"a,b\n1,2\n", "L1"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(slug, data, code):
    assert code in {problem.code for problem in opened(data, "x", format=slug).errors}


def test_reading_of_lines_is_a_choice_beside_that_of_words():
    for slug in FORMATS:
        assert not slug.endswith("-lines") or slug.removesuffix("-lines") in FORMATS


def word_at(page, **names):
    return names | {"words": [{"content": f"page {page}", "polygon": [1, 1, 9, 1, 9, 9, 1, 9]}]}


def test_pages_have_their_own_numbers_in_whatever_order_they_are_listed():
    pages = [word_at(2, pageNumber=2), word_at(1, pageNumber=1)]
    found = opened({"analyzeResult": {"pages": pages}}, "a.json").regions
    assert {name: of[0].text for name, of in found.items()} == {"a_1": "page 1", "a_2": "page 2"}
    box = [[0.1, 0.1], [0.2, 0.2]]
    words = {number: {"value": f"page {number}", "geometry": box} for number in (1, 2)}
    pages = [
        {"page_idx": at, "dimensions": [9, 9], "blocks": [{"lines": [{"words": [words[at + 1]]}]}]}
        for at in (1, 0)
    ]
    found = opened({"pages": pages}, "a.json").regions
    assert {name: of[0].text for name, of in found.items()} == {"a_1": "page 1", "a_2": "page 2"}


INCHES = {"unit": "inch", "words": [{"content": "A", "polygon": [1, 1, 2, 1, 2, 2, 1, 2]}]}
SHARE = {"BoundingBox": {"Left": 0.1, "Top": 0.1, "Width": 0.3, "Height": 0.1}}
TURNED = {"image": "img_1.jpg", "label": [PER_CENT | {"rotation": 10}]}
UNSURE = {"value": "A", "confidence": "high", "geometry": [[0.1, 0.1], [0.2, 0.2]]}


@cases(
    ("slug", "data", "said"),
    [
        ("label-studio", [TURNED],
         "found a box that is turned, without the size of its image (region 1 of img_1); expected "
         "\"original_width\"."),
        ("azure-read", {"analyzeResult": {"pages": [INCHES]}},
         "found “None”; expected width of a page in inches."),
        ("azure-read", {"analyzeResult": {"pages": [word_at(1, pageNumber=2, angle=90)]}},
         "found page 2 rotated by 90°, without its size; expected width and height of the page, or a "
         "page that is upright."),
        ("azure-read", {"analyzeResult": {"pages": [INCHES | {"pageNumber": "two"}]}},
         "found “two”; expected a number from 1 as pageNumber."),
        ("azure-read", {"analyzeResult": {"pages": [word_at(1, pageNumber=1)] * 2}},
         "found a second image “a”; expected each image once."),
        ("textract", {"Blocks": [{"BlockType": "WORD", "Text": "A", "Geometry": SHARE}]},
         "found shares of 1 image whose size is not known (a); expected the photographs, in the same "
         "load or in the zip itself."),
        ("doctr", {"pages": [{"dimensions": [9, 9], "blocks": [{"lines": [{"words": [UNSURE]}]}]}]},
         "found “high” (region 1 of a); expected a confidence."),
        ("doctr", {"pages": [{"blocks": []}]},
         "found a page without dimensions; expected [height, width]."),
        ("textract", b'{"Blocks": [' + b'{"BlockType": "WORD"},' * 400_000,
         "line 1: found no JSON: Expecting value; expected a JSON document."),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_with_its_place_and_what_was_expected(slug, data, said):
    [problem] = opened(data, "a.json", format=slug).errors
    assert str(problem).removeprefix("a.json").lstrip(":, ") == said


def labelled(*labels, **more):
    return {
        "shapes": [{"label": label, "points": [[0, 0], [9, 0], [9, 9]]} | more for label in labels]
    }


def test_labels_that_may_be_texts_are_asked_about():
    texts = labelled("CARE", "EXIT", "OPEN")
    [question] = opened(texts).questions
    assert question.found == "3 different labels and no descriptions"
    assert "labelme-text if they are texts" in question.expected
    as_texts, as_kinds = (opened(texts, format=slug) for slug in ("labelme-text", "labelme"))
    assert [(of.text, of.label) for of in as_texts.regions["img_1"]] == [
        ("CARE", None), ("EXIT", None), ("OPEN", None)
    ]  # fmt: skip
    assert [of.label for of in as_kinds.regions["img_1"]] == ["CARE", "EXIT", "OPEN"]
    assert not as_texts.problems or not as_texts.questions
    assert opened(labelled("CARE", "EXIT")).questions[0].found.startswith("2 different labels")


@cases(
    "data",
    [labelled("text", "text", "text"), labelled("sign", "door", "car", "car", "car", "car"),
     labelled("a", "b", "c", description="CARE")],
)  # fmt: skip
def test_labels_that_are_kinds_or_have_descriptions_are_not_asked_about(data):
    assert opened(data).questions == ()
