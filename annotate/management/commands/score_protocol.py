"""Score a dataset's results with protocols and store the scores."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from functools import partial
from time import monotonic
from typing import Any

from django.core.management.base import CommandError

from annotate.jobs.engine import computing
from annotate.management import reporting
from annotate.management.site_command import SiteCommand
from annotate.scoring.leaderboards import leaderboards_of
from annotate.scoring.services import protocol_named, score_protocol
from protocols.core.base import Protocol


class Command(SiteCommand):
    help = "Score every result of a dataset with protocols; stores scores, parameters and version."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="slug of the dataset")
        parser.add_argument("protocols", nargs="+", metavar="protocol", help="slug, e.g. iou")
        parser.add_argument(
            "--parameters", default="{}", help="JSON object, e.g. '{\"min_iou\": 0.7}'"
        )

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        parameters = _parameters(options["parameters"])
        for slug in _each_once(options["protocols"], parameters):
            started = monotonic()
            progress = partial(reporting.TellingProgress(self.stdout).tell, doing="Results scored")
            with computing() as executor:
                run = score_protocol(
                    dataset=dataset,
                    slug=slug,
                    parameters=parameters,
                    progress=progress,
                    executor=executor,
                )
            leaderboards_of(run)
            self.stdout.write(
                f"{run.name}: {run.scores.count()} results in {monotonic() - started:.1f} s"
            )


def _each_once(slugs: Iterable[str], parameters: Mapping[str, Any]) -> list[str]:
    """Return the slugs, only the first of those that name the same protocol and parameters."""
    slug_of: dict[Protocol, str] = {}
    for slug in slugs:
        slug_of.setdefault(protocol_named(slug, parameters), slug)
    return list(slug_of.values())


def _parameters(text: str) -> dict[str, Any]:
    try:
        parameters = json.loads(text)
    except json.JSONDecodeError as fault:
        raise CommandError(f"--parameters is not JSON: {fault}", returncode=2) from fault
    if not isinstance(parameters, dict):
        raise CommandError("--parameters must be a JSON object.", returncode=2)
    return parameters
