"""Options and arguments in messages: each exists at the door where the message comes out."""

import argparse
import ast
import inspect
import json
import re
from functools import cache
from pathlib import Path

import pytest

import text_rankings as tr
from protocols import coco
from protocols.command_line import commands as protocols_commands
from protocols.core.errors import ProtocolError
from protocols.loading.sources import Formats
from protocols.torch import TextDetectionMetric
from rankings import __main__ as rankings_commands
from tests.support.archives import zip_file
from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[2]
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]+)")
# A whole command, which a person may run whatever the door.
COMMAND = re.compile(r"text-(?:protocols|order) (\w+) --([a-z-]+)")
ARGUMENT = re.compile(r"\b([a-z_]+)=(?=[\"{(\[TF]|…)")
SOURCES = [
    path
    for package in ("protocols", "rankings", "text_rankings/api", "text_rankings/base")
    for path in sorted((ROOT / package).rglob("*.py"))
]
# Where a value of Formats becomes an option, where options are declared, and where those of
# another program (pip) are given.
DECLARING = ("sources.py", "options.py", "verify.py", "packages.py")


def options_of(parser):
    """Return the long options of each command."""
    found = {"": set()}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, of_command in action.choices.items():
                found[name] = set().union(*options_of(of_command).values())
        found[""] |= {of.removeprefix("--") for of in action.option_strings if of[:2] == "--"}
    return found


SHELL = {
    "protocols": options_of(protocols_commands._parser()),
    "rankings": options_of(rankings_commands._parser()),
}


@cache
def sentences(path):
    """Return the texts of a module that are no docstrings, with the parts of f-strings joined."""
    return tuple(_sentences(path))


def _sentences(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(part)
        for node in ast.walk(tree)
        for part in (node.values if isinstance(node, ast.JoinedStr) else ())
    }
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    inside |= {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    declared = {
        id(of)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument"
        for of in node.args
    }
    for node in ast.walk(tree):
        if id(node) in inside | declared:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        if isinstance(node, ast.JoinedStr):
            parts = (
                getattr(of, "value", "") if isinstance(of, ast.Constant) else "…"
                for of in node.values
            )
            yield "".join(map(str, parts))


def test_kinds_of_problems_name_no_option_since_every_door_shows_them():
    listed = (ROOT / "protocols" / "formats" / "problems.json").read_text(encoding="utf-8")
    texts = [text for of in json.loads(listed).values() for text in of.values()]
    assert texts
    assert [text for text in map(str, texts) if OPTION.search(text) or ARGUMENT.search(text)] == []


def test_options_in_messages_exist():
    n_seen = 0
    for path in SOURCES:
        package = path.relative_to(ROOT).parts[0]
        known = set().union(*(SHELL.get(package) or SHELL["protocols"]).values())
        for text in sentences(path):
            for command, option in COMMAND.findall(text):
                program = SHELL["rankings" if "text-order" in text else "protocols"]
                assert option in program[command], (path, text)
                n_seen += 1
            if not COMMAND.search(text) and path.name not in DECLARING:
                strange = {*OPTION.findall(text)} - known - {"help"}
                assert not strange, (path, text)
                n_seen += len(OPTION.findall(text))
    assert n_seen >= 5


def test_modules_outside_of_the_shell_name_its_options_only_with_the_argument():
    """A sentence that reaches Python may say --codes if it also says codes."""
    shell = {"command_line", "__main__.py", *DECLARING}
    for path in SOURCES:
        if shell & {*path.parts}:
            continue
        for text in sentences(path):
            if COMMAND.search(text):
                continue
            for option in OPTION.findall(text):
                argument = option.replace("-", "_")
                assert re.search(rf"(?<!-)\b{argument}\b", OPTION.sub("", text)), (path, text)


@cases("name", ["truth-format", "results-format", "truth-reading", "results-reading"])
def test_options_of_formats_exist_at_both_doors(name):
    assert Formats().option(name, "quad") == f"--{name} quad"
    assert name in SHELL["protocols"]["score"]
    argument = name.replace("-", "_")
    said = Formats(is_of_facade=True).option(name, "quad or polygon")
    assert said == f'{argument}="quad" or "polygon"'
    assert argument in inspect.signature(tr.score).parameters


def test_code_asks_formats_for_these_options_only():
    asked = {
        name
        for path in SOURCES
        for name in re.findall(r"option,? ?\(?\"([a-z-]+)\"", path.read_text(encoding="utf-8"))
    }
    assert {"truth-reading", "results-reading", "results-format"} <= asked
    assert asked <= SHELL["protocols"]["score"]


def test_arguments_in_messages_of_python_exist():
    score, metric = (
        {*inspect.signature(tr.score).parameters},
        {
            *inspect.signature(TextDetectionMetric).parameters,
            *inspect.signature(TextDetectionMetric.update).parameters,
        },
    )
    doors = {
        "text_rankings/api/inputs.py": score,
        "text_rankings/api/scoring.py": score,
        "text_rankings/api/comparing.py": {*inspect.signature(tr.compare).parameters} | score,
        "text_rankings/api/ranking.py": {*inspect.signature(tr.rank).parameters},
        "text_rankings/api/reporting.py": {*inspect.signature(tr.report).parameters},
        "protocols/torch.py": metric,
        "protocols/coco.py": {*inspect.signature(coco.evaluate).parameters},
        "protocols/arrays.py": score & metric,
        "protocols/loading/sources.py": score,
    }
    n_seen = 0
    for name, known in doors.items():
        for text in sentences(ROOT / name):
            named = {*ARGUMENT.findall(text)}
            assert named <= known, (name, text)
            n_seen += len(named)
    assert n_seen >= 4


@pytest.mark.parametrize(
    ("truth", "options", "said"),
    [
        # A price after four corners, or a fifth corner.
        (
            "0,0,99,0,99,39,0,39,one\n0,50,99,50,99,90,0,90,10,000\n",
            {},
            'Name it: truth_format="polygon" or "quad".',
        ),
        # The right side is left of the left one, in a line that does not count.
        ("90,10,10,50,###\n10,10,90,50,a\n", {"truth_format": "ltrb"}, "drop_broken_ignored=True."),
        (
            "".join(f"{at},9,99,9,9,9,word\n" for at in range(9)),
            {"truth_format": "ltrb"},
            'Name it: truth_format="…".',
        ),
    ],
)
def test_refusals_of_python_name_its_arguments(tmp_path, truth, options, said):
    gt = zip_file(tmp_path / "gt.zip", {"gt_1.txt": truth})
    results = zip_file(tmp_path / "east.zip", {"res_1.txt": ""})
    for given in (str(results), {"1": []}):
        with pytest.raises(ProtocolError, match=re.escape(said)) as refused:
            tr.score(str(gt), given, **options)
        assert not OPTION.search(str(refused.value))


@pytest.mark.filterwarnings("ignore:.*expected right >= left")
def test_python_leaves_broken_ignored_lines_out_and_counts_them(tmp_path):
    lines = "90,10,10,50,###\n10,10,90,50,a\n"
    gt = str(zip_file(tmp_path / "gt.zip", {"gt_1.txt": lines}))
    results = str(zip_file(tmp_path / "east.zip", {"res_1.txt": "10,10,90,50\n"}))
    for given in (results, {"1": [[10, 10, 90, 50]]}):
        with pytest.warns(UserWarning, match="1 broken line of ignored text left out"):
            found = tr.score(gt, given, truth_format="ltrb", drop_broken_ignored=True)
        assert found.overall.recall == 1
