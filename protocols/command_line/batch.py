"""Scoring many result sets with many protocols."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from text_rankings.base.chunks import answers

from ..core.base import ImageScore, OverallScore, Protocol, Scene
from ..core.errors import ProtocolError
from ..core.fitting import lacking, remark
from ..core.regions import Region
from ..formats.containers.contents import Archive, Kind, LineFormat
from ..formats.containers.folders import unfolded
from ..formats.readers.layouts import rules_named
from ..formats.readers.rrc import read_archive
from ..formats.readers.rrc_lines import Rules
from ..formats.recognition.guessing import guess
from ..formats.recognition.reading import LINES, read
from ..scoring import OneMethod, chunks_of_method, score_methods

# Recall, precision and F-score; None is undefined.
Figures = tuple[float | None, float | None, float | None]
_NUMBERED: Final = re.compile(r"img_([0-9]+)\Z")
_UNDEFINED: Final[Figures] = (None, None, None)
# Recall credit and its divisor, precision credit and its divisor.
Sums = tuple[float, float, float, float]


class BatchError(ProtocolError):
    """A file that cannot be scored; the message names it."""


@dataclass(frozen=True, slots=True)
class Formats:
    """Formats of ground truth and results: keys of ``FORMATS``.

    If ``truth`` is None, the format is detected from all lines. If ``results`` is None, results are
    read like the ground truth, or an error asks for their format (``read_results``).
    ``drop_broken_ignored`` leaves lines of ignored text out of the ground truth that are invalid.
    """

    truth: str | None = None
    results: str | None = None
    drop_broken_ignored: bool = False


NOT_NAMED: Final = Formats()


@dataclass(frozen=True, slots=True)
class Scored:
    """One result set under one protocol: the figures of every image, and the official ones.

    ``sums`` holds the contribution of every image to the official figures. ``note`` says why there
    are none if the data do not have the inputs of the protocol.
    """

    slug: str
    method: str
    images: Mapping[str, Figures]
    overall: Figures
    note: str = ""
    sums: Mapping[str, Sums] = field(default_factory=dict)


def score_files(
    protocols: Sequence[Protocol],
    truth: str,
    results: Sequence[str],
    *,
    formats: Formats = NOT_NAMED,
    executor: Executor | None = None,
    only_fitting: bool = False,
) -> Iterator[tuple[int, int, list[Scored]]]:
    """Score result sets; yield the number of finished parts, that of all parts, and the scores.

    A method is named after its file. The parts are the protocols that compare several methods, then
    the result sets, in order. While an executor computes, the next files are read.

    Parameters
    ----------
    protocols : sequence of Protocol
        As ``settled`` returns them.
    truth : str
        Path of the ground truth: a file, or a folder of what a zip would hold.
    results : sequence of str
        Paths of the result sets.
    formats : Formats
    executor : Executor or None
        Computes the chunks; None: this process does.
    only_fitting : bool
        Leave protocols undefined, with a note, if the data do not meet their needs.

    Raises
    ------
    BatchError
        If a file cannot be read, or has results for an image without ground truth.
    EngineError
        If the chunks cannot be computed.

    Examples
    --------
    >>> from protocols import registry
    >>> [(done, n_parts, [scored])] = score_files([registry.get("iou")], "gt.zip", ["east.zip"])
    >>> scored.method, scored.overall[:2]  # one of two words is found
    ('east', (0.5, 1.0))
    """
    files = _Files(truth, results, formats, only_fitting)
    together = [protocol for protocol in protocols if protocol.needs == "several methods"]
    alone = [protocol for protocol in protocols if protocol.needs != "several methods"]
    n_parts = len(together) + (len(results) if alone else 0)
    for done, protocol in enumerate(together, 1):
        yield done, n_parts, list(files.scored_together(protocol, executor))
    if alone:
        for done, scored in enumerate(files.scored_alone(alone, executor), len(together) + 1):
            yield done, n_parts, scored


def settled(
    protocols: Sequence[Protocol], truth: str, formats: Formats = NOT_NAMED
) -> tuple[list[Protocol], list[str]]:
    """Fix parameters that depend on the ground truth; return the protocols and messages about them.

    A protocol given twice, even once as a variant with the same parameters, is returned once.

    Parameters
    ----------
    protocols : sequence of Protocol
    truth : str
        Path of the ground truth.
    formats : Formats

    Raises
    ------
    BatchError
        If the ground truth cannot be read or has no images, or if two protocols have the same name
        and different parameters.

    Examples
    --------
    >>> from protocols import registry
    >>> settled([registry.get("icdar13")], "gt.zip")[1]  # one word is slanted
    ['icdar13: it treats every region as its bounding box ...']
    """
    of_truth = _truth(truth, formats)
    remarks, chosen = [], []
    for protocol in dict.fromkeys(protocols):
        chosen.append(protocol.settled_for(_all(of_truth)))
        given = protocol.parameters()
        remarks += [
            f"{protocol.slug}: {name} = {value}, by the ground truth"
            for name, value in chosen[-1].parameters().items()
            if value != given[name]
        ]
        said = remark(protocol, _all(of_truth))
        remarks += [f"{protocol.slug}: {said}"] if said else []
    slugs = [protocol.full_slug for protocol in chosen]
    if twice := next((slug for slug in slugs if slugs.count(slug) > 1), None):
        raise BatchError(
            f"two of the protocols are {twice} with different parameters; score them one after the other"
        )
    return chosen, remarks


@dataclass(frozen=True, slots=True)
class _Files:
    truth: str
    results: Sequence[str]
    formats: Formats
    # Leave protocols undefined if the data do not meet their needs.
    only_fitting: bool

    def scored_together(self, protocol: Protocol, executor: Executor | None) -> Iterator[Scored]:
        notes = {path: self._note(protocol, path) for path in self.results}
        if all(notes.values()):
            yield from (self._undefined(protocol, path, note) for path, note in notes.items())
            return
        scenes = {path: read_scenes(self.truth, path, self.formats) for path in self.results}
        for path, scores in score_methods(protocol, scenes, executor).items():
            yield self._scored(protocol, path, scores)

    def scored_alone(
        self, protocols: Sequence[Protocol], executor: Executor | None
    ) -> Iterator[list[Scored]]:
        """Yield the scores of each result set under all protocols."""
        notes: dict[str, list[str]] = {}

        def chunks() -> Iterator[OneMethod]:
            for path in self.results:
                notes[path] = [self._note(protocol, path) for protocol in protocols]
                fitting = [p for p, note in zip(protocols, notes[path], strict=True) if not note]
                yield from chunks_of_method(
                    fitting, path, read_scenes(self.truth, path, self.formats)
                )

        n_images = len(_truth(self.truth, self.formats))
        scores: defaultdict[str, list[ImageScore]] = defaultdict(list)
        for chunk, of_chunk in answers(executor, chunks()):
            for protocol, of_protocol in zip(chunk.protocols, of_chunk, strict=True):
                scores[protocol.full_slug] += of_protocol
            if chunk.start + len(chunk.scenes) == n_images:
                yield [
                    self._undefined(protocol, chunk.method, note)
                    if note
                    else self._scored(protocol, chunk.method, scores[protocol.full_slug])
                    for protocol, note in zip(protocols, notes.pop(chunk.method), strict=True)
                ]
                scores.clear()

    def _note(self, protocol: Protocol, path: str) -> str:
        if not self.only_fitting:
            return ""
        truth = _truth(self.truth, self.formats)
        return lacking(
            protocol,
            _all(truth),
            _all(_checked(path, truth, self.truth, self.formats)),
            len(self.results),
        )

    def _undefined(self, protocol: Protocol, path: str, note: str) -> Scored:
        nothing = dict.fromkeys(_truth(self.truth, self.formats), _UNDEFINED)
        return Scored(protocol.full_slug, Path(path).stem, nothing, _UNDEFINED, note)

    def _scored(self, protocol: Protocol, path: str, scores: Sequence[ImageScore]) -> Scored:
        images = dict(zip(_truth(self.truth, self.formats), map(_figures, scores), strict=True))
        overall = _figures(protocol.overall(scores))
        sums = dict(zip(images, map(_sums, scores), strict=True))
        return Scored(protocol.full_slug, Path(path).stem, images, overall, sums=sums)


def _all(images: Mapping[str, Sequence[Region]]) -> Iterator[Region]:
    return (region for regions in images.values() for region in regions)


def _figures(score: ImageScore | OverallScore) -> Figures:
    return score.recall, score.precision, score.f_score


def _sums(score: ImageScore) -> Sums:
    tally = score.tally
    return tally.recalled, tally.n_truth, tally.precise, tally.n_detections


def read_file(path: str, kind: Kind, format: str | None = None) -> Archive:
    """Return the contents of a file, whose format is guessed without ``format``, a key of ``FORMATS``.

    Raises BatchError if the file cannot be read, or can be read in two ways and its format is not
    named.
    """
    return _checked_archive(_look(path, kind, format), path, kind)


def read_truth(path: str, formats: Formats = NOT_NAMED) -> Archive:
    """Return the contents of ground truth; raises as ``read_file``."""
    drops = formats.drop_broken_ignored
    archive = _look(path, "truth", formats.truth, drops=drops)
    try:
        return _checked_archive(archive, path, "truth")
    except BatchError as refusal:
        mended = archive.errors and not _look(path, "truth", formats.truth, drops=True).errors
        if drops or not mended:
            raise
        raise BatchError(
            f"{refusal} Such lines of ignored text are left out with --drop-broken-ignored."
        ) from refusal


def read_results(path: str, truth: str, formats: Formats = NOT_NAMED) -> Archive:
    """Return the contents of a result set, with lines read like those of the ground truth.

    Coordinates have the same format in both; the fields after them are detected from all lines. If
    the format of the ground truth was named and the results do not fit it, the error names the
    format that they fit. If it was not named, results may have another, unambiguous format. Raises
    BatchError if a file cannot be read, or the results can be read in two ways and no format is
    named.
    """
    named = (truth, formats.truth)
    if formats.results is not None:
        return _checked_archive(
            _look(path, "results", formats.results, truth=named), path, "results"
        )
    of_truth = read_truth(truth, formats)
    if of_truth.format not in LINES:
        return _checked_archive(_look(path, "results", truth=named), path, "results")
    shape = "ltwh" if of_truth.format == "ltwh" else of_truth.line_format.value
    if formats.truth is None:
        alone = _look(path, "results")
        if shape == LineFormat.QUAD and _may_be_quads(alone):
            as_truth = _look(path, "results", shape=shape)
            alone = alone if as_truth.errors else as_truth
        return _checked_archive(alone, path, "results")
    as_truth = _look(path, "results", shape=shape)
    if as_truth.errors and not (alone := _look(path, "results")).errors:
        fitting = _checked_archive(alone, path, "results")
        raise BatchError(
            f"{path} is not written as {formats.truth}, the format of the ground truth, but fits "
            f"{fitting.format} ({fitting.reading}). Name it: --results-format {fitting.format}."
        )
    return _checked_archive(as_truth, path, "results")


def _may_be_quads(archive: Archive) -> bool:
    """Return whether lines taken for polygons may be quadrilaterals with a text of numbers."""
    if archive.format not in LINES or archive.line_format != LineFormat.POLYGON:
        return False
    regions = list(_all(archive.regions))
    # With five or six points, the text would start with two or four numbers; rarely with more.
    return any(of.text for of in regions) and any(of.n_points in (5, 6) for of in regions)


def _checked_archive(archive: Archive, path: str, kind: Kind) -> Archive:
    if archive.errors:
        raise BatchError(str(archive.errors[0]))
    if archive.questions:
        question = archive.questions[0]
        if question.code == "F7":
            raise BatchError(f"{question} Convert it first: text-protocols convert --encoding …")
        option = "--truth-format" if kind == "truth" else "--results-format"
        raise BatchError(f"{question} Name it: {option} {question.expected.rpartition(': ')[2]}.")
    if archive.methods:
        raise BatchError(f"{path} holds several methods; score takes a file for each")
    return archive


def _look(
    path: str,
    kind: Kind,
    format: str | None = None,
    shape: str | None = None,
    truth: tuple[str, str | None] | None = None,
    drops: bool = False,
) -> Archive:
    """Read a file once for all protocols, and again if it has changed."""
    state = _state(path) if truth is None else (_state(path), _state(truth[0]))
    return _read_as_it_is(path, state, kind, format, shape, truth, drops)


def _state(path: str) -> tuple[str, int, int, int] | None:
    """Return path, inode, size and modification time of a file, or None if it is inaccessible."""
    try:
        now = os.stat(path)
    except OSError:
        # Reading the file reports why.
        return None
    changed = now.st_mtime_ns
    if os.path.isdir(path):
        changed = max(of.stat().st_mtime_ns for of in (Path(path), *Path(path).rglob("*")))
    return os.path.realpath(path), now.st_ino, now.st_size, changed


@lru_cache(maxsize=32)
def _read_as_it_is(
    path: str,
    _: object,
    kind: Kind,
    format: str | None,
    shape: str | None,
    truth: tuple[str, str | None] | None,
    drops: bool,
) -> Archive:
    """Read a file; ``shape`` is the notation of coordinates if the format is unknown.

    ``truth`` is the ground truth of results, with its format; it may know the sizes of images.
    """
    name = Path(path).name

    def sizes() -> Mapping[str, tuple[int, int]]:
        return {} if truth is None else read_file(truth[0], "truth", truth[1]).sizes

    if format is not None and format not in LINES:
        return read(path, kind=kind, format=format, name=name, sizes=sizes)
    named = format or shape
    rules = None if named is None else rules_named(named)
    if rules is not None and format is None:
        rules = replace(rules, tail=None)
    if drops:
        rules = replace(rules or Rules(), drop_broken_ignored=True)
    source = unfolded(path)
    archive = read_archive(source, kind=kind, name=name, rules=rules)
    if format is None and archive.errors and guess(source, name).format not in LINES:
        # Not a zip of lines: read it in another format, or name that in the error.
        archive = read(path, kind=kind, name=name, sizes=sizes)
    return archive


def _truth(path: str, formats: Formats) -> Mapping[str, tuple[Region, ...]]:
    """Return the regions of ground truth under the competition's names of images."""
    regions = read_truth(path, formats).regions
    if not regions:
        raise BatchError(f"{path} has no images, so that nothing can be scored")
    return _called(regions)


