"""The tables of rooms in ARCHITECTURE.md, made from the docstrings of the packages."""

import ast
import tomllib
from pathlib import Path
from typing import Any, Final

from .pages import between

ROOT: Final = Path(__file__).resolve().parents[1]
DOCUMENT: Final = ROOT / "ARCHITECTURE.md"
# Package, and the contract of pyproject.toml that orders its rooms.
TABLES: Final = {
    "annotate": "Subjects of the site",
    "rankings": "Rooms of rankings",
    "protocols": "Rooms of protocols",
    "protocols.formats": "Rooms of protocols.formats",
}


def document(text: str) -> str:
    """Return the document with fresh tables of rooms between their markers."""
    for package in TABLES:
        begin, end = f"<!-- rooms of {package} -->\n", f"<!-- end of {package} -->"
        text = between(text, begin, end, table(package))
    return text


def table(package: str) -> str:
    """Return a Markdown table of a package's rooms, lowest first."""
    rows = [f"| `{name}` | {_sentence(package, name)} |\n" for name in _rooms(package)]
    return "".join(["| room, lowest first | holds |\n| --- | --- |\n", *rows])


def contracts() -> dict[str, dict[str, Any]]:
    """Return the contracts of imports in pyproject.toml by name."""
    settings = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    return {one["name"]: one for one in settings["tool"]["importlinter"]["contracts"]}


def _rooms(package: str) -> list[str]:
    names = [
        name.removeprefix(f"{package}.")
        for layer in reversed(contracts()[TABLES[package]]["layers"])
        for name in layer.replace(":", "|").replace(" ", "").split("|")
    ]
    return [name for name in names if _folder(package, name).is_dir() and name != "management"]


def _folder(package: str, name: str) -> Path:
    return ROOT.joinpath(*package.split("."), name)


def _sentence(package: str, name: str) -> str:
    source = _folder(package, name).joinpath("__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0].replace("`", "")
