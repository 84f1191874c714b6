"""Scoring result sets: a run is stored whole or not at all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.audit.models import Act, AuditEntry
from annotate.audit.services import record
from annotate.csv_tables import some_at_a_time
from annotate.datasets.mending import corrected_since, mended
from annotate.datasets.models import Dataset, EarlierTruth, Image, Method, Result
from annotate.errors import Refusal
from protocols import registry
from protocols.core.base import Protocol
from protocols.core.errors import ProtocolError
from protocols.core.fitting import lacking, lacking_in_results, one_sided
from protocols.core.geometry_errors import BEYOND_COMPUTING
from protocols.core.regions import Region
from protocols.score_versions import MAX_LENGTH, version_of
from protocols.signatures import signature

from .computing import Kept, OfMethod, Progress, computed
from .models import ProtocolRun, Score

_BATCH = 1000
# In signatures: the reading of data that were not loaded from a file here.
_NOT_KNOWN = "unknown"


class NotScored(Refusal):
    """Refusal to score a dataset with a protocol."""


@dataclass(frozen=True)
class Scored:
    """The scores of a dataset's results, computed and not yet stored."""

    dataset: Dataset
    protocol: Protocol
    methods: Sequence[OfMethod]
    # The inputs of the computation.
    state: "State"
    # Methods without the inputs of the protocol, such as confidences; they have no scores.
    left_out: Sequence[str] = ()
    kept: Kept | None = None

    @property
    def remarks(self) -> list[str]:
        """Sentences about kept scores, methods left out, and fields that not all regions have."""
        if self.kept:
            n = len(self.kept.corrected)
            said = ngettext("{n} image was scored again.", "{n} images were scored again.", n)
            return [said.format(n=n)]
        remarks = [
            _("{method}: {remark}.").format(method=own.method.name, remark=remark)
            for own in self.methods
            for remark in one_sided(self.protocol, own.held)
        ]
        if self.left_out:
            said = _("Left out, because the protocol's inputs are missing: {methods}.")
            remarks.append(said.format(methods=", ".join(self.left_out)))
        return remarks


