"""A study from one file: everything or nothing, twice the same, and refusals with their place."""

import io
import json
import os
import pty
import re
import tomllib

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from jsonschema import Draft202012Validator
from PIL import Image as Picture

from annotate.datasets.models import Dataset, Image, Result
from annotate.design.study_file.reading import schema
from annotate.judging import services as judging
from annotate.recruiting.models import Entrance, Outcome
from annotate.studies.models import Study
from annotate.studies.settings import BY_NAME
from tests.support.archives import picture_bytes, with_orientation, zip_bytes
from tests.support.documents import ROOT, blocks_of
from tests.support.factories import add_annotator
from tests.support.judges import answer_all, make_judge
from tests.support.word_files import box, files

pytestmark = pytest.mark.django_db

BOX = "0,0,40,0,40,20,0,20"
FILE = """\
name = "Two detectors"
[data]
truth = "gt.zip"
photographs = "images"
results = { "alpha" = "a.zip", "beta" = "b.zip" }
[protocols]
use = ["iou", { slug = "iou", min_iou = 0.7 }]
[design]
images = 3
seed = 11
ask = "rankings"
min_annotators = 2
[people]
researchers = ["ana@example.org"]
annotators = 2
[[entrance]]
platform = "prolific"
places = 40
pairs = 40
"""


LINK = '[[entrance]]\nplatform = "link"\n'


@pytest.fixture
def folder(tmp_path):
    names = [f"img_{number}" for number in range(1, 6)]
    (tmp_path / "images").mkdir()
    for at, name in enumerate(names):
        (tmp_path / "images" / f"{name}.png").write_bytes(picture_bytes(width=100 + at))
    (tmp_path / "gt.zip").write_bytes(
        zip_bytes({f"gt_{name}.txt": f"{BOX},word\r\n" for name in names})
    )
    for letter, shift in (("a", 0), ("b", 9)):
        box = f"{shift},0,{shift + 40},0,{shift + 40},20,{shift},20"
        content = zip_bytes({f"res_{name}.txt": f"{box}\n" for name in names})
        (tmp_path / f"{letter}.zip").write_bytes(content)
    return tmp_path


def made(folder, text=FILE, capsys=None, name="study.toml"):
    (folder / name).write_text(text, encoding="utf-8")
    call_command("make_study", str(folder / name), "--yes")
    return Study.objects.get(name=tomllib.loads(text)["name"])


def test_one_file_loads_scores_makes_and_opens_a_study(folder, capsys):
    study = made(folder)
    said = capsys.readouterr().out
    assert study.state == Study.State.OPEN
    assert study.images.count() == 3
    assert (study.seed, study.min_annotators, study.methods_per_visit) == (11, 2, None)
    assert sorted(study.methods.values_list("name", flat=True)) == ["alpha", "beta"]
    assert study.dataset.images.exclude(sha256="").count() == 5
    assert study.dataset.runs.count() == 2
    entrance = study.entrances.get()
    assert (entrance.platform, entrance.places, entrance.size) == ("prolific", 40, 40)
    assert f"/join/{entrance.slug}/" in said
    assert "/studies/two-detectors/report/" in said
    # Ana, two annotators, and an admin of a site that has none.
    assert said.count("/invitation/") == 4
    assert study.invitations.filter(role="researcher").get().email == "ana@example.org"


def test_a_second_time_changes_nothing_and_says_so(folder, capsys):
    made(folder)
    images = set(Study.objects.get().images.values_list("pk", flat=True))
    capsys.readouterr()
    made(folder)
    assert "Nothing has changed" in capsys.readouterr().out
    assert (Study.objects.count(), Entrance.objects.count(), Dataset.objects.count()) == (1, 1, 1)
    assert set(Study.objects.get().images.values_list("pk", flat=True)) == images


