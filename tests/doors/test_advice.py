"""Advice of a finding, followed as it is printed, reads the data rightly at each door."""

import json
import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import text_rankings as tr
from annotate.datasets.models import Dataset, Result
from annotate.datasets.selectors import truths_of
from protocols.command_line.main import main as protocols_main
from protocols.core.errors import DataWarning, ProtocolError
from protocols.formats.recognition import reading
from protocols.formats.recognition.reading import FORMATS, LINES
from tests.support import commands
from tests.support.archives import zip_file
from tests.support.factories import make_admin
from tests.support.street_words import WORDS, box, upright, zipped
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db


def sides(left, top, right, bottom):
    return f"{left},{top},{right - left},{bottom - top}"


def quad(left, top, right, bottom):
    """A slanted quadrilateral from the lower left corner: a broken box, if its first corners are one."""
    return ",".join(map(str, slanted(left, top, right, bottom)))


def slanted(left, top, right, bottom):
    return left + 9, bottom, left, top, right - 9, top + 3, right, bottom - 4


def corners(left, top, right, bottom):
    return left, top, right, top, right, bottom, left, bottom


def labelme(folder, name):
    def document(at):
        shapes = [
            {"label": f"word {at} {x}", "points": [[x, y], [r, b]], "shape_type": "rectangle"}
            for x, y, r, b in WORDS[at]
        ]
        return json.dumps({"version": "5", "shapes": shapes, "imagePath": f"img_{at}.jpg"})

    return zip_file(folder / name, {f"img_{at}.json": document(at) for at in WORDS})


def stored(side):
    """Return the points of the site's regions by image number, of the truth or of the results."""
    if side == "truth":
        regions = truths_of(Dataset.objects.get(), [f"img_{at}" for at in WORDS])
    else:
        regions = {
            of.image.name: of.detections for of in Result.objects.filter(method__name="east")
        }
    return {at: [tuple(map(float, of.points)) for of in regions[f"img_{at}"]] for at in WORDS}


def expected(points):
    return {at: [tuple(map(float, points(*word))) for word in words] for at, words in WORDS.items()}


# Name, how truth and results are written, formats that are named, the file in question, its choices,
# the one that is right and the points under it.
CASES = {
    "a truth of quadrilaterals named boxes": (
        *(quad, quad, {"gt.zip": "ltrb"}, "gt.zip", ["quad"], "quad", slanted),
    ),
    "a truth of quadrilaterals named sides": (
        *(quad, quad, {"gt.zip": "ltwh"}, "gt.zip", ["quad"], "quad", slanted),
    ),
    "results of quadrilaterals named boxes": (
        *(quad, quad, {"east.zip": "ltrb"}, "east.zip", ["quad"], "quad", slanted),
    ),
    "sides of a truth of quadrilaterals": (
        upright,
        sides,
        {},
        "east.zip",
        ["ltwh"],
        "ltwh",
        corners,
    ),
    "labels that may be texts": (
        *(labelme, box, {}, "gt.zip", ["labelme", "labelme-text"], "labelme-text", corners),
    ),
}
ASKED = pytest.mark.parametrize("case", CASES)


def files(folder, case):
    write_truth, write_results, named, asked, choices, right, points = CASES[case]
    if write_truth is labelme:
        labelme(folder, "gt.zip")
    else:
        zipped(folder, "gt.zip", "gt", write_truth, ",word")
    zipped(folder, "east.zip", "res", write_results)
    rows = (
        f"img_{at},{box(x, y, r - 1, b)}" for at, words in WORDS.items() for x, y, r, b in words
    )
    (folder / "craft.csv").write_text("\n".join(["image,left,top,right,bottom", *rows]))
    return named, asked, choices, right, points


@ASKED
def test_the_option_that_import_files_prints_loads_the_file_rightly(case, tmp_path, capsys):
    named, asked, choices, right, points = files(tmp_path, case)
    load = ["import_files", str(tmp_path / "gt.zip"), str(tmp_path / "east.zip")]
    given = [f"{name}={slug}" for name, slug in named.items()]
    with pytest.raises(CommandError):
        call_command(*load, name="Street", yes=True, format=given)
    told = capsys.readouterr().err
    [options] = re.findall(rf"^{re.escape(asked)}: answer with (.*)\.$", told, re.MULTILINE)
    assert options.split(" or ") == [f"--format {asked}={slug}" for slug in choices]
    for slug in choices:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("builtins.input", lambda _: "n")
            with pytest.raises(CommandError, match="not confirmed"):
                call_command(*load, "--name", "Street", *answers(told, asked, slug))
    call_command(*load, "--name", "Street", "--yes", *answers(told, asked, right))
    assert stored("truth" if asked == "gt.zip" else "results") == expected(points)


def answers(told, asked, slug):
    """Return the options that a command printed, for each question the chosen or the first one."""
    options = []
    for name, said in re.findall(r"^(\S+): answer with (.*)\.$", told, re.MULTILINE):
        printed = said.split(" or ")
        chosen = [of for of in printed if of.endswith(f"={slug}")] if name == asked else printed
        options += shlex.split(chosen[0])
    return options


