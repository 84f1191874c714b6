"""Scoring many result sets with many protocols, and why their regions are unmatched ([BFHH20]_)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from text_rankings.base.chunks import answers

from ..core.base import ImageScore, OverallScore, Protocol
from ..core.fitting import Held, lacking, lacking_of, one_sided, remark
from ..core.regions import Region
from ..formats.names import method_name
from ..loading.sources import (
    NOT_NAMED,
    BatchError,
    Formats,
    looked_results,
    read_scenes,
    regions_of_truth,
    signed_files,
)
from ..scoring import OneMethod, chunks_of_method, score_methods

if TYPE_CHECKING:
    from ..core.causes import Cost, Loss

__all__ = ["Scored", "read_scenes", "score_files", "settled"]

# Recall, precision and F-score; None is undefined.
Figures = tuple[float | None, float | None, float | None]
_UNDEFINED: Final[Figures] = (None, None, None)
# Recall credit and its divisor, precision credit and its divisor.
Sums = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Scored:
    """One result set under one protocol: the figures of every image, and the official ones.

    ``sums`` holds the contribution of every image to the official figures. ``note`` says why there
    are none if the data do not have the inputs of the protocol. ``remarks`` are sentences on fields
    that the protocol reads and not all regions have.
    """

    slug: str
    method: str
    images: Mapping[str, Figures]
    overall: Figures
    signature: str
    note: str = ""
    sums: Mapping[str, Sums] = field(default_factory=dict)
    remarks: Sequence[str] = ()


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
    of_truth = regions_of_truth(truth, formats)
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

        n_images = len(regions_of_truth(self.truth, self.formats))
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
        truth = regions_of_truth(self.truth, self.formats)
        return lacking(
            protocol,
            _all(truth),
            _all(looked_results(path, self.truth, self.formats).archive.regions),
            len(self.results),
        )

    def _undefined(self, protocol: Protocol, path: str, note: str) -> Scored:
        nothing = dict.fromkeys(regions_of_truth(self.truth, self.formats), _UNDEFINED)
        signed = self._signed(protocol, path)
        return Scored(protocol.full_slug, method_name(path), nothing, _UNDEFINED, signed, note)

    def _scored(self, protocol: Protocol, path: str, scores: Sequence[ImageScore]) -> Scored:
        images = dict(
            zip(regions_of_truth(self.truth, self.formats), map(_figures, scores), strict=True)
        )
        overall = _figures(protocol.overall(scores))
        sums = dict(zip(images, map(_sums, scores), strict=True))
        remarks = self._remarks(protocol, path)
        slug, method, signed = protocol.full_slug, method_name(path), self._signed(protocol, path)
        return Scored(slug, method, images, overall, signed, sums=sums, remarks=remarks)

    def _signed(self, protocol: Protocol, path: str) -> str:
        return signed_files(protocol, self.truth, path, self.formats)

    def _remarks(self, protocol: Protocol, path: str) -> list[str]:
        if protocol.needs == "regions" and not protocol.fields_read():
            return []
        truth = regions_of_truth(self.truth, self.formats)
        found = looked_results(path, self.truth, self.formats).archive.regions
        held = Held.of(_all(truth), _all(found))
        return [*filter(None, [lacking_of(protocol, held)]), *one_sided(protocol, held)]


def _all(images: Mapping[str, Sequence[Region]]) -> Iterator[Region]:
    return (region for regions in images.values() for region in regions)


def _figures(score: ImageScore | OverallScore) -> Figures:
    return score.recall, score.precision, score.f_score


def _sums(score: ImageScore) -> Sums:
    tally = score.tally
    return tally.recalled, tally.n_truth, tally.precise, tally.n_detections


_OF_REGIONS: Final = ("image", "side", "region", "cause", "credit", "partners")
COLUMNS: Final = ("method", *_OF_REGIONS, "signature")
_SCENES_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Explained:
    """One result set: its figures, the cost of each cause, and the losses of each image."""

    method: str
    overall: OverallScore
    costs: Sequence["Cost"]
    regions: Sequence[tuple[str, "Loss"]]
    signature: str

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each region, under COLUMNS; regions are counted from 0."""
        for image, loss in self.regions:
            yield (self.method, image, *asdict(loss).values(), self.signature)

    def as_data(self) -> dict[str, Any]:
        figures = ("recall", "precision", "f_score")
        return {
            "method": self.method,
            "signature": self.signature,
            **{name: getattr(self.overall, name) for name in figures},
            "costs": [asdict(cost) for cost in self.costs],
            "regions": [dict(zip(_OF_REGIONS, row[1:-1], strict=True)) for row in self.rows()],
        }


def explain_files(
    protocol: Protocol, truth: str, results: Sequence[str], formats: Formats = NOT_NAMED
) -> Iterator[Explained]:
    """Yield the losses of each result set, which is named after its file.

    A BatchError names what cannot be read.
    """
    # Scoring, the usual command, does not wait for it.
    from ..core.causes import costs, losses, total

    [protocol], _ = settled([protocol], truth, formats)
    for path in results:
        scenes = read_scenes(truth, path, formats)
        scores, found = [], []
        for start in range(0, max(len(scenes), 1), _SCENES_AT_ONCE):
            some = scenes[start : start + _SCENES_AT_ONCE]
            of_some = protocol.score(some)
            scores += of_some
            found += losses(protocol, some, of_some)
        regions = [
            (scene.name, loss)
            for scene, of_scene in zip(scenes, found, strict=True)
            for loss in of_scene.regions
        ]
        overall, signed = protocol.overall(scores), signed_files(protocol, truth, path, formats)
        yield Explained(method_name(path), overall, costs(total(found)), regions, signed)


def table(explained: Explained) -> str:
    """Return the costs of a result set as lines of text; causes without a region are left out."""
    overall = explained.overall
    lines = [
        f"{explained.method}: recall {_shown(overall.recall)}, precision "
        f"{_shown(overall.precision)}, F {_shown(overall.f_score)}",
        f"  {explained.signature}",
        f"  {'cause':<11}{'truths':>8}{'detections':>12}{'recall':>9}{'precision':>11}{'F':>9}",
    ]
    for cost in explained.costs:
        if cost.n_truth or cost.n_detections:
            gains = (cost.recall, cost.precision, cost.f_score)
            recall, precision, f = ("-" if of is None else f"{of:+.4f}" for of in gains)
            lines.append(
                f"  {cost.cause:<11}{cost.n_truth:>8}{cost.n_detections:>12}{recall:>9}"
                f"{precision:>11}{f:>9}"
            )
    return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