def test_a_changed_file_changes_what_may_still_be_changed(folder, capsys):
    study = made(folder)
    more = FILE.replace("min_annotators = 2", "min_annotators = 4") + LINK
    made(folder, more)
    assert "Changed: design.min_annotators, entrance.link-2." in capsys.readouterr().out
    study.refresh_from_db()
    assert study.min_annotators == 4
    annotator = add_annotator(study)
    turn = judging.start(study=study, annotator=annotator).turn
    verdicts = dict.fromkeys(("recall", "precision", "preference"), "left")
    judging.record_judgement(
        screen_id=turn.screen.public_id, annotator=annotator, verdicts=verdicts
    )
    with pytest.raises(
        CommandError, match=r"study.toml:12: design\.twin_iou: People have answered"
    ):
        made(folder, FILE.replace('ask = "rankings"\n', "\ntwin_iou = 0.8\n"))


def test_a_reward_is_an_amount_as_people_write_it(folder):
    study = made(folder, FILE + "reward = 1.2\npay_floor = 9\nchecks_at_least = 0.7\n")
    entrance = study.entrances.get()
    assert (str(entrance.reward), str(entrance.pay_floor)) == ("1.20", "9.00")
    assert entrance.checks_at_least == 0.7


def test_entrances_are_checked_before_data_are_loaded(folder, capsys):
    with pytest.raises(CommandError, match=r":18: entrance\.0\.places"):
        made(folder, FILE.replace("places = 40", "places = 0"))
    assert "Files read" not in capsys.readouterr().out


def test_entrances_people_and_protocols_of_a_changed_file_are_made_so_and_named(folder, capsys):
    study = made(folder)
    before = study.entrances.get()
    more = FILE.replace("places = 40", 'places = 50\nquestions = ["after | text | Odd?"]')
    more = more.replace("pairs = 40", "images = 9").replace("\nannotators = 2", "\nannotators = 4")
    more = more.replace('use = ["iou"', 'use = ["deteval", "iou"').replace("ana@", "Ana@")
    made(folder, more)
    said = capsys.readouterr().out
    assert "entrance.prolific-1 (places, questions, unit, size), people, protocols DETEVAL." in said
    after = study.entrances.get()
    assert (after.pk, after.slug, after.places, after.unit, after.size) == (
        *(before.pk, before.slug, 50, "images", 9),
    )
    assert after.questions == [{"when": "after", "kind": "text", "words": "Odd?", "choices": []}]
    assert study.dataset.runs.count() == 3
    assert sorted(study.invitations.values_list("role", flat=True)) == [
        *["annotator"] * 4,
        "researcher",
    ]
    made(folder, more)
    assert "Nothing has changed" in capsys.readouterr().out
    # Settings that a file leaves out stay as they are.
    made(folder, FILE.replace("places = 40\n", "").replace("pairs = 40\n", ""))
    assert "Nothing has changed" in capsys.readouterr().out
    assert study.entrances.get().places == 50


def test_a_draft_is_opened_by_a_file_that_says_so(folder, capsys):
    study = made(folder, "open = false\n" + FILE)
    assert study.state == Study.State.DRAFT
    made(folder)
    assert "Changed: open." in capsys.readouterr().out
    study.refresh_from_db()
    assert study.state == Study.State.OPEN


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"gt.zip"', '"other.zip"', r":3: data.truth: the study has other ones"),
        ('"b.zip"', '"other.zip"', r":5: data.results.beta: the study has other ones"),
        ('"beta"', '"gamma"', r":5: data.results: the study has other ones"),
        ("seed = 11", "seed = 12", r":10: design.seed: the study has other ones"),
        ("images = 3", "images = 4", r":9: design.images: the study has other ones"),
        (
            'platform = "prolific"',
            'name = "prolific-1"\nplatform = "link"',
            r":18: entrance.0.platform: the entrance is for another platform",
        ),
    ],
)
def test_what_cannot_be_changed_any_more_is_refused_with_its_key(folder, before, after, said):
    study = made(folder)
    (folder / "other.zip").write_bytes(zip_bytes({"gt_img_1.txt": f"{BOX},other\r\n"}))
    changed = FILE.replace(before, after, 1)
    with pytest.raises(CommandError, match=rf"study\.toml{said}"):
        made(folder, changed)
    assert Study.objects.get() == study
    assert study.entrances.get().platform == "prolific"


