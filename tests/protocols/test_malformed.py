"""Malformed files: reading ends with an answer that names the fault; nothing crashes."""

import io
import zipfile

from protocols.formats.problems import CODES, problems_as_csv
from protocols.formats.readers.scores import read_scores
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import FORMATS, read
from tests.support.archives import damaged_zip, encrypted_zip, link_zip, zip_bytes
from tests.support.cases import cases
from tests.support.malformed import CASES


def test_names_of_the_cases_differ_and_there_are_enough():
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@cases("case", CASES)
def test_a_malformed_file_is_told_by_its_code(case):
    content = case.make()
    archive = read(io.BytesIO(content), kind=case.kind, format=case.format, name=case.file_name)
    told = [problem for problem in archive.problems if problem.severity == case.severity]
    assert case.code in {problem.code for problem in told}, [str(of) for of in archive.problems]
    if case.severity == "warning":
        assert not archive.errors
    for problem in archive.problems:
        assert problem.code in CODES
        assert problem.action
        assert problem.found
        assert problem.expected
        assert str(problem).isprintable()
        if problem.text is not None:
            assert len(problem.text) <= 170
            assert problem.text.isprintable()
        if problem.span is not None and problem.text is not None:
            start, end = problem.span
            assert 0 <= start <= end <= len(problem.text)
    problems_as_csv(archive.problems).encode()


@cases("case", CASES)
def test_no_other_reader_crashes_on_a_malformed_file(case):
    content = case.make()
    assert guess(io.BytesIO(content), case.file_name).reason.isprintable()
    read_scores(io.BytesIO(content), name=case.file_name)
    if len(content) < 100_000:
        for slug in FORMATS:
            read(io.BytesIO(content), kind="results", format=slug, name=case.file_name)


def test_what_only_looks_odd_is_read_without_a_word():
    """Folders, clutter, zip64 and a comment are what ordinary programs write."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", allowZip64=True) as archive:
        archive.writestr("folder/", "")
        archive.writestr("__MACOSX/._gt_a.txt", b"\0\5\26\7")
        archive.writestr("folder/.DS_Store", b"\0")
        with archive.open("folder/gt_a.txt", "w", force_zip64=True) as entry:
            entry.write(b"0,0,9,9,word\n")
        archive.comment = b"made by hand"
    archive = read(stream, kind="truth")
    assert (archive.problems, list(archive.regions), archive.n_regions) == ((), ["a"], 1)


@cases(
    ("content", "found"),
    [
        (zip_bytes({"../gt_a.txt": ""}), "a path that leaves the archive"),
        (link_zip(), "a link"),
        (encrypted_zip(), "an encrypted entry"),
        (damaged_zip(), "a damaged entry"),
        (zip_bytes({"inner.zip": ""}), "an archive inside the archive"),
    ],
)
def test_an_archive_is_refused_in_words_for_its_fault(content, found):
    [problem] = read(io.BytesIO(content), kind="truth", name="set.zip").errors
    assert problem.found.startswith(found)
