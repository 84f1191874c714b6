"""The commands: ``python -m protocols COMMAND``.

Each command imports what it needs, so that none waits for the readers of another.
"""

import argparse
import csv
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from text_rankings.base.errors import EngineError
from text_rankings.base.options import Program, add_options, chosen_engine, prose
from text_rankings.base.suggestions import did_you_mean

from .. import __version__, registry
from ..core.base import Protocol
from ..core.errors import ProtocolError
from ..signatures import DATA, Signature, read_signature, signature
from . import coco_figures, codabench, converting, listing
from .inputs import BadInput, taken
from .usage import program_name

if TYPE_CHECKING:
    from ..loading.sources import Formats
    from .batch import Scored

_NOT_DONE, _BAD_INPUT = 1, 2
_COLUMNS = ("protocol", "method", "image", "recall", "precision", "f_score")
_SUMS = ("recalled", "n_truth", "precise", "n_detections")
_NO_SUMS = (None,) * len(_SUMS)
# The row of the official figures of a whole result set.
_ALL_IMAGES = "*"
# Bytes of zipped results times protocols that are scored in about half a second.
_SMALL_BYTES = 300_000
_ENDINGS = (".csv", ".json")


def run_command(given: Sequence[str]) -> int:
    """Run a command of the package; return its exit code: 0, 1 (not done) or 2 (bad input)."""
    options = _parser().parse_args(given)
    try:
        with taken(options):
            options.run(options)
    except (ProtocolError, BadInput) as refusal:
        print(prose(str(refusal), sys.stderr), file=sys.stderr)
        return _BAD_INPUT
    except EngineError as refusal:
        print(prose(str(refusal), sys.stderr), file=sys.stderr)
        return _NOT_DONE
    return 0


