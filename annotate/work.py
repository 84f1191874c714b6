"""Gathers the work of all subjects that runs outside requests."""

from django.core.management import call_command

from annotate.accounts import lost_passwords
from annotate.accounts import services as accounts
from annotate.backups import daily
from annotate.datasets import unused
from annotate.deciding import services as deciding
from annotate.evidence import stored
from annotate.evidence import work as evidence
from annotate.exchange import work as exchange
from annotate.figures import work as figures
from annotate.imports import drafts, dry_run, loading
from annotate.jobs import mail, results
from annotate.jobs.registry import EVERY_MINUTE, UPKEEP, register
from annotate.publication import work as publication
from annotate.questions import work as questions
from annotate.reports import work as reports
from annotate.scoring import work as scoring
from annotate.tokens import services as tokens


def clear_sessions() -> None:
    """Forget sessions that have ended."""
    call_command("clearsessions")


register("imports.check", dry_run.check)
register("imports.load", loading.load)
register(mail.KIND, mail.send)
register(lost_passwords.KIND, lost_passwords.write)
register(scoring.KIND, scoring.score)
register(reports.KIND, reports.keep)
register(figures.KIND, figures.write)
register(stored.KIND, evidence.count)
register(questions.KIND, questions.compute)
register(exchange.BUNDLE, exchange.bundle)
register(exchange.RAW, exchange.raw_data)
register(exchange.TRUTH, exchange.truth)
register(exchange.RESULTS, exchange.results)
register(exchange.CAUSES, exchange.causes)
register(publication.PAPER, publication.paper)
register(publication.FILE, publication.file)

UPKEEP += [
    mail.forget_letters,
    results.forget_old,
    drafts.clean_old,
    unused.sweep,
    accounts.forget_expired,
    tokens.forget_expired,
    clear_sessions,
    publication.write_missing,
    daily.back_up,
]

EVERY_MINUTE += [deciding.end_by_rules]
