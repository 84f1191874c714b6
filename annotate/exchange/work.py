"""Jobs that write files of studies and datasets."""

import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from shutil import copyfileobj
from typing import IO, Any, Final

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotate.csv_tables import as_csv, some_at_a_time
from annotate.datasets import exports
from annotate.datasets.models import Dataset, Method, Result
from annotate.jobs import services as jobs
from annotate.jobs.errors import JobFailed
from annotate.jobs.files import publish_file
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.scoring.computing import scene_of
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from protocols import registry
from protocols.core.base import Protocol
from protocols.core.causes import Losses, costs, losses, total
from protocols.core.errors import ProtocolError

from . import raw
from .bundles.writing import write_bundle
from .columns import CAUSE_COLUMNS, COST_COLUMNS
from .raw import zip_entry
from .rows import Row

BUNDLE: Final = "exchange.bundle"
RAW: Final = "exchange.raw"
TRUTH: Final = "exchange.truth"
RESULTS: Final = "exchange.results"
CAUSES: Final = "exchange.causes"
PHOTOGRAPHS: Final = "exchange.photographs"


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
    study = jobs.still_there(Study.objects.all(), arguments["study"])

    def write(stream: IO[bytes]) -> None:
        write_bundle(
            study,
            stream,
            photographs=arguments["photographs"],
            names=arguments["names"],
            tell=running.tell,
        )

    publish_file(running, f"{study.slug}.zip", write)


def raw_data(arguments: Mapping[str, Any], running: Running) -> None:
    study = jobs.still_there(Study.objects.all(), arguments["study"])
    publish_file(
        running,
        f"{study.slug}-raw.zip",
        lambda stream: raw.write_zip(study, stream, names=arguments["names"], tell=running.tell),
    )


def photographs(arguments: Mapping[str, Any], running: Running) -> None:
    dataset = jobs.still_there(Dataset.objects.all(), arguments["dataset"])
    publish_file(
        running,
        f"{dataset.slug}-photographs.zip",
        lambda stream: exports.write_photographs(dataset, stream, running.tell),
    )


def truth(arguments: Mapping[str, Any], running: Running) -> None:
    dataset = jobs.still_there(Dataset.objects.all(), arguments["dataset"])
    extension = arguments["extension"]
    publish_file(
        running,
        f"{dataset.slug}-ground-truth.{extension}",
        lambda stream: _copy(exports.truth_file(dataset, extension), stream),
    )


def results(arguments: Mapping[str, Any], running: Running) -> None:
    method = jobs.still_there(Method.objects.select_related("dataset"), arguments["method"])
    extension = arguments["extension"]
    publish_file(
        running,
        f"{method.slug}.{extension}",
        lambda stream: _copy(exports.results_file(method, extension), stream),
    )


def causes(arguments: Mapping[str, Any], running: Running) -> None:
    run = jobs.still_there(ProtocolRun.objects.select_related("dataset"), arguments["run"])
    try:
        publish_file(
            running,
            f"{run.dataset.slug}-{run.protocol}-causes.zip",
            lambda stream: write_causes(run, stream, running.tell),
        )
    except ProtocolError as refusal:
        raise JobFailed(
            _("{run} cannot be explained: {reason}.").format(run=run, reason=refusal)
        ) from refusal


def _copy(made: IO[bytes], stream: IO[bytes]) -> None:
    with made:
        made.seek(0)
        copyfileobj(made, stream)


REGIONS: Final = "regions.csv"
COSTS: Final = "costs.csv"
_RESULTS_AT_A_TIME: Final = 200
Tell = Callable[[int, int, str], None]


def write_causes(run: ProtocolRun, stream: IO[bytes], tell: Tell) -> None:
    """Write a zip of two tables: every region that lost credit, and the cost of each cause.

    They cover the existing results that the run scored; memory does not grow with their number.
    Raises ProtocolError if the run's parameters are from another version.
    """
    protocol = registry.get(run.protocol, run.parameters)
    of_methods: dict[str, Losses] = {}
    with zipfile.ZipFile(stream, "w") as archive:
        with archive.open(zip_entry(REGIONS), "w") as out:
            for piece in as_csv(CAUSE_COLUMNS, _regions(run, protocol, of_methods, tell)):
                out.write(piece.encode())
        with archive.open(zip_entry(COSTS), "w") as out:
            for piece in as_csv(COST_COLUMNS, _costs(run, of_methods)):
                out.write(piece.encode())


def _regions(
    run: ProtocolRun, protocol: Protocol, of_methods: dict[str, Losses], tell: Tell
) -> Iterator[Row]:
    """Yield a row for each region that lost credit; add up the losses in ``of_methods``."""
    results = Result.objects.filter(scores__run=run)
    done, n = 0, results.count()
    for method in Method.objects.filter(dataset=run.dataset_id).order_by("name"):
        own = results.filter(method=method).select_related("image")
        rows = own.order_by("image__position", "image__pk").iterator(_RESULTS_AT_A_TIME)
        for some in some_at_a_time(rows, _RESULTS_AT_A_TIME):
            scenes = [scene_of(result) for result in some]
            found = losses(protocol, scenes, protocol.score(scenes))
            of_methods[method.name] = total(
                [*([of_methods[method.name]] if method.name in of_methods else []), *found]
            )
            for scene, of_scene in zip(scenes, found, strict=True):
                for loss in of_scene.regions:
                    yield {
                        "method": method.name,
                        "image": scene.name,
                        "side": loss.side,
                        "region": loss.index + 1,
                        "cause": loss.cause,
                        "credit": loss.credit,
                        "partners": [at + 1 for at in loss.partners],
                        "signature": run.signature,
                    }
            done += len(some)
            tell(done, n, _("Results explained"))


def _costs(run: ProtocolRun, of_methods: dict[str, Losses]) -> Iterator[Row]:
    for method, of_method in of_methods.items():
        for cost in costs(of_method):
            yield {"method": method, **asdict(cost), "signature": run.signature}
