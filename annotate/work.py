"""All work that runs outside requests, with the permission that each kind needs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotate.accounts import lost_passwords
from annotate.accounts import services as accounts
from annotate.accounts.models import Invitation
from annotate.api.tokens import services as tokens
from annotate.codabench import work as codabench
from annotate.datasets import orphans
from annotate.datasets.models import Dataset
from annotate.design.planning import work as planning
from annotate.drilldown import work as evidence
from annotate.exchange import work as exchange
from annotate.figures import work as figures
from annotate.imports import checking, drafts, loading
from annotate.jobs import files, mail
from annotate.jobs.access import is_allowed
from annotate.jobs.letters import STILL_WANTED
from annotate.jobs.models import Job
from annotate.jobs.registry import EVERY_MINUTE, UPKEEP, WATCHES, Needed, register
from annotate.judges import exports as judges_of
from annotate.judges import pictures as judges
from annotate.operations import retention
from annotate.operations.backups import daily
from annotate.operations.health import news
from annotate.publication import work as publication
from annotate.recruiting import services as recruiting
from annotate.report_pages.questions import work as questions
from annotate.reports import background_counts
from annotate.reports import work as reports
from annotate.reports.services import PARTS
from annotate.scoring import work as scoring
from annotate.scoring.causes import EXPLAIN
from annotate.stopping import services as deciding
from annotate.studies.models import Study


def _study(arguments: Mapping[str, Any]) -> QuerySet[Study]:
    return Study.objects.filter(pk=arguments["study"])


def _dataset(arguments: Mapping[str, Any]) -> QuerySet[Dataset]:
    return Dataset.objects.filter(pk=arguments["dataset"])


def _dataset_of_method(arguments: Mapping[str, Any]) -> QuerySet[Dataset]:
    return Dataset.objects.filter(methods=arguments["method"])


def _dataset_of_run(arguments: Mapping[str, Any]) -> QuerySet[Dataset]:
    return Dataset.objects.filter(runs=arguments["run"])


def _study_of_page(arguments: Mapping[str, Any]) -> QuerySet[Study]:
    return Study.objects.filter(kept_reports__public_page=arguments["page"])


LOADS = Needed("annotate.load_data")
FOLLOWS = Needed("annotate.follow_study", _study)
PUBLISHES = Needed("annotate.publish_study", _study_of_page)

register("imports.check", checking.check, LOADS)
register("imports.load", loading.load, LOADS)
# The site writes e-mails, not on behalf of a user.
register(mail.KIND, mail.send, None)
register(lost_passwords.KIND, lost_passwords.write, None)
register(scoring.KIND, scoring.score, LOADS)
register(EXPLAIN, scoring.explain_run, Needed("annotate.see_dataset", _dataset_of_run))
register(reports.KIND, reports.keep, FOLLOWS)
register(figures.KIND, figures.write, FOLLOWS)
register(background_counts.KIND, evidence.count, FOLLOWS)
register(questions.KIND, questions.compute, FOLLOWS)
register(planning.KIND, planning.compute, Needed("annotate.see_dataset", _dataset))
register(codabench.WRITE, codabench.write, LOADS)
register(codabench.LOAD, codabench.load, LOADS)
register(publication.PAPER, publication.paper, FOLLOWS)
register(publication.FILE, publication.file, PUBLISHES)
for kind, needed in {
    exchange.BUNDLE: FOLLOWS,
    exchange.RAW: FOLLOWS,
    exchange.TRUTH: Needed("annotate.see_dataset", _dataset),
    exchange.PHOTOGRAPHS: Needed("annotate.see_dataset", _dataset),
    exchange.RESULTS: Needed("annotate.see_dataset", _dataset_of_method),
    exchange.CAUSES: Needed("annotate.see_dataset", _dataset_of_run),
}.items():
    register(kind, partial(exchange.write, kind), needed)

UPKEEP += [
    mail.forget_letters,
    files.forget_old,
    drafts.clean_old,
    orphans.sweep,
    judges.sweep,
    accounts.forget_expired,
    tokens.forget_expired,
    recruiting.forget_ids,
    recruiting.withdraw_waiting,
    retention.clear_sessions,
    retention.enforce,
    publication.write_missing,
    daily.back_up,
]

EVERY_MINUTE += [
    deciding.take_looks,
    deciding.end_by_rules,
]

WATCHES += [news.watch]

PARTS.append(judges_of.of_report)

STILL_WANTED.update(
    invitation=lambda pk: any(one.state == "open" for one in Invitation.objects.filter(pk=pk)),
    job=lambda pk: any(is_allowed(job) for job in Job.objects.filter(pk=pk)),
    person=lambda pk: User.objects.filter(pk=pk, is_active=True).exists(),
)
