"""Keeping a report as a job."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext_noop

from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.errors import JobFailed
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings

from . import services
from .models import KeptReport

KIND: Final = "reports.keep"


def start(*, study: Study, settings: Settings, runs: Sequence[ProtocolRun], person: User) -> Job:
    """Have a report kept as the study is when the work begins."""
    return jobs.start(
        kind=KIND,
        person=person,
        title=gettext_noop("Keep a report of {study}").format(study=study),
        **arguments_of(study, settings, runs),
    )


def keep(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed where the study or a protocol's run is gone."""
    study, settings, runs = asked_for(arguments)
    running.tell(0, 0, gettext_noop("Computing the report"))
    with computing() as executor:
        computed = services.compute_report(
            study=study,
            settings=settings,
            runs=runs,
            executor=executor,
        )
    with running.publishing() as outcome:
        kept = services.publish_report(computed, running.person)
        outcome.text = gettext_noop("Report {number} is kept.").format(number=kept.pk)
        outcome.made = {"report": kept.pk}
        outcome.address = reverse("reports:kept", args=[study.slug, kept.pk])


def arguments_of(study: Study, settings: Settings, runs: Sequence[ProtocolRun]) -> dict[str, Any]:
    """Return a report's study, settings and runs as plain values; `asked_for` reads them."""
    return {
        "study": study.pk,
        "settings": asdict(settings),
        "runs": sorted(run.pk for run in runs),
    }


def asked_for(arguments: Mapping[str, Any]) -> tuple[Study, Settings, list[ProtocolRun]]:
    """Return what a job's report is of; raises JobFailed where the study or a run is gone."""
    study = Study.objects.filter(pk=arguments["study"]).first()
    if study is None:
        raise JobFailed(gettext_noop("The study is no longer here."))
    wanted = arguments["runs"]
    runs = list(ProtocolRun.objects.filter(pk__in=wanted).order_by("name"))
    if len(runs) < len(wanted):
        raise JobFailed(
            gettext_noop("A protocol of this report was removed meanwhile. Choose again.")
        )
    return study, Settings(**arguments["settings"]), runs


def kept_asked_for(arguments: Mapping[str, Any], study: Study) -> KeptReport | None:
    """Return the kept report that a job is of, None for a live one; raises JobFailed where it is gone."""
    if arguments["kept"] is None:
        return None
    kept = study.kept_reports.filter(pk=arguments["kept"]).first()
    if kept is None:
        raise JobFailed(gettext_noop("The report is no longer here."))
    return kept