def _parser() -> argparse.ArgumentParser:
    name = program_name()
    parser = Program(
        prog=name,
        description="Evaluation protocols for text detection.",
        examples=(
            f"{name} score --protocol iou,cleval --truth gt.zip --results east.zip --out scores.csv",
            f"{name} errors --protocol iou --truth gt.zip --results east.zip",
            f"{name} -g gt.zip -s submit.zip -c DetEva",
        ),
    )
    parser.add_completions(__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing.add_command(commands)
    _add_archive_commands(commands)

    scenes = commands.add_parser("scenes", help="score scenes given as JSON, with their matches")
    scenes.add_argument("file", metavar="FILE.json", help="- for standard input")
    scenes.add_argument("--protocol", required=True, metavar="SLUG")
    scenes.add_argument("--parameters", default="{}", metavar="JSON")
    scenes.set_defaults(run=_scenes)

    tables = commands.add_parser("tables", help="cTDaR: table regions (A) and their structure (B)")
    tables.add_argument("--track", required=True, choices=["A", "B"])
    tables.add_argument("--truth", required=True, type=Path, metavar="DIR")
    tables.add_argument("--results", required=True, type=Path, metavar="DIR")
    tables.add_argument("--variant", choices=["page", "tool"], default="page")
    tables.set_defaults(run=_tables)

    slots = commands.add_parser("slot-error", help="slot error rate of documents")
    slots.add_argument("file", metavar="FILE.json", help="- for standard input")
    slots.add_argument(
        "--ontology", type=Path, metavar="FILE", help=".obo, or child-tab-parent lines"
    )
    slots.set_defaults(run=_slot_error)

    votes = commands.add_parser("no-ground-truth", help="precision and recall from agreement alone")
    votes.add_argument("file", metavar="FILE.json", help="- for standard input")
    votes.set_defaults(run=_no_ground_truth)

    return parser


def _add_archive_commands(commands: Any) -> None:
    """Add the commands that take ground truth and result sets as files."""
    scoring = commands.add_parser("score", help="score result sets, per image and overall")
    what = scoring.add_mutually_exclusive_group(required=True)
    what.add_argument("--protocol", help="slugs or slug:variant, separated by commas, or all")
    what.add_argument(
        "--signature",
        metavar="'iou:art|…'",
        help="that of scores: the same protocol, parameters and readings, on as many images",
    )
    scoring.add_argument("--truth", required=True, metavar="gt.zip")
    scoring.add_argument("--results", required=True, nargs="+", metavar="A.zip")
    scoring.add_argument("--out", type=Path, metavar="FILE.csv|.json")
    scoring.add_argument("--parameters", default="{}", metavar="JSON")
    scoring.add_argument(
        "--sums",
        action="store_true",
        help="also what each image adds to the overall figures, as text-order detectors reads it",
    )
    _add_formats(scoring)
    add_options(scoring)
    scoring.set_defaults(run=_score, endings=_ENDINGS)

    errors = commands.add_parser("errors", help="why regions got nothing, and what it costs")
    errors.add_argument("--protocol", default="iou", metavar="SLUG")
    errors.add_argument("--truth", required=True, metavar="gt.zip")
    errors.add_argument("--results", required=True, nargs="+", metavar="A.zip")
    errors.add_argument("--parameters", default="{}", metavar="JSON")
    errors.add_argument("--json", action="store_true", help="with every region")
    errors.add_argument("--out", type=Path, metavar="FILE.csv|.json", help="a row for each region")
    _add_formats(errors)
    errors.set_defaults(run=_errors, endings=_ENDINGS)

    graphs = commands.add_parser("graphs", help="recall and precision against each threshold")
    graphs.add_argument("--protocol", default="deteval", metavar="SLUG")
    graphs.add_argument("--truth", required=True, metavar="gt.zip")
    graphs.add_argument("--results", required=True, metavar="A.zip")
    graphs.add_argument("--steps", type=int, default=20, metavar="N")
    graphs.add_argument("--parameters", default="{}", metavar="JSON")
    _add_formats(graphs)
    graphs.set_defaults(run=_graphs)
    converting.add_command(commands)
    coco_figures.add_command(commands)
    codabench.add_command(commands)


def _add_formats(command: argparse.ArgumentParser) -> None:
    names = {
        "--format": "how all files are written, where that is not found out: quad, polygon …",
        "--truth-format": "how the ground truth is written",
        "--results-format": "how results are written; without it lines in doubt are read as those of the "
        "ground truth",
    }
    for name, says in names.items():
        command.add_argument(name, metavar="SLUG", help=says)
    command.add_argument(
        "--images",
        metavar="PHOTOS",
        help="zip or folder of photographs, for their sizes and EXIF orientations",
    )
    for name, what in (("--truth-reading", "the ground truth"), ("--results-reading", "results")):
        command.add_argument(
            name, default="", metavar="READING", help=f"how {what} is read otherwise: stored …"
        )
    command.add_argument(
        "--drop-broken-ignored",
        action="store_true",
        help="leave out lines of ignored text in the ground truth that are invalid, and count them",
    )


def _formats(options: argparse.Namespace) -> "Formats":
    from ..formats.recognition.reading import FORMATS
    from ..loading.sources import Formats

    given = (options.truth_format or options.format, options.results_format or options.format)
    slugs = [None if of is None else of.lower() for of in given]
    for slug in slugs:
        if slug is not None and slug not in FORMATS:
            meant = did_you_mean(slug, FORMATS)
            raise BadInput(f"there is no format {slug!r}{meant}; formats: {', '.join(FORMATS)}")
    readings = options.truth_reading, options.results_reading
    return Formats(slugs[0], slugs[1], options.drop_broken_ignored, options.images, *readings)


def _score(options: argparse.Namespace) -> None:
    from ..diagnostics.same_results import Repeats
    from ..loading.sources import formats_of, regions_of_truth
    from .batch import score_files, settled
    from .telling import show_progress, tell_results, tell_truth

    names = _checked_names(options)
    named = None if options.signature is None else _signed(options)
    formats = formats_of(named, options.images) if named else _formats(options)
    asked = [named.protocol] if named else _protocols(options)
    protocols, remarks = settled(asked, options.truth, formats)
    if named:
        named.require(len(regions_of_truth(options.truth, formats)))
    for said in remarks:
        print(said, file=sys.stderr)
    scored_by_method: dict[tuple[str, str], Scored] = {}
    left_out: dict[str, str] = {}
    if options.workers is None and _is_small(options.results, len(protocols)):
        options.workers = 1
    untold, repeats = dict(zip(names, options.results, strict=True)), Repeats()
    with chosen_engine(
        options, preload=sorted({type(of).__module__ for of in protocols})
    ) as engine:
        parts = score_files(
            protocols,
            options.truth,
            options.results,
            formats=formats,
            executor=engine,
            only_fitting=options.protocol == "all",
        )
        tell_truth(options.truth, options.results, formats)
        for done, n, scored in parts:
            for result_set in scored:
                if (path := untold.pop(result_set.method, None)) is not None:
                    tell_results(path, options.truth, formats, repeats)
                scored_by_method[result_set.method, result_set.slug] = result_set
                if result_set.note:
                    left_out[result_set.slug] = result_set.note
                for said in result_set.remarks:
                    print(f"{result_set.slug}, {result_set.method}: {said}", file=sys.stderr)
            show_progress(done, n, scored[-1].method if len(options.results) == n else "")
    for slug, note in left_out.items():
        print(f"{slug}: undefined, since {note}", file=sys.stderr)
    sums = _SUMS if options.sums else ()
    columns = (*_COLUMNS, *sums, "signature")
    rows = list(_rows(scored_by_method, names, protocols, len(sums)))
    if options.out is not None and options.out.suffix == ".json":
        columns = (*columns, "accounts")
        rows = [(*row, _accounts_of(row, names, options, formats)) for row in rows]
    _write_rows(columns, rows, options.out)


def _accounts_of(
    row: tuple[Any, ...], names: Sequence[str], options: argparse.Namespace, formats: "Formats"
) -> dict[str, Any] | None:
    """Return the accounts of truth and results for a row of all images; None for others."""
    _, method, image, *_ = row
    if image != _ALL_IMAGES:
        return None
    from ..loading.sources import accounts

    return accounts(options.truth, [options.results[names.index(method)]], formats)


def _signed(options: argparse.Namespace) -> Signature:
    """Return the signature to score by; raise BadInput for options that it decides."""
    decided = ("format", "truth_format", "results_format", "truth_reading", "results_reading")
    given = [name for name in (*decided, "drop_broken_ignored") if getattr(options, name)]
    given += ["parameters"] if options.parameters != "{}" else []
    if given:
        raise BadInput(
            f"--{given[0].replace('_', '-')} is decided by --signature; give one of both"
        )
    return read_signature(options.signature)


def _checked_names(options: argparse.Namespace) -> list[str]:
    """Return the names of the methods, each of which must differ."""
    from ..formats.names import method_name

    files: dict[str, str] = {}
    for path in options.results:
        name = method_name(path)
        if name in files:
            raise BadInput(
                f"{Path(files[name]).name} and {Path(path).name} are both results of {name}; methods are "
                "named after their files, so rename one of them"
            )
        files[name] = path
    return list(files)


def _is_small(paths: Sequence[str], n_protocols: int) -> bool:
    """Return whether scoring takes less time than starting processes for it."""
    n_bytes = sum(Path(path).stat().st_size for path in paths if Path(path).is_file())
    return n_bytes * n_protocols < _SMALL_BYTES


def _protocols(options: argparse.Namespace) -> list[Protocol]:
    """Return the requested protocols; parameters apply to all, unless they are given by slug."""
    given = options.protocol.split(",")
    slugs = list(registry.PROTOCOLS) if given == ["all"] else [slug.strip() for slug in given]
    parameters = _parameters(options.parameters)
    by_slug = bool(parameters) and set(parameters) <= set(registry.PROTOCOLS)
    if by_slug:
        return [registry.get(slug, parameters.get(slug, {})) for slug in slugs]
    return [registry.get(slug, parameters) for slug in slugs]


def _rows(
    scored_by_method: Mapping[tuple[str, str], "Scored"],
    methods: Sequence[str],
    protocols: Sequence[Protocol],
    n_sums: int,
) -> Iterator[tuple[Any, ...]]:
    for method in methods:
        for protocol in protocols:
            slug = protocol.full_slug
            scored = scored_by_method[method, slug]
            for image, figures in scored.images.items():
                sums = scored.sums.get(image, _NO_SUMS)[:n_sums]
                yield (slug, method, image, *figures, *sums, scored.signature)
            totals = [math.fsum(column) for column in zip(*scored.sums.values(), strict=True)]
            whole = *scored.overall, *(totals or _NO_SUMS)[:n_sums]
            yield (slug, method, _ALL_IMAGES, *whole, scored.signature)


def _write_rows(columns: Sequence[str], rows: Sequence[tuple[Any, ...]], out: Path | None) -> None:
    try:
        with open(out, "w", encoding="utf-8", newline="") if out else _standard_output() as stream:
            if out is not None and out.suffix == ".json":
                json.dump([dict(zip(columns, row, strict=True)) for row in rows], stream)
                stream.write("\n")
                return
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([_cell(value) for value in row] for row in rows)
    except OSError as fault:
        where = out or "The standard output"
        raise BadInput(f"{where} cannot be written: {fault.strerror or fault}") from fault


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "" if value is None else value


def _standard_output() -> Any:
    return os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="")


