"""Starting, watching and cancelling long work."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from . import launching
from .models import LOST_AFTER, Job
from .running import run_one


def start(*, kind: str, person: User | None = None, **arguments: Any) -> Job:
    """Store a job and have it run outside this request as soon as the transaction is committed."""
    job = Job.objects.create(kind=kind, person=person, arguments=arguments)
    if settings.JOBS == "here":
        run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
    else:
        transaction.on_commit(lambda: launching.launch(job.pk))
    return job


def cancel(*, job: Job) -> None:
    """Ask the worker to stop. A job that nobody works on ends at once; one that ended stays."""
    ended = Job.objects.to_take_up().filter(pk=job.pk)
    n_ended = ended.update(
        state=Job.State.CANCELLED, cancel_requested=True, finished=timezone.now()
    )
    if not n_ended:
        Job.objects.open().filter(pk=job.pk).update(cancel_requested=True)
    job.refresh_from_db()


def revive(*, job: Job) -> None:
    """Have a job taken up again if its worker is lost. Who waits for it calls this, as often as they look.

    On a busy machine a worker takes long to come, and whoever looks meanwhile must not start another.
    """
    if not job.is_lost or settings.JOBS == "here":
        return
    if cache.add(f"job-{job.pk}-launched", True, LOST_AFTER.total_seconds()):
        launching.launch(job.pk)