def test_the_file_of_a_study_makes_the_same_study(folder, capsys):
    asked = 'questions = ["before | choice | Device? | laptop; other", "after | text | Odd?"]\n'
    # People are not in the file.
    study = made(folder, FILE.replace("seed = 11", 'seed = 11\ncontact = "Ana"') + asked)
    out = folder / "again.toml"
    call_command("export_study", study.slug, "--as-file", "--out", str(out))
    written = tomllib.loads(out.read_text(encoding="utf-8"))
    Draft202012Validator(schema()).validate(written)
    images = set(study.images.values_list("name", flat=True))
    codes = [study.entrances.get().code_of(outcome) for outcome in Outcome]
    settings = {name: getattr(study, name) for name in [*BY_NAME, "seed"]}
    runs = sorted(study.dataset.runs.values_list("name", flat=True))
    slug = study.entrances.get().slug
    text = out.read_text(encoding="utf-8").replace('name = "Two detectors"', 'name = "Again"')
    text = text.replace('dataset = "Two detectors"', 'dataset = "Again"').replace(slug, "again")
    again = made(folder, text)
    assert set(again.images.values_list("name", flat=True)) == images
    assert [again.entrances.get().code_of(outcome) for outcome in Outcome] == codes
    assert again.entrances.get().questions == study.entrances.get().questions
    assert len(again.entrances.get().questions) == 2
    assert {name: getattr(again, name) for name in [*BY_NAME, "seed"]} == settings
    assert sorted(again.dataset.runs.values_list("name", flat=True)) == runs


JUDGE = """
[[judge]]
name = "Counter"
kind = "model"
model = "counter-1"
prompt = 'Which is better? {questions} Answer with {"recall": ...}'
criteria = ["recall"]
pairs = "sample:2"
sampling = { temperature = 0.5, max_tokens = 100 }
margin = 0.02
tuned_on = ["img_1.jpg"]
"""


def test_a_judge_of_a_file_is_made_changed_and_written_until_it_answers(folder):
    study = made(folder, FILE + JUDGE)
    judge = study.judges.get()
    assert (judge.model, judge.margin, judge.parts) == ("counter-1", 0.02, ["both"])
    assert (judge.made_by, judge.host, judge.closed) == (None, "", None)
    out = folder / "again.toml"
    make_judge(study, name="Sees", sees_truth=True, sampling={"temperature": 0.0, "seed": None})
    call_command("export_study", study.slug, "--as-file", "--out", str(out))
    written = tomllib.loads(out.read_text(encoding="utf-8"))
    Draft202012Validator(schema()).validate(written)
    own, other = written["judge"]
    assert own == {**tomllib.loads(JUDGE)["judge"][0], "parts": ["both"]}
    assert (other["sees_truth"], other["sampling"], "host" in other) == (
        True,
        {"temperature": 0.0},
        False,
    )
    made(folder, FILE + JUDGE.replace("0.02", "0.03"))
    judge.refresh_from_db()
    assert (study.judges.count(), judge.margin) == (2, 0.03)
    answer_all(judge, lambda _: {"recall": "left"})
    # A file that says the same, or less, is no change.
    made(folder, FILE + JUDGE.replace("margin = 0.02\n", ""))
    with pytest.raises(CommandError, match=r"judge\.0: A judge does not change after its first"):
        made(folder, FILE + JUDGE)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ('pairs = "many"', "judge.0: Pairs are all, people or sample:N"),
        ("margin = 0.5", "judge.0.margin: expected a number from 0.01"),
        ('parts = ["key"]', "judge.0.parts.0: expected plain"),
        ('host = "http://one.example/"', "judge.0: http://one.example/ is not a host name"),
        ('key = "secret"', "judge.0.key: there is no such key"),
        ('images = ["nowhere.jpg"]', "judge.0: The study has no image nowhere.jpg"),
    ],
)
def test_a_judge_that_cannot_be_is_refused(folder, given, says):
    name = given.partition(" ")[0]
    kept = "\n".join(line for line in JUDGE.splitlines() if not line.startswith(f"{name} "))
    with pytest.raises(CommandError, match=re.escape(says)):
        made(folder, f"{FILE}{kept}\n{given}\n")
    assert not Study.objects.exists()


