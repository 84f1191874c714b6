"""Scoring an entry: each split alone, so that nothing of the visible one depends on the hidden one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Any

from annotate.scoring.services import protocol_named, run_name
from protocols import registry
from protocols.core.base import Protocol, Scene
from protocols.core.regions import decode_regions
from protocols.scoring import score_methods

from .models import Challenge, EntryScore

_OWN = "entry"


def protocols_of(challenge: Challenge) -> list[Protocol]:
    """Return the protocols of a challenge, the deciding one first. Raises NotScored."""
    return [protocol_named(one["slug"], one["parameters"]) for one in challenge.protocols]


def described(slug: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a protocol as a challenge stores it. Raises NotScored if it does not exist."""
    protocol = protocol_named(slug, parameters)
    return {"slug": slug, "parameters": dict(parameters), "name": run_name(protocol)}


def scores_of(
    challenge: Challenge,
    rows: Iterable[list[Any]],
    executor: Executor | None,
    progress: Callable[[int, int], None],
) -> Iterator[EntryScore]:
    """Yield the unsaved scores of detections by every protocol on every split."""
    found = {row[1]: decode_regions(row[2]) for row in rows}
    protocols, splits = protocols_of(challenge), challenge.splits
    for at, split in enumerate(splits):
        scenes = [
            Scene(
                truth=image.truth_regions,
                detections=found.get(image.name),
                name=image.name,
                width=image.width,
                height=image.height,
            )
            for image in challenge.images_of(split).iterator(500)
        ]
        for number, (name, general) in enumerate(zip(challenge.names, protocols, strict=True), 1):
            protocol = general.settled_for(region for scene in scenes for region in scene.truth)
            scores = score_methods(protocol, {_OWN: scenes}, executor)[_OWN]
            overall = protocol.overall(scores)
            yield EntryScore(
                protocol=name,
                split=split,
                recall=overall.recall,
                precision=overall.precision,
                f_score=overall.f_score,
                tallies=[
                    [
                        *(score.tally.recalled, score.tally.n_truth),
                        *(score.tally.precise, score.tally.n_detections),
                    ]
                    for score in scores
                ],
                version=registry.version_of(protocol.slug)[:40],
            )
            progress(at * len(protocols) + number, len(splits) * len(protocols))