def _called(regions: Mapping[str, tuple[Region, ...]]) -> Mapping[str, tuple[Region, ...]]:
    """Return regions under the competition's names of images, if these are unique."""
    names = {image: _competition_name(image) for image in regions}
    if len(set(names.values())) < len(names):
        # Both img_1 and 1 exist.
        return regions
    return {names[image]: of_image for image, of_image in regions.items()}


def _competition_name(image: str) -> str:
    """Return 1 for img_1, as in the competition's results and all published figures."""
    match = _NUMBERED.match(image)
    return match[1] if match else image


def _checked(
    path: str, truth: Mapping[str, object], truth_path: str, formats: Formats
) -> Mapping[str, tuple[Region, ...]]:
    as_named = read_results(path, truth_path, formats).regions
    # Names that the truth has, too, are kept: it may have both img_1 and 1.
    results = as_named if as_named.keys() <= truth.keys() else _called(as_named)
    stranger = next((image for image in results if image not in truth), None)
    if stranger is not None:
        raise BatchError(f"{path} has results for {stranger}, which the ground truth lacks")
    return results


def read_scenes(truth: str, results: str, formats: Formats = NOT_NAMED) -> list[Scene]:
    """Return the scenes of a result set.

    Parameters
    ----------
    truth, results : str
        Paths.
    formats : Formats

    Raises
    ------
    BatchError
        If a file cannot be read, or has results for an image without ground truth.

    Examples
    --------
    >>> [scene] = read_scenes("gt.zip", "east.zip")
    >>> scene.name, len(scene.truth), len(scene.detections)
    ('1', 2, 1)
    """
    archive, regions = read_truth(truth, formats), _truth(truth, formats)
    detections = _checked(results, regions, truth, formats)
    scenes = []
    for given, (image, of_image) in zip(archive.regions, regions.items(), strict=True):
        width, height = archive.sizes.get(given, (None, None))
        parents = archive.parents.get(given, {})
        scenes.append(Scene(of_image, detections.get(image), image, width, height, parents))
    return scenes