def _greek(folder):
    words = "Ελλάδα ".encode("cp1253") * 3
    for at, name in enumerate(("gt", "a", "b")):
        lines = {f"img_{n}.txt": f"{at},{n},40,{n},40,20,{at},20,".encode() for n in (1, 2, 3)}
        (folder / f"{name}.zip").write_bytes(
            zip_bytes({entry: line + words for entry, line in lines.items()})
        )


def _turned(folder, kind):
    for at, path in enumerate(sorted((folder / "images").iterdir())):
        picture = with_orientation(Picture.new("RGB", (100 + at, 60)), 3, kind)
        path.with_suffix(f".{kind.lower()}").write_bytes(picture)
        if kind != "PNG":
            path.unlink()


def _exchanged(folder):
    for name, content in (
        ("gt", files(lambda *of: of, "gt_img_{}.txt", ",word")),
        ("a", files(lambda x, y, r, b: (y, x + 1, b, r + 1))),
        ("b", dict([*files(box).items()][1:])),
    ):
        (folder / f"{name}.zip").write_bytes(zip_bytes(content))


def _by_sides(folder):
    """Two boxes an image, by their sides: the first three numbers fit corners, too."""
    for at, name in enumerate(("gt", "a", "b")):
        text = "" if at else ",word"
        lines = {f"img_{n}.txt": f"5,{n},4{at},60{text}\n50,{n},140,90{text}\n" for n in (1, 2)}
        (folder / f"{name}.zip").write_bytes(zip_bytes(lines))


STORED, EXCHANGED = 'reading = "stored"', 'reading = "exchanged"'
EMPTY, GREEK = 'missing = "empty"', 'encoding = "cp1253"'
# The files, the keys of truth, photographs, alpha and beta that answer, whether there are photographs.
QUESTIONS = {
    "how lines are written": (
        _by_sides,
        ['format = "ltwh"', "", 'format = "ltwh"', 'format = "ltwh"'],
        False,
    ),
    "how results are read, and what a missing file means": (
        _exchanged,
        ["", "", EXCHANGED, EMPTY],
        False,
    ),
    "results as they are": (
        _exchanged,
        ["", "", 'reading = "as-read"', EMPTY],
        False,
    ),
    "images that were not evaluated": (
        _exchanged,
        ["", "", EXCHANGED, 'missing = "not-evaluated"'],
        False,
    ),
    "the encoding": (_greek, [GREEK, "", GREEK, GREEK], False),
    "the frame of boxes": (
        lambda folder: _turned(folder, "PNG"),
        [STORED, "", STORED, STORED],
        True,
    ),
    "turned WebP": (
        lambda folder: _turned(folder, "WEBP"),
        [STORED, STORED, STORED, STORED],
        True,
    ),
}


