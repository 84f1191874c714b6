"""Scoring result sets: a run is stored whole or not at all."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from annotate.datasets.models import Dataset, Method, Result
from annotate.errors import Refusal
from protocols import registry
from protocols.base import Protocol, Scene
from protocols.errors import ProtocolError

from .models import ProtocolRun, Score

_BATCH = 1000
Progress = Callable[[int, int], None]


class NotScored(Refusal):
    """A protocol could not be run over a dataset."""


@transaction.atomic
def score_protocol(
    *,
    dataset: Dataset,
    slug: str,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> ProtocolRun:
    """Score every result of a dataset with one protocol and store the scores as a run.

    ``progress(done, total)`` is called after each method. Raises NotScored for an unknown
    protocol, a refused parameter, and a dataset without results.
    """
    try:
        protocol = registry.get(slug, parameters)
    except ProtocolError as refusal:
        raise NotScored(str(refusal)) from refusal
    methods = list(dataset.methods.filter(results__isnull=False).distinct())
    if not methods:
        raise NotScored(f"{dataset} has no results to score. Load a method's results first.")
    run = ProtocolRun.objects.create(
        dataset=dataset,
        name=run_name(protocol),
        protocol=protocol.slug,
        parameters=protocol.parameters(),
        version=registry.VERSION,
        origin=ProtocolRun.Origin.COMPUTED,
    )
    for done, method in enumerate(methods, 1):
        run.overall[method.name] = _score_method(run, protocol, method)
        if progress is not None:
            progress(done, len(methods))
    run.save(update_fields=["overall"])
    return run


def run_name(protocol: Protocol) -> str:
    """Name a protocol, and its parameters where they are not the published ones."""
    published = type(protocol)().parameters()
    changed = [
        f"{name} {value}"
        for name, value in protocol.parameters().items()
        if value != published[name]
    ]
    return f"{protocol.name} ({', '.join(changed)})" if changed else protocol.name


def _score_method(run: ProtocolRun, protocol: Protocol, method: Method) -> dict[str, float | None]:
    results = list(method.results.select_related("image").order_by("image__position", "image__pk"))
    scores = protocol.score([_scene(result) for result in results])
    Score.objects.bulk_create(
        (
            Score(
                run=run,
                result=result,
                recall=score.recall,
                precision=score.precision,
                f_score=score.f_score,
                indicators=dict(score.indicators),
            )
            for result, score in zip(results, scores, strict=True)
        ),
        batch_size=_BATCH,
    )
    overall = protocol.overall(scores)
    return {
        "recall": overall.recall,
        "precision": overall.precision,
        "f_score": overall.f_score,
    }


def _scene(result: Result) -> Scene:
    return Scene(
        truth=result.image.truth_regions,
        detections=result.detections if result.had_file else None,
        name=result.image.name,
    )
