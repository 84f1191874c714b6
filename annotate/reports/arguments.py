"""A report's study, settings and runs as arguments of a job."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotate.jobs import services as jobs
from annotate.jobs.errors import JobFailed
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings

from .cache import Asked
from .models import KeptReport


def arguments_of(asked: Asked) -> dict[str, Any]:
    """Return what is asked for as plain values; `asked_for` reads them."""
    return {
        "study": asked.study.pk,
        "settings": asdict(asked.settings),
        "runs": sorted(run.pk for run in asked.runs),
    }


def asked_for(arguments: Mapping[str, Any]) -> Asked:
    """Return the subject of a job's report; raises JobFailed if the study or a run was deleted."""
    study = jobs.still_there(Study.objects.all(), arguments["study"])
    wanted = arguments["runs"]
    runs = list(ProtocolRun.objects.filter(pk__in=wanted).order_by("name"))
    if len(runs) < len(wanted):
        raise JobFailed("A protocol of this report has since been removed. Choose again.")
    return Asked(study, Settings(**arguments["settings"]), runs)


def kept_asked_for(arguments: Mapping[str, Any], study: Study) -> KeptReport | None:
    """Return a job's kept report, or None for a live one; raises JobFailed if it was deleted."""
    if arguments["kept"] is None:
        return None
    return jobs.still_there(study.kept_reports.all(), arguments["kept"])
