"""The examples of docs/library.md run unchanged."""

import doctest
from pathlib import Path

import pytest

from tests.support.archives import zip_file

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "library.md"
WORD = "10,10,109,49"


@pytest.fixture
def archives(tmp_path, monkeypatch):
    """Write the zips that the document's example reads."""
    monkeypatch.chdir(tmp_path)
    zip_file(tmp_path / "gt.zip", {f"gt_{at}.txt": f'{WORD},"word"\r\n' for at in (1, 2)})
    zip_file(tmp_path / "east.zip", {f"res_{at}.txt": f"{WORD}\r\n" for at in (1, 2)})
    craft = {"res_1.txt": f"{WORD}\r\n", "res_2.txt": "300,300,380,340\r\n"}
    zip_file(tmp_path / "craft.zip", craft)


def test_every_example_of_the_document_gives_what_it_says(archives):
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, tried = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=options)
    assert tried > 15
    assert failed == 0
