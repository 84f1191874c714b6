"""Gathers the work of all subjects that runs outside requests."""

from django.core.management import call_command

from annotate.accounts import services as accounts
from annotate.evidence import stored
from annotate.evidence import work as evidence
from annotate.exchange import work as exchange
from annotate.figures import work as figures
from annotate.imports import drafts, dry_run, loading
from annotate.jobs import backups, mail, results
from annotate.jobs.registry import UPKEEP, register
from annotate.reports import work as reports
from annotate.scoring import work as scoring
from annotate.tokens import services as tokens


def clear_sessions() -> None:
    """Forget sessions that have ended."""
    call_command("clearsessions")


register("imports.check", dry_run.check)
register("imports.load", loading.load)
register(mail.KIND, mail.send)
register(scoring.KIND, scoring.score)
register(reports.KIND, reports.keep)
register(figures.KIND, figures.write)
register(stored.KIND, evidence.count)
register(exchange.BUNDLE, exchange.bundle)
register(exchange.RAW, exchange.raw_data)
register(exchange.TRUTH, exchange.truth)
register(exchange.RESULTS, exchange.results)

UPKEEP += [
    mail.forget_letters,
    results.forget_old,
    drafts.clean_old,
    accounts.forget_expired,
    tokens.forget_expired,
    clear_sessions,
    backups.back_up,
]
