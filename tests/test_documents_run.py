"""Documents do what they say: their files, commands and snippets are run in order in an empty folder."""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchmarks.own_site import free_port
from protocols.command_line import commands as protocols_commands
from rankings import __main__ as rankings_commands
from tests.support.archives import zip_file
from tests.support.documents import ROOT, blocks_of, run_document
from text_rankings.site import program

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
    "docs/tutorials/without-the-site.md": Run(),
}
# The test that runs them.
ELSEWHERE = {
    "docs/how-to/extend.md": "tests/test_recipes.py",
    "docs/how-to/study-file.md": "tests/annotate/design/study_file/test_study_file.py",
    "docs/api.md": "tests/annotate/api/test_document.py",
    "docs/library.md": "tests/test_library_doc.py",
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


class TestCommandsInSentences:
    """Their programs, commands and options are there."""

    @pytest.mark.parametrize(
        "document",
        [
            *DOCUMENTS,
            *(
                ROOT / f"{name}.md"
                for name in (".github/CONTRIBUTING", "ARCHITECTURE", ".github/SECURITY")
            ),
        ],
        ids=name_of,
    )
    def test_they_are_there(self, document):
        for command in commands_in(document.read_text(encoding="utf-8")):
            assert misfit(command) == "", command

    @pytest.mark.parametrize(
        ("command", "said"),
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
    def test_what_is_not_there_is_found(self, command, said):
        assert misfit(command) == said


def commands_in(text: str) -> Iterator[str]:
    """Yield texts in backquotes or indented that begin with one of the programs."""
    for found in re.findall(r"`([^`\n]+)`|^    (\S.*)$", text, re.MULTILINE):
        command = "".join(found)
        if re.match(r"(python )?manage\.py |text-\w+ |python -m \w+|make [a-z]", command):
            yield command


def misfit(command: str) -> str:
    """Return the unknown parts of a command; empty: none."""
    words = re.split(r"\s+", command.partition(" | ")[0].removeprefix("python "))
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return "" if words[1] in targets else f"no target {words[1]}"
    if words[0] == "-m" and "." in words[1]:
        if words[1].endswith(".NAME"):
            return ""
        path = ROOT.joinpath(*words[1].split("."))
        found = path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
        return "" if found else f"no module {words[1]}"
    program_name, *rest = words[1:] if words[0] == "-m" else words
    if (program_name, *rest[:1]) == ("text-rankings", "manage"):
        program_name, rest = "manage.py", rest[1:]
    # Placeholders, and the options of the competition, which its page runs.
    if not rest or not re.fullmatch(r"[a-z_-]{2,}", rest[0]) or rest[0].startswith("-"):
        return ""
    parser = parser_of(program_name, rest[0])
    if parser is None:
        return f"no command {rest[0]}"
    for option in re.findall(r"(?<=[\s\[])--[\w-]+", " ".join(rest)):
        if option not in parser._option_string_actions:
            return f"{rest[0]} has no {option}"
    return ""


PARSERS = {
    "protocols": protocols_commands._parser,
    "rankings": rankings_commands._parser,
    "text-protocols": protocols_commands._parser,
    "text-order": rankings_commands._parser,
    "text-rankings": program._parser,
}


def parser_of(name: str, command: str) -> argparse.ArgumentParser | None:
    if name == "manage.py":
        apps = get_commands()
        if command not in apps:
            return None
        return load_command_class(apps[command], command).create_parser("manage.py", command)
    if name not in PARSERS:
        return None
    choices = next(
        action.choices
        for action in PARSERS[name]()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return choices.get(command)
