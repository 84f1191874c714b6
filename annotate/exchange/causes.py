"""Tables of the reasons regions are unmatched in a protocol run, and of the cost of each cause."""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import IO, Final

from django.utils.translation import gettext as _

from annotate.datasets.models import Method, Result
from annotate.scoring.computing import scene_of
from annotate.scoring.models import ProtocolRun
from protocols import registry
from protocols.core.base import Protocol
from protocols.core.causes import Losses, costs, losses, total

from .columns import CAUSE_COLUMNS, COST_COLUMNS
from .raw import as_csv, zip_entry
from .rows import Row, some_at_a_time

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
            for piece in as_csv(COST_COLUMNS, _costs(of_methods)):
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
                    }
            done += len(some)
            tell(done, n, _("Results explained"))


def _costs(of_methods: dict[str, Losses]) -> Iterator[Row]:
    for method, of_method in of_methods.items():
        for cost in costs(of_method):
            yield {"method": method, **asdict(cost)}
