"""Functions of the libraries say errors and shapes, the stated interface has examples, which run."""

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocols.core.regions import Region
from protocols.formats.writing.converting import write
from tools.docs_site import objects

ROOT = Path(__file__).resolve().parents[1]
STATED = set(objects(ROOT.joinpath("docs/reference/python.md").read_text(encoding="utf-8")))
PACKAGES = ("protocols", "rankings", "text_rankings/api", "text_rankings/base")
ARRAYS = re.compile(r"\b(?:Floats|Indices|Polygons|NDArray)\b")
SHAPES = re.compile(r"\bshape\b|\blength\b|\bone for each\b")


def modules(package: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.joinpath(package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def lacks(function: ast.FunctionDef, stated: bool) -> Iterator[str]:
    # Ruff finds functions without a docstring; those of types alone (overload) need none.
    text = ast.get_docstring(function)
    if not text:
        return
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    # The sentence says it of a function of one argument or none.
    _, _, parameters = text.partition("Parameters\n---")
    parameters = re.split(r"\n\w+\n---", parameters)[0]
    if stated and len(named) > 1:
        yield from (one.arg for one in named if not re.search(rf"\b{one.arg}\b", parameters))
    if stated and ">>> " not in text:
        yield "example"
    # Inside the libraries a sentence is enough.
    says_errors = "\nRaises\n---" in text if stated else re.search(r"\b[Rr]aises?\b", text)
    if not says_errors and any(raised(function)):
        yield "errors"
    annotations = [function.returns, *(one.annotation for one in named)]
    if ARRAYS.search(" ".join(map(ast.unparse, filter(None, annotations)))) and not SHAPES.search(
        text
    ):
        yield "shapes"


def raised(node: ast.AST) -> Iterator[ast.Raise]:
    """Yield what a function raises itself, outside of what it may catch again."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise):
            yield child
        elif isinstance(child, ast.Try):
            for part in (*child.handlers, *child.orelse, *child.finalbody):
                yield from raised(part)
        elif not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from raised(child)


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_say_errors_and_shapes_and_the_stated_interface_has_examples(package):
    lacking = {
        f"{module}.{function.name}": what
        for module, path in modules(package)
        for function in public_functions(path)
        if (what := list(lacks(function, (module, function.name) in STATED)))
    }
    assert lacking == {}


def test_the_stated_interface_is_there():
    assert [of for of in STATED if not hasattr(importlib.import_module(of[0]), of[1])] == []
    assert len(STATED) > 60


def with_examples() -> list[str]:
    return [
        name
        for package in PACKAGES
        for name, path in modules(package)
        if ">>> " in path.read_text(encoding="utf-8")
    ]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Input of the examples of command lines: two words of an image, of which a method finds one; a table."""
    regions = (
        Region.from_box(0, 0, 100, 40, text="EXIT"),
        Region((0, 60, 90, 70, 90, 99, 0, 90), text="A"),
    )
    found = Region.from_box(0, 0, 100, 40)
    tmp_path.joinpath("gt.zip").write_bytes(write({"img_1": regions}, "quad", kind="truth"))
    tmp_path.joinpath("east.zip").write_bytes(write({"img_1": (found,)}, "quad", kind="results"))
    table = '<document><table><Coords points="0,0 9,0 9,4 0,4"/></table></document>'
    tmp_path.joinpath("tables").mkdir()
    tmp_path.joinpath("tables", "a.xml").write_text(table)
    monkeypatch.chdir(tmp_path)


OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", with_examples())
def test_examples_give_what_they_say(name):
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert (failed, tried > 0) == (0, True)
