"""Starting, stopping and repeating long work."""

import json
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotate.api.tokens.services import token_in_use
from annotate.errors import Refusal

from . import queue
from .access import require_permission
from .errors import JobFailed
from .models import Job
from .running import run_one
from .versions import VERSION

_Row = TypeVar("_Row", bound=Model)


def start(
    *,
    kind: str,
    person: User | None = None,
    title: str = "",
    priority: int = 0,
    is_told: bool = True,
    is_once: bool = True,
    **arguments: Any,
) -> Job:
    """Store a job, to be run outside this request once the transaction is committed.

    With ``is_once``, a job equal to an open one of the same person is not created: the open one is
    returned. With ``is_told``, the person is notified of the end on the next page they open.

    Raises NotAllowed if the person does not have the permission that the kind needs. A worker
    checks it again at the start and before it publishes, together with the token of the request.
    """
    token = token_in_use(person)
    key = _key(kind, person, token, arguments) if is_once else ""
    fields = {
        "kind": kind,
        "title": title,
        "arguments": arguments,
        "key": key,
        "person": person,
        "token_key": token,
        "version": VERSION,
        "priority": priority,
        "seen": None if is_told and person is not None else timezone.now(),
    }
    require_permission(Job(**fields))
    while True:
        try:
            with transaction.atomic():
                job = Job.objects.create(**fields)
            break
        except IntegrityError:
            if not key:
                raise
            same = Job.objects.open().filter(key=key).first()
            if same is not None:
                return same
            # It ended in between, so another can be created.
    _hand_over(job)
    return job


def _key(kind: str, person: User | None, token: int | None, arguments: dict[str, Any]) -> str:
    parts = [kind, None if person is None else person.pk, token, arguments]
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _hand_over(job: Job) -> None:
    if settings.JOBS == "here":
        run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
    else:
        transaction.on_commit(lambda: queue.put(job.pk, job.priority))


def cancel(*, job: Job) -> None:
    """Ask the worker to stop. A job without a worker ends at once; an ended job is unchanged."""
    ended = Job.objects.to_take_up().filter(pk=job.pk)
    n_ended = ended.update(
        state=Job.State.CANCELLED, cancel_requested=True, finished=timezone.now()
    )
    if not n_ended:
        Job.objects.open().filter(pk=job.pk).update(cancel_requested=True)
    job.refresh_from_db()


def again(*, job: Job, person: User | None) -> Job:
    """Start a failed or cancelled job again.

    Raises Refusal for any other job, and NotAllowed if the person does not have the permission.
    """
    if job.state not in (Job.State.FAILED, Job.State.CANCELLED):
        raise Refusal(_("Only work that failed or was cancelled can be run again."))
    if not is_repeatable(job):
        raise Refusal(_("This work can be started again from its own page."))
    return start(
        kind=job.kind, person=person, title=job.title, priority=job.priority, **job.arguments
    )


def is_repeatable(job: Job) -> bool:
    """Return whether a job can be repeated by itself, unlike steps of loads and deleted e-mails."""
    return not job.kind.startswith(("imports.", "mail."))


def still_there(rows: QuerySet[_Row], key: int) -> _Row:
    """Return the row that a job is about. Raises JobFailed if it was removed in the meantime."""
    row = rows.filter(pk=key).first()
    if row is None:
        raise JobFailed(f"The {rows.model._meta.verbose_name} is no longer here.")
    return row


def forget_ended(before: datetime) -> int:
    """Delete the jobs that ended before a time; return how many."""
    return Job.objects.filter(finished__lt=before).delete()[0]


def mark_seen(*, job: Job) -> None:
    """Record that the person has seen how the job ended."""
    if job.seen is None and not job.is_open:
        job.seen = timezone.now()
        Job.objects.filter(pk=job.pk, seen=None).update(seen=job.seen)


def mark_all_seen(*, person: User) -> None:
    """Record that a user has seen all of their jobs."""
    Job.objects.filter(person=person).unseen().update(seen=timezone.now())


def ask_for_mail(*, job: Job) -> None:
    """Request an e-mail to the job's person when it ends."""
    Job.objects.open().filter(pk=job.pk).update(wants_mail=True, mail_language=get_language() or "")
    job.refresh_from_db()
