"""Jobs as rows, so that nothing is lost with a worker, and the workers themselves."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

# A worker silent for this long counts as lost, and another one takes over its job.
LOST_AFTER: Final = timedelta(seconds=20)


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> "JobQuerySet":
        return self.filter(state__in=Job.OPEN)

    def to_take_up(self) -> "JobQuerySet":
        """Return jobs without a worker: those that wait and may begin, or whose worker is lost."""
        now = timezone.now()
        waits = Q(state=Job.State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
        return self.filter(waits | Q(state=Job.State.RUNNING, heartbeat__lt=now - LOST_AFTER))

    def unseen(self) -> "JobQuerySet":
        """Return ended jobs of which their user has not been notified."""
        return self.filter(seen=None).exclude(state__in=Job.OPEN)


class Job(models.Model):
    """A job: its kind, progress, worker and result."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("failed")
        CANCELLED = "cancelled", gettext_lazy("cancelled")

    OPEN = (State.WAITING, State.RUNNING)

    kind = models.CharField(max_length=60)
    # For people: "Score DetEval on ICDAR 2015".
    title = models.TextField(blank=True)
    # Arguments of the work: primary keys and plain values.
    arguments = models.JSONField(default=dict)
    # Two open jobs cannot have the same key; an empty key is not unique.
    key = models.CharField(max_length=64, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="jobs"
    )
    # Primary key of the API token that the request was made with; the job ends with the token. None
    # if the person was signed in. No foreign key: a revoked token is deleted and must stay known.
    token_key = models.PositiveBigIntegerField(null=True, blank=True, editable=False)
    # Version of the site that created the job; an older worker leaves it alone.
    version = models.CharField(max_length=40, blank=True)
    # Jobs of higher priority come first.
    priority = models.SmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    doing = models.TextField(blank=True)
    cancel_requested = models.BooleanField(default=False)
    # Why it failed, as a sentence for people.
    failure = models.TextField(blank=True)
    # Result: a sentence, the page to go on to, a file to download.
    outcome = models.TextField(blank=True)
    address = models.CharField(max_length=300, blank=True)
    # Primary keys of the created rows by kind: {"run": 7}.
    made = models.JSONField(default=dict)
    file = models.CharField(
        max_length=120, blank=True, help_text=gettext_lazy("Name in the results' folder.")
    )
    file_name = models.CharField(
        max_length=200, blank=True, help_text=gettext_lazy("As people download it.")
    )
    # Identifies the present worker; a worker that finds another value here has lost the job.
    worker = models.CharField(max_length=32, blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0)
    # Set if the job is to be retried later.
    not_before = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    # When its user was notified of the end; jobs without notification count as seen from the start.
    seen = models.DateTimeField(null=True, blank=True)
    wants_mail = models.BooleanField(default=False)
    # Language of the requested e-mail.
    mail_language = models.CharField(max_length=7, blank=True, default="")

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ("-priority", "created", "pk")
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
            models.UniqueConstraint(
                fields=["key"],
                condition=Q(state__in=["waiting", "running"]) & ~Q(key=""),
                name="the_same_job_is_open_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created"],
                condition=Q(state__in=["waiting", "running"]),
                name="open_jobs",
            ),
            models.Index(
                fields=["person"],
                condition=Q(seen__isnull=True),
                name="jobs_to_be_told_of",
            ),
            models.Index(fields=["-created"], name="newest_jobs"),
        ]

    def __str__(self) -> str:
        return f"{self.title or self.kind} ({self.get_state_display()})"

    @property
    def n_before(self) -> int:
        """The number of open jobs that its user started before it; 0 if it no longer waits."""
        if self.state != self.State.WAITING or self.person_id is None:
            return 0
        return Job.objects.open().filter(person=self.person_id, pk__lt=self.pk).count()

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN


class Worker(models.Model):
    """A process that works on jobs, and its last heartbeat."""

    name = models.TextField(unique=True, help_text=gettext_lazy("Machine and process."))
    version = models.CharField(max_length=40)
    started = models.DateTimeField(auto_now_add=True)
    heartbeat = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-heartbeat",)

    def __str__(self) -> str:
        return self.name
