"""Reading the competition's files: what is read, what is odd, what is refused, and where."""

import io
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from protocols.formats.containers.archives import Limits, open_archive, opened_once
from protocols.formats.containers.contents import LineFormat
from protocols.formats.problems import Problems
from protocols.formats.readers.rrc import read_archive
from protocols.formats.readers.rrc_lines import Rules
from protocols.formats.readers.scores import read_scores
from tests.support.archives import zip_bytes
from tests.support.cases import cases, listed
from tests.support.shared import shared_path


def read(content, kind="truth", name="set.zip", limits=None, **rules):
    if not isinstance(content, bytes):
        content = zip_bytes(content)
    return read_archive(
        io.BytesIO(content), kind=kind, name=name, rules=Rules(**rules), limits=limits
    )


def truth(text, **rules):
    return read({"gt_img_1.txt": text}, **rules)


def results(text, **rules):
    return read({"res_img_1.txt": text}, kind="results", **rules)


def only_region(archive):
    assert not archive.errors, archive.errors
    [region] = archive.regions["img_1"]
    return region


@cases(
    ("line", "text", "ignored"),
    [
        ("1,2,30,40,word", "word", False),
        ('1, 2, 30, 40, "word"', "word", False),
        ('1,2,30,40,"a \\"b\\" \\\\ c"', 'a "b" \\ c', False),
        ("1,2,30,40,a,b", "a,b", False),
        ("1,2,30,40,", "", False),
        ("1,2,30,40,###", "###", True),
        ('1,2,30,40,"###"', "###", True),
        ("1,2,30,40, ###", " ###", False),
        ('1 2 30 40 "word"', "word", False),
        ("-1,-2,30,40,word", "word", False),
        ("1,2,1,2,word", "word", False),
        ("1.5,2,30,40.25,word", "word", False),
    ],
)
def test_lines_of_ground_truth(line, text, ignored):
    region = only_region(truth(line))
    assert (region.text, region.ignored) == (text, ignored)


def test_a_number_at_the_end_of_results_is_a_confidence_if_it_is_one_everywhere():
    sure = read({"res_a.txt": "0,0,9,9,0.5\n1,1,5,5,1", "res_b.txt": "0,0,9,9,.25"}, kind="results")
    assert [r.confidence for r in (*sure.regions["a"], *sure.regions["b"])] == [0.5, 1, 0.25]
    text = read({"res_a.txt": "0,0,9,9,0.5\n1,1,5,5,word"}, kind="results")
    assert [(r.confidence, r.text) for r in text.regions["a"]] == [(None, "0.5"), (None, "word")]


def test_other_encodings_are_read_without_a_loss_and_counted():
    archive = read(
        {
            "gt_img_1.txt": b"\xef\xbb\xbf0,0,9,9,a\r\n\r\n",
            "gt_img_2.txt": "0,0,9,9,Caf\xe9\n".encode("cp1252"),
            "gt_img_3.txt": "0,0,9,9,\u4e1c\u4eac\n".encode("gb18030"),
            "gt_img_4.txt": "0,0,9,9,a\r0,0,8,8,b\r",
        },
    )
    assert not archive.errors
    texts = [[region.text for region in regions] for regions in archive.regions.values()]
    assert texts == [["a"], ["Caf\xe9"], ["\u4e1c\u4eac"], ["a", "b"]]
    # Marks and line ends are no problem, and not listed as one.
    assert [warning.found for warning in archive.warnings] == [
        "texts in Windows-1252, such as “Caf\xe9”, in 1 file",
        "texts in GB 18030, such as “\u4e1c\u4eac”, in 1 file",
    ]


def test_semicolons_between_the_fields_are_read():
    archive = read({"gt_img_1.txt": "0;0;9;9;a;b\n1; 1; 8; 8; c\n"})
    assert [(r.box, r.text) for r in archive.regions["img_1"]] == [
        ((0, 0, 9, 9), "a;b"),
        ((1, 1, 8, 8), " c"),
    ]
    assert next(warning.found for warning in archive.warnings).startswith("semicolons")


