"""The package's command line: ``python -m protocols COMMAND``, or as the competition's scripts."""

import argparse
import csv
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from . import __version__, registry, standalone
from .base import ImageScore, OverallScore, Protocol, Scene
from .errors import ProtocolError, RegionError
from .formats.rrc import read_archive
from .regions import Region

_BAD_INPUT = 2
_COLUMNS = ("protocol", "method", "image", "recall", "precision", "f_score")
# The row of the official figures of a whole result set.
_ALL_IMAGES = "*"


class _BadInput(Exception):
    """Input that cannot be used; one sentence that names file, place and fault."""


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0][:2] in ("-g", "-s", "-o", "-p", "-c"):
        return standalone.run(given)
    options = _parser().parse_args(given)
    try:
        options.run(options)
    except (ProtocolError, _BadInput) as refusal:
        print(refusal, file=sys.stderr)
        return _BAD_INPUT
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m protocols",
        description="Evaluation protocols for text detection.",
        epilog=standalone.USAGE,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="the protocols and their parameters")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)

    scoring = commands.add_parser("score", help="score result sets, per image and overall")
    scoring.add_argument("--protocol", required=True, help="slugs separated by commas, or all")
    scoring.add_argument("--truth", required=True, metavar="gt.zip")
    scoring.add_argument("--results", required=True, nargs="+", metavar="A.zip")
    scoring.add_argument("--out", type=Path, metavar="FILE.csv|.json")
    scoring.add_argument("--parameters", default="{}", metavar="JSON")
    scoring.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    scoring.set_defaults(run=_score)

    scenes = commands.add_parser("scenes", help="score scenes given as JSON, with their matches")
    scenes.add_argument("file", metavar="FILE.json", help="- for standard input")
    scenes.add_argument("--protocol", required=True, metavar="SLUG")
    scenes.add_argument("--parameters", default="{}", metavar="JSON")
    scenes.set_defaults(run=_scenes)
    return parser


def _list(options: argparse.Namespace) -> None:
    described = [_described(protocol) for protocol in registry.PROTOCOLS.values()]
    if options.json:
        print(json.dumps(described))
        return
    for protocol in described:
        print(
            f"{protocol['slug']:<12} {protocol['name']:<10} {protocol['summary']} [{protocol['reference']}]"
        )
        for name, parameter in protocol["parameters"].items():
            limits = parameter["range"]
            shown = f" in [{limits[0]:g}, {limits[1]:g}]" if limits else ""
            print(f"  {name} = {parameter['default']}{shown}: {parameter['says']}")


def _described(protocol: type[Protocol]) -> dict[str, Any]:
    return {
        "slug": protocol.slug,
        "name": protocol.name,
        "summary": protocol.summary,
        "reference": protocol.reference,
        "parameters": {
            declared.name: {
                "default": None if declared.default is MISSING else declared.default,
                "range": None
                if isinstance(declared.default, bool)
                else [declared.metadata["low"], declared.metadata["high"]],
                "says": declared.metadata["says"],
            }
            for declared in fields(protocol)
        },
    }


@dataclass(frozen=True, slots=True)
class _Task:
    """One result set to score, in a process of its own."""

    protocols: tuple[Protocol, ...]
    truth: Mapping[str, tuple[Region, ...]]
    path: str

    @property
    def method(self) -> str:
        return Path(self.path).stem

    def scored(self) -> list[tuple[Protocol, list[ImageScore], OverallScore]]:
        results = _regions(self.path, "results")
        strangers = [image for image in results if image not in self.truth]
        if strangers:
            raise _BadInput(
                f"{self.path} has results for {strangers[0]}, which the ground truth lacks"
            )
        scenes = [Scene(truth, results.get(image), image) for image, truth in self.truth.items()]
        answers = []
        for protocol in self.protocols:
            scores = protocol.score(scenes)
            answers.append((protocol, scores, protocol.overall(scores)))
        return answers


def _score(options: argparse.Namespace) -> None:
    slugs = list(registry.PROTOCOLS) if options.protocol == "all" else options.protocol.split(",")
    parameters = _parameters(options.parameters)
    protocols = tuple(registry.get(slug.strip(), parameters) for slug in slugs)
    if options.out is not None and options.out.suffix not in (".csv", ".json"):
        raise _BadInput(f"{options.out} must end in .csv or .json")
    truth = _regions(options.truth, "truth")
    tasks = [_Task(protocols, truth, path) for path in options.results]
    rows = []
    for done, (task, answers) in enumerate(_in_processes(tasks, options.jobs), 1):
        for protocol, scores, overall in answers:
            rows += [
                (protocol.slug, task.method, image, *_figures(score))
                for image, score in zip(truth, scores, strict=True)
            ]
            rows.append((protocol.slug, task.method, _ALL_IMAGES, *_figures(overall)))
        print(f"{done}/{len(tasks)} {task.method}", file=sys.stderr)
    _write_rows(rows, options.out)


