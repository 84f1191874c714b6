"""Run published programs next to ours, and compare every image.

    python -m benchmarks.conformance [--originals DIR] [--only NAME ...] [--data DIR] [--write]

``originals.json`` names each program: its public project and version, how it is called, and what it
needs. Programs that are packages are installed in environments below var/originals, in the versions of
the manifest. DIR has a folder for each other one, named as there, with the program in it; one that is
not in DIR is left out with a message. No program of others is part of this project. PYTHON runs them
(default: this one), or the environment of its ``packages``, or the one in the folder's own ``venv``.
Each is run on drawn scenes and, where its files are in the data folder, on a real set. ``--write``
keeps the table in docs/validation. Every row has its version and date: those of other versions, and
those of programs that were not run, stay as they were.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from protocols import registry
from protocols.coco import summarize
from protocols.command_line.slot_cases import score_documents
from protocols.command_line.vote_cases import evaluate_cases
from protocols.core.base import ImageScore, OverallScore, Scene
from protocols.core.regions import Region
from protocols.formats.containers.contents import LineFormat
from protocols.formats.readers.ctdar import read_file
from protocols.formats.writing.regions import write_rrc_zip
from protocols.loading.sources import Formats, read_scenes
from protocols.slot_error.documents import read_standoff
from protocols.slot_error.ontology import Ontology, read_ontology
from tests.support import coco_scenes, hiertext_scenes
from tests.support.environments import python_of
from tools.pages import row

from . import pages
from .protocols import ROOT, drawn_truth, found_in

MANIFEST = Path(__file__).with_name("originals.json")
# A real set by the form of its lines.
REAL = {
    "quad": ("icdar2015", "pixellink"),
    "ltrb": ("icdar2013", "east-argman"),
    "polygon": ("ctw1500", "ctd"),
    "texts": ("clova-doc", "example"),
}
CALLED = Path(__file__).with_name("original_calls.py")


class NotRun(Exception):
    """A program that cannot be run here; the message says why."""


@dataclass(frozen=True)
class Original:
    """A published program, as the manifest describes it."""

    name: str
    says: str
    project: str
    version: str
    protocol: str
    call: str
    script: str
    needs: Sequence[str]
    lines: str = ""
    options: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] | None = None
    texts: bool = False
    masks: bool = False
    ignored: bool = True
    # Images of the real set, if the program takes minutes for all.
    at_most: int | None = None
    # Packages of its environment, and those installed without what they depend on.
    packages: Sequence[str] = ()
    alone: Sequence[str] = ()
    # The folder of the program in the environment; None if it is in DIR.
    inside: str | None = None
    # Why its figures are others than ours; these then are no error.
    differs: str = ""
    # The names of recall, precision and F-score of an image.
    keys: Sequence[str] = ("recall", "precision", "hmean")

    @property
    def cells(self) -> tuple[str, str]:
        """The first two cells of its rows."""
        slug, _, variant = self.protocol.partition(":")
        name = registry.PROTOCOLS[slug].name if slug else "COCO"
        return (
            f"{name} (`{variant}`)" if variant else name,
            f"[{self.says}]({self.project}), {self.version}",
        )


@dataclass(frozen=True)
class Compared:
    """Images of one set of data; the ratios are processor time of the original over ours."""

    original: Original
    data: str
    deviations: Sequence[float]
    typed: float | None = None
    with_output: float | None = None


def line(found: Sequence[Compared]) -> str:
    """Return the row of one original, over all its data."""
    deviations = [deviation for of in found for deviation in of.deviations]
    ratios = ((of.typed, of.with_output) for of in found if of.typed is not None)
    times = "; ".join(f"{typed:.1f}, {written:.1f}" for typed, written in ratios) or "–"
    data = "; ".join(f"{of.data} {len(of.deviations)}" for of in found)
    n_beyond = f"{sum(deviation > 1e-6 for deviation in deviations)}"
    if found[0].original.differs:
        n_beyond += f": {found[0].original.differs}"
    counted = [data, f"{max(deviations):.0e}", n_beyond]
    return row(*found[0].original.cells, *counted, times, f"{datetime.now(UTC):%-d %B %Y}") + "\n"


def originals() -> list[Original]:
    listed = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return [Original(name, **of) for name, of in listed.items()]


def run(command: Sequence[str | Path], folder: Path, given: str | None = None) -> tuple[str, float]:
    """Return standard output and the processor time of a command; raise NotRun if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise NotRun(done.stderr.strip()[-300:] or f"it ended with {done.returncode}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, seconds


def drawn_zips(original: Original, folder: Path) -> tuple[Path, Path]:
    """Write the zips of 60 drawn images, in which words overlap."""
    rng = random.Random(29)
    truth = {f"img_{at}": drawn_truth(rng, rng.randint(0, 8), 500) for at in range(1, 61)}
    if not original.ignored:
        truth = {name: [of for of in words if not of.ignored] for name, words in truth.items()}
    found = {}
    for image, regions in truth.items():
        of_image = found_in(rng, regions, 60)
        found[image] = [replace(region, **_kept(region, original, rng)) for region in of_image]
    if original.lines == "ltrb":
        truth, found = ({name: _boxes(of) for name, of in side.items()} for side in (truth, found))
    paths = folder / "gt.zip", folder / "submit.zip"
    for path, side, kind in zip(paths, (truth, found), ("truth", "results"), strict=True):
        with path.open("wb") as stream:
            write_rrc_zip(stream, side, kind=kind, line_format=LineFormat(original.lines))
    return paths


def _kept(region: Region, original: Original, rng: random.Random) -> dict[str, Any]:
    sure = bool((original.options or {}).get("CONFIDENCES"))
    # Different ones, since the order of equal confidences is open.
    confidence = round(rng.random(), 6) if sure else None
    return {"text": region.text if original.texts else None, "confidence": confidence}


def _boxes(regions: Sequence[Region]) -> list[Region]:
    return [replace(region, points=Region.from_box(*region.box).points) for region in regions]


def compare_rrc(original: Original, home: Path, python: str, data: Path) -> Iterator[Compared]:
    """Call a stand-alone script and ours with the same options on the same zips."""
    with tempfile.TemporaryDirectory() as made:
        sets = {"drawn": drawn_zips(original, Path(made))}
        name, method = REAL[original.lines]
        real = data / name / "gt.zip", data / name / f"{method}.zip"
        if all(path.exists() for path in real) and not (original.texts or original.options):
            sets[f"{name} {method}"] = real
        for label, (truth, results) in sets.items():
            theirs, ours = Path(made) / f"{label}-theirs", Path(made) / f"{label}-ours"
            options = [f"-p={json.dumps(original.options)}"] if original.options else []
            called = [f"-g={truth.resolve()}", f"-s={results.resolve()}", *options]
            script = [python, home / original.script, *called]
            own = [sys.executable, "-m", "protocols", *called, f"-c={original.protocol}"]
            seconds = [run(script, home)[1], run(own, ROOT)[1]]
            seconds += [run([*script, f"-o={theirs}"], home)[1], run([*own, f"-o={ours}"], ROOT)[1]]
            expected, found = _samples(theirs), _samples(ours)
            if expected.keys() != found.keys():
                raise NotRun(f"{label}: its results have {len(expected)} images, ours {len(found)}")
            deviations = [
                max(
                    abs(of[key] - found[image][own_key])
                    for key, own_key in zip(original.keys, Original.keys, strict=True)
                )
                for image, of in expected.items()
            ]
            typed, with_output = seconds[0] / seconds[1], seconds[2] / seconds[3]
            yield Compared(original, label, deviations, typed, with_output)


def _samples(folder: Path) -> dict[str, dict[str, Any]]:
    with zipfile.ZipFile(folder / "results.zip") as archive:
        names = [name for name in archive.namelist() if name != "method.json"]
        return {name.removesuffix(".json"): json.loads(archive.read(name)) for name in names}


def compare_scenes(original: Original, home: Path, python: str, data: Path) -> Iterator[Compared]:
    """Give a program the regions that we read, image by image, and compare the figures named."""
    name, method = REAL["texts" if original.texts else original.lines]
    real = data / name / "gt.zip", data / name / f"{method}.zip"
    with tempfile.TemporaryDirectory() as made:
        sets = {"drawn": read_scenes(*map(str, drawn_zips(original, Path(made))))}
    if all(path.exists() for path in real) and original.ignored:
        formats = Formats(original.lines, original.lines)
        scenes = read_scenes(*map(str, real), formats)
        sets[f"{name} {method}"] = scenes[: original.at_most]
    for label, scenes in sets.items():
        given = [
            {"truth": _listed(scene.truth), "detections": _listed(scene.detections or ())}
            for scene in scenes
        ]
        yield _compared(original, label, home, python, given, scenes)


def compare_tables(original: Original, home: Path, python: str, data: Path) -> Iterator[Compared]:
    """Give the cTDaR program the documents of the development set."""
    track = original.lines
    for results in sorted(data.glob(f"ctdar2019/track{track}/results/*")):
        truth = results.parents[1] / "gt"
        given, scenes = [], []
        for path in sorted(truth.glob("*.xml")):
            documents = [path, results / path.name]
            sides = [read_file(of, with_cells=track == "B") for of in documents]
            scenes.append(Scene(sides[0], sides[1], path.stem))
            texts = [of.read_text(encoding="utf-8") for of in documents]
            given.append({"truth": texts[0], "detections": texts[1], "cells": track == "B"})
        yield _compared(original, f"cTDaR 2019 {results.name}", home, python, given, scenes)


def _listed(regions: Sequence[Region]) -> list[dict[str, Any]]:
    return [
        {
            "points": of.points,
            "text": of.text or "",
            "ignored": of.ignored,
            "confidence": 1.0 if of.confidence is None else of.confidence,
        }
        for of in regions
    ]


def _compared(
    original: Original,
    label: str,
    home: Path,
    python: str,
    given: Sequence[Mapping[str, Any]],
    scenes: Sequence[Scene],
) -> Compared:
    protocol = registry.get(original.protocol, original.parameters)
    scores = protocol.score(scenes)
    ours = [_figures(original.keys, of) for of in [*scores, protocol.overall(scores)]]
    return _set_beside(original, label, home, python, given, ours)


def _set_beside(
    original: Original,
    label: str,
    home: Path,
    python: str,
    given: Sequence[Mapping[str, Any]],
    ours: Sequence[Sequence[float | None]],
) -> Compared:
    said = run([python, CALLED, original.script, home], home, json.dumps(given))[0]
    deviations = [
        max(_apart(a, b) for a, b in zip(theirs, own, strict=False))
        for theirs, own in zip(json.loads(said), ours, strict=True)
        if theirs is not None
    ]
    return Compared(original, label, deviations)


def _figures(keys: Sequence[str], score: ImageScore | OverallScore) -> list[float | None]:
    own = {"recall": score.recall, "precision": score.precision, "hmean": score.f_score}
    return [{**own, **score.indicators}[key] for key in keys]


def _apart(theirs: float | None, ours: float | None) -> float:
    """Return the difference; 1 if only one figure is undefined."""
    if theirs is None or ours is None:
        return float(theirs is not ours)
    return abs(theirs - ours)


def compare_documents(
    original: Original, home: Path, python: str, data: Path
) -> Iterator[Compared]:
    """Compare documents of Bacteria Biotope 2016 with predictions drawn from them."""
    path = data / "bb2016" / "OntoBiotope_BioNLP-ST-2016_parents.txt"
    if not path.exists():
        raise NotRun(f"{path} is not there")
    ontology, rng = read_ontology(path.read_text(encoding="utf-8")), random.Random(29)
    documents = []
    for of in sorted(path.parent.glob("*.a2")):
        items = read_standoff(of.read_text(encoding="utf-8"), of.name)
        references = [{"spans": of.spans, "labels": of.labels} for of in items]
        found = [
            _near_item(rng, of, ontology)
            for of in references
            for _ in range(rng.choice((0, 1, 1, 2)))
        ]
        documents.append({"references": references, "predictions": found})
    cases = [[document] for document in documents] + [documents]
    given = json.loads(json.dumps([{"documents": case} for case in cases]))
    ours = []
    for answer in score_documents(given, ontology):
        of_case = answer["result"] | answer["result"]["views"]["combined"]
        ours.append([of_case[key] for key in original.keys])
    asked = [{**document, "parents": str(path.resolve())} for document in documents]
    yield _set_beside(original, "bb2016, drawn predictions", home, python, asked, ours)


def _near_item(rng: random.Random, of: Mapping[str, Any], ontology: Ontology) -> dict[str, Any]:
    """Return an item whose ends are moved, and a label of which may be its parent or another.

    It has one fragment: the program passes over the second one of a prediction.
    """
    start, end = of["spans"][0]
    moved = max(0, start + rng.choice((0, 0, -3, 4)))
    labels = list(of["labels"])
    if rng.random() < 0.6:
        above = ontology.parents.get(labels[0], ())
        labels[0] = rng.choice([*above, rng.choice(sorted(ontology.parents))])
    return {"spans": [[moved, max(moved + 1, end + rng.choice((0, 0, -2, 6)))]], "labels": labels}


def compare_votes(original: Original, home: Path, python: str, data: Path) -> Iterator[Compared]:
    """Let several methods vote on the pixels of drawn boxes, and of the real results."""
    rng = random.Random(29)
    sets = {"drawn": [[_drawn_boxes(rng) for _ in range(rng.randint(2, 5))] for _ in range(60)]}
    methods = sorted((data / "icdar2013").glob("*.zip"))
    if methods:
        read = [
            read_scenes(str(data / "icdar2013" / "gt.zip"), str(path), Formats("ltrb", "ltrb"))[:20]
            for path in methods
            if path.name != "gt.zip"
        ]
        found = [[[_corners(of) for of in scene.detections or ()] for scene in of] for of in read]
        sets["icdar2013, five methods"] = [list(of_image) for of_image in zip(*found, strict=True)]
    for label, images in sets.items():
        given = []
        for image in images:
            ends = [box[2:] for boxes in image for box in boxes] or [(1, 1)]
            width, height = (max(1, *of) for of in zip(*ends, (1, 1), strict=True))
            shown = [[{"polygon": _outline(box)} for box in boxes] for boxes in image]
            given.append({"methods": shown, "width": width, "height": height})
        ours = [
            [
                value
                for of in answer["result"]["systems"]
                for value in (of["precision"], of["recall"])
            ]
            for answer in evaluate_cases(given)
        ]
        yield _set_beside(original, label, home, python, given, ours)


def _drawn_boxes(rng: random.Random) -> list[tuple[int, int, int, int]]:
    corners = [(rng.randint(0, 60), rng.randint(0, 40)) for _ in range(rng.randint(0, 5))]
    return [(x, y, x + rng.randint(1, 40), y + rng.randint(1, 20)) for x, y in corners]


def _corners(region: Region) -> tuple[int, int, int, int]:
    left, top, right, bottom = (max(0, round(value)) for value in region.box)
    return left, top, right, bottom


def _outline(box: tuple[int, int, int, int]) -> list[list[int]]:
    left, top, right, bottom = box
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def compare_hiertext(original: Original, home: Path, python: str, _: Path) -> Iterator[Compared]:
    """Call HierText's program on drawn pages, and compare its panoptic qualities."""
    levels = {"word": "", "line": ":lines", "paragraph": ":paragraphs"}
    deviations = []
    with tempfile.TemporaryDirectory() as made:
        paths = [Path(made) / name for name in ("truth.json", "results.json", "out.txt")]
        for seed in range(5):
            for path, side in zip(paths, hiertext_scenes.drawn(seed), strict=False):
                path.write_text(json.dumps(side))
            flags = [
                f"--{name}={path}"
                for name, path in zip(("gt", "result", "output"), paths, strict=True)
            ]
            run([python, home / original.script, *flags, "--eval_lines", "--eval_paragraphs"], home)
            [written] = Path(made).glob("out.txt*")
            parts = written.read_text().split("========= ")[1:]
            qualities = {
                part.split()[0]: float(part.split("Det-PQ: ")[1].split()[0]) for part in parts
            }
            written.unlink()
            scenes = read_scenes(*map(str, paths[:2]))
            for level, variant in levels.items():
                protocol = registry.get(original.protocol + variant)
                whole = protocol.overall(protocol.score(scenes))
                deviations.append(abs(qualities[level] - (whole.f_score or 0.0)))
    yield Compared(original, "drawn pages", deviations)


def compare_coco(original: Original, home: Path, python: str, _: Path) -> Iterator[Compared]:
    """Call a program on drawn scenes in COCO's form, and compare each of the twelve figures."""
    for masks in (False, True) if original.masks else (False,):
        deviations = []
        for seed in range(10):
            truth, results = coco_scenes.drawn(seed, masks=masks)
            given = json.dumps([{"truth": truth, "results": results, "masks": masks}])
            said = run([python, CALLED, original.script, home], home, given)[0]
            [expected] = json.loads(said)
            figures = summarize(truth, results, masks=masks).values()
            found = [-1.0 if value is None else value for value in figures]
            deviations += [abs(a - b) for a, b in zip(expected, found, strict=True)]
        yield Compared(original, "drawn masks" if masks else "drawn boxes", deviations)


CALLS = {
    "rrc": compare_rrc,
    "scenes": compare_scenes,
    "tables": compare_tables,
    "documents": compare_documents,
    "votes": compare_votes,
    "hiertext": compare_hiertext,
    "coco": compare_coco,
}
HEAD = (
    *("protocol", "original", "data, with images or figures", "largest", "beyond 1e-6"),
    *("as typed, with `-o`", "on"),
)


def place_of(original: Original, options: argparse.Namespace) -> tuple[Path, str]:
    """Return the folder of a program and the Python that runs it; raise NotRun if it is not there."""
    home = options.originals.resolve() / original.name if options.originals else None
    if original.inside is None and not (home and home.is_dir()):
        raise NotRun(f"{home or '--originals'} is no folder")
    if original.packages or original.alone:
        made = options.environments / original.name
        try:
            python = python_of(made, original.packages, alone=original.alone)
        except subprocess.CalledProcessError as fault:
            raise NotRun(f"its packages cannot be installed: {fault}") from fault
        if original.inside is not None:
            [home] = made.absolute().glob("lib/python*/site-packages")
            home /= original.inside
        return home, str(python)
    own = home / "venv" / "bin" / "python"
    return home, str(own) if own.exists() else options.python


def merged(kept: Sequence[str], made: Mapping[tuple[str, str], str]) -> list[str]:
    """Return all rows, by the order of protocols in the manifest; kept ones if there is no new one."""
    rows = {
        (cells[0], cells[1]): of
        for of in kept
        if of.startswith("| ") and len(cells := of.strip("| \n").split(" | ")) == len(HEAD)
    }
    rows = {cells: of for cells, of in rows.items() if cells[0] not in (HEAD[0], "---")} | made
    order = list(dict.fromkeys(of.cells[0] for of in originals()))
    return [
        rows[cells]
        for cells in sorted(rows, key=lambda of: order.index(of[0]) if of[0] in order else -1)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--originals", type=Path, metavar="DIR")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of these entries alone")
    parser.add_argument("--environments", type=Path, default=ROOT / "var" / "originals")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", metavar="DIR")
    parser.add_argument("--python", default=sys.executable, metavar="FILE")
    options = parser.parse_args(arguments)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    page = pages.FOLDER / "conformance.md"
    kept = page.read_text(encoding="utf-8").splitlines(keepends=True) if page.exists() else []
    made: dict[tuple[str, str], str] = {}
    is_wrong = False
    for original in originals():
        if options.only and original.name not in options.only:
            continue
        try:
            home, python = place_of(original, options)
            found = list(CALLS[original.call](original, home, python, options.data))
        except NotRun as reason:
            needs = ", ".join(original.needs)
            print(f"{original.name} did not run (it needs {needs}): {reason}", file=sys.stderr)
            continue
        made[original.cells] = line(found)
        is_wrong |= not original.differs and any(max(of.deviations) > 1e-6 for of in found)
    rows = "".join(merged(kept, made))
    print("\n".join([row(*HEAD), row(*["---"] * len(HEAD)), rows]), end="")
    return int(is_wrong)


if __name__ == "__main__":
    pages.run(main)