@ASKED
def test_the_key_that_a_study_file_is_told_loads_the_file_rightly(case, tmp_path):
    named, asked, choices, right, points = files(tmp_path, case)
    keys = {name: {"file": name, "format": slug} for name, slug in named.items()}
    for _ in range(3):
        tables = {name: keys.get(name, {"file": name}) for name in ("gt.zip", "east.zip")}
        truth, results = (
            "{ " + ", ".join(f'{key} = "{value}"' for key, value in of.items()) + " }"
            for of in tables.values()
        )
        (tmp_path / "study.toml").write_text(
            f'name = "Street"\nopen = false\n[data]\ntruth = {truth}\nresults = [{results}, "craft.csv"]\n'
            '[protocols]\nuse = ["iou"]\n'
        )
        try:
            call_command("make_study", str(tmp_path / "study.toml"), "--yes")
            break
        except CommandError as refused:
            [(name, offered)] = re.findall(
                r'as in \{ file = "(.*?)", format = ".*?" \}; format is one of: (.*?)\.$',
                str(refused),
            )
            if name == asked:
                assert offered.split(", ") == choices
            keys[name] = {
                "file": name,
                "format": right if name == asked else offered.split(", ")[0],
            }
    assert stored("truth" if asked == "gt.zip" else "results") == expected(points)


@ASKED
def test_each_choice_of_the_api_can_be_read(case, tmp_path):
    named, asked, _, right, points = files(tmp_path, case)
    client = signed_in(make_admin(), scopes=("load", "read"))
    load = client.post("/api/v1/loads", {"name": "Street"})["Location"].removeprefix(
        "http://testserver"
    )
    for name in ("gt.zip", "east.zip"):
        with (tmp_path / name).open("rb") as file:
            sent = client.post(f"{load}/files", {"file": file}, format="multipart").json()
        kind = "truth" if name == "gt.zip" else "results"
        given = {"kind": kind, "format": named.get(name, ""), "title": "east" * (kind == "results")}
        client.patch(f"{load}/files/{sent['id']}", given)
    client.post(f"{load}/check")
    while formats := [of for of in client.get(load).json()["questions"] if of["code"] == "F1"]:
        names = {of["id"]: of["name"] for of in client.get(load).json()["files"]}
        answers = []
        for of in formats:
            name, choices = names[of["file"]], list(of["choices"])
            assert ("ltrb" in choices) <= (CASES[case][name == "east.zip"] in (box, sides))
            slug = right if name == asked else choices[0]
            answers.append({"file": of["file"], "format": slug})
        answered = client.post(f"{load}/answers", {"answers": answers}, format="json")
        assert answered.status_code == 200, answered.json()
    assert client.post(f"{load}/confirm", {}).status_code == 202, client.get(load).json()
    assert stored("truth" if asked == "gt.zip" else "results") == expected(points)


# Where the shell and Python ask.
@pytest.mark.parametrize(
    ("write_truth", "write_results", "named", "right"),
    [
        (upright, upright, {"truth": "ltrb"}, {"truth": "quad"}),
        (upright, upright, {"results": "ltrb"}, {"results": "quad"}),
        (labelme, box, {}, {"truth": "labelme-text"}),
    ],
)
def test_the_option_that_the_shell_and_python_name_scores_the_file(
    write_truth, write_results, named, right, tmp_path
):
    if write_truth is labelme:
        labelme(tmp_path, "gt.zip")
    else:
        zipped(tmp_path, "gt.zip", "gt", write_truth, ",word")
    zipped(tmp_path, "east.zip", "res", write_results)
    paths = (tmp_path / "gt.zip", tmp_path / "east.zip")

    def shell(formats):
        options = [part for side, of in formats.items() for part in (f"--{side}-format", of)]
        files = ("--truth", paths[0], "--results", paths[1])
        out = ("--out", tmp_path / "out.csv")
        return commands.run_here(
            protocols_main, "score", "--protocol", "iou", *files, *out, *options
        )

    asked, [(side, slug)] = shell(named), right.items()
    assert asked.returncode == 2
    [told] = re.findall(r"Name it: (.*)\.$", asked.stderr.strip())
    option, *choices = told.replace(" or ", " ").split()
    assert option == f"--{side}-format"
    assert slug in choices
    assert "ltrb" not in choices
    done = shell(named | {option[2:].removesuffix("-format"): slug})
    assert done.returncode == 0, done.stderr

    def python(formats):
        given = {f"{side}_format": of for side, of in formats.items()}
        return tr.score(str(paths[0]), str(paths[1]), **given)

    with pytest.raises(ProtocolError) as refused:
        python(named)
    argument = " or ".join(f'"{of}"' for of in choices)
    assert str(refused.value).endswith(f"Name it: {side}_format={argument}.")
    with pytest.warns(DataWarning, match="12 of 12 regions of the ground truth with the same"):
        assert python(named | right).overall.f_score == 1


def test_the_formats_of_lines_are_those_that_the_list_reads_as_lines():
    listed = json.loads((Path(reading.__file__).parent / "formats.json").read_text())
    assert [slug for slug, of in listed.items() if "lines" in of] == list(LINES)
    assert set(LINES) <= set(FORMATS)
