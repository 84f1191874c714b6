"""Readings of published files and their usual corruptions, and questions to a person."""

import io

from protocols.formats.recognition.reading import read
from tests.support.archives import zip_bytes
from tests.support.cases import cases

QUADS = "377,117,463,117,465,130,378,130,Genaxis Theatre\n493,115,519,115,519,131,493,131,[06]\n"
IGNORED = "374,155,409,155,409,170,374,170,###\n"
FLAT = (
    "206,633,251,666,313,667,322,679,PETROSAINS\n"
    "442,373,549,369,554,386,519,390,512,239,TURKISH\n"
    "10,10,40,5,70,8,100,20,98,40,70,28,40,25,12,30,CAFE\n"
)
TRIANGLE = "10,10,40,5,70,80,ONE\n"
MLT = "72,50,141,46,142,64,72,67,Latin,Tiredness\n10,0,90,0,90,20,10,20,Arabic,###\n"
SURE = "0,0,9,0,9,9,0,9,0.93,word\n0,20,9,20,9,29,0,29,0.5,two words\n"
POLYGONS = "1,1,20,1,40,5,40,25,20,20,1,20"
FOURS = "38,43,920,215\n275,264,665,450\n"
PRICE = "0,0,90,0,90,20,0,20,"


def opened(text, kind, **more):
    content = (
        text if isinstance(text, dict) else {f"{'gt' if kind == 'truth' else 'res'}_a.txt": text}
    )
    return read(io.BytesIO(zip_bytes(content)), kind=kind, name="a.zip", **more)


