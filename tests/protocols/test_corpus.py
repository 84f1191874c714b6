"""A corpus of small files as the world writes them, and what each is read as.

There is one for each published format and its usual corruptions; ``test_layouts`` has lines alone. The
expectation is written by hand from the format's own description: regions as (x of the first point,
number of points, text or None, ignored), or the first refusal.
"""

import io

from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.support.archives import zip_bytes
from tests.support.cases import cases

BOM = b"\xef\xbb\xbf"
QUAD = "10,20,60,20,60,40,10,40,word\n"
FOUND = "10,20,60,20,60,40,10,40\n"
WORD = [(10, 4, "word", False)]
BARE = [(10, 4, None, False)]


def gt(text):
    return {"gt_img_1.txt": text}


def res(text):
    return {"res_img_1.txt": text}


# Kind, "truth" or "results", the file (entries of a zip, or bytes), the format and the regions.
READ = [
    ("ICDAR 2013, commas and blanks", "truth", gt('10, 20, 60, 40, "word"\n'), "ltrb", WORD),
    ("ICDAR 2013, a quote in the text", "truth", gt('10,20,60,40,"a \\"b\\""\n'), "ltrb",
     [(10, 4, 'a "b"', False)]),
    ("ICDAR 2013, an empty text", "truth", gt('10,20,60,40,""\n'), "ltrb", [(10, 4, "", False)]),
    ("boxes with a comma and a blank behind", "results", res("10,20,60,40, \n"), "ltrb", BARE),
    ("boxes with tabs", "results", res("10\t20\t60\t40\n"), "ltrb", BARE),
    ("boxes of floats", "results", res("10.0,20.0,60.5,40.5\n"), "ltrb", BARE),
    ("boxes that begin left of the image", "results", res("-10,-20,60,40\n"), "ltrb",
     [(-10, 4, None, False)]),
    ("boxes with blank lines", "results", res("\n10,20,60,40\n\n   \n"), "ltrb", BARE),
    ("ICDAR 2015, a text that is not quite don't care", "truth", gt(QUAD.replace("word", " ###")),
     "quad", [(10, 4, " ###", False)]),
    ("ICDAR 2015, a text in quotes", "truth", gt(QUAD.replace("word", '"word"')), "quad", None),
    ("ICDAR 2015, Chinese", "truth", gt(QUAD.replace("word", "出口")), "quad",
     [(10, 4, "出口", False)]),
    ("ICDAR 2015 in UTF-16", "truth", {"gt_img_1.txt": QUAD.encode("utf-16")}, "quad", WORD),
    ("ICDAR 2015 in Latin-1", "truth", {"gt_img_1.txt": QUAD.replace("word", "café").encode("latin-1")},
     "quad", [(10, 4, "café", False)]),
    ("ICDAR 2015, old Mac line ends", "truth", gt((QUAD + QUAD.replace("10", "11")).replace("\n", "\r")),
     "quad", [*WORD, (11, 4, "word", False)]),
    ("ICDAR 2015, the last line without an end", "truth", gt(QUAD.strip()), "quad", WORD),
    ("ICDAR 2015, an image without text", "truth", {**gt(QUAD), "gt_img_2.txt": ""}, "quad", WORD),
    ("ICDAR 2015, in a folder", "truth", {"ch4_gt/gt_img_1.txt": QUAD}, "quad", WORD),
    ("ICDAR 2015, packed on a Mac", "truth",
     {**gt(QUAD), "__MACOSX/._gt_img_1.txt": b"\0\5\x16\7", ".DS_Store": b"\0"}, "quad", WORD),
    ("ICDAR 2015, a read-me beside", "truth", {**gt(QUAD), "readme.txt": "hello"}, "quad", WORD),
    ("ICDAR 2015, results without res_", "results", {"img_1.txt": FOUND}, "quad", BARE),
    # Only of boxes the competition takes a trailing comma for nothing; here it is an empty text.
    ("ICDAR 2015, results with a trailing comma", "results", res(FOUND.replace("\n", ",\n")), "quad",
     [(10, 4, "", False)]),
    ("RCTW-17", "truth", gt(QUAD.replace("word", '0,"word"') + QUAD.replace("word", '1,"a, b"')
     + QUAD.replace("word", '0,"###"')), "quad-difficult",
     [*WORD, (10, 4, "a, b", True), (10, 4, "###", True)]),
    ("Total-Text, as published", "truth",
     {"poly_gt_img1.txt": "x: [[10 40 60]], y: [[20 10 40]], ornt: [u'c'], transcriptions: [u'ART']\n"},
     "polygon", [(10, 3, "ART", False)]),
    ("CTW-1500, test set", "truth", {"0001001.txt": "10,20,40,10,60,20,60,40,35,32,10,40,####one two\n"
     "70,20,80,15,90,20,90,40,80,35,70,40,####three\n"}, "polygon",
     [(10, 6, "one two", False), (70, 6, "three", False)]),
    ("ArT", "truth", b'{"gt_1": [{"transcription": "ART", "points": [[10, 20], [40, 10], [60, 20], [40, 40]],'
     b' "language": "Latin", "illegibility": false}]}', "art-json", [(10, 4, "ART", False)]),
    ("ArT, illegible", "truth", b'{"gt_1": [{"transcription": "###", "illegibility": true,'
     b' "points": [[10, 20], [40, 10], [60, 20]], "language": "Latin"}]}', "art-json",
     [(10, 3, "###", True)]),
    ("LSVT with a BOM", "truth", BOM + b'{"gt_0": [{"transcription": "\xe5\x87\xba", "points": [[10, 20],'
     b' [60, 20], [60, 40], [10, 40]], "illegibility": false}]}', "art-json", [(10, 4, "出", False)]),
    ("ArT, results", "results", b'{"res_1": [{"points": [[10, 20], [40, 10], [60, 20]], "confidence": 0.9}]}',
     "art-json", [(10, 3, None, False)]),
    ("ReCTS", "truth", {"gt/train_ReCTS_000001.json": '{"chars": [{"ignore": 0, "transcription": "A", '
     '"points": [10, 20, 20, 20, 20, 40, 10, 40]}], "lines": [{"ignore": 0, "transcription": "AB", '
     '"points": [10, 20, 60, 20, 60, 40, 10, 40]}, {"ignore": 1, "transcription": "###", '
     '"points": [70, 20, 90, 20, 90, 40, 70, 40]}]}'}, "rects-json",
     [(10, 4, "AB", False), (70, 4, "###", True)]),
    ("HierText", "truth", b'{"info": {}, "annotations": [{"image_id": "a", "image_width": 99,'
     b' "image_height": 99, "paragraphs": [{"legible": true, "lines": [{"text": "word", "legible": true,'
     b' "words": [{"text": "word", "vertices": [[10, 20], [60, 20], [60, 40], [10, 40]], '
     b'"legible": true}]}]}]}]}', "hiertext", WORD),
    ("COCO-Text", "truth", b'{"imgs": {"1": {"id": 1, "file_name": "a.jpg", "width": 99, "height": 99}}, '
     b'"anns": {"7": {"id": 7, "image_id": 1, "bbox": [10, 20, 50, 20], "utf8_string": "word"}}}',
     "coco-json", WORD),
    ("COCO results", "results", b'[{"image_id": 1, "bbox": [10, 20, 50, 20], "score": 0.9}]', "coco-json",
     BARE),
    ("CSV with semicolons", "truth", b"image;left;top;right;bottom;text\r\na;10;20;60;40;word\r\n",
     "csv", WORD),
    ("CSV of a German spreadsheet", "truth",
     "\ufeffimage;left;top;right;bottom;text\r\na;10,0;20;60,00;40;word\r\n".encode(), "csv", WORD),
]  # fmt: skip

