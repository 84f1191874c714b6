"""Access to jobs: who may see them, request a kind of work, and download its file."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.access import Person, permitted
from annotate.api.tokens.models import Token

from .errors import NotAllowed
from .models import Job, JobQuerySet
from .registry import needed_for


def visible_to(person: Person) -> JobQuerySet:
    """Return the jobs a person may watch and stop: their own, or all for an admin."""
    jobs = Job.objects.select_related("person")
    if person.has_perm("annotate.load_data"):
        return jobs
    return jobs.filter(person=person) if isinstance(person, User) else jobs.none()


def may_have(person: Person, kind: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a person currently has the permission that this work needs."""
    needed = needed_for(kind)
    if needed is None:
        return False
    if needed.row is None:
        return person.has_perm(needed.permission)
    row = needed.row(arguments)
    return permitted(person, needed.permission, row.model).filter(pk__in=row.values("pk")).exists()


def is_allowed(job: Job) -> bool:
    """Return whether the job's person and token still have the right to it.

    The person is reloaded from the database. A job without a person belongs to the site.
    """
    if job.person_id is None:
        return True
    person = User.objects.get(pk=job.person_id)
    has_token = job.token_key is None or (
        Token.objects.alive(timezone.now()).filter(pk=job.token_key, person=person).exists()
    )
    return has_token and may_have(person, job.kind, job.arguments)


def require_permission(job: Job) -> None:
    """Raise NotAllowed if the job's person or token has lost the right to it."""
    if not is_allowed(job):
        raise NotAllowed(
            _(
                "You no longer have access to the data this work needs, or the data was removed. "
                "Nothing was changed."
            )
        )