# kind, lines, the format, and of each region: numbers of points, text, confidence, label, ignored.
READ = [
    # ICDAR 2013 and 2015
    ("truth", '38,43,920,215,"Tiredness"\n', "ltrb", [(4, "Tiredness", None, None, False)]),
    ("truth", "38 43 920 215 \"Tiredness\"\n", "ltrb", [(4, "Tiredness", None, None, False)]),
    ("truth", "38,43,920,215,2013\n", "ltrb", [(4, "2013", None, None, False)]),
    ("truth", '38,43,920,215,"10,000"\n', "ltrb", [(4, "10,000", None, None, False)]),
    ("truth", "38,43,920,215,\n", "ltrb", [(4, "", None, None, False)]),
    ("results", "38,43,920,215\n", "ltrb", [(4, None, None, None, False)]),
    ("results", "38,43,920,215,\n", "ltrb", [(4, None, None, None, False)]),
    ("results", "38,43,920,215,0.5\n", "ltrb", [(4, None, 0.5, None, False)]),
    ("results", "38,43,920,215,word\n1,1,2,2,2013\n", "ltrb",
     [(4, "word", None, None, False), (4, "2013", None, None, False)]),
    ("truth", QUADS, "quad",
     [(4, "Genaxis Theatre", None, None, False), (4, "[06]", None, None, False)]),
    ("truth", IGNORED, "quad", [(4, "###", None, None, True)]),
    ("truth", "\ufeff" + IGNORED.replace("\n", "\r\n"), "quad", [(4, "###", None, None, True)]),
    ("truth", PRICE + "50\n", "quad", [(4, "50", None, None, False)]),
    ("truth", PRICE + "a,5,6\n", "quad", [(4, "a,5,6", None, None, False)]),
    ("truth", PRICE + "Latin\n", "quad", [(4, "Latin", None, None, False)]),
    ("truth", PRICE + "\n", "quad", [(4, "", None, None, False)]),
    ("results", "0,0,9,0,9,9,0,9\n", "quad", [(4, None, None, None, False)]),
    ("results", "0,0,9,0,9,9,0,9,1\n", "quad", [(4, None, 1.0, None, False)]),
    ("results", "0,0,9,0,9,9,0,9,0.25\n", "quad", [(4, None, 0.25, None, False)]),
    ("results", "0.5,0,9,0,9,9,0,9\n", "quad", [(4, None, None, None, False)]),
    ("results", "0,0,9,0,9,9,0,9,word\n", "quad", [(4, "word", None, None, False)]),
    ("results", "0 0 9 0 9 9 0 9\n", "quad", [(4, None, None, None, False)]),
    # Total-Text, flat
    ("truth", FLAT, "polygon", [(4, "PETROSAINS", None, None, False),
     (5, "TURKISH", None, None, False), (8, "CAFE", None, None, False)]),
    ("truth", FLAT + TRIANGLE, "polygon", [(4, "PETROSAINS", None, None, False),
     (5, "TURKISH", None, None, False), (8, "CAFE", None, None, False), (3, "ONE", None, None, False)]),
    ("truth", FLAT.replace("CAFE", "###"), "polygon", [(4, "PETROSAINS", None, None, False),
     (5, "TURKISH", None, None, False), (8, "###", None, None, True)]),
    ("truth", FLAT.replace("CAFE", "1984"), "polygon", [(4, "PETROSAINS", None, None, False),
     (5, "TURKISH", None, None, False), (8, "1984", None, None, False)]),
    # Total-Text as published, in two spacings
    ("truth", "x: [[1 9 9]], y: [[1 1 9]], ornt: [u'c'], transcriptions: [u'A']\n", "polygon",
     [(3, "A", None, None, False)]),
    ("truth", "x: [[1, 9, 9]], y: [[1, 1, 9]], ornt: ['#'], transcriptions: ['#']\n", "polygon",
     [(3, "###", None, None, True)]),
    ("results", POLYGONS + "\n", "polygon", [(6, None, None, None, False)]),
    ("results", POLYGONS + ",0.75\n", "polygon", [(6, None, 0.75, None, False)]),
    ("results", POLYGONS + "\n0,0,9,0,9,9,0,9\n", "polygon",
     [(6, None, None, None, False), (4, None, None, None, False)]),
    # CTW-1500
    ("truth", POLYGONS + ",40,40,1,40,####a b\n", "polygon", [(8, "a b", None, None, False)]),
    # MLT 2017 and 2019
    ("truth", MLT, "quad-script",
     [(4, "Tiredness", None, "Latin", False), (4, "###", None, "Arabic", True)]),
    ("truth", PRICE + "Symbols,$\n", "quad-script", [(4, "$", None, "Symbols", False)]),
    ("truth", PRICE + "Latin,10,000\n", "quad-script", [(4, "10,000", None, "Latin", False)]),
    ("truth", MLT.replace("\n", "\r\n"), "quad-script",
     [(4, "Tiredness", None, "Latin", False), (4, "###", None, "Arabic", True)]),
    # End to end with confidences
    ("results", SURE, "quad-confidence",
     [(4, "word", 0.93, None, False), (4, "two words", 0.5, None, False)]),
    ("results", SURE + "0,40,9,40,9,49,0,49,0.7,2013\n", "quad-confidence",
     [(4, "word", 0.93, None, False), (4, "two words", 0.5, None, False), (4, "2013", 0.7, None, False)]),
    ("results", SURE + "0,40,9,40,9,49,0,49,1,end\n", "quad-confidence",
     [(4, "word", 0.93, None, False), (4, "two words", 0.5, None, False), (4, "end", 1.0, None, False)]),
    ("results", "0,0,9,9,0.5,word\n", "ltrb-confidence", [(4, "word", 0.5, None, False)]),
    ("results", "0,0,9,9,0.5,a,b\n", "ltrb-confidence", [(4, "a,b", 0.5, None, False)]),
    ("results", POLYGONS + ",0.75,word\n", "polygon-confidence", [(6, "word", 0.75, None, False)]),
    ("results", POLYGONS + ",0.75,word\n0,0,9,0,9,9,0,9,0.5,b\n", "polygon-confidence",
     [(6, "word", 0.75, None, False), (4, "b", 0.5, None, False)]),
]  # fmt: skip


def shown(archive):
    return [
        (of.n_points, of.text, of.confidence, of.label, of.ignored) for of in archive.regions["a"]
    ]


@cases(("kind", "text", "format", "regions"), READ)
def test_lines_are_read_as_they_are_meant_whether_their_format_is_named_or_not(
    kind, text, format, regions
):
    for named in (None, format):
        archive = opened(text, kind, format=named)
        assert (archive.errors, archive.questions, archive.format) == ((), (), format)
        assert shown(archive) == regions


