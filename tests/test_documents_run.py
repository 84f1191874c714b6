"""Documents do what they say: their files, commands and snippets are run in order in an empty folder."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from benchmarks.own_site import free_port
from docs.make_reference import commands_page
from tests.support.archives import zip_file
from tests.support.cases import cases
from tests.support.documents import ROOT, blocks_of, run_document

# Decisions and dated results say what was true then; the paper shows a piece of code.
_OTHERS = {
    of for name in ("decisions", "paper", "validation") for of in ROOT.glob(f"docs/{name}/*")
}
DOCUMENTS = [ROOT / "README.md", *sorted(set(ROOT.glob("docs/**/*.md")) - _OTHERS)]
HOW_TO = ROOT / "docs" / "how-to" / "add-a-protocol.md"
PACKAGE = ROOT / "tests" / "plugins" / "pixels"
EXECUTED = {"sh", "bash", "console", "python", "pycon"}


@dataclass(frozen=True)
class Run:
    """The initial content of a document's folder, and the blocks that cannot be run, each with the reason."""

    given: str = "nothing"
    without: Mapping[str, str] = field(default_factory=dict)


NETWORK = "It asks the package index; tests/test_wheel.py installs the program where nothing is."
RUN = {
    "README.md": Run(
        "archives",
        {
            "make demo": "It sets up an environment. CI runs `make test`; tests/test_wheel.py a demo.",
            "make test": "It runs for minutes, and CI runs it.",
        },
    ),
    "docs/formats.md": Run("archives"),
    "docs/explanation/distance.md": Run(),
    "docs/how-to/add-a-protocol.md": Run(),
    "docs/how-to/cluster.md": Run(
        "a clone",
        {
            "git clone REPOSITORY text-detection-rankings && cd text-detection-rankings": NETWORK,
            "echo CLUSTER=true >> .env": "It needs containers; `make lint` checks their files.",
        },
    ),
    "docs/how-to/competition.md": Run("archives"),
    "docs/how-to/deploy.md": Run("a site"),
    "docs/how-to/in-python.md": Run("eight detectors"),
    "docs/how-to/in-the-shell.md": Run("archives"),
    "docs/how-to/training-loop.md": Run(
        without={"import lightning": "It needs Lightning; tests/protocols/test_recipes.py runs it."}
    ),
    "docs/install.md": Run(
        without={
            "make demo": "It sets up an environment. CI runs `make test`; tests/test_wheel.py a demo.",
            "text-rankings demo": "It runs until it is stopped; tests/test_wheel.py does that.",
        }
    ),
    "docs/tutorials/paper-table.md": Run(),
    "docs/tutorials/first-study.md": Run(
        without={
            "text-rankings demo": "It runs until it is stopped; tests/test_wheel.py does that."
        }
    ),
}
# The test that runs them.
ELSEWHERE = {
    "docs/how-to/extend.md": "tests/test_recipes.py",
    "docs/how-to/judge-with-a-model.md": "tests/annotate/judges/test_how_to.py",
    "docs/how-to/study-file.md": "tests/annotate/design/study_file/test_study_file.py",
    "docs/api.md": "tests/annotate/api/test_document.py",
}


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", RUN)
def test_it_runs_as_it_stands(document, tmp_path):
    folder, run = tmp_path / "work", RUN[document]
    folder.mkdir()
    GIVEN[run.given](folder)
    instead = {
        "10.0.0.5": "127.0.0.1",
        "8786": str(free_port()),
        "/srv/rankings": str(tmp_path),
    }
    run_document(ROOT / document, folder, without=run.without, instead=instead)


def archives(folder: Path) -> None:
    word = "10,10,109,49"
    zip_file(folder / "gt.zip", {f"gt_img_{at}.txt": f'{word},"word"\n' for at in (1, 2)})
    for name in ("east", "submit"):
        zip_file(folder / f"{name}.zip", {f"res_img_{at}.txt": f"{word}\n" for at in (1, 2)})
    found = {"res_img_1.txt": f"{word}\n", "res_img_2.txt": "300,300,380,340\n"}
    zip_file(folder / "craft.zip", found)
    ranked = [
        f'img_{image},{person},{criterion},"[[""east""], [""craft""]]"'
        for image in (1, 2)
        for person in ("ann", "ben", "cid")
        for criterion in ("recall", "precision", "preference")
    ]
    folder.joinpath("rankings.csv").write_text(
        "\n".join(["image,annotator,criterion,buckets", *ranked, ""])
    )


def eight_detectors(folder: Path) -> None:
    archives(folder)
    for at in range(8):
        # Each finds less of the first word and more of the second.
        found = {
            "res_img_1.txt": f"10,10,{109 - 9 * at},49\n",
            "res_img_2.txt": f"10,10,{46 + 9 * at},49\n",
        }
        zip_file(folder / "results" / f"method-{at}.zip", found)


def a_clone(folder: Path) -> None:
    archives(folder)
    clone = folder / "text-detection-rankings"
    clone.mkdir()
    for name in ("protocols", "rankings", "text_rankings"):
        clone.joinpath(name).symlink_to(ROOT / name)
    clone.joinpath(".venv").symlink_to(sys.prefix)