def test_names_of_files_in_capitals_are_read_if_all_are():
    names = {"RES_IMG_1.TXT": "", "RES_IMG_2.TXT": ""}
    archive = read(names, kind="results")
    assert (list(archive.regions), archive.problems) == (["IMG_1", "IMG_2"], ())
    twice = read({"RES_IMG_1.TXT": "", "res_IMG_1.csv": ""}, kind="results")
    assert twice.errors


def test_images_come_in_natural_order_under_their_own_names():
    archive = read({f"data/gt_img_{n}.txt": "" for n in (10, 2, 1)})
    assert list(archive.regions) == ["img_1", "img_2", "img_10"]
    assert list(read({"1002.txt": "", "1001.txt": ""}).regions) == ["1001", "1002"]


@cases(
    ("text", "code", "found", "expected"),
    listed(__file__, "a_line_that_cannot_be_read_is_refused_with_its_place"),
)
def test_a_line_that_cannot_be_read_is_refused_with_its_place(text, code, found, expected):
    archive = truth(f"0,0,9,0,9,9,0,9,fine\n\n{text}\n", line_format=LineFormat.QUAD)
    [problem] = archive.errors
    assert (problem.code, problem.found, problem.expected) == (code, found, expected)
    assert (problem.archive, problem.entry, problem.line) == ("set.zip", "gt_img_1.txt", 3)
    assert str(problem) == f"set.zip > gt_img_1.txt, line 3: found {found}; expected {expected}."


def test_every_fault_is_told_not_only_the_first():
    archive = results("a,b,c,d\n0,0,9\n9,9,0,0\n0,0,9,9")
    assert [(problem.code, problem.line) for problem in archive.errors] == [
        ("L2", 1),
        ("L1", 2),
        ("L4", 3),
    ]
    assert archive.n_regions == 1


@cases(
    ("strange", "offered"),
    [
        ("img_1.txt", " (perhaps res_img_1.txt)"),
        ("gt_img_1.txt", " (perhaps res_img_1.txt)"),
        ("res_img_1.csv", " (perhaps res_img_1.txt)"),
        ("RES_img_1.jpg.TXT", " (perhaps res_img_1.txt)"),
        ("notes.pdf", ""),
    ],
)
def test_results_of_a_wrong_name_are_refused_and_the_right_one_offered(strange, offered):
    [problem] = read({"res_a.txt": "", strange: ""}, kind="results").errors
    assert (problem.code, problem.entry) == ("N1", strange)
    assert problem.expected == f"res_NAME.txt{offered}"


def test_strange_files_beside_ground_truth_are_passed_over_with_a_warning():
    archive = read({"gt_a.txt": "", "readme.txt": "hello"})
    assert not archive.errors
    assert [warning.code for warning in archive.warnings] == ["N1"]


def test_limits_on_entries_and_on_all_bytes_hold():
    many = zip_bytes({f"gt_{n}.txt": "0,0,9,9,w" for n in range(5)})
    for limits in (Limits(n_entries=4), Limits(total_bytes=30)):
        assert [p.code for p in read(many, limits=limits).errors] == ["A3"]


def test_an_entry_may_be_as_large_as_the_limit_and_no_larger():
    nine = zip_bytes({"gt_1.txt": "0,0,9,9,w"})
    assert not read(nine, limits=Limits(entry_bytes=9)).errors
    assert [p.code for p in read(nine, limits=Limits(entry_bytes=8)).errors] == ["A3"]


def test_all_faults_are_counted_and_the_first_thousand_kept():
    archive = results("x\n" * 3000, line_format=LineFormat.LTRB)
    assert archive.counts["L1"] == 3000
    assert len(archive.errors) == 1000


@cases(
    ("kind", "line"),
    [
        ("truth", "0,0,9,9"),
        ("truth", "0.0,0,9,9,w"),
        ("truth", "-5,-5,-1,9,w"),
        ("results", "0,0,9,9,0.5"),
        ("results", "0,0,9.5,9"),
    ],
)
def test_under_strict_rules_is_refused_what_the_competition_refuses(kind, line):
    prefix = "gt" if kind == "truth" else "res"
    rules = {"line_format": LineFormat.LTRB, "strict": True, "confidences": False}
    assert read({f"{prefix}_img_1.txt": line}, kind=kind, **rules).errors