def score_protocol(
    *,
    dataset: Dataset,
    slug: str,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> ProtocolRun:
    """Score every result of a dataset with one protocol and store the scores as a run.

    Raises NotScored as `compute` and `publish` do, and for an unknown protocol or a refused parameter.
    """
    return publish(compute(dataset, protocol_named(slug, parameters), progress, executor))


def compute(
    dataset: Dataset,
    protocol: Protocol,
    progress: Progress | None = None,
    executor: Executor | None = None,
    after: ProtocolRun | None = None,
) -> Scored:
    """Score every result of a dataset; nothing is stored, and no lock is held.

    The scores of a run ``after`` which ground truth was corrected are kept for all other images, if
    they would be the same.

    Chunks of images are computed by ``executor``, or in this process; ``progress(done, total)`` is
    called after each with the number of scored results. Raises NotScored for a dataset without
    results, or without the inputs of the protocol (transcriptions, confidences, table cells, a
    second method). A method whose own results have none of them is left out.
    """
    methods = list(dataset.methods.filter(results__isnull=False).distinct())
    if not methods:
        raise NotScored(
            _("{dataset} has no results to score. Load a method's results first.").format(
                dataset=dataset
            )
        )
    lacks = lacking(protocol, _truths(dataset), _found(dataset), len(methods))
    if lacks:
        raise NotScored(
            _("{protocol} cannot be scored on {dataset}: {lacks}.").format(
                protocol=protocol.name, dataset=dataset, lacks=lacks
            )
        )
    protocol = protocol.settled_for(_truths(dataset))
    before = _state(dataset)
    left_out = [method.name for method in methods if not _takes_part(protocol, method)]
    methods = [method for method in methods if method.name not in left_out]
    kept = _kept(after, protocol, methods) if after else None
    images = kept.corrected if kept else None
    results = Result.objects.filter(method__in=methods)
    n_results = (results.filter(image__in=images) if images is not None else results).count()
    try:
        scored = computed(protocol, methods, n_results, progress or _nobody, executor, images)
    except ProtocolError as refusal:
        raise NotScored(
            _("{protocol} cannot be scored on {dataset}: {refusal}.").format(
                protocol=protocol.name, dataset=dataset, refusal=str(refusal)
            )
        ) from refusal
    except BEYOND_COMPUTING as fault:
        raise NotScored(
            _(
                "{protocol} cannot be scored on {dataset}: some regions are too large compared "
                "with others for the computation ({fault})."
            ).format(protocol=protocol.name, dataset=dataset, fault=str(fault))
        ) from fault
    if kept:
        for own in scored:
            own.take(kept.run)
    return Scored(dataset, protocol, scored, before, left_out, kept)


def _kept(run: ProtocolRun, protocol: Protocol, methods: Sequence[Method]) -> Kept | None:
    """Return the images corrected since a run; None if its other scores may not be what they were."""
    results = Result.objects.filter(method__in=methods)
    made_by = (protocol.slug, protocol.parameters(), _version(protocol))
    if (
        (run.protocol, run.parameters, run.version) != made_by
        or protocol.needs_all_images
        # Confidences are ranked over all images, and ranks are not stored.
        or "confidence" in protocol.fields_read()
        or results.count() != run.scores.count()
        or results.exclude(scores__run=run).exists()
        or run.scores.filter(n_truth=None).exists()
        or (protocol.reads_sizes and _is_before(run, photographs_changed(run.dataset)))
    ):
        return None
    return Kept(run, corrected_since(run.dataset, run.created))


def photographs_changed(dataset: Dataset) -> datetime | None:
    """Return when photographs, and with them sizes of images, were last loaded or taken away again."""
    loaded = Q(act=Act.PHOTOGRAPHS_LOADED)
    undone = Q(act=Act.LOAD_UNDONE, details__kind="photographs")
    entries = AuditEntry.objects.filter(loaded | undone, what=dataset.name)
    return cast("datetime | None", entries.aggregate(last=Max("created"))["last"])


def outdated(runs: Iterable[ProtocolRun]) -> dict[int, str]:
    """Return why scores computed here may differ if computed again, as sentences by run."""
    runs = [run for run in runs if run.origin == ProtocolRun.Origin.COMPUTED]
    datasets = {run.dataset_id for run in runs}
    earlier = EarlierTruth.objects.filter(image__dataset__in=datasets).order_by()
    corrected = dict(earlier.values_list("image__dataset").annotate(Max("created")))
    found = {}
    for run in runs:
        if _is_before(run, corrected.get(run.dataset_id)):
            said = _("{name} was scored before the ground truth was corrected; score it again.")
        elif _has_other_sizes(run):
            said = _(
                "{name} reads the sizes of images, and was scored before the photographs changed; "
                "score it again."
            )
        else:
            continue
        found[run.pk] = said.format(name=run.name)
    return found


def are_old(image: Image, runs: Iterable[ProtocolRun]) -> bool:
    """Return whether a score that one of the runs has on an image may differ if computed again."""
    corrected = image.earlier_truths.aggregate(last=Max("created"))["last"]
    return any(_is_before(run, corrected) or _has_other_sizes(run) for run in runs)


def _has_other_sizes(run: ProtocolRun) -> bool:
    """Return whether a run read sizes of images before photographs changed them."""
    try:
        reads_sizes = registry.get(run.protocol, run.parameters).reads_sizes
    except ProtocolError:  # of an older version of the site
        return False
    return reads_sizes and _is_before(run, photographs_changed(run.dataset))


def _is_before(run: ProtocolRun, change: datetime | None) -> bool:
    return change is not None and run.created <= change


def _nobody(done: int, total: int) -> None:
    """Ignore the progress; the default callback."""


@transaction.atomic
def publish(scored: Scored) -> ProtocolRun:
    """Store the computed scores as a run, all or nothing.

    Raises NotScored if the results have changed since the computation.
    """
    dataset, protocol = scored.dataset, scored.protocol
    Dataset.objects.select_for_update().filter(pk=dataset.pk).first()
    if _state(dataset) != scored.state:
        raise NotScored(
            _(
                "The data of {dataset} were changed while they were being scored. Score again."
            ).format(dataset=dataset)
        )
    run = ProtocolRun.objects.create(
        dataset=dataset,
        name=run_name(protocol),
        protocol=protocol.slug,
        parameters=protocol.parameters(),
        version=_version(protocol),
        signature=_signature(scored),
        origin=ProtocolRun.Origin.COMPUTED,
        n_scores=sum(len(of_method.scores) for of_method in scored.methods),
    )
    for of_method in scored.methods:
        run.overall[of_method.method.name] = _stored(run, protocol, of_method)
    run.save(update_fields=["overall"])
    record(Act.SCORED, what=dataset.name, details={"protocol": run.name, "run": run.pk})
    return run


def _version(protocol: Protocol) -> str:
    return version_of(protocol.slug)[:MAX_LENGTH]


def _signature(scored: Scored) -> str:
    """Return the signature of a run; readings that differ between methods are listed."""
    dataset = scored.dataset
    results = sorted({of.method.read_as or _NOT_KNOWN for of in scored.methods})
    truth = dataset.read_as or _NOT_KNOWN
    return signature(scored.protocol, truth, ",".join(results), dataset.images.count())


def protocol_named(slug: str, parameters: Mapping[str, Any] | None) -> Protocol:
    """Return a protocol with its parameters; raises NotScored if it does not exist."""
    try:
        return registry.get(slug, parameters)
    except ProtocolError as refusal:
        raise NotScored(str(refusal)) from refusal


def is_scored(dataset: Dataset, protocol: Protocol) -> bool:
    """Return whether a run with this protocol and its parameters was computed."""
    runs = dataset.runs.filter(origin=ProtocolRun.Origin.COMPUTED)
    # A new dataset has none, and reading its ground truth takes long.
    if not runs.exists():
        return False
    settled = protocol.settled_for(_truths(dataset))
    return runs.filter(protocol=settled.slug, parameters=settled.parameters()).exists()


# The number of results, the newest, how often a ground truth was corrected, and when photographs were
# last loaded: results are only added and removed, never changed.
State = tuple[int, int | None, int, datetime | None]


def _state(dataset: Dataset) -> State:
    newest = Result.objects.filter(method__dataset=dataset).aggregate(
        n=Count("pk"), newest=Max("pk")
    )
    return newest["n"], newest["newest"], mended(dataset), photographs_changed(dataset)


def _truths(dataset: Dataset) -> Iterator[Region]:
    for image in dataset.images.in_order().iterator():
        yield from image.truth_regions


def _found(dataset: Dataset) -> Iterator[Region]:
    for result in Result.objects.filter(method__dataset=dataset).iterator():
        yield from result.detections


def _takes_part(protocol: Protocol, method: Method) -> bool:
    """Return whether a method has the inputs of a protocol; one without any boxes has."""
    results = method.results.filter(n_regions__gt=0)
    found = (region for result in results.iterator() for region in result.detections)
    return not lacking_in_results(protocol, found)


def run_name(protocol: Protocol) -> str:
    """Name a protocol and any parameters that differ from the published ones."""
    published = type(protocol)().parameters()
    changed = [
        f"{name} {value}"
        for name, value in protocol.parameters().items()
        if value != published[name]
    ]
    said = ", ".join(changed) or protocol.as_published
    return f"{protocol.name} ({said})" if said else protocol.name


def _stored(run: ProtocolRun, protocol: Protocol, of_method: OfMethod) -> dict[str, float | None]:
    rows = (
        Score(
            run=run,
            result_id=result,
            recall=score.recall,
            precision=score.precision,
            f_score=score.f_score,
            recalled=score.tally.recalled,
            n_truth=score.tally.n_truth,
            precise=score.tally.precise,
            n_detections=score.tally.n_detections,
            indicators=dict(score.indicators),
        )
        for result, score in zip(of_method.results, of_method.scores, strict=True)
    )
    for batch in some_at_a_time(rows, _BATCH):
        Score.objects.bulk_create(batch)
    overall = protocol.overall(of_method.scores)
    return {
        "recall": overall.recall,
        "precision": overall.precision,
        "f_score": overall.f_score,
    }
