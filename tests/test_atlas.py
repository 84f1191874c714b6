"""The atlas of IoU 0.5: what its script makes of results whose figures are known by hand."""

import importlib.util
import json
from datetime import date
from pathlib import Path

from protocols.formats.readers.scenes import read_scene

ROOT = Path(__file__).resolve().parents[1]


def make_atlas():
    spec = importlib.util.spec_from_file_location("make_atlas", ROOT / "docs/make_atlas.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results():
    """The worked example of the toolkits, and a method that finds its words 1 and 2 exactly."""
    example = json.loads((ROOT / "docs/protocols/examples/iou-toolkits.json").read_text())
    exact = example | {"detections": example["truth"][:2]}
    return {
        "untidy": [read_scene(example, "example")],
        "exact": [read_scene(exact, "exact")],
    }


def test_the_figures_are_those_of_the_worked_example():
    """Exact: 2 of 3 truths, nothing wrong: F = 0.8; for docTR 2 of 4 truths: F = 2/3.

    Untidy: 0.4 where the bow tie is left out, 1/3 where it is mended, 1 for docTR; the matches of
    PASCAL VOC leave out the ignored word's detection too.
    """
    module = make_atlas()
    comparison = module.Comparison.of("Example", results())
    text = "\n".join(comparison.lines())
    assert "1 images, 4 truths, 1 of them ignored; 6 detections." in text
    assert "No valid polygons: 0 truths, 1 detections." in text
    assert "| way | untidy | exact | pairs reversed |\n| --- | ---: | ---: | ---: |" in text
    rows = {
        tuple(figures): names.strip("| ").split("; ")
        for names, *figures in (
            line[2:-2].split(" | ") for line in text.splitlines() if line[:2] == "| "
        )
    }
    assert rows["40.00", "80.00", "0"] == ["PaddleOCR"]
    assert rows["100.00", "66.67", "1"] == ["docTR, polygons", "docTR, boxes"]
    assert rows["33.33", "80.00", "0"] == [
        name for name in module.WAYS if name[:5] not in ("Paddl", "docTR")
    ]
    assert "| *largest less smallest* | 66.67 | 13.33 | |" in text
    assert (
        "- *exact* before *untidy*: the other way round for docTR, polygons; docTR, boxes." in text
    )


def test_the_page_says_when_it_was_made_and_how_far_each_way_moves_anything():
    module = make_atlas()
    comparison = module.Comparison.of("Example", results())
    text = module.page([comparison], date(2026, 11, 22))
    assert "Made on 2026-11-22" in text
    assert "| PaddleOCR | 0.00 | 6.67 | 0 of 1 |" in text
    assert "| docTR, boxes | 13.33 | 66.67 | 1 of 1 |" in text
    assert "Within 0.01 everywhere: ArT, LSVT: best IoU; as many as possible" in text


def test_a_single_method_has_no_order():
    module = make_atlas()
    lines = list(module.Comparison.of("Example", {"exact": results()["exact"]}).lines())
    assert lines[2] == "| way | exact |"
    assert lines[4].endswith("| 80.00 |")
    assert not any("Order" in line or "order" in line for line in lines)


def test_without_result_sets_nothing_is_written(monkeypatch, tmp_path, capsys):
    module = make_atlas()
    monkeypatch.setattr(module, "DATA", tmp_path / "nowhere")
    monkeypatch.setattr(module, "PAGE", tmp_path / "page.md")
    assert module.main() == 2
    assert "not here" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()


def test_the_page_has_all_ways_and_all_result_sets():
    module = make_atlas()
    text = module.PAGE.read_text(encoding="utf-8")
    rows = [line[2:].split(" | ")[0].split("; ") for line in text.splitlines() if line[:2] == "| "]
    for name in module.WAYS:
        assert sum(name in names for names in rows) >= len(module.SETS), name
    assert all(f"\n## {title}\n" in text for title in module.SETS)