# Refused files: the code of the first refusal, and a part of its message.
REFUSED = [
    ("commas that divide points or decimals", "truth",
     b"image;points;text\na;10,5 20,5 60,5 20,5 60,5 40,5 10,5 40,5;word\n", "L2", "a comma in each"),
    ("a RAR archive", "truth", b"Rar!\x1a\x07\0" + b"\0" * 20, "A1", "looks like a RAR archive"),
    ("a MATLAB file", "truth", b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "A1", "looks like a MATLAB file"),
    ("MATLAB files in a zip", "truth", {"gt_img_1.mat": "", "gt_img_2.mat": ""}, "A1",
     "looks like MATLAB files"),
    ("annotations of texts", "truth", {"BB-1.a2": "T1\tHabitat 3 9\tchicken\n", "LICENSE.md": ""}, "A1",
     "looks like annotations of texts (BioNLP, brat)"),
    ("Pascal VOC without a side", "truth",
     {"a.xml": "<annotation><object><bndbox><xmin>1</xmin></bndbox></object></annotation>"}, "L1",
     "a group of fields"),
    ("CVAT without a name", "truth", b'<annotations><image id="0"/></annotations>', "A1",
     "a group of fields"),
    ("ICDAR 2003", "truth", b"<tagset><image><taggedRectangles><taggedRectangle/></taggedRectangles></image>"
     b"</tagset>", "A1", "looks like the XML of ICDAR 2003"),
    ("results that are named otherwise", "results", {"res_img_1.txt": FOUND, "img_2.txt": FOUND},
     "N1", "img_2"),
]  # fmt: skip


def opened(content, kind):
    if isinstance(content, dict):
        content, name = zip_bytes(content), "set.zip"
    else:
        name = {b"{": "set.json", b"[": "set.json", b"<": "set.xml", b"i": "set.csv"}.get(
            content.removeprefix(BOM)[:1], "set.bin"
        )
    return read(io.BytesIO(content), kind=kind, name=name), guess(io.BytesIO(content), name)


@cases(
    ("kind", "content", "format", "regions"),
    [row[1:] for row in READ],
)
def test_a_published_file_is_read_as_it_is_meant(kind, content, format, regions):
    archive, guessed = opened(content, kind)
    assert (archive.errors, archive.questions) == ((), ())
    assert (archive.format, guessed.format) == (format, format)
    found = [region for of_image in archive.regions.values() for region in of_image]
    shown = [(of.points[0], of.n_points, of.text, of.ignored) for of in found]
    assert shown == (regions or WORD)


@cases(
    ("kind", "content", "code", "found"),
    [row[1:] for row in REFUSED],
)
def test_what_is_not_read_is_refused_and_named(kind, content, code, found):
    archive, _ = opened(content, kind)
    first = archive.errors[0]
    assert first.code == code
    assert found in first.found
