"""Errors that end a piece of work early."""

from django.core.exceptions import PermissionDenied

from annotate.errors import Refusal


class Stopped(Exception):
    """The work must stop now and leave nothing behind."""


class Cancelled(Stopped):
    """The work must stop because a person cancelled it."""


class Superseded(Stopped):
    """The work is out of date, for example because another worker has taken over the job."""


class Interrupted(Stopped):
    """The worker is being stopped; the job returns to the queue."""


class QueueAway(Exception):
    """The queue's storage cannot be opened or reached."""


class JobFailed(Refusal):
    """The work cannot be done; the message is for the person who requested it."""


class NotAllowed(Refusal, PermissionDenied):
    """The person does not have, or has lost, the permission that this work needs."""


class TryLater(JobFailed):
    """A dependency is temporarily unavailable; after three attempts the job fails."""