@cases(
    ("kind", "text", "readings"),
    [
        # A price, or a fifth point far away.
        ("truth", QUADS + PRICE + "10,000\n", "polygon or quad"),
        ("truth", QUADS + PRICE + "10,Downing Street\n", "quad"),
        ("truth", QUADS * 9 + PRICE + "10,20,Street\n", "polygon or quad"),
        ("truth", "38,43,920,215,10,000\n" + '1,2,3,4,"a"\n' * 2, "ltrb"),
        ("truth", "38,43,920,215,10,000\n", "polygon or ltrb"),
        ("truth", TRIANGLE, "polygon"),
        ("truth", FOURS.replace("\n", ",a\n") + QUADS, "ltrb"),
        ("truth", FLAT.replace("CAFE", "7,CAFE"), "polygon"),
        # One line of three does not say a script.
        ("truth", MLT + QUADS.split("\n")[0] + "\n", "quad or quad-script"),
        # A class or per cent behind the coordinates is neither confidence nor text.
        ("results", FOURS.replace("\n", ",95\n"), "ltrb"),
        ("results", "0,0,9,0,9,9,0,9,15\n", "quad"),
        ("results", FOURS.replace("\n", ",0.9,2\n"), "polygon or ltrb or ltrb-confidence"),
        ("results", "0,0,9,9,1,word\n", "ltrb or ltrb-confidence"),
        ("results", "0,0,9,0,9,9,0,9,1,word\n", "quad or quad-confidence"),
        ("results", SURE + "0,40,9,40,9,49,0,49,word\n0,0,9,0,9,9,0,9,x\n", "quad"),
        ("results", "0,0,9,0,9,9,0,9,0.9,2000\n", "polygon or quad or quad-confidence"),
        # A confidence before the coordinates, or a left side of less than one pixel.
        (
            "results",
            "0.9,0,0,9,0,9,9,0,9\n1,0,40,9,40,9,49,0,49\n",
            "quad-confidence-first or quad",
        ),
        ("results", "0.93,38,43,920,215\n", "ltrb-confidence-first or ltrb"),
        # Among lines with texts a fifth point may be a text of numbers.
        ("results", PRICE + "TOTAL\n" + PRICE + "3,180.00\n", "polygon or quad"),
        # A script, or texts that begin with its name.
        ("results", MLT, "quad or quad-script"),
        ("results", MLT + PRICE + "two words\n", "quad or quad-script"),
        # Whether a word is difficult, or texts that begin with a number.
        ("truth", PRICE + "TOTAL\n" + PRICE + '0,"word"\n', "quad or quad-difficult"),
    ],
)
def test_where_two_readings_are_possible_a_person_is_asked(kind, text, readings):
    archive = opened(text, kind)
    assert not archive.errors
    [question] = archive.questions
    assert question.code == "F1"
    assert question.expected == f"your choice of how to read the lines: {readings}"
    assert question.line is not None
    for format in readings.split(" or "):
        assert not opened(text, kind, format=format).questions


@cases(
    ("format", "line"),
    [
        ("quad-confidence-first", "0.93,0,0,9,0,9,9,0,9,a,b"),
        ("ltrb-confidence-first", "0.93,0,0,9,9,a,b"),
    ],
)
def test_a_confidence_before_the_coordinates_is_read_as_one(format, line):
    archive = opened(line + "\n", "results", format=format)
    assert shown(archive) == [(4, "a,b", 0.93, None, False)]
    assert archive.regions["a"][0].points == (0, 0, 9, 0, 9, 9, 0, 9)


def test_the_last_line_of_the_last_file_counts():
    files = {f"gt_{n:03}.txt": QUADS for n in range(300)}
    archive = opened(files | {"gt_999.txt": QUADS * 60 + PRICE + "10,000\n"}, "truth")
    [question] = archive.questions
    assert (question.entry, question.line) == ("gt_999.txt", 121)


def test_one_odd_file_among_polygons_does_not_make_them_quadrilaterals():
    archive = opened({"gt_a.txt": QUADS * 3, "gt_b.txt": FLAT}, "truth")
    assert (archive.format, archive.questions) == ("polygon", ())


def test_a_script_or_a_confidence_before_the_text_is_told():
    for kind, text in (("truth", MLT), ("results", SURE)):
        [warning] = [of for of in opened(text, kind).warnings if of.code == "F1"]
        assert warning.action.startswith("read as quad-")


@cases(
    ("format", "line"),
    [
        ("quad-script", PRICE + "word"),
        ("quad-confidence", PRICE + "word"),
        ("quad-confidence", PRICE + "95,word"),
        ("ltrb-confidence", "0,0,9,9"),
    ],
)
def test_a_line_without_the_named_columns_is_refused(format, line):
    [problem] = opened(line, "truth", format=format).errors
    assert problem.code == "L1"


def test_coordinates_as_the_data_set_has_them_leave_the_text_to_be_asked():
    text = QUADS + PRICE + "10,000\n"
    archive = opened(text, "truth", shape="quad")
    assert [of.code for of in archive.questions] == ["F1"]
    assert opened("0,0,9,0,9,9,0,9\n", "results", shape="quad").format == "quad"


@cases("shape", ["quad", "polygon"])
def test_a_text_of_numbers_is_asked_about_however_the_data_set_has_its_coordinates(shape):
    text = PRICE + "TOTAL\n" + PRICE + "3,180.00\n"
    [question] = opened(text, "results", shape=shape).questions
    assert (question.code, question.line) == ("F1", 2)
    assert {"quad", "polygon"} <= set(question.expected.split())
