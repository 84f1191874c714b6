"""The notebook runs, and says what it says in the file."""

import json

from tests.support.documents import ROOT
from tests.support.shared import shared_path
from tools.notebooks import executed

NOTEBOOK = ROOT / "docs" / "tutorials" / "eight-detectors.ipynb"


def test_it_gives_the_tables_and_drawings_that_stand_in_it(monkeypatch):
    monkeypatch.setenv("ICDAR_2015", str(shared_path("data", "icdar2015")))
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    kept = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    outputs = executed(notebook)
    assert texts(outputs) == texts(kept)
    assert [kinds(cell) for cell in outputs] == [kinds(cell) for cell in kept]
    assert sum(kinds(cell) == ["image/svg+xml"] for cell in outputs) == 2


def texts(outputs):
    return [output["text"] for cell in outputs for output in cell if "text" in output]


def kinds(cell):
    return [kind for output in cell for kind in output.get("data", ())]


def test_a_detector_that_is_best_by_one_protocol_is_not_by_another():
    """The values that the notebook shows, read from its table."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    header, *rows = notebook["cells"][4 - 1]["outputs"][0]["text"]
    slugs = header.split()
    best = {
        slug: max(rows, key=lambda row, at=at: float(row.split()[at])).split()[0]
        for at, slug in enumerate(slugs, 1)
    }
    assert len(set(best.values())) > 1
