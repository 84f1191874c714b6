"""Notifications of ended work: on the next page the user opens, and by e-mail on request."""

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from .access import is_allowed
from .letters import Letter
from .models import Job

_ENDS = {
    Job.State.DONE: gettext_lazy("“{work}” is done"),
    Job.State.FAILED: gettext_lazy("“{work}” failed"),
    Job.State.CANCELLED: gettext_lazy("“{work}” was cancelled"),
}


def sentence(job: Job) -> str:
    """Return how a job ended, in one sentence."""
    end = _ENDS[Job.State(job.state)].format(work=job.title or job.kind)
    more = job.failure or job.outcome
    return _("{end}: {more}").format(end=end, more=more) if more else f"{end}."


def tell_by_mail(job: Job) -> None:
    """E-mail the job's person on request, if there is a mail server and an address."""
    person = job.person
    if not (job.wants_mail and settings.MAIL_IS_SET_UP and person is not None and person.email):
        return
    if is_allowed(job):
        with translation.override(job.mail_language or None):
            subject = job.title or job.kind
            Letter(subject, sentence(job), to=[person.email], about=("job", job.pk)).send()
