"""The competition's scripts: ``-g gt.zip -s submit.zip [-o DIR] [-p JSON] [-c CHOICE]``."""

import json
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from .. import registry
from ..core.base import Protocol, Scene
from ..core.errors import ProtocolError
from ..core.regions import Region
from ..formats.containers.contents import Kind, LineFormat, Tail
from ..formats.readers.rrc_lines import Rules
from ..formats.summaries import left_out
from .per_sample import OF_BOXES, WITH_LOG, Scored, overall_figures, samples, scored
from .submissions import Asked, Lines, Refused, read_lines
from .usage import usage

# Slugs by the names of published scripts, in lower case; slugs themselves are names too.
_CHOICES: Final = {
    "deteva": "deteval",
    "deteval": "deteval",
    "icdar2013": "icdar13",
    "icdar2015": "iou",
    "e2e": "end-to-end",
}
_NAMES: Final = {"GT_SAMPLE_NAME_2_ID": "truth", "DET_SAMPLE_NAME_2_ID": "results"}
_PUBLISHED_NAMES: Final = {"truth": "gt_img_([0-9]+).txt", "results": "res_img_([0-9]+).txt"}
# These accept any file names; the others accept img_NUMBER, as published.
_ANY_NAME: Final = ("cleval", "cleval-end-to-end", "popeval")
# The scripts' parameters for reading, with the field of ``Lines`` that each one sets.
_SWITCHES: Final = {
    "LTRB": "ltrb",
    "CRLF": "crlf",
    "GT_LTRB": "ltrb",
    "DET_LTRB": "ltrb",
    "GT_CRLF": "crlf",
    "DET_CRLF": "crlf",
    "CONFIDENCES": "confidences",
    "TRANSCRIPTION": "texts",
}
_PER_SAMPLE: Final = "PER_SAMPLE_RESULTS"
_BOX_TYPE: Final = "BOX_TYPE"
# The reading parameters that each script lists with its results.
_LISTED: Final = {
    "iou": ("LTRB", "CRLF", "CONFIDENCES", _PER_SAMPLE),
    "tiou": ("LTRB", "CRLF", "CONFIDENCES", _PER_SAMPLE),
    "deteval": ("CRLF",),
    "icdar13": ("CRLF",),
    "tedeval": (
        "GT_LTRB",
        "GT_CRLF",
        "DET_LTRB",
        "DET_CRLF",
        "CONFIDENCES",
        "TRANSCRIPTION",
        _PER_SAMPLE,
    ),
}
# Format of lines: --format=SLUG, as for the other commands; and the log of an image.
_FORMAT, _LOG = "-format", "-log"
_LOGS: Final = ("reasons", "published")
# Without a value: invalid lines of ignored text are left out.
_DROP: Final = "-drop-broken-ignored"
# Ground truth may hold polygons if its first line begins with this many numbers.
_MAYBE_POLYGON: Final = 10
_FIRST_NUMBERS: Final = re.compile(rf"(?:\s*-?[0-9.]+\s*,){{{_MAYBE_POLYGON}}}")
_IMAGE: Final = re.compile(r"(?:img_?)?([0-9]+)\Z")


