"""Bad files at every reader, and nested data at every door: a sentence, never silence or a traceback."""

import io
import warnings
from pathlib import PurePath

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import text_rankings as tr
from protocols.core.errors import ProtocolError
from protocols.formats.recognition.reading import FORMATS, read
from tests.support.archives import zip_bytes
from tests.support.cases import cases
from tests.support.factories import make_admin
from tests.support.world import signed_in

from .files_of_documents import OF_JSON, OF_XML
from .files_of_lines import OF_LINES
from .inputs import TRUTH
from .inputs_formats import PHOTOGRAPHS

FILES = {**OF_LINES, **OF_JSON, **OF_XML}
# Files that hold something else, or nothing, by kind of content.
LARGE = 10_000_000
NESTED = "[" * 5000 + "]" * 5000
BAD = {
    "json": {
        "foreign": '{"anything": 1}',
        "an empty object": "{}",
        "another list": '[{"a": 1}]',
        "empty": "",
        "nested": NESTED,
        "an object": '{"anything": "' + "x" * LARGE + '"}',
    },
    "xml": {
        "foreign": "<document><anything/></document>",
        "a root alone": "<document/>",
        "another root": "<html><body><p>words</p></body></html>",
        "empty": "",
        "nested": "<a>" * 5000 + "</a>" * 5000,
        "an object": f"<document><a>{'x' * LARGE}</a></document>",
    },
    "lines": {
        "foreign": "hello world\n",
        "another header": "a,b\nc,d\n",
        "JSON": '{"anything": 1}\n',
        "empty": "",
        "nested": NESTED,
        "an object": "7" * LARGE,
    },
}


def kind_of(name):
    if PurePath(name).suffix in (".json", ".jsonl"):
        return "json"
    return "xml" if PurePath(name).suffix in (".xml", ".hocr") else "lines"


def refusal_of(folder, name, content, format, *, is_packed):
    """Return the sentence with which Python refuses a file of results; None if it reads it."""
    (folder / "gt.csv").write_text(TRUTH[1])
    path = folder / ("set.zip" if is_packed else name)
    path.write_bytes(zip_bytes({name: content}) if is_packed else content.encode())
    given = {} if format is None else {"results_format": format}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tr.score(folder / "gt.csv", path, **given)
        except ProtocolError as refusal:
            return str(refusal)
    return None


def sentence_of(name, content, format, *, is_packed):
    """Return how a reader refuses or asks about a file of results; None if it reads it."""
    data = zip_bytes({name: content}) if is_packed else content.encode()
    archive = read(
        io.BytesIO(data), kind="results", format=format, name="set.zip" if is_packed else name
    )
    stopping = [*archive.errors, *archive.questions]
    return str(stopping[0]) if stopping else None


def assert_is_sentence(said):
    assert said is not None
    assert said.replace("\n", " ").isprintable()
    assert len(said) < 1500


NAMED = {name: file for name, file in FILES.items() if name in FORMATS}


def test_every_format_that_is_registered_has_a_file_here():
    assert FORMATS.keys() - NAMED.keys() == set()


@cases("name", NAMED)
@cases("is_packed", [False, True])
def test_a_reader_refuses_bad_files_with_a_sentence(name, is_packed):
    entry, _ = FILES[name].entry
    kind = kind_of(entry)
    for fault, content in BAD[kind].items():
        # A bomb, and an image without a word.
        if fault == "an object" or (is_packed and (fault, kind) == ("empty", "lines")):
            continue
        assert_is_sentence(sentence_of(entry, content, name, is_packed=is_packed))


@cases("suffix", [".json", ".xml", ".txt", ".csv", ".hocr", ".tsv", ".box", ".gt"])
@cases("kind", BAD)
@cases("fault", ["foreign", "empty", "nested", "an object"])
@cases("is_packed", [False, True])
def test_python_refuses_a_bad_file_without_a_format_with_a_sentence(
    tmp_path, suffix, kind, fault, is_packed
):
    is_image_without_words = fault == "empty" and suffix in (".txt", ".csv", ".box", ".gt")
    if is_packed and (fault == "an object" or is_image_without_words):
        return
    said = refusal_of(tmp_path, f"img_1{suffix}", BAD[kind][fault], None, is_packed=is_packed)
    assert_is_sentence(said)


def is_document(name):
    return kind_of(FILES[name].entry[0]) != "lines"


@cases("name", [name for name in NAMED if is_document(name)])
@cases("is_packed", [False, True])
def test_a_reader_refuses_half_a_document_with_a_sentence(name, is_packed):
    entry, content = FILES[name].entry
    half = content[: len(content) // 2]
    assert_is_sentence(sentence_of(entry, half, name, is_packed=is_packed))


@pytest.mark.release
@cases("name", NAMED)
def test_every_reader_refuses_ten_megabytes_of_one_object(name):
    entry, _ = FILES[name].entry
    content = BAD[kind_of(entry)]["an object"]
    assert_is_sentence(sentence_of(entry, content, name, is_packed=False))


@cases("name", [name for name, file in FILES.items() if "results" in file.sides])
def test_every_reader_keeps_names_in_two_scripts(tmp_path, name):
    """Both words are read as of the image whose name is changed in the truth and in the file."""
    file = FILES[name]
    entry, content = file.entry
    [image] = file.words
    if image != "img_1":
        return  # Images are numbers.
    entry, content = (of.replace("img_1", "тест画像_1") for of in (entry, content))
    rows = TRUTH[1].replace("img_1", "тест画像_1")
    (tmp_path / "gt.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "set.zip").write_bytes(zip_bytes({entry: content}))
    (tmp_path / "photographs.zip").write_bytes(
        zip_bytes({"тест画像_1.png": PHOTOGRAPHS[1]["img_1.png"]})
    )
    format = {"results_format": name} if file.is_named else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tr.score(
            tmp_path / "gt.csv", tmp_path / "set.zip", images=tmp_path / "photographs.zip", **format
        )
    assert found.images == ["тест画像_1"]
    assert (found.overall.recall, found.overall.precision) == (1, 1)


def nested(depth=5000):
    inner = []
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize("at", range(3))
def test_nested_arrays_of_python_are_refused_with_a_sentence(at):
    sides = [(nested(), {}), ({"a": nested()}, {"a": []}), ({"a": []}, {"a": nested()})][at]
    with pytest.raises(ProtocolError) as refused:
        tr.score(*sides)
    assert_is_sentence(str(refused.value))


@pytest.mark.django_db
@cases(
    "content",
    [f"name = {NESTED}", "a" + ".a" * 5000 + " = 1", "x = " + "{a=" * 5000 + "1" + "}" * 5000],
)
def test_a_study_file_of_nested_lists_is_refused_with_a_sentence(tmp_path, content):
    (tmp_path / "study.toml").write_text(content)
    with pytest.raises(CommandError, match=r"study\.toml"):
        call_command("make_study", str(tmp_path / "study.toml"), "--yes")


@pytest.mark.django_db
def test_the_api_refuses_nested_lists_with_a_problem():
    client = signed_in(make_admin(), scopes=("load",))
    answer = client.post("/api/v1/loads", data=NESTED, content_type="application/json")
    assert answer.status_code == 400, answer.content
    assert answer.json()["detail"]
