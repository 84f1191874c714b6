"""Telling people how their work ended: on the next page they open, and by mail where they asked."""

from django.conf import settings
from django.core.mail import send_mail

from .models import Job

_ENDS = {
    Job.State.DONE: "is done",
    Job.State.FAILED: "failed",
    Job.State.CANCELLED: "was cancelled",
}


def sentence(job: Job) -> str:
    """Say in one sentence how a job ended."""
    end = f"“{job.title or job.kind}” {_ENDS[Job.State(job.state)]}"
    more = job.failure or job.outcome
    return f"{end}: {more}" if more else f"{end}."


def tell_by_mail(job: Job) -> None:
    """Send a letter to who asked for one, where there is a mail server and an address."""
    if job.wants_mail and settings.MAIL_IS_SET_UP and job.person is not None and job.person.email:
        send_mail(f"{job.title or job.kind}", sentence(job), None, [job.person.email])
