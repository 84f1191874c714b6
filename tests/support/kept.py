"""Kept reports, computed and stored in one step."""

from typing import Any

from annotate.reports.cache import Asked
from annotate.reports.models import KeptReport
from annotate.reports.services import compute_report, publish_report


def keep_report(*, person: Any, **asked: Any) -> KeptReport:
    return publish_report(compute_report(Asked(**asked)), person)
