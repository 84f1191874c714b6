"""Causes of the losses of a run: sums over the images, and a row for each image and cause."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from annotate.csv_tables import some_at_a_time
from annotate.datasets.facts import fill_facts
from annotate.datasets.mending import corrected_at, truth_as_of, version_at
from annotate.datasets.models import Method, Result
from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from protocols import registry
from protocols.core.base import Protocol, Tally
from protocols.core.causes import CAUSES, Cause, Change, Cost, Losses, costs, losses, total
from protocols.core.errors import ProtocolError

from .computing import Kept, Progress, in_order, scene_of
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


def explain(
    run: ProtocolRun,
    progress: Progress = lambda done, total: None,
    kept: Kept | None = None,
) -> None:
    """Store the losses of a run by cause, and the facts about its images; all or nothing.

    Nothing is stored if the run has no causes, or parameters of another version. The losses on images
    that were not corrected since an earlier run are taken from it; sums then differ from those of
    all images in the last digits.
    """
    if not run.has_causes:
        return
    try:
        protocol = registry.get(run.protocol, run.parameters)
    except ProtocolError:
        return
    fill_facts(run.dataset)
    if kept and not run.overall.keys() <= (kept.run.losses or {}).keys():
        kept = None
    with transaction.atomic():
        run.image_losses.all().delete()
        run.losses, done = {}, 0
        if kept:
            others = kept.run.image_losses.exclude(result__image__in=kept.corrected)
            for rows in some_at_a_time(others.iterator(_RESULTS_AT_ONCE), _RESULTS_AT_ONCE):
                ImageLoss.objects.bulk_create(_of_run(run, rows))
        for method in Method.objects.filter(name__in=run.overall, dataset=run.dataset_id):
            results = in_order(method).filter(scores__run=run).select_related("image")
            of_method = total(())
            if kept:
                results = results.filter(image__in=kept.corrected)
                of_method = _without(kept, protocol, method, results)
            for some in some_at_a_time(results.iterator(_RESULTS_AT_ONCE), _RESULTS_AT_ONCE):
                scenes = [scene_of(result) for result in some]
                found = losses(protocol, scenes, protocol.score(scenes))
                ImageLoss.objects.bulk_create(_rows(run, method, some, found))
                of_method = total([of_method, *found])
                progress(done := done + len(some), run.n_scores or 0)
            run.losses[method.name] = {
                "tally": astuple(of_method.tally),
                "changes": {cause: astuple(one) for cause, one in of_method.changes.items()},
            }
        run.save(update_fields=["losses"])


def _of_run(run: ProtocolRun, rows: Iterable[ImageLoss]) -> Iterator[ImageLoss]:
    for row in rows:
        row.pk, row.run = None, run
        yield row


def _without(kept: Kept, protocol: Protocol, method: Method, results: Iterable[Result]) -> Losses:
    """Return a method's losses of an earlier run without those on the results' images at that time."""
    at = kept.run.created
    corrected = corrected_at(kept.corrected)
    scenes = []
    for result in results:
        before = truth_as_of(result.image, version_at(corrected[result.image_id], at))
        scenes.append(replace(scene_of(result), truth=before))
    gone = total(losses(protocol, scenes, protocol.score(scenes)))
    less = {cause: Change(*(-one for one in astuple(of))) for cause, of in gone.changes.items()}
    negative = Losses(Tally(*(-one for one in astuple(gone.tally))), less)
    return total([_stored(kept.run, method.name), negative])


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
    if method not in (run.losses or {}):
        return []
    found = costs(_stored(run, method))
    return [cost for cost in found if cost.n_truth or cost.n_detections]


def _stored(run: ProtocolRun, method: str) -> Losses:
    stored: Mapping[str, Any] = (run.losses or {})[method]
    changes: dict[Cause, Change] = {
        cause: Change(*stored["changes"].get(cause, ())) for cause in CAUSES
    }
    return Losses(Tally(*stored["tally"]), changes)