@pytest.mark.parametrize("asked", QUESTIONS)
def test_the_file_of_a_study_answers_the_questions_of_its_load_on_a_fresh_site(folder, asked):
    prepare, said, has_photographs = QUESTIONS[asked]
    prepare(folder)
    names = ("gt.zip", "images", "a.zip", "b.zip")
    truth, photographs, alpha, beta = (
        f'{{ file = "{name}", {key} }}' if key else f'"{name}"'
        for name, key in zip(names, said, strict=True)
    )
    text = f"""\
name = "Asked"
open = false
[data]
truth = {truth}
{f"photographs = {photographs}" if has_photographs else ""}
results = {{ alpha = {alpha}, beta = {beta} }}
[protocols]
use = ["iou", {{ slug = "iou", min_iou = 0.7 }}, "cleval"]
"""
    out, before = folder / "again.toml", None
    with transaction.atomic():
        before = _content(made(folder, text))
        call_command("export_study", "asked", "--as-file", "--out", str(out))
        # A fresh site.
        transaction.set_rollback(True)
    assert not Dataset.objects.exists()
    written = out.read_text(encoding="utf-8")
    again = made(folder, written, name="again.toml")
    assert _content(again) == before
    given, data = tomllib.loads(text)["data"], tomllib.loads(written)["data"]
    assert {key: data[key] for key in given} == given
    # Parameters that are not the published ones.
    assert 'use = ["iou", { "slug" = "iou", "min_iou" = 0.7 }' in written


def _content(study):
    """Return all that a load and the scores made, without keys of rows."""
    dataset = study.dataset
    images = [
        (of.name, of.truth_regions, of.sha256, of.orientation, of.width)
        for of in dataset.images.all()
    ]
    results = {
        (of.method.name, of.image.name): (of.detections, of.had_file)
        for of in Result.objects.filter(method__dataset=dataset)
    }
    runs = [(run.name, run.parameters, run.signature, run.overall) for run in dataset.runs.all()]
    return images, results, sorted(runs, key=str), dataset.read_as


def test_the_command_prints_one_json_document(folder, capsys):
    gt = zip_bytes({f"gt_img_{n}.txt": f"{BOX},word\r\n" * 2 for n in range(1, 6)})
    (folder / "gt.zip").write_bytes(gt)
    (folder / "study.toml").write_text(FILE, encoding="utf-8")
    call_command("make_study", str(folder / "study.toml"), "--json")
    said = capsys.readouterr()
    data, study = json.loads(said.out), Study.objects.get()
    assert (data["study"], data["state"], data["is_new"]) == (study.slug, "open", True)
    assert (data["images"], data["methods"], len(data["runs"])) == (3, ["alpha", "beta"], 2)
    assert {link["name"] for link in data["links"]} >= {"Study", "Report", "Entrance prolific-1"}
    # Each of the five images has one word twice.
    twice = [kind for kind in data["findings"] if kind["n"] == 5]
    assert [kind["severity"] for kind in twice] == ["warning"]
    assert all(line in said.err for line in twice[0]["lines"])
    call_command("make_study", str(folder / "study.toml"), "--json")
    again = json.loads(capsys.readouterr().out)
    assert (again["is_new"], again["changed"], again["findings"]) == (False, [], [])


def test_the_file_of_the_document_follows_the_schema():
    blocks = blocks_of(ROOT / "docs" / "how-to" / "study-file.md")
    text = "".join(block.text for block in blocks if block.language == "toml")
    content = json.loads(json.dumps(tomllib.loads(text), default=str))
    Draft202012Validator(schema()).validate(content)
    assert content.keys() == schema()["properties"].keys() - {"open"}


