"""Checks that read everything: references, files, counts and checksums, and scores computed again."""

import random
from collections.abc import Iterable, Iterator
from hashlib import file_digest, sha256
from itertools import islice
from typing import Any, Final

from django.apps import apps
from django.db.models import Count, Exists, F, ForeignKey, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.datasets.models import Image, Method, Result, stored_path
from annotate.judging.models import Assignment, Screen
from annotate.judging.replay import rankings_that_differ
from annotate.reports.models import KeptReport
from annotate.scoring.computing import scene_of
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import StudyImage
from protocols import registry
from protocols.core.errors import ProtocolError
from protocols.core.regions import canonical_bytes
from protocols.score_versions import why_other
from protocols.scoring import score_methods
from text_rankings.base.counts import some_of

from .checks import MAX_NAMED, PAGE, Check, Finding, certificate

_IMAGES_SCORED_AGAIN: Final = 20


def references() -> Iterator[Finding]:
    """Find rows that refer to rows that are gone, which a database refuses unless it is damaged."""
    yield _finding("references", _dangling(), _("every row that is referred to is there"))


def _dangling() -> Iterator[str]:
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if not isinstance(field, ForeignKey):
                continue
            target = field.remote_field.model._base_manager
            there = target.filter(**{field.target_field.name: OuterRef(field.attname)})
            rows = model._base_manager.filter(~Exists(there), **{f"{field.name}__isnull": False})
            for pk in rows.values_list("pk", flat=True)[: MAX_NAMED + 1]:
                yield f"{model._meta.model_name} {pk} ({field.name})"


def photographs() -> Iterator[Finding]:
    """Compare each photograph with its hash."""
    yield _finding("photographs", _altered(), _("each is what its hash says"))


def _altered() -> Iterator[str]:
    hashes = Image.objects.exclude(sha256="").order_by("sha256").values_list("sha256", flat=True)
    for digest in hashes.distinct().iterator():
        path = stored_path(digest)
        if not path.is_file():
            yield _("{name} (missing)").format(name=digest)
            continue
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if found != digest:
            yield _("{name} (altered)").format(name=digest)


def results() -> Iterator[Finding]:
    """Compare the regions of each result with its hash, and each kept report with its checksum."""
    rows = Result.objects.select_related("method", "image").order_by("pk")
    differing = (str(result) for result in rows.iterator() if _is_altered(result))
    yield _finding("results", differing, _("each is what its hash says"))
    changed = (
        str(report)
        for report in KeptReport.objects.select_related("study").iterator()
        if not report.is_whole
    )
    yield _finding("reports", changed, _("each is what its checksum says"))


def _is_altered(result: Result) -> bool:
    try:
        found = result.detections
    except ProtocolError:
        return True
    digest = sha256(canonical_bytes(found)).hexdigest()
    return (digest, len(found)) != (result.sha256, result.n_regions)


def rankings() -> Iterator[Finding]:
    """Replay every assignment and compare it with its stored rankings."""
    differing = (str(assignment) for assignment, differs in rankings_that_differ() if differs)
    well = _("every ranking follows from its answers")
    yield _finding("answers", differing, well, _report_it())


def counts() -> Iterator[Finding]:
    """Compare every stored count with the rows that it counts."""
    yield _finding("counts", _wrong_counts(), _("each is what the rows give"), _report_it())


def _wrong_counts() -> Iterator[str]:
    ended = Assignment.objects.exclude(state=Assignment.State.IN_WORK)
    answered, skipped = (
        Count("screens", Q(screens__state=state))
        for state in (Screen.State.ANSWERED, Screen.State.SKIPPED)
    )
    wrong: tuple[QuerySet[Any], ...] = (
        ended.annotate(a=answered, s=skipped).exclude(n_answered=F("a"), n_skipped=F("s")),
        StudyImage.objects.annotate(n=_n_complete()).exclude(n_complete=F("n")),
        ProtocolRun.objects.exclude(n_scores=None)
        .annotate(n=Count("scores"))
        .exclude(n_scores=F("n")),
    )
    for rows in wrong:
        yield from map(_named, rows.order_by("pk")[: MAX_NAMED + 1])
    for method in Method.objects.exclude(totals=None).annotate(n=Count("results")):
        if (method.totals or {})["n"] != method.n:
            yield _named(method)


def _n_complete() -> Coalesce:
    complete = Assignment.objects.filter(
        study=OuterRef("study"), image=OuterRef("image"), state=Assignment.State.COMPLETE
    )
    return Coalesce(complete.order_by().values("image").annotate(n=Count("pk")).values("n"), 0)


def _named(row: Model) -> str:
    return f"{row._meta.model_name} {row.pk}"


def scores() -> Iterator[Finding]:
    """Compute scores of each run again on some images, and name the runs whose scores are outdated.

    Of outdated runs, which another version of the scores made, numbers may differ for its reasons.
    """
    outdated, runs = [], []
    latest = {*ProtocolRun.objects.latest_of_each_protocol().values_list("pk", flat=True)}
    for run in ProtocolRun.objects.select_related("dataset").order_by("pk"):
        if run.origin == ProtocolRun.Origin.COMPUTED and run.protocol in registry.PROTOCOLS:
            if why := why_other(run.protocol, run.version):
                outdated += [f"{run} ({why})"] if run.pk in latest else []
            elif not registry.PROTOCOLS[run.protocol].needs_all_images:
                runs.append(run)
    if outdated:
        said = _("of another version: {names}").format(names=some_of(outdated, MAX_NAMED, "; "))
        yield Finding("scores", "warning", said, _("Score these datasets again."))
    differing = (found for run in runs for found in _scored_otherwise(run))
    n = len(runs)
    well = ngettext(
        "a sample of {n} run gives the same scores", "samples of {n} runs give the same scores", n
    )
    yield _finding("scores", differing, well.format(n=n), _("Score these datasets again."))


def _scored_otherwise(run: ProtocolRun) -> Iterator[str]:
    protocol = registry.get(run.protocol, run.parameters)
    images = sorted(
        Score.objects.filter(run=run).values_list("result__image", flat=True).distinct()
    )
    for image in random.sample(images, min(_IMAGES_SCORED_AGAIN, len(images))):
        rows = run.scores.filter(result__image=image)
        stored = {row.result.method.name: row for row in rows.select_related(*_OF_RESULT)}
        try:
            scenes = {name: [scene_of(row.result)] for name, row in stored.items()}
        except ProtocolError:
            continue  # `results` reports regions that cannot be read
        for name, [again] in score_methods(protocol, scenes).items():
            row = stored[name]
            kept = (row.recall, row.precision, row.f_score)
            if kept != (again.recall, again.precision, again.f_score):
                yield f"{run.name}, {row.result}"


_OF_RESULT: Final = ("result__method", "result__image")


def _finding(subject: str, wrong: Iterable[str], well: str, advice: str = "") -> Finding:
    named = list(islice(wrong, MAX_NAMED + 1))
    if not named:
        return Finding(subject, "well", well)
    advice = advice or _("Restore a backup made before the damage, or load these data again.")
    return Finding(
        subject, "fault", _("wrong: {names}").format(names=some_of(named, MAX_NAMED)), advice
    )


def _report_it() -> str:
    return _("Please report it, with the log: this should never happen.")


# Instead of the quick checks of photographs and answers.
DEEP: Final[tuple[Check, ...]] = (
    *(*PAGE, certificate),
    *(references, photographs, results, rankings, counts, scores),
)
