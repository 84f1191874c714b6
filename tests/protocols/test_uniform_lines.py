"""Files of usual lines are read at once, and equal to what the careful reader makes of them."""

import io
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.command_line import submissions
from protocols.core.regions import Region, plain_regions
from protocols.formats.containers import archives
from protocols.formats.containers.contents import LineFormat
from protocols.formats.readers import layouts, rrc, rrc_lines
from protocols.formats.readers.rrc import read_archive
from protocols.formats.readers.rrc_lines import Rules
from tests.support.archives import zip_bytes
from tests.support.cases import cases
from tests.support.shared import shared_path

NUMBERS = st.one_of(
    st.integers(-5, 30).map(str),
    st.sampled_from(["0.5", "1", "-0", "007", "+3", " 4", "4 ", "  5", "1e3", "x", "", "nan"]),
    st.sampled_from(["999999999", "1234567890", "0000000001", "1_0", "٣", "--1"]),
)
WORDS = st.sampled_from(
    [
        "word",
        "###",
        '"a ""b"',
        '"w"',
        "",
        " ###",
        "10",
        "a,b",
        "Latin,w",
        "####w",
        "nano",
        "-",
        "é\x85",
    ]
)
USUAL = [4, 8]


@st.composite
def lines(draw):
    n = draw(st.sampled_from([*USUAL, *USUAL, 3, 5, 9, 10]))
    numbers = draw(st.lists(st.integers(-5, 30).map(str), min_size=n, max_size=n))
    if draw(st.integers(0, 5)) == 0:
        numbers[draw(st.integers(0, n - 1))] = draw(NUMBERS)
    return ",".join([*numbers, *draw(st.lists(WORDS, max_size=1))])


@st.composite
def files(draw):
    ends = draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\r"]))
    return ends.join(draw(st.lists(lines(), max_size=4))) + draw(st.sampled_from(["", ends]))


@st.composite
def whole_numbers(draw):
    """A file as most are: the same count of numbers in each line."""
    n, word = draw(st.sampled_from(USUAL)), draw(st.sampled_from([None, WORDS]))
    rows = st.lists(st.integers(-5, 30).map(str), min_size=n, max_size=n)
    if n == 4:
        rows = st.tuples(*[st.integers(0, 9)] * 2, *[st.integers(8, 30)] * 2).map(
            lambda row: list(map(str, row))
        )
    one = rows if word is None else st.tuples(rows, word).map(lambda of: [*of[0], of[1]])
    return "\n".join(map(",".join, draw(st.lists(one, max_size=5))))


@st.composite
def rules(draw):
    return Rules(
        line_format=draw(st.sampled_from([None, *LineFormat])),
        strict=draw(st.booleans()),
        confidences=draw(st.sampled_from([None, True, False])),
        transcriptions=draw(st.booleans()),
        crlf_only=draw(st.integers(0, 9)) == 0,
        keep_quotes=draw(st.booleans()),
    )


def everything(archive):
    return archive.regions, archive.problems, archive.counts, archive.lines, archive.format


def carefully(content, kind, rules):
    """Read without any of the ways that take many lines or entries at once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rrc, "read_usual", lambda *_: None)
        patched.setattr(archives, "plain_content", lambda *_: None)
        return read_archive(io.BytesIO(content), kind=kind, name="a.zip", rules=rules)


@given(
    st.lists(st.one_of(files(), whole_numbers()), min_size=1, max_size=3),
    st.sampled_from(["truth", "results"]),
    rules(),
)
def test_regions_problems_and_lines_are_those_of_the_careful_reader(texts, kind, rules):
    prefix = "gt" if kind == "truth" else "res"
    content = zip_bytes({f"{prefix}_{at}.txt": text for at, text in enumerate(texts)})
    quick = read_archive(io.BytesIO(content), kind=kind, name="a.zip", rules=rules)
    assert everything(quick) == everything(carefully(content, kind, rules))


def as_published(path, lines):
    try:
        return submissions.read_lines(path, lines)
    except (submissions.Refused, submissions.Asked) as refusal:
        return str(refusal)


@given(
    st.lists(st.one_of(files(), whole_numbers()), min_size=1, max_size=3),
    st.sampled_from(["truth", "results"]),
    st.booleans(),
    st.booleans(),
)
def test_the_published_call_reads_and_refuses_as_line_by_line(texts, kind, ltrb, with_texts):
    lines = submissions.Lines(kind, "", ltrb, texts=with_texts)
    with (
        tempfile.NamedTemporaryFile(suffix=".zip") as file,
        pytest.MonkeyPatch.context() as patched,
    ):
        file.write(zip_bytes({f"gt_{at}.txt": text for at, text in enumerate(texts)}))
        file.flush()
        quick = as_published(file.name, lines)
        patched.setattr(submissions, "read_usual", lambda *_: None)
        assert quick == as_published(file.name, lines)


@cases(("name", "kind"), [("gt", "truth"), ("pixellink", "results")])
def test_public_sets_are_those_of_the_careful_reader(name, kind):
    content = shared_path("data", "icdar2015", f"{name}.zip").read_bytes()
    quick = read_archive(io.BytesIO(content), kind=kind, name="a.zip")
    assert everything(quick) == everything(carefully(content, kind, Rules()))


def test_texts_of_numbers_and_commas_are_not_read_line_by_line(monkeypatch):
    monkeypatch.setattr(rrc_lines.LineReader, "region", None)
    content = zip_bytes({"gt_a.txt": "0,0,9,0,9,9,0,9,2015\n0,0,8,0,8,8,0,8,$5,50"})
    archive = read_archive(
        io.BytesIO(content), kind="truth", name="a.zip", rules=Rules(LineFormat.QUAD)
    )
    assert [region.text for region in archive.regions["a"]] == ["2015", "$5,50"]


def test_a_public_result_set_is_not_looked_at_line_by_line(monkeypatch):
    path = shared_path("data", "icdar2015", "pixellink.zip")
    monkeypatch.setattr(layouts, "_facts_of", None)
    assert read_archive(path, kind="results").n_regions == 2823


def test_texts_that_are_not_kept_are_unpacked_again(monkeypatch):
    content = zip_bytes({"gt_a.txt": "\ufeff0,0,9,9,a\r\n0,0,9,9,b", "gt_b.txt": "0,0,1,1,0.5,c"})
    whole = read_archive(io.BytesIO(content), kind="truth", name="a.zip")
    monkeypatch.setattr(rrc, "_MAX_HELD", 0)
    again = read_archive(io.BytesIO(content), kind="truth", name="a.zip")
    assert everything(again) == everything(whole)
    assert {problem.code for problem in whole.problems} == {"F1", "L8"}


def test_plain_regions_are_regions():
    points = [(0.0, 0.0, 9.0, 0.0, 9.0, 9.0), (1.0, 1.0, 2.0, 1.0, 2.0, 2.0)]
    assert plain_regions(points) == tuple(map(Region, points))
    assert plain_regions(points, ["a", "###"]) == (
        Region(points[0], "a"),
        Region(points[1], "###", ignored=True),
    )
    assert plain_regions([]) == ()
