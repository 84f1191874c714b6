"""Reasons why regions of result sets are unmatched, and the cost of each cause ([BFHH20]_)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..core.base import OverallScore, Protocol
from ..core.causes import Cost, Loss, costs, losses, total
from ..formats.names import method_name
from .batch import settled
from .sources import NOT_NAMED, Formats, read_scenes, signed_files

COLUMNS: Final = ("method", "image", "side", "region", "cause", "credit", "partners")
_SCENES_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Explained:
    """One result set: its figures, the cost of each cause, and the losses of each image."""

    method: str
    overall: OverallScore
    costs: Sequence[Cost]
    regions: Sequence[tuple[str, Loss]]
    signature: str

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each region, under COLUMNS; regions are counted from 0."""
        for image, loss in self.regions:
            yield (self.method, image, *asdict(loss).values())

    def as_data(self) -> dict[str, Any]:
        figures = ("recall", "precision", "f_score")
        return {
            "method": self.method,
            "signature": self.signature,
            **{name: getattr(self.overall, name) for name in figures},
            "costs": [asdict(cost) for cost in self.costs],
            "regions": [dict(zip(COLUMNS[1:], row[1:], strict=True)) for row in self.rows()],
        }


def explain_files(
    protocol: Protocol, truth: str, results: Sequence[str], formats: Formats = NOT_NAMED
) -> Iterator[Explained]:
    """Yield the losses of each result set, which is named after its file.

    A BatchError names what cannot be read.
    """
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
