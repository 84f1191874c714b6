"""Undoing a load: exactly the added rows are deleted, unless other data depend on them."""

from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Method, Result
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.shortcuts import start_again
from annotate.studies.models import Study
from protocols.formats.problems import quoted

from . import annotators_csv, photographs
from .errors import CannotUndo
from .models import Import

_BATCH: Final = 500


def obstacles(receipt: Import) -> list[str]:
    """Return the reasons a load cannot be undone, as sentences; empty if it can."""
    if receipt.undone is not None:
        return [_("It has already been undone.")]
    if receipt.dataset is not None and receipt.kind == Import.Kind.DATASET:
        return _against_dataset(receipt, receipt.dataset)
    if receipt.dataset is not None and receipt.kind == Import.Kind.PHOTOGRAPHS:
        return photographs.obstacles(receipt.dataset, receipt.added["images"])
    if receipt.dataset is not None and receipt.kind == Import.Kind.RESULTS:
        return _against_results(receipt, receipt.dataset)
    if receipt.kind == Import.Kind.USERS:
        begun = annotators_csv.who_worked(receipt.added["memberships"])
        return (
            [_("These people have started to answer: {names}.").format(names=", ".join(begun))]
            if begun
            else []
        )
    return []


def _against_dataset(receipt: Import, dataset: Dataset) -> list[str]:
    against = [
        _("The study {study} uses it.").format(study=quoted(study.name))
        for study in dataset.studies.all()
    ]
    others = dataset.imports.filter(undone__isnull=True).exclude(pk=receipt.pk)
    if others or dataset.methods.exists():
        against.append(
            _("Photographs, results or scores were loaded into it. Undo those loads first.")
        )
    if dataset.runs.exists() and not dataset.methods.exists():
        against.append(_("Protocols have scored it."))
    return against


def _against_results(receipt: Import, dataset: Dataset) -> list[str]:
    methods = list(Method.objects.filter(pk__in=receipt.added["methods"]))
    against = []
    if receipt.replaced:
        against.append(
            _(
                "It replaced earlier results of {methods}, and undoing would not restore those. "
                "Load the earlier file again: it replaces them."
            ).format(methods=", ".join(receipt.replaced))
        )
    used = Q(methods__in=methods)
    asked = Q(assignments__screens__left__method__in=methods)
    asked |= Q(assignments__screens__right__method__in=methods)
    for study in Study.objects.filter(used | asked).distinct():
        against.append(_("The study {study} uses it.").format(study=quoted(study.name)))
    later = dataset.imports.filter(kind=Import.Kind.RESULTS, undone__isnull=True, pk__gt=receipt.pk)
    gone = {name for other in later for name in other.replaced}
    replaced = sorted(gone & {method.name for method in methods})
    if replaced:
        against.append(
            _("Its results of {methods} were replaced by a later load.").format(
                methods=", ".join(replaced)
            )
        )
    imported = ProtocolRun.objects.filter(
        origin=ProtocolRun.Origin.IMPORTED, scores__result__method__in=methods
    ).distinct()
    for run in imported:
        against.append(
            _("Scores of {run} were loaded for it. Undo that load first.").format(
                run=quoted(run.name)
            )
        )
    return against


@transaction.atomic
def undo_import(*, receipt: Import, person: User | None = None) -> Import:
    """Delete the rows that a load added; the receipt is kept and names the person who undid it.

    Scores that protocols computed from its results are deleted with them. Raises CannotUndo, with
    the reasons, if there are obstacles.
    """
    locked = Import.objects.select_for_update(of=("self",)).get(pk=receipt.pk)
    if locked.dataset_id is not None:
        Dataset.objects.select_for_update().get(pk=locked.dataset_id)
    against = obstacles(locked)
    if against:
        raise CannotUndo(_("{against} Nothing was undone.").format(against=" ".join(against)))
    if locked.kind == Import.Kind.DATASET and locked.dataset is not None:
        _remove_dataset(locked.dataset)
        locked.dataset = None
    elif locked.kind == Import.Kind.PHOTOGRAPHS:
        photographs.take_away(locked.added["images"])
    elif locked.kind == Import.Kind.RESULTS:
        for method in Method.objects.filter(pk__in=locked.added["methods"]):
            remove_results(method)
            method.delete()
    elif locked.kind == Import.Kind.SCORES:
        ProtocolRun.objects.filter(pk=locked.added["run"]).delete()
    else:
        annotators_csv.remove_people(locked.added["memberships"])
    locked.undone, locked.undone_by = timezone.now(), person
    locked.save()
    details = {"import": locked.pk, "kind": locked.kind}
    record(Act.LOAD_UNDONE, actor=person, what=locked.dataset_name, details=details)
    if locked.kind == Import.Kind.PHOTOGRAPHS and locked.dataset is not None:
        start_again(dataset=locked.dataset, person=person)
    receipt.refresh_from_db()
    return receipt


def _remove_dataset(dataset: Dataset) -> None:
    """Delete a dataset that holds only images; the next sweep deletes its photographs."""
    Import.objects.filter(dataset=dataset).update(dataset=None)
    _remove(dataset.images.all())
    dataset.delete()


def remove_results(method: Method) -> None:
    """Delete a method's results, and the scores of protocols on them."""
    for run in ProtocolRun.objects.filter(scores__result__method=method).distinct():
        run.overall.pop(method.name, None)
        (run.losses or {}).pop(method.name, None)
        run.n_scores = run.scores.exclude(result__method=method).count()
        run.save(update_fields=["overall", "losses", "n_scores"])
    _remove(Score.objects.filter(result__method=method))
    _remove(Result.objects.filter(method=method))
    method.totals = None
    method.save(update_fields=["totals"])


def _remove(rows: QuerySet[Any]) -> None:
    """Delete rows in batches; a single delete would hold all of them in memory."""
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:_BATCH]):
        rows.model._default_manager.filter(pk__in=keys).delete()