def _parameters(text: str) -> dict[str, Any]:
    try:
        parameters = json.loads(text)
    except ValueError as fault:
        raise BadInput(f"--parameters is not JSON: {fault}") from fault
    if not isinstance(parameters, dict):
        raise BadInput("--parameters must be a JSON object")
    return parameters


def _errors(options: argparse.Namespace) -> None:
    from ..loading.sources import accounts
    from .batch import COLUMNS, explain_files, table
    from .telling import tell_results, tell_truth

    _checked_names(options)
    protocol = registry.get(options.protocol, _parameters(options.parameters))
    formats = _formats(options)
    tell_truth(options.truth, options.results, formats)
    rows: list[tuple[Any, ...]] = []
    answer = []
    explanations = explain_files(protocol, options.truth, options.results, formats)
    for path, explained in zip(options.results, explanations, strict=True):
        tell_results(path, options.truth, formats)
        rows += explained.rows()
        answer.append(explained.as_data() if options.json else table(explained))
    if options.out is not None:
        _write_rows(COLUMNS, rows, options.out)
    if options.json:
        files = accounts(options.truth, options.results, formats)
        said = {"protocol": protocol.slug, "methods": answer, "accounts": files}
        print(json.dumps(said, allow_nan=False))
    else:
        print("\n".join(map(str, answer)))


