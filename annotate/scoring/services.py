"""Scoring result sets: a run is stored whole or not at all."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Method, Result
from annotate.errors import Refusal
from protocols import registry
from protocols.core.base import ImageScore, Protocol, Scene
from protocols.core.errors import BEYOND_COMPUTING, ProtocolError
from protocols.core.fitting import lacking
from protocols.core.regions import Region

from .models import ProtocolRun, Score

_BATCH = 1000
Progress = Callable[[int, int], None]


class NotScored(Refusal):
    """A protocol could not be run over a dataset."""


_ScoredMethod = tuple[Method, list[Result], Sequence[ImageScore]]


@dataclass(frozen=True)
class Scored:
    """The scores of a dataset's results, computed and not yet stored."""

    dataset: Dataset
    protocol: Protocol
    methods: Sequence[_ScoredMethod]


def score_protocol(
    *,
    dataset: Dataset,
    slug: str,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> ProtocolRun:
    """Score every result of a dataset with one protocol and store the scores as a run.

    Raises NotScored as `compute` does, and for an unknown protocol or a refused parameter.
    """
    return publish(compute(dataset, protocol_named(slug, parameters), progress))


def compute(dataset: Dataset, protocol: Protocol, progress: Progress | None = None) -> Scored:
    """Score every result of a dataset; nothing is stored, and nobody waits for the database.

    ``progress(done, total)`` is called after each method. Raises NotScored for a dataset without
    results, and one that lacks what the protocol needs (transcriptions, confidences, table cells,
    a second method).
    """
    methods = list(dataset.methods.filter(results__isnull=False).distinct())
    if not methods:
        raise NotScored(f"{dataset} has no results to score. Load a method's results first.")
    lacks = lacking(protocol, _truths(dataset), _found(dataset), len(methods))
    if lacks:
        raise NotScored(f"{protocol.name} cannot be scored on {dataset}: {lacks}.")
    computing = (
        _scored_together(protocol, methods)
        if protocol.needs == "several methods"
        else _scored_alone(protocol, methods)
    )
    scored = []
    try:
        for done, of_method in enumerate(computing, 1):
            scored.append(of_method)
            if progress is not None:
                progress(done, len(methods))
    except ProtocolError as refusal:
        raise NotScored(f"{protocol.name} cannot be scored on {dataset}: {refusal}.") from refusal
    except BEYOND_COMPUTING as fault:
        raise NotScored(
            f"{protocol.name} cannot be scored on {dataset}: some regions are too large beside "
            f"others to compute with ({fault})."
        ) from fault
    return Scored(dataset, protocol, scored)


@transaction.atomic
def publish(scored: Scored) -> ProtocolRun:
    """Store what was computed as a run, wholly or not at all."""
    dataset, protocol = scored.dataset, scored.protocol
    run = ProtocolRun.objects.create(
        dataset=dataset,
        name=run_name(protocol),
        protocol=protocol.slug,
        parameters=protocol.parameters(),
        version=registry.VERSION,
        origin=ProtocolRun.Origin.COMPUTED,
    )
    for method, results, scores in scored.methods:
        run.overall[method.name] = _stored(run, protocol, results, scores)
    run.n_scores = run.scores.count()
    run.save(update_fields=["overall", "n_scores"])
    record(Act.SCORED, what=dataset.name, details={"protocol": run.name, "run": run.pk})
    return run


def protocol_named(slug: str, parameters: Mapping[str, Any] | None) -> Protocol:
    """Return a protocol with its parameters; raises NotScored where there is none such."""
    try:
        return registry.get(slug, parameters)
    except ProtocolError as refusal:
        raise NotScored(str(refusal)) from refusal


def _truths(dataset: Dataset) -> Iterator[Region]:
    for image in dataset.images.in_order().iterator():
        yield from image.truth_regions


def _found(dataset: Dataset) -> Iterator[Region]:
    for result in Result.objects.filter(method__dataset=dataset).iterator():
        yield from result.detections


def run_name(protocol: Protocol) -> str:
    """Name a protocol, and its parameters where they are not the published ones."""
    published = type(protocol)().parameters()
    changed = [
        f"{name} {value}"
        for name, value in protocol.parameters().items()
        if value != published[name]
    ]
    return f"{protocol.name} ({', '.join(changed)})" if changed else protocol.name


_MethodScores = Iterator[_ScoredMethod]


def _scored_alone(protocol: Protocol, methods: Sequence[Method]) -> _MethodScores:
    for method in methods:
        results = _results(method)
        yield method, results, protocol.score([_scene(result) for result in results])


def _scored_together(protocol: Protocol, methods: Sequence[Method]) -> _MethodScores:
    """Score methods that are compared with each other: on each image those that have a result."""
    results = {method: _results(method) for method in methods}
    of_image: defaultdict[int, dict[Method, Result]] = defaultdict(dict)
    for method, of_method in results.items():
        for result in of_method:
            of_image[result.image_id][method] = result
    scores: dict[int, ImageScore] = {}
    for result_of in of_image.values():
        scenes = {method.name: [_scene(result)] for method, result in result_of.items()}
        scores_of = protocol.score_methods(scenes)
        for method, result in result_of.items():
            scores[result.pk] = scores_of[method.name][0]
    for method, of_method in results.items():
        yield method, of_method, [scores[result.pk] for result in of_method]


def _results(method: Method) -> list[Result]:
    return list(method.results.select_related("image").order_by("image__position", "image__pk"))


def _stored(
    run: ProtocolRun, protocol: Protocol, results: Sequence[Result], scores: Sequence[ImageScore]
) -> dict[str, float | None]:
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
    image = result.image
    return Scene(
        truth=image.truth_regions,
        detections=result.detections if result.had_file else None,
        name=image.name,
        width=image.width,
        height=image.height,
    )