def test_options_make_the_simplest_study_without_a_file(folder, capsys):
    given = ["--truth", str(folder / "gt.zip"), "--photographs", str(folder / "images")]
    given += [
        "--results",
        str(folder / "a.zip"),
        str(folder / "b.zip"),
        "--name",
        "Simple",
        "--yes",
    ]
    call_command("make_study", *given)
    study = Study.objects.get()
    assert (study.name, study.images.count()) == ("Simple", 5)
    assert study.dataset.runs.count() > 5
    assert study.invitations.count() == 3


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "Two', 'nam = "Two', r":1: nam: there is no such key. Did you mean name"),
        ("images = 3", 'images = "some"', r":9: design.images: expected a number of images"),
        ("images = 3", "images = 0", r":9: design.images: expected a number from 1"),
        ("images = 3", "images = 9", r":9: design.images: only 5 images fit"),
        ("images = 3", 'images = ["img_9"]', r":9: design.images.0: there is no image named img_9"),
        ("seed = 11", "sead = 11", r":10: design.sead: there is no such key"),
        ('"iou", {', '"iuo", {', r":7: protocols.use.0: .*iuo"),
        ("min_iou = 0.7", "min_iou = 7", r":7: protocols.use.1: .*min_iou"),
        ('"gt.zip"', '"no.zip"', r":3: data.truth: there is no file or folder .*no.zip"),
        ('"b.zip"', '"gt.zip"', r":2: data: .*gt.zip"),
        ("min_annotators = 2", "min_annotators = 200", r":12: design.min_annotators: .*100"),
        ('"prolific"', '"prolyfic"', r":17: entrance.0.platform: expected prolific, mturk"),
        (
            "places = 40",
            'way_back = "https://evil.org"',
            r":18: entrance.0.way_back: People can be sent",
        ),
        ("pairs = 40", "pairs = 7", r":19: entrance.0.pairs: Too few"),
        ('researchers = ["ana@example.org"]\n', "", r":15: entrance.0: say in contact whom"),
        ("places = 40", 'questions = ["x"]', r":18: entrance.0.questions: Line 1: write before"),
        (
            "places = 40\npairs = 40",
            'slug = "one"\n[[entrance]]\nplatform = "link"\nslug = "one"',
            r":21: entrance.1.slug: Another entrance has this link",
        ),
        ("places = 40", 'name = "Pro\\u200blific"', r":18: entrance.0.name: .*not shown"),
        ("places = 40", 'group = "\\u202eA"', r":18: entrance.0.group: .*not shown"),
        ("\nannotators = 2", '\nannotators = "x"', r":15: people.annotators: expected a number"),
        ("[people]", "[people", r":13: .*line 13"),
    ],
)
def test_every_refusal_names_file_line_and_key_and_stores_nothing(folder, before, after, said):
    assert before in FILE
    with pytest.raises(CommandError, match=rf"study\.toml{said}") as refused:
        made(folder, FILE.replace(before, after, 1))
    assert refused.value.returncode == 2
    assert not Study.objects.exists()
    assert not Dataset.objects.exists()
    assert not Image.objects.exists()


def test_the_schema_describes_every_setting_of_a_study():
    Draft202012Validator.check_schema(schema())
    assert set(schema()["properties"]["design"]["properties"]) == {
        *BY_NAME,
        "images",
        "ask",
        "seed",
    }
    Draft202012Validator(schema()).validate(tomllib.loads(FILE))


def test_the_schema_is_written_by_the_command(capsys):
    call_command("make_study", "--schema")
    assert json.loads(capsys.readouterr().out) == schema()