def a_site(folder: Path) -> None:
    folder.joinpath("manage.py").symlink_to(ROOT / "manage.py")
    data = {"DATA_DIR": str(folder / "data"), "DATABASE_URL": ""}
    command = [sys.executable, "manage.py", "set_up"]
    subprocess.run(command, cwd=folder, env=os.environ | data, check=True, capture_output=True)


GIVEN = {
    "nothing": lambda folder: None,
    "archives": archives,
    "eight detectors": eight_detectors,
    "a clone": a_clone,
    "a site": a_site,
}


def test_every_block_is_run_or_says_why_not():
    for document in DOCUMENTS:
        name, blocks = name_of(document), blocks_of(document)
        if name not in ELSEWHERE:
            assert "" not in {block.language for block in blocks}, f"{name}: say the language"
        runs = {block.first_line for block in blocks if block.language in EXECUTED}
        assert not runs or name in RUN or name in ELSEWHERE, f"{name} has blocks that nothing runs"
        assert set(RUN[name].without if name in RUN else ()) <= runs, (
            f"{name} lacks what is left out"
        )
    assert all((ROOT / test).is_file() for test in ELSEWHERE.values())


def test_the_readme_begins_with_its_two_commands_each_in_a_block_that_can_be_pasted():
    """A block of two commands, of which the first never ends, cannot be."""
    blocks = [block for block in blocks_of(ROOT / "README.md") if block.language in EXECUTED]
    assert [block.text for block in blocks[:2]] == ["make demo\n", "make test\n"]
    assert [
        block.text for block in blocks if block.language == "sh" and block.text.count("\n") > 1
    ] == []


def test_five_usual_scripts_have_eight_lines_at_most():
    blocks = blocks_of(ROOT / "docs" / "how-to" / "in-python.md")
    lines = [
        [line for line in block.text.splitlines() if line.strip()]
        for block in blocks
        if block.language == "python"
    ]
    assert len(lines) >= 5
    assert max(map(len, lines)) <= 8


def test_the_package_of_the_how_to_is_the_one_that_is_tested():
    told = {block.title.partition("/")[2]: block.text for block in blocks_of(HOW_TO) if block.title}
    assert told == {path.name: path.read_text() for path in PACKAGE.iterdir() if path.is_file()}


# The options of each command, by its heading on the documentation site.
REFERENCE = commands_page()
OPTIONS = {
    heading: set(re.findall(r"--[\w-]+", told))
    for heading, told in re.findall(r"^### (.+)\n((?:(?!##).*\n)*)", REFERENCE, re.MULTILINE)
}
MORE = ["ARCHITECTURE.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]


@cases("document", [*DOCUMENTS, *map(ROOT.joinpath, MORE)])
def test_commands_in_sentences_are_there(document):
    for command in commands_in(document.read_text(encoding="utf-8")):
        assert misfit(command) == "", command


@cases(
    "command, said",
    [
        ("manage.py nothing", "no command nothing"),
        ("python manage.py backup --everything site.zip", "backup has no --everything"),
        ("text-rankings manage doctor --quickly", "doctor has no --quickly"),
        ("text-protocols score --truths gt.zip", "score has no --truths"),
        ("python -m rankings plans", "no command plans"),
        ("make nothing", "no target nothing"),
        ("python -m benchmarks.nothing", "no module benchmarks.nothing"),
        ("manage.py backup -", ""),
        ("text-protocols COMMAND", ""),
        ("make test TESTS=tests/rankings", ""),
    ],
)
def test_what_is_not_there_is_found(command, said):
    assert misfit(command) == said


def commands_in(text: str) -> Iterator[str]:
    """Yield texts in backquotes or indented that begin with one of the programs."""
    for found in re.findall(r"`([^`\n]+)`|^    (\S.*)$", text, re.MULTILINE):
        command = "".join(found)
        if re.match(r"(python )?manage\.py |text-\w+ |python -m \w+|make [a-z]", command):
            yield command


def misfit(command: str) -> str:
    """Return the unknown parts of a command; empty: none."""
    plain = re.sub(r"^(python )?manage\.py", "manage", command.partition(" | ")[0])
    plain = plain.replace("text-rankings manage", "manage").replace(
        "python -m rankings", "text-order"
    )
    program, *words = plain.replace("python -m protocols", "text-protocols").split()
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return "" if words[0] in targets else f"no target {words[0]}"
    if program == "python":
        module = words[1].removesuffix(".NAME")
        return "" if "." not in module or find_spec(module) else f"no module {module}"
    # Placeholders, and the options of the competition, which its page runs.
    if not words or not re.fullmatch(r"[a-z][a-z_-]+", words[0]):
        return ""
    name = words[0] if program == "manage" else f"{program} {words[0]}"
    if name not in OPTIONS:
        return "" if program == "manage" and name in get_commands() else f"no command {words[0]}"
    options = re.findall(r"(?<=[\s\[])--[\w-]+", " ".join(words))
    return "".join(f"{words[0]} has no {of}" for of in options if of not in OPTIONS[name])
