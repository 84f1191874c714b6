"""Causes of the losses of a run: sums over the images, and a row for each image and cause."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import islice
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from annotate.datasets.facts import fill_facts
from annotate.datasets.models import Method, Result
from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from protocols import registry
from protocols.core.base import Protocol, Tally
from protocols.core.causes import CAUSES, Cause, Change, Cost, Losses, costs, losses, total
from protocols.core.errors import ProtocolError

from .computing import Progress, scene_of
from .models import ImageLoss, ProtocolRun

EXPLAIN: Final = "scoring.explain"
_RESULTS_AT_ONCE: Final = 500


def start_explaining(*, run: ProtocolRun, person: User, address: str) -> Job:
    """Start computing the causes of a run's losses; the job leads to ``address``."""
    title = "Find the causes of errors by {protocol} on {dataset}"
    return jobs.start(
        kind=EXPLAIN,
        person=person,
        title=title.format(protocol=run.name, dataset=run.dataset),
        run=run.pk,
        address=address,
    )


def explain(run: ProtocolRun, progress: Progress = lambda done, total: None) -> None:
    """Store the losses of a run by cause, and the facts about its images; all or nothing.

    Nothing is stored if the run has no causes, or parameters of another version.
    """
    if not run.has_causes:
        return
    try:
        protocol = registry.get(run.protocol, run.parameters)
    except ProtocolError:
        return
    fill_facts(run.dataset)
    with transaction.atomic():
        run.image_losses.all().delete()
        run.losses, done = {}, 0
        for method in Method.objects.filter(name__in=run.overall, dataset=run.dataset_id):
            results = Result.objects.filter(scores__run=run, method=method)
            rows = results.select_related("image").order_by("image__position", "image__pk")
            of_method = total(())
            for some, found in _explained(protocol, rows.iterator(_RESULTS_AT_ONCE)):
                ImageLoss.objects.bulk_create(_rows(run, method, some, found))
                of_method = total([of_method, *found])
                progress(done := done + len(some), run.n_scores or 0)
            run.losses[method.name] = {
                "tally": astuple(of_method.tally),
                "changes": {cause: astuple(one) for cause, one in of_method.changes.items()},
            }
        run.save(update_fields=["losses"])


def _explained(
    protocol: Protocol, results: Iterator[Result]
) -> Iterator[tuple[list[Result], list[Losses]]]:
    while some := list(islice(results, _RESULTS_AT_ONCE)):
        scenes = [scene_of(result) for result in some]
        yield some, losses(protocol, scenes, protocol.score(scenes))


def _rows(
    run: ProtocolRun, method: Method, results: Sequence[Result], found: Sequence[Losses]
) -> Iterator[ImageLoss]:
    for result, of_image in zip(results, found, strict=True):
        for cause, change in of_image.changes.items():
            yield ImageLoss(
                run=run,
                method=method,
                result=result,
                cause=cause,
                n_truth=change.n_truth,
                n_detections=change.n_detections,
                loss=_loss(cause, change),
            )


def _loss(cause: Cause, change: Change) -> float:
    if cause == "don't care":
        return change.n_truth + change.n_detections
    # Precision credit per detection is what it becomes minus what is taken off the count.
    return change.recalled + change.precise - change.counted


def costs_of(run: ProtocolRun, method: str) -> list[Cost]:
    """Return what each cause costs a method over the dataset; empty if it is not computed."""
    stored: Mapping[str, Any] | None = (run.losses or {}).get(method)
    if stored is None:
        return []
    changes = {cause: Change(*stored["changes"].get(cause, ())) for cause in CAUSES}
    found = costs(Losses(Tally(*stored["tally"]), changes))
    return [cost for cost in found if cost.n_truth or cost.n_detections]
