"""Jobs that write files of studies and datasets."""

import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from shutil import copyfileobj
from typing import IO, Any, Final

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
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
from .columns import COLUMNS
from .raw import zip_entry
from .rows import Row

BUNDLE: Final = "exchange.bundle"
RAW: Final = "exchange.raw"
TRUTH: Final = "exchange.truth"
RESULTS: Final = "exchange.results"
CAUSES: Final = "exchange.causes"
PHOTOGRAPHS: Final = "exchange.photographs"


Tell = Callable[[int, int, str], None]
_Asked = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class File:
    """A file of a row that a job writes: what it is about, its title and name, and its writer."""

    # The argument that holds the key of the row.
    argument: str
    rows: QuerySet[Any]
    # Both are filled in with the row and the job's arguments.
    title: str
    name: str
    write: Callable[[Any, IO[bytes], _Asked, Tell], object]


def _bundle(study: Study, stream: IO[bytes], asked: _Asked, tell: Tell) -> None:
    names, photographs = asked["names"], asked["photographs"]
    write_bundle(study, stream, photographs=photographs, names=names, tell=tell)


def _truth(dataset: Dataset, stream: IO[bytes], asked: _Asked, tell: Tell) -> None:
    _copy(exports.truth_file(dataset, asked["extension"]), stream)


def _results(method: Method, stream: IO[bytes], asked: _Asked, tell: Tell) -> None:
    _copy(exports.results_file(method, asked["extension"]), stream)


def _copy(made: IO[bytes], stream: IO[bytes]) -> None:
    with made:
        made.seek(0)
        copyfileobj(made, stream)


def _causes(run: ProtocolRun, stream: IO[bytes], asked: _Asked, tell: Tell) -> None:
    try:
        write_causes(run, stream, tell)
    except ProtocolError as refusal:
        raise JobFailed(
            _("{run} cannot be explained: {reason}.").format(run=run, reason=refusal)
        ) from refusal


# By the kind of the job.
FILES: Final[Mapping[str, File]] = {
    BUNDLE: File("study", Study.objects.all(), "Bundle of {row}", "{row.slug}.zip", _bundle),
    RAW: File(
        *("study", Study.objects.all(), "Raw data of {row}", "{row.slug}-raw.zip"),
        lambda study, stream, asked, tell: raw.write_zip(
            study, stream, names=asked["names"], tell=tell
        ),
    ),
    TRUTH: File(
        *("dataset", Dataset.objects.all(), "Ground truth of {row} ({extension})"),
        *("{row.slug}-ground-truth.{extension}", _truth),
    ),
    PHOTOGRAPHS: File(
        *("dataset", Dataset.objects.all(), "Photographs of {row}", "{row.slug}-photographs.zip"),
        lambda dataset, stream, asked, tell: exports.write_photographs(dataset, stream, tell),
    ),
    RESULTS: File(
        *("method", Method.objects.select_related("dataset")),
        *("Results of {row.name} on {row.dataset} ({extension})", "{row.slug}.{extension}"),
        _results,
    ),
    CAUSES: File(
        *("run", ProtocolRun.objects.select_related("dataset"), "Causes of {row}"),
        *("{row.dataset.slug}-{row.protocol}-causes.zip", _causes),
    ),
}


def start(kind: str, row: Model, *, person: User, **asked: Any) -> Job:
    """Start writing a file of a row; ``asked`` are the further arguments of its kind."""
    file = FILES[kind]
    title = file.title.format(row=row, **asked)
    if asked.get("photographs"):
        title += " with photographs"
    return jobs.start(kind=kind, person=person, title=title, **{file.argument: row.pk}, **asked)


def write(kind: str, arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job. Raises JobFailed if the row is gone."""
    file = FILES[kind]
    row = jobs.still_there(file.rows, arguments[file.argument])
    name = file.name.format(**{**arguments, "row": row})
    publish_file(running, name, lambda stream: file.write(row, stream, arguments, running.tell))


REGIONS: Final = "regions.csv"
COSTS: Final = "costs.csv"
_RESULTS_AT_A_TIME: Final = 200


def write_causes(run: ProtocolRun, stream: IO[bytes], tell: Tell) -> None:
    """Write a zip of two tables: every region that lost credit, and the cost of each cause.

    They cover the existing results that the run scored; memory does not grow with their number.
    Raises ProtocolError if the run's parameters are from another version.
    """
    protocol = registry.get(run.protocol, run.parameters)
    of_methods: dict[str, Losses] = {}
    with zipfile.ZipFile(stream, "w") as archive:
        with archive.open(zip_entry(REGIONS), "w") as out:
            for piece in as_csv(COLUMNS["causes"], _regions(run, protocol, of_methods, tell)):
                out.write(piece.encode())
        with archive.open(zip_entry(COSTS), "w") as out:
            for piece in as_csv(COLUMNS["costs"], _costs(run, of_methods)):
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
