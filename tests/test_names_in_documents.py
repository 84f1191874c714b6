"""Files, classes and dotted names that documents for developers and heads of templates name exist."""

import importlib
import re
import subprocess
from pathlib import Path

import allauth
import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
TRACKED = [f"/{name}" for name in LISTED.stdout.splitlines() if (ROOT / name).is_file()]
SOURCES = [ROOT / name[1:] for name in TRACKED if name.endswith((".py", ".js", ".mjs", ".toml"))]
SOURCES += Path(allauth.__file__).parent.rglob("forms.py")
CODE = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
WORDS = set(re.findall(r"\w+", CODE))
DOCUMENTS = [
    "ARCHITECTURE.md",
    ".github/CONTRIBUTING.md",
    *(ROOT / "docs" / "decisions").glob("*.md"),
]
FILE = re.compile(r".*\.(?:py|md|toml|json|html|css|js|mjs|po|csv|yml|bib|zip)")
MODULE = re.compile(r"(?:annotate|protocols|rankings|text_rankings|tools|benchmarks)(?:\.\w+)+")
QUOTED = re.compile(r"`(?!DATA_DIR)([\w./-]*[./][\w./-]*)(?:\(\))?`")
IN_HEAD = re.compile(
    r"\b[\w/]+\.(?:py|html|js|css)\b|\b[A-Z]\w*[a-z][A-Z]\w*(?:\.\w+)?|\b[A-Z]\w+\.\w+"
)


def is_there(name):
    """Whether it is a file, an attribute of a module, a permission, or made of words of the code."""
    if FILE.fullmatch(name):
        return any(path.endswith("/" + name.lstrip("/")) for path in TRACKED)
    if MODULE.fullmatch(name) and f'"{name}"' not in CODE:
        module, _, last = name.rpartition(".")
        return hasattr(importlib.import_module(module), last)
    path, dot, _ = name.partition(".")
    if "/" in path and name not in CODE:
        wanted = f"/{path}.py" if dot else f"/{path}"
        return any(wanted in one for one in TRACKED) and set(re.findall(r"\w+", name)) <= WORDS
    return set(re.findall(r"\w+", name)) <= WORDS


def names_in(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return QUOTED.findall(text)
    return [name for head in re.findall(r"\{#(.*?)#\}", text) for name in IN_HEAD.findall(head)]


@pytest.mark.parametrize("paths", [DOCUMENTS, (ROOT / "templates").rglob("*.html")])
def test_names_are_of_something_that_exists(paths):
    found = {f"{path}: {name}" for path in paths for name in names_in(ROOT / path)}
    assert len(found) > 100
    assert sorted(one for one in found if not is_there(one.partition(": ")[2])) == []