def _in_processes(tasks: Sequence[_Task], n_jobs: int) -> Iterator[tuple[_Task, Any]]:
    n_jobs = min(n_jobs, len(tasks))
    if n_jobs <= 1:
        for task in tasks:
            yield task, task.scored()
        return
    with ProcessPoolExecutor(n_jobs) as pool:
        yield from zip(tasks, pool.map(_Task.scored, tasks), strict=True)


def _figures(score: ImageScore | OverallScore) -> tuple[float | None, float | None, float | None]:
    return score.recall, score.precision, score.f_score


def _write_rows(rows: Sequence[tuple[Any, ...]], out: Path | None) -> None:
    try:
        with open(out, "w", encoding="utf-8", newline="") if out else _standard_output() as stream:
            if out is not None and out.suffix == ".json":
                json.dump([dict(zip(_COLUMNS, row, strict=True)) for row in rows], stream)
                stream.write("\n")
                return
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(_COLUMNS)
            writer.writerows(["" if value is None else value for value in row] for row in rows)
    except OSError as fault:
        raise _BadInput(f"{out} cannot be written: {fault.strerror}") from fault


def _standard_output() -> Any:
    return os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="")


def _regions(path: str, kind: Any) -> Mapping[str, tuple[Region, ...]]:
    archive = read_archive(path, kind=kind)
    if archive.errors:
        raise _BadInput(str(archive.errors[0]))
    return archive.regions


def _parameters(text: str) -> dict[str, Any]:
    try:
        parameters = json.loads(text)
    except ValueError as fault:
        raise _BadInput(f"--parameters is not JSON: {fault}") from fault
    if not isinstance(parameters, dict):
        raise _BadInput("--parameters must be a JSON object")
    return parameters


def _scenes(options: argparse.Namespace) -> None:
    protocol = registry.get(options.protocol, _parameters(options.parameters))
    given = _read_json(options.file)
    if isinstance(given, dict) and isinstance(given.get("cases"), list):
        given = given["cases"]
    if not isinstance(given, list):
        raise _BadInput(f"{options.file}: expected a list of scenes")
    scenes = [_scene(scene, f"{options.file}, scene {at}") for at, scene in enumerate(given)]
    answers = [
        _answer(scene, score) for scene, score in zip(scenes, protocol.score(scenes), strict=True)
    ]
    print(json.dumps(answers, allow_nan=False))


def _read_json(path: str) -> Any:
    try:
        if path == "-":
            return json.load(sys.stdin)
        return json.loads(Path(path).read_text("utf-8-sig"))
    except OSError as fault:
        raise _BadInput(f"{path} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise _BadInput(f"{path} is not JSON: {fault}") from fault


def _scene(given: Any, place: str) -> Scene:
    if not isinstance(given, dict):
        raise _BadInput(f"{place}: expected an object")
    truth = given.get("truth", given.get("gt"))
    found = given.get("detections", given.get("det"))
    if not isinstance(truth, list) or not (found is None or isinstance(found, list)):
        raise _BadInput(f'{place}: expected lists "truth" and "detections"')
    return Scene(
        tuple(_region(region, f"{place}, truth {at}") for at, region in enumerate(truth)),
        None
        if found is None
        else tuple(_region(region, f"{place}, detection {at}") for at, region in enumerate(found)),
        str(given.get("name", "")),
    )


def _region(given: Any, place: str) -> Region:
    try:
        known = {
            name: given[name]
            for name in ("text", "confidence", "ignored", "label")
            if given.get(name) is not None
        }
        if given.get("dont_care"):
            known["ignored"] = True
        name = None if given.get("id") is None else str(given["id"])
        if "rect" in given:
            left, top, right, bottom = map(float, given["rect"])
            return Region.from_box(left, top, right, bottom, id=name, **known)
        if "poly" in given:
            corners = tuple(float(value) for corner in given["poly"] for value in corner)
            return Region(corners, id=name, **known)
        return Region(tuple(map(float, given["points"])), id=name, **known)
    except RegionError as refusal:
        raise _BadInput(f"{place}: {refusal}") from refusal
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise _BadInput(
            f'{place}: expected "points" [x1, y1, ...], "poly" [[x1, y1], ...] or "rect" [4 numbers]'
        ) from fault


def _answer(scene: Scene, score: ImageScore) -> dict[str, Any]:
    def names(regions: Sequence[Region] | None, indices: Sequence[int]) -> list[str | int]:
        named = [(regions or ())[at].id for at in indices]
        return [at if name is None else name for at, name in zip(indices, named, strict=True)]

    return {
        "name": scene.name,
        "recall": score.recall,
        "precision": score.precision,
        "f_score": score.f_score,
        "indicators": dict(score.indicators),
        "matches": [
            {
                "truth": names(scene.truth, match.truth),
                "detections": names(scene.detections, match.detections),
                "kind": match.kind,
                "recall_credit": match.recall_credit,
                "precision_credit": match.precision_credit,
            }
            for match in score.matches
        ],
        "unmatched": [
            {
                "side": unmatched.side,
                "region": names(
                    scene.truth if unmatched.side == "truth" else scene.detections,
                    [unmatched.index],
                )[0],
                "reason": unmatched.reason,
            }
            for unmatched in score.unmatched
        ],
    }


if __name__ == "__main__":
    raise SystemExit(main())
