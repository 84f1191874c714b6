"""Odd archives: each is read, asked about, or refused with a sentence that works when followed."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from annotate.imports import drafts, plans
from protocols.formats.recognition.reading import read
from tests.support.archives import picture_bytes, zip_bytes, zip_file
from tests.support.loads import add, checked, load_dataset, loaded
from tests.support.word_files import WORDS, corners, files

pytestmark = pytest.mark.django_db

FILES = files()
N_BOXES = 32
BOXES = files(lambda *of: of, "gt_img_{}.txt", ",word")
QUADS = files(lambda x, y, r, b: (x, y, r, y, r, b, x, b), "gt_img_{}.txt", ",word")


def encoded(entries, encoding):
    return {name: text.encode(encoding) for name, text in entries.items()}


def with_name(entries, name):
    return {name.format(entry): text for entry, text in entries.items()}


def tarred(entries):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, text in entries.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def table(head, line):
    rows = (line.format(at, *of) for at, boxes in WORDS.items() for of in boxes)
    return "\n".join([head, *rows]).encode()


TABLE = table("image,left,top,right,bottom", "img_{},{},{},{},{}")
READ = {
    "in a folder": with_name(FILES, "net/{}"),
    "with what a Mac adds": FILES | {"__MACOSX/._res_img_1.txt": "\0\5", ".DS_Store": "x"},
    "with photographs": FILES | {"img_1.png": picture_bytes()},
    "lines of Windows": files(end="\r"),
    "lines of an old Mac": {name: text.replace("\n", "\r") for name, text in FILES.items()},
    "marked as UTF-8": encoded(FILES, "utf-8-sig"),
    "UTF-16": encoded(FILES, "utf-16"),
    "a comma at the end": files(end=","),
    "blanks after commas": files(sep=", "),
    "blanks": files(sep=" "),
    "tabs": files(sep="\t"),
    "semicolons": files(sep=";"),
    "empty lines": files(end="\n"),
    "decimals": files(number=".2f"),
    "exponents": files(number=".3e"),
    "texts": files(end=",word"),
    "confidences": files(end=",0.9"),
    "numbers alone": files(name="{}.txt"),
    "numbers with zeros": files(name="img_000{}.txt"),
    "capitals": files(name="RES_IMG_{}.TXT"),
    "names of pictures": files(name="res_img_{}.jpg.txt"),
    "the method before the name": files(name="net_img_{}.txt"),
    "a word after the name": files(name="img_{}_result.txt"),
    "the suffix of tables": files(name="res_img_{}.csv"),
    "a table": TABLE,
}
# The questions, and the answers.
ASKED = {
    "confidences first": (files(line="0.9,{}"), BOXES, {"format": "ltrb-confidence-first"}),
    "confidences before corners": (
        *(files(corners, line="0.9,{}"), QUADS, {"format": "quad-confidence-first"}),
    ),
    "numbers where a text begins": (files(corners, end=",3,180.00"), QUADS, {"format": "quad"}),
    "top left, bottom right": (
        *(files(lambda x, y, r, b: (x, y, r, b, r, y, x, b)), QUADS, {"reading": "diagonals"}),
    ),
    "all x, then all y": (
        *(files(lambda x, y, r, b: (x, r, r, x, y, y, b, b)), QUADS, {"reading": "columns"}),
    ),
    "sides": (files(lambda x, y, r, b: (x, y, r - x, b - y)), BOXES, {"reading": "sides"}),
    "half of the files": (
        *({name: text for name, text in FILES.items() if name[8] > "4"}, BOXES),
        {"missing": "empty"},
    ),
}
WORDS_OF_CSV = "csv with the columns image,left,top,right,bottom"
# The sentence, and the file after it was followed.
REFUSED = {
    "a tar": (tarred(FILES), "a gzip archive (.tar.gz)", zip_bytes(FILES)),
    "a zip in a zip": ({"net.zip": zip_bytes(FILES)}, "unpack the inner zip and load it", FILES),
    "a part of a download": (zip_bytes(FILES)[:-30], "the whole file", FILES),
    "paths of Windows": (with_name(FILES, "net\\{}"), "a plain file name", FILES),
    "one text file": (FILES["res_img_1.txt"].encode(), "all such files belong in one zip", FILES),
    "other JSON": (json.dumps({"1": [[1, 2, 3, 4]]}).encode(), WORDS_OF_CSV, TABLE),
    "another table": (table("a;b;c;d;e", "img_{};{};{};{};{}"), WORDS_OF_CSV, TABLE),
    "a file that is empty": (b"", "found an empty file", FILES),
    "another suffix": (files(name="res_img_{}.boxes"), "expected NAME.txt", FILES),
    "a line of names": (
        *({name: f"left,top,right,bottom\n{text}" for name, text in FILES.items()},),
        *("“left” in “left,top,right,bottom”; expected numbers", FILES),
    ),
    "a bracket around each box": (files(line="[{}]"), "expected numbers", FILES),
    "no number": (FILES | {"res_img_1.txt": "nan,0,9,9\n"}, "expected finite numbers", FILES),
    "corners exchanged": (
        *(FILES | {"res_img_1.txt": "90,0,10,9\n"}, "expected right >= left and bottom >= top"),
        FILES,
    ),
    "two methods": (
        *(with_name(FILES, "a/{}") | with_name(FILES, "b/{}"), "a second file for img_1", FILES),
    ),
    "a note among them": (
        FILES | {"log.txt": "epoch 1"},
        "found the name “log.txt”; expected res_NAME.txt.",
        FILES,
    ),
}


def draft_of(truth, content, name="net.zip"):
    dataset = load_dataset(name="Street", truth=truth).dataset
    return with_file(drafts.open_draft(person=None, dataset=dataset), content, name)


def with_file(draft, content, name="net.zip"):
    add(draft, content, name, kind="results", title="net")
    return checked(draft)


def assert_loaded(draft):
    assert plans.plan(draft).obstacles == []
    loaded(draft)
    assert draft.files.get().counts["boxes"] == N_BOXES


@pytest.mark.parametrize("name", READ)
def test_it_is_read_as_it_is_meant(name):
    draft = draft_of(BOXES, READ[name])
    assert not draft.findings.exclude(severity="warning").exists()
    if name != "a table":  # which has the ground truth's own coordinates
        assert draft.files.get().counts["fits"]["net"]["recall"] == 1
    assert_loaded(draft)


@pytest.mark.parametrize("name", ASKED)
def test_it_is_asked_and_the_answer_is_followed(name):
    content, truth, answer = ASKED[name]
    draft = draft_of(truth, content)
    [question] = plans.questions(draft)
    assert not question.is_answered
    with pytest.raises(drafts.NotLoaded, match="1 question waits"):
        drafts.confirm(draft=draft)
    if drafts.answer(draft=draft, answers={draft.files.get().pk: answer}):
        checked(draft)
    while others := [one for one in plans.questions(draft) if not one.is_answered]:
        assert [one.finding.code for one in others] == ["F2"]
        drafts.answer(draft=draft, answers={draft.files.get().pk: {"reading": "as-read"}})
        checked(draft)
    loaded(draft)
    assert draft.files.get().counts["boxes"] in (N_BOXES, N_BOXES // 2)


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_sentence_that_works_when_followed(name):
    content, sentence, mended = REFUSED[name]
    draft = draft_of(BOXES, content, "net.txt" if name == "one text file" else "net.zip")
    said = [line for kind in draft.summary["kinds"] for line in kind["lines"]]
    assert any(sentence in line for line in said), said
    assert len({kind["code"] for kind in draft.summary["kinds"]}) == 1
    with pytest.raises(drafts.NotLoaded):
        drafts.confirm(draft=draft)
    drafts.remove_file(file=draft.files.get())
    assert_loaded(with_file(draft, mended))


KOREAN, JAPANESE = ("서울", "출구", "커피", "환영"), ("東京", "駅前", "出口", "タクシー")
CHINESE, TAIWANESE = (
    ("北京", "出租车", "咖啡", "厕所", "有限公司"),
    ("臺北", "計程車", "廁所", "歡迎"),
)


def texts_in(encoding, words):
    lines = iter(range(10_000))
    truth = files(lambda *of: of, "gt_img_{}.txt", ",@")
    for name, text in truth.items():
        while "@" in text:
            text = text.replace("@", words[next(lines) % len(words)], 1)
        truth[name] = text.encode(encoding)
    return truth


def with_truth(truth):
    draft = drafts.open_draft(person=None, name="Street")
    add(draft, truth, "gt.zip", kind="truth")
    return checked(draft)


def texts_of(draft):
    images = loaded(draft).images.all()
    return {region.text for image in images for region in image.truth_regions}


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", ["Café"]),
        ("latin-1", ["naïve"]),
        ("utf-16", ["слово"]),
        ("shift_jis", JAPANESE),
        ("big5", TAIWANESE),
        ("gb18030", CHINESE),
    ],
)
def test_an_encoding_is_guessed_where_the_texts_are_probable_in_one_only(encoding, words):
    draft = with_truth(texts_in(encoding, words))
    assert not plans.questions(draft)
    assert texts_of(draft) == set(words)


def test_a_guessed_encoding_is_stated_with_an_example():
    draft = with_truth(texts_in("cp1252", ("Málaga", "Straße")))
    [kind] = draft.summary["kinds"]
    assert kind["text"] == (
        "gt.zip: found texts in Windows-1252, such as “Málaga, Straße”; expected plain UTF-8."
    )


@pytest.mark.parametrize(
    ("encoding", "slug", "words", "misread"),
    [
        ("euc_kr", "cp949", KOREAN, "辑匡"),
        ("euc_jp", "euc_jp", JAPANESE, "鱗詁"),
        ("cp1251", "cp1251", ("Вход", "Кафе", "ВЫХОД"), "Βυξδ"),
        ("cp1250", "cp1250", ("Łódź", "żółty", "ściana"), "£ódŸ"),
    ],
)
def test_an_encoding_is_asked_with_samples_where_several_are_probable(
    encoding, slug, words, misread
):
    draft = with_truth(texts_in(encoding, words))
    [question] = plans.questions(draft)
    samples = dict(question.choices)
    assert words[0] in samples[slug]
    assert any(misread in sample for sample in samples.values())
    with pytest.raises(drafts.NotLoaded, match="1 question waits"):
        drafts.confirm(draft=draft)
    assert drafts.answer(draft=draft, answers={draft.files.get().pk: {"encoding": slug}})
    checked(draft)
    [answered] = plans.questions(draft)
    assert answered.is_answered
    assert texts_of(draft) == set(words)


@pytest.fixture
def opened(monkeypatch):
    """The files that are opened as zips, again for each time."""
    found, opening = [], zipfile.ZipFile.__init__

    def count(self, file, mode="r", *options, **more):
        if mode == "r" and isinstance(file, str | Path):
            found.append(file)
        opening(self, file, mode, *options, **more)

    monkeypatch.setattr(zipfile.ZipFile, "__init__", count)
    return found


@pytest.mark.parametrize(
    ("entries", "format"),
    [
        (BOXES, None),
        (
            encoded({name: f"{text}1,1,9,9,Straße\n" for name, text in BOXES.items()}, "cp1252"),
            None,
        ),
        (QUADS, "ltrb"),
    ],
    ids=["plain", "in another encoding", "in another format"],
)
def test_all_readers_of_a_zip_share_one_that_was_opened_once(entries, format, opened, tmp_path):
    path = zip_file(tmp_path / "gt.zip", entries)
    assert read(path, kind="truth", format=format).n_regions
    assert opened == [path]


def test_a_load_opens_a_zip_once(opened):
    load_dataset(name="Signs", truth=BOXES)
    assert len(opened) == 1