def _scenes(options: argparse.Namespace) -> None:
    from ..formats.readers.scenes import answer, read_scene

    protocol = registry.get(options.protocol, _parameters(options.parameters))
    given = _read_json(options.file)
    if isinstance(given, dict) and isinstance(given.get("cases"), list):
        given = given["cases"]
    if not isinstance(given, list):
        raise BadInput(f"{options.file}: expected a list of scenes")
    scenes = [read_scene(scene, f"{options.file}, scene {at}") for at, scene in enumerate(given)]
    scores = protocol.score(scenes)
    signed = [signature(protocol, DATA, DATA, len(scenes))] * len(scenes)
    for at, scene in enumerate(given):
        # A scene may override parameters for itself.
        if scene.get("params"):
            parameters = {**protocol.parameters(), **scene["params"]}
            own = registry.get(protocol.slug, parameters)
            [scores[at]] = own.score([scenes[at]])
            signed[at] = signature(own, DATA, DATA, len(scenes))
    answers = [
        {**answer(scene, score), "signature": line}
        for scene, score, line in zip(scenes, scores, signed, strict=True)
    ]
    print(json.dumps(answers, allow_nan=False))


def _read_json(path: str) -> Any:
    try:
        if path == "-":
            return json.load(sys.stdin)
        return json.loads(Path(path).read_text("utf-8-sig"))
    except OSError as fault:
        raise BadInput(f"{path} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise BadInput(f"{path} is not JSON: {fault}") from fault


def _tables(options: argparse.Namespace) -> None:
    from .table_folders import evaluate_folders

    scores = evaluate_folders(options.track, options.truth, options.results, options.variant)
    print(json.dumps(scores, allow_nan=False))


def _slot_error(options: argparse.Namespace) -> None:
    from ..slot_error.ontology import read_ontology
    from .slot_cases import score_documents

    ontology = read_ontology(_read_text(options.ontology)) if options.ontology else None
    print(json.dumps(score_documents(_read_json(options.file), ontology), allow_nan=False))


def _no_ground_truth(options: argparse.Namespace) -> None:
    from .vote_cases import evaluate_cases

    print(json.dumps(evaluate_cases(_read_json(options.file)), allow_nan=False))


def _graphs(options: argparse.Namespace) -> None:
    from ..core.performance import performance_graphs
    from ..loading.sources import read_scenes, signed_files
    from .telling import tell_results, tell_truth

    protocol = registry.get(options.protocol, _parameters(options.parameters))
    formats = _formats(options)
    scenes = read_scenes(options.truth, options.results, formats)
    tell_truth(options.truth, [options.results], formats)
    tell_results(options.results, options.truth, formats)
    drawn = performance_graphs(protocol, scenes, options.steps).as_data()
    signed = signed_files(protocol, options.truth, options.results, formats)
    print(json.dumps({"signature": signed, **drawn}))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as fault:
        raise BadInput(f"{path} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise BadInput(f"{path} is not UTF-8") from fault