class BadUsage(Exception):
    """Arguments that have no meaning."""


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments of a stand-alone script."""

    truth: str
    results: str
    out: str | None
    protocol: Protocol
    # None: lines of four or eight numbers, read as the scripts do.
    rules: Rules | None
    of_truth: Lines
    of_results: Lines
    # Whether the line format was given, so that no question is needed.
    is_named: bool
    per_image: bool
    # The log of an image: reasons of regions without a match, or the steps of the script.
    log: str
    # The parameters, as the scripts list them with their results.
    listed: Mapping[str, Any]


def run(arguments: Sequence[str]) -> int:
    """Evaluate as the scripts do; return the exit status, 0 for a refused submission, too."""
    try:
        options = parsed(arguments)
    except (BadUsage, ProtocolError) as refusal:
        print(f"{refusal}\n{usage()}" if str(refusal) else usage(), file=sys.stderr)
        return 2
    try:
        protocol, images, found = evaluate(options)
    except Asked as question:
        print(question, file=sys.stderr)
        return 2
    except Refused as refusal:
        print(f"Error!\n{refusal}", file=sys.stderr)
        if options.out is not None:
            _write(Path(options.out), {"method": _method(False, str(refusal), "{}")})
        return 0
    overall = overall_figures(protocol, list(images.values()), found.scores)
    if options.out is not None:
        of_images = samples(protocol, images, found, options.listed, options.log)
        written = dict(of_images) if options.per_image else {}
        _write(Path(options.out), {"method": _method(True, "", overall), **written})
    # No line feed, as published.
    sys.stdout.write("Calculated!" + json.dumps(overall))
    return 0


def evaluate(options: Options) -> tuple[Protocol, dict[str, Scene], Scored]:
    """Read both zips and score them; return the settled protocol, the scenes and the scores.

    Raises Refused and Asked as ``read_lines`` does.
    """
    images = _scenes(options)
    truths = (region for scene in images.values() for region in scene.truth)
    protocol = options.protocol.settled_for(truths)
    with_tables = options.out is not None and options.per_image
    return protocol, images, scored(protocol, list(images.values()), with_tables=with_tables)


def parsed(arguments: Sequence[str]) -> Options:
    """Return the meaning of a script's arguments.

    Raises BadUsage if they have no meaning. Raises ProtocolError if there is no such protocol, or a
    parameter is outside its range.
    """
    given = _given(arguments)
    unknown = sorted(set(given) - {*"gsopc", _FORMAT, _LOG, _DROP})
    if unknown:
        raise BadUsage(f"unknown option -{unknown[0]}")
    if not {"g", "s"} <= set(given):
        raise BadUsage("")
    chosen = given.get("c", "IoU").lower()
    slug = _CHOICES.get(chosen, chosen)
    changed = _parameters(given.get("p", "{}"))
    own, reading = _sorted(slug, changed)
    named = given.get(_FORMAT)
    box_type = str(reading.pop(_BOX_TYPE, "")).lower()
    if box_type in ("poly", "quad"):
        own["box_type"] = box_type
    if named is None and (box_type == "poly" or _holds_polygons(slug, given["g"], reading)):
        named = LineFormat.POLYGON.value
    protocol = registry.get(slug, own)
    if box_type == "ltrb":
        reading["LTRB"] = True
    of_truth, of_results = (_lines(kind, protocol, reading) for kind in ("truth", "results"))
    of_truth = replace(of_truth, drops=_DROP in given)
    return Options(
        given["g"],
        given["s"],
        given.get("o"),
        protocol,
        _rules(named, of_results, keep_quotes=box_type == "poly", drops=of_truth.drops),
        of_truth,
        of_results,
        named is not None,
        bool(reading.get(_PER_SAMPLE, True)),
        _log(given.get(_LOG, _LOGS[0]), protocol),
        _listed(protocol, changed, of_truth, of_results),
    )


def _log(given: str, protocol: Protocol) -> str:
    if given not in _LOGS:
        raise BadUsage(f"no log {given!r}; logs: {', '.join(_LOGS)}")
    if given == "published" and protocol.slug not in WITH_LOG:
        raise BadUsage(
            f"the published log is written for {', '.join(WITH_LOG)}, not {protocol.slug}"
        )
    return given


def _lines(kind: Kind, protocol: Protocol, reading: Mapping[str, Any]) -> Lines:
    """Return the line format of a zip, from the parameters of the scripts."""
    side = "GT" if kind == "truth" else "DET"
    pattern = "" if protocol.slug in _ANY_NAME else _PUBLISHED_NAMES[kind]
    is_truth = kind == "truth"
    lines = Lines(
        kind,
        str(reading.get(f"{side}_SAMPLE_NAME_2_ID", pattern)),
        bool(reading.get(f"{side}_LTRB", reading.get("LTRB", protocol.slug in OF_BOXES))),
        bool(reading.get(f"{side}_CRLF", reading.get("CRLF", False))),
        not is_truth and bool(reading.get("CONFIDENCES", protocol.needs == "confidences")),
        is_truth or bool(reading.get("TRANSCRIPTION", protocol.needs == "detected text")),
    )
    try:
        re.compile(lines.names)
    except re.error as fault:
        raise BadUsage(f"{side}_SAMPLE_NAME_2_ID is no pattern: {fault}") from fault
    return lines


def _rules(named: str | None, results: Lines, *, keep_quotes: bool, drops: bool) -> Rules | None:
    if named is None:
        return None
    from ..formats.readers.layouts import rules_named
    from ..formats.recognition.reading import LINES

    if named not in LINES:
        raise BadUsage(f"no format of lines {named!r}; formats: {', '.join(LINES)}")
    rules = rules_named(named)
    if rules.tail == Tail.TEXT and rules.line_format in (LineFormat.LTRB, LineFormat.QUAD):
        return None
    return replace(
        rules,
        tail=rules.tail or Tail.TEXT,
        strict=True,
        confidences=results.confidences,
        transcriptions=results.texts,
        crlf_only=results.crlf,
        keep_quotes=keep_quotes,
        drop_broken_ignored=drops,
    )


def _holds_polygons(slug: str, path: str, reading: Mapping[str, Any]) -> bool:
    """Return whether ground truth holds polygons, for protocols whose scripts read them."""
    if slug == "iou" or slug in OF_BOXES or any("LTRB" in name for name in reading):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".txt")]
            first = archive.read(names[0])[:1000].decode("utf-8-sig", errors="replace")
    except (OSError, zipfile.BadZipFile, RuntimeError, IndexError):
        # A reader of the whole file reports its faults.
        return False
    if _FIRST_NUMBERS.match(first) is None:
        return False
    from ..formats.readers.rrc import read_archive

    archive_read = read_archive(path, kind="truth")
    return archive_read.line_format == LineFormat.POLYGON and not archive_read.questions


def _listed(
    protocol: Protocol, changed: Mapping[str, Any], truth: Lines, results: Lines
) -> dict[str, Any]:
    """Return the parameters as the scripts list them: the published ones, then the given ones."""
    if protocol.slug not in _LISTED:
        return {**protocol.parameters(), **changed}
    listed: dict[str, Any] = {
        declared.metadata["rrc"]: getattr(protocol, declared.name)
        for declared in fields(protocol)
        if declared.metadata.get("rrc")
    }
    listed["GT_SAMPLE_NAME_2_ID"], listed["DET_SAMPLE_NAME_2_ID"] = truth.names, results.names
    for name in _LISTED[protocol.slug]:
        lines = truth if name.startswith("GT_") else results
        listed[name] = getattr(lines, _SWITCHES[name]) if name in _SWITCHES else True
    return {**listed, **changed}


def _given(arguments: Sequence[str]) -> dict[str, str]:
    """Return the options by name; ``-g=gt.zip`` (as published) and ``-g gt.zip`` are equal."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-") or len(argument) < 2:
            raise BadUsage(f"unexpected argument {argument!r}")
        name, equals, value = argument[1:].partition("=")
        if name == _DROP:
            equals = "="
        if not equals:
            if not rest:
                raise BadUsage(f"-{name} needs a value")
            value = rest.pop(0)
        given[name] = value
    return given


