"""Reference, table of formats, tables of rooms and drawings are those that the code gives."""

import importlib.util
import re
import sys

from docs.make_reference import settings_page
from tests.support.documents import ROOT
from tools.pages import write


def test_the_pages_are_what_the_script_makes(monkeypatch, capsys):
    """The recipes run it as a program (tests/test_recipes.py)."""
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs/make_reference.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(sys, "argv", ["make_reference.py", "--check"])
    assert (write(script.pages(), "make_reference.py"), capsys.readouterr().err) == (0, "")


def test_what_differs_is_named_and_left_or_written(tmp_path, monkeypatch, capsys):
    stale = tmp_path / "iou.svg"
    stale.write_text("old")
    for arguments, code, found in ((["--check"], 1, "old"), ([], 0, "new")):
        monkeypatch.setattr(sys, "argv", ["make_reference.py", *arguments])
        assert (write({stale: "new"}, "make_reference.py"), stale.read_text()) == (code, found)
    assert "iou.svg differs" in capsys.readouterr().err


def test_every_variable_that_is_read_is_explained():
    read = {
        name
        for path in (ROOT / "text_rankings" / "site").glob("*.py")
        for name in re.findall(r'(?:env\.\w+|environ\.get)\(\s*"([A-Z_]+)"', path.read_text())
    }
    told = set(re.findall(r"^\| `([A-Z_]+)` \|", settings_page(), re.MULTILINE))
    assert len(read) > 15
    assert read - told == set()