def test_strict_quadrilaterals_run_clockwise_or_are_degenerate():
    rules = {"line_format": LineFormat.QUAD, "strict": True, "confidences": False}
    assert not results("0,0,9,0,9,9,0,9", **rules).errors
    assert not results("0,0,9,0,0,0,9,0", **rules).errors
    [problem] = results("0,0,0,9,9,9,9,0", **rules).errors
    assert problem.code == "L7"


@given(
    st.text(max_size=200),
    st.sampled_from(LineFormat),
    st.booleans(),
    st.sampled_from(["truth", "results"]),
)
def test_no_text_makes_the_reader_raise(text, line_format, strict, kind):
    prefix = "gt" if kind == "truth" else "res"
    read({f"{prefix}_img_1.txt": text}, kind=kind, line_format=line_format, strict=strict)


def test_the_lying_size_of_an_entry_does_not_pass_the_limit():
    content = bytearray(zip_bytes({"gt_img_1.txt": "0" * 100_000}))
    # The uncompressed size in the central directory, 24 bytes behind its signature.
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (10).to_bytes(4, "little")
    assert read(bytes(content), limits=Limits(entry_bytes=1000)).errors


def test_each_reader_of_an_open_zip_is_told_what_is_wrong_with_it():
    """The directory is checked once, under the limits and the name of the reader."""
    told = []
    with opened_once(io.BytesIO(zip_bytes({"a.txt": "1,1,9,9"}) + b"\0\0")) as source:
        for name, n_entries in (("a.zip", 9), ("a.zip", 9), ("b.zip", 9), ("b.zip", 0)):
            problems = Problems(name)
            with open_archive(source, problems, Limits(n_entries=n_entries)) as archive:
                told.append(
                    (len(archive.members), [(of.archive, of.code) for of in problems.found])
                )
    empty_bytes = [(1, [(name, "A1")]) for name in ("a.zip", "a.zip", "b.zip")]
    assert told == [*empty_bytes, (0, [("b.zip", "A3")])]


def test_the_published_file_with_swapped_sides_is_refused_line_by_line():
    path = shared_path("data", "icdar2013", "invalid", "east-argman-as-published.zip")
    archive = read_archive(path, kind="results")
    assert [(p.code, p.entry, p.line) for p in archive.errors] == [
        ("L4", "res_img_35.txt", 2),
        ("L4", "res_img_130.txt", 9),
    ]


def scores(text):
    return read_scores(io.BytesIO(text.encode()), name="s.csv")


@cases(
    ("line", "code", "found"),
    [
        ("a,m,1.2,0", "S2", "“1.2” (looks like a percentage"),
        ("a,m,-0.1,0", "S2", "“-0.1”"),
        ("a,m,high,0", "L2", "“high”"),
        ("a,m,nan,0", "L3", "“nan”"),
        ("a,m,0,inf", "L3", "“inf”"),
        ("a,m,0", "L1", "3 cells"),
        (",m,0,0", "S3", "without image or method"),
        ("b,m,0,0", "N3", "b, m again"),
    ],
)
def test_a_score_that_cannot_be_is_refused_with_its_line(line, code, found):
    table = scores(f"image,method,recall,precision\nb,m,0.5,0.5\n{line}\n")
    [problem] = table.problems
    assert (problem.code, problem.line) == (code, 3)
    assert found in problem.found
    assert len(table.rows) == 1


@cases("text", ["", "image,method,recall\n", "a,b,c,d\n"])
def test_a_header_without_a_column_is_refused_by_its_name(text):
    [problem] = scores(text).problems
    assert problem.code == "L1"
    assert "precision" in problem.found


def test_a_file_of_plain_boxes_is_forgotten_when_it_is_read():
    def peak(n_images):
        lines = "\n".join(f"{at},10,{at + 5},20" for at in range(20))
        packed = zip_bytes({f"res_img_{of}.txt": lines for of in range(n_images)})
        tracemalloc.start()
        try:
            n_regions = read(packed, kind="results").n_regions
            return n_regions, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)
    (few, least), (many, most) = peak(300), peak(900)
    # A box of whole numbers has 224 bytes as a region; its share of the file's text would be one of 100.
    assert most - least < 290 * (many - few)