def _parameters(text: str) -> dict[str, Any]:
    # Version 1.0 expects the JSON in quotes that are part of the argument, version 1.1 without
    # quotes.
    stripped = text.strip()
    if stripped[:1] in "'\"" and stripped[-1:] == stripped[:1] and len(stripped) > 1:
        stripped = stripped[1:-1]
    try:
        changed = json.loads(stripped.replace('\\"', '"'))
    except ValueError as fault:
        raise BadUsage(f"-p is not JSON: {fault}") from fault
    if not isinstance(changed, dict):
        raise BadUsage("-p must be a JSON object")
    return changed


def _sorted(slug: str, changed: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the parameters into those of the protocol and those for reading.

    Parameters unknown to both are ignored, as in the scripts, but reported.
    """
    declared = fields(registry.get(slug))
    names = {of.metadata["rrc"]: of.name for of in declared if of.metadata.get("rrc")}
    names |= {of.name: of.name for of in declared}
    own = {names[name]: value for name, value in changed.items() if name in names}
    known = {*_SWITCHES, *_NAMES, _PER_SAMPLE, _BOX_TYPE}
    reading = {name: value for name, value in changed.items() if name in known}
    for name in changed:
        if name not in names and name not in known:
            print(f"-p: {slug} has no parameter {name}; it is left out", file=sys.stderr)
    if _BOX_TYPE in reading:
        own.pop("box_type", None)
    return own, reading


def _scenes(options: Options) -> dict[str, Scene]:
    truth = _read(options.truth, options.of_truth, options)
    results = _read(options.results, options.of_results, options)
    strangers = [image for image in results if image not in truth]
    if strangers:
        raise Refused(f"The sample {strangers[0]} not present in GT")
    if options.of_results.confidences:
        # A stable sort; the scripts leave the order of equal confidences open.
        results = {
            image: tuple(sorted(regions, key=lambda region: -(region.confidence or 0.0)))
            for image, regions in results.items()
        }
    return {image: Scene(regions, results.get(image), image) for image, regions in truth.items()}


def _read(path: str, lines: Lines, options: Options) -> dict[str, tuple[Region, ...]]:
    if options.rules is None:
        images = read_lines(path, lines, ask=not options.is_named)
        if lines.kind == "truth" and not images:
            raise Refused(f"{path} holds no {lines.names or 'file'}")
        return images
    from ..formats.readers.rrc import read_archive

    archive = read_archive(path, kind=lines.kind, rules=options.rules)
    if archive.errors:
        raise Refused(str(archive.errors[0]))
    if n := archive.n_skipped_lines:
        print(f"{archive.name}: {left_out(n)}", file=sys.stderr)
    matched = {name: _IMAGE.match(name) for name in archive.regions}
    if not all(matched.values()) or options.protocol.slug in _ANY_NAME:
        return dict(archive.regions)
    return {match[1]: archive.regions[name] for name, match in matched.items() if match is not None}


def _method(
    calculated: bool, message: str, figures: Mapping[str, float | None] | str
) -> dict[str, Any]:
    return {"calculated": calculated, "Message": message, "method": figures}


def _write(folder: Path, samples: Mapping[str, Any]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Not compressed, as published; it would take longer than the scoring.
        with zipfile.ZipFile(folder / "results.zip", "w") as archive:
            for name, sample in samples.items():
                archive.writestr(f"{name}.json", json.dumps(sample))
    except OSError as fault:
        # That of a full disk names no file.
        fault.filename = fault.filename or str(folder)
        raise
