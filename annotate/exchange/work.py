"""Jobs that write files of studies and datasets."""

from collections.abc import Callable, Mapping
from shutil import copyfileobj
from typing import IO, Any, Final, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from annotate.datasets import exports
from annotate.datasets.models import Dataset, Method
from annotate.jobs import services as jobs
from annotate.jobs.errors import JobFailed
from annotate.jobs.files import publishing_file
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from protocols.core.errors import ProtocolError

from . import raw
from .bundles.writing import write_bundle
from .causes import write_causes

BUNDLE: Final = "exchange.bundle"
RAW: Final = "exchange.raw"
TRUTH: Final = "exchange.truth"
RESULTS: Final = "exchange.results"
CAUSES: Final = "exchange.causes"
PHOTOGRAPHS: Final = "exchange.photographs"
_Row = TypeVar("_Row", bound=Model)


def start_bundle(*, study: Study, photographs: bool, names: bool, person: User) -> Job:
    """Start writing a study as a bundle, the answers with user names or with pseudonyms."""
    words = "Bundle of {study}"
    if photographs:
        words = "Bundle of {study} with photographs"
    return jobs.start(
        kind=BUNDLE,
        person=person,
        title=words.format(study=study),
        study=study.pk,
        photographs=photographs,
        names=names,
    )


def start_raw(*, study: Study, names: bool, person: User) -> Job:
    """Start writing all tables of a study's raw data into one zip."""
    title = f"Raw data of {study}"
    return jobs.start(kind=RAW, person=person, title=title, study=study.pk, names=names)


def start_truth(*, dataset: Dataset, extension: str, person: User) -> Job:
    """Start writing a dataset's ground truth as a zip of lines or as COCO JSON."""
    title = f"Ground truth of {dataset} ({extension})"
    return jobs.start(
        kind=TRUTH, person=person, title=title, dataset=dataset.pk, extension=extension
    )


def start_photographs(*, dataset: Dataset, person: User) -> Job:
    """Start writing a dataset's photographs as a zip."""
    title = f"Photographs of {dataset}"
    return jobs.start(kind=PHOTOGRAPHS, person=person, title=title, dataset=dataset.pk)


def start_results(*, method: Method, extension: str, person: User) -> Job:
    """Start writing the results of a method as a zip of lines or as COCO JSON."""
    title = f"Results of {method.name} on {method.dataset} ({extension})"
    return jobs.start(
        kind=RESULTS, person=person, title=title, method=method.pk, extension=extension
    )


def start_causes(*, run: ProtocolRun, person: User) -> Job:
    """Start writing why regions are unmatched in a run that has causes, and the cost of each."""
    title = f"Causes of {run}"
    return jobs.start(kind=CAUSES, person=person, title=title, run=run.pk)


def bundle(arguments: Mapping[str, Any], running: Running) -> None:
    study = _study(arguments)

    def write(stream: IO[bytes]) -> None:
        write_bundle(
            study,
            stream,
            photographs=arguments["photographs"],
            names=arguments["names"],
            tell=running.tell,
        )

    _publish(running, f"{study.slug}.zip", write)


def raw_data(arguments: Mapping[str, Any], running: Running) -> None:
    study = _study(arguments)
    _publish(
        running,
        f"{study.slug}-raw.zip",
        lambda stream: raw.write_zip(study, stream, names=arguments["names"], tell=running.tell),
    )


def _dataset(arguments: Mapping[str, Any]) -> Dataset:
    return _still_there(
        Dataset.objects.filter(pk=arguments["dataset"]),
        _("No longer available: the dataset has been removed."),
    )


def photographs(arguments: Mapping[str, Any], running: Running) -> None:
    dataset = _dataset(arguments)
    _publish(
        running,
        f"{dataset.slug}-photographs.zip",
        lambda stream: exports.write_photographs(dataset, stream, running.tell),
    )


def truth(arguments: Mapping[str, Any], running: Running) -> None:
    dataset = _dataset(arguments)
    extension = arguments["extension"]
    _publish(
        running,
        f"{dataset.slug}-ground-truth.{extension}",
        lambda stream: _copy(exports.truth_file(dataset, extension), stream),
    )


def results(arguments: Mapping[str, Any], running: Running) -> None:
    methods = Method.objects.select_related("dataset").filter(pk=arguments["method"])
    method = _still_there(methods, _("No longer available: the method has been removed."))
    extension = arguments["extension"]
    _publish(
        running,
        f"{method.slug}.{extension}",
        lambda stream: _copy(exports.results_file(method, extension), stream),
    )


def causes(arguments: Mapping[str, Any], running: Running) -> None:
    runs = ProtocolRun.objects.select_related("dataset").filter(pk=arguments["run"])
    run = _still_there(runs, _("No longer available: the run has been removed."))
    try:
        _publish(
            running,
            f"{run.dataset.slug}-{run.protocol}-causes.zip",
            lambda stream: write_causes(run, stream, running.tell),
        )
    except ProtocolError as refusal:
        raise JobFailed(
            _("{run} cannot be explained: {reason}.").format(run=run, reason=refusal)
        ) from refusal


def _study(arguments: Mapping[str, Any]) -> Study:
    return _still_there(
        Study.objects.filter(pk=arguments["study"]),
        _("No longer available: the study has been removed."),
    )


def _still_there(rows: QuerySet[_Row], otherwise: str) -> _Row:
    """Return the row that a job is about. Raises JobFailed if it was removed in the meantime."""
    row = rows.first()
    if row is None:
        raise JobFailed(otherwise)
    return row


def _publish(running: Running, name: str, write: Callable[[IO[bytes]], object]) -> None:
    with publishing_file(running, name, write) as outcome:
        outcome.text = _("{file} is ready.").format(file=name)


def _copy(made: IO[bytes], stream: IO[bytes]) -> None:
    with made:
        made.seek(0)
        copyfileobj(made, stream)