class TestOnATerminal:
    """A terminal asks for missing values and for one of two readings; elsewhere both are refused."""

    @pytest.fixture
    def terminal(self, monkeypatch):
        """A function that lets standard input be a terminal at which these lines are typed."""
        ends = []

        def types(*lines):
            master, slave = pty.openpty()
            ends.extend([os.fdopen(master, "wb", buffering=0), os.fdopen(slave)])
            monkeypatch.setattr("sys.stdin", ends[-1])
            # The end of input, as Ctrl-D sends it.
            ends[-2].write("".join(f"{line}\n" for line in lines).encode() + b"\x04")

        yield types
        for end in ends:
            end.close()

    @pytest.fixture
    def odd(self, tmp_path):
        """Eight images; one zip has x and y exchanged, the other has no file for one image."""
        truth = files(lambda *of: of, "gt_img_{}.txt", ",word")
        exchanged = files(lambda x, y, r, b: (y, x + 1, b, r + 1))
        fewer = files(box)
        fewer.pop(next(iter(fewer)))
        for name, content in (("gt", truth), ("exchanged", exchanged), ("fewer", fewer)):
            (tmp_path / f"{name}.zip").write_bytes(zip_bytes(content))
        results = '["exchanged.zip", "fewer.zip"]'
        (tmp_path / "study.toml").write_text(
            f'name = "Odd"\nopen = false\n[data]\ntruth = "gt.zip"\nresults = {results}\n'
            '[protocols]\nuse = ["iou"]\n'
        )
        return tmp_path

    def test_the_questions_of_the_loading_pages_are_asked(self, odd, terminal, capsys):
        terminal("y", "7", "2", "1")
        call_command("make_study", str(odd / "study.toml"))
        said = capsys.readouterr().out
        assert "'7' is none of these numbers." in said
        assert "  2  with x and y exchanged" in said
        receipts = {
            file["name"]: file for one in Dataset.objects.get().imports.all() for file in one.files
        }
        assert receipts["exchanged.zip"]["reading"] == "with x and y exchanged"
        assert not receipts["fewer.zip"].get("reading")
        assert Result.objects.filter(method__name="fewer").count() == len(files(box))

    def test_nothing_is_made_when_the_input_ends(self, odd, terminal):
        terminal("y", "2")
        with pytest.raises(CommandError, match="the input ended"):
            call_command("make_study", str(odd / "study.toml"))
        assert not Dataset.objects.exists()

    @pytest.mark.parametrize("options", [[], ["--yes"]])
    def test_elsewhere_the_key_that_answers_is_named(self, odd, options, terminal, monkeypatch):
        if options:
            terminal("y", "2", "1")
        else:
            monkeypatch.setattr("sys.stdin", io.StringIO("y\n2\n1\n"))
        with pytest.raises(CommandError) as refused:
            call_command("make_study", str(odd / "study.toml"), *options)
        assert re.search(
            r"study\.toml:5: data\.results\.0\.reading: .*one of: as-read, exchanged\.",
            str(refused.value),
        )
        assert refused.value.returncode == 2
        assert not Dataset.objects.exists()

    def test_values_that_are_missing_are_asked_for(self, folder, terminal, capsys):
        (folder / "study.toml").write_text('open = false\n[protocols]\nuse = ["iou"]\n')
        terminal("gt.zip", "", "a.zip b.zip", "Asked", "y")
        call_command("make_study", str(folder / "study.toml"))
        assert Study.objects.get().name == "Asked"
        assert "A value is needed." in capsys.readouterr().out

    def test_values_that_are_missing_are_refused_elsewhere(self, folder, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.StringIO("gt.zip\n"))
        (folder / "study.toml").write_text('name = "Two"\n[data]\ntruth = "gt.zip"\n')
        with pytest.raises(CommandError, match=r"study\.toml:2: data\.results: this key is req"):
            call_command("make_study", str(folder / "study.toml"))
        (folder / "study.toml").write_text(FILE.replace('photographs = "images"', ""))
        with pytest.raises(CommandError, match=r"study\.toml: open: None of the images has"):
            call_command("make_study", str(folder / "study.toml"))
        with pytest.raises(CommandError, match="Name a study file, or --truth and --results"):
            call_command("make_study", "--truth", "gt.zip")


def test_the_frame_of_a_ground_truth_is_a_key_of_its_file(folder):
    """Photographs of 101 to 105 x 60 are turned by 180 degrees; the boxes are of their stored pixels."""
    for at, path in enumerate(sorted((folder / "images").iterdir())):
        path.write_bytes(with_orientation(Picture.new("RGB", (100 + at, 60)), 3, "PNG"))
    with pytest.raises(CommandError, match=r'file = "gt.zip", reading'):
        made(folder)
    stored = '{{ file = "{}", reading = "stored" }}'.format
    text = FILE.replace('"gt.zip"', stored("gt.zip"))
    text = text.replace('"a.zip"', stored("a.zip")).replace('"b.zip"', stored("b.zip"))
    made(folder, text)
    for at, image in enumerate(Image.objects.in_order()):
        # From 0, 0 to 40, 20 in the file.
        assert image.truth_regions[0].box == (60 + at, 40, 100 + at, 60)
