"""Pieces of long work as rows, so that a lost worker loses nothing."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

# A worker that was not heard of for so long is lost, and another takes its job up.
LOST_AFTER: Final = timedelta(seconds=20)


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> "JobQuerySet":
        return self.filter(state__in=Job.OPEN)

    def to_take_up(self) -> "JobQuerySet":
        """Jobs nobody works on: those that wait, and those whose worker is lost."""
        lost = Q(state=Job.State.RUNNING, heartbeat__lt=timezone.now() - LOST_AFTER)
        return self.filter(Q(state=Job.State.WAITING) | lost)


class Job(models.Model):
    """One piece of long work: what it is, how far it is, and who works on it."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    OPEN = (State.WAITING, State.RUNNING)

    kind = models.CharField(max_length=60)
    # What the work is about, by primary keys and plain values.
    arguments = models.JSONField(default=dict)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="jobs"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    doing = models.CharField(max_length=200, blank=True)
    cancel_requested = models.BooleanField(default=False)
    # Why it failed, as a sentence for people.
    failure = models.TextField(blank=True)
    # Of the worker that has it now; one that finds another's here has lost the job.
    worker = models.CharField(max_length=32, blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0)
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ("created", "pk")
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running"], finished__isnull=True)
                | Q(state__in=["done", "failed", "cancelled"], finished__isnull=False),
                name="a_job_has_an_end_exactly_when_it_ended",
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | (~Q(worker="") & Q(heartbeat__isnull=False)),
                name="a_running_job_has_a_worker",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created"],
                condition=Q(state__in=["waiting", "running"]),
                name="open_jobs",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}, {self.get_state_display()}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def is_lost(self) -> bool:
        """Tell whether the job has lost its worker."""
        since = self.heartbeat if self.state == self.State.RUNNING else self.created
        return self.is_open and since is not None and since < timezone.now() - LOST_AFTER
