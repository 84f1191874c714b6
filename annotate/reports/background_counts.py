"""Counts over a whole large study, computed by a job; the last count is cached with its time."""

import json
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.utils import timezone

from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from annotate.studies.models import Study

KIND: Final = "evidence.count"
ANNOTATORS: Final = "annotators"
DISAGREEMENT: Final = "disagreement"
# Number of assignments up to which pages compute counts themselves.
MOST_AT_ONCE: Final = 1000


@dataclass(frozen=True)
class Stored:
    """A count, and when it was made."""

    value: Any
    at: datetime


def is_large(study: Study) -> bool:
    return study.assignments.order_by("pk")[MOST_AT_ONCE:].exists()


def last(study: Study, what: str, **asked: Any) -> Stored | None:
    """Return the cached count, or None if it has expired."""
    stored: Stored | None = caches["reports"].get(_key(study, what, asked))
    return stored


def keep(study: Study, what: str, value: Any, **asked: Any) -> None:
    caches["reports"].set(_key(study, what, asked), Stored(value, timezone.now()))


def count(study: Study, what: str, *, person: User, **asked: Any) -> Job:
    """Start a job that computes a count."""
    titles = {
        ANNOTATORS: "Count the work of the annotators of {study}",
        DISAGREEMENT: "Find where a protocol and the annotators of {study} disagree",
    }
    title = titles[what].format(study=study)
    return jobs.start(kind=KIND, person=person, title=title, study=study.pk, what=what, asked=asked)


def _key(study: Study, what: str, asked: dict[str, Any]) -> str:
    parts = [settings.PROGRAM, study.pk, str(study.created), what, asked]
    return f"evidence-{sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()}"
