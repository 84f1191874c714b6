"""Errors that end a piece of work early."""

from django.core.exceptions import PermissionDenied

from annotate.errors import Refusal


class Stopped(Exception):
    """The work must stop now and leave nothing behind."""


class Cancelled(Stopped):
    """A person asked for it."""


class Superseded(Stopped):
    """Another worker has taken the job up; this one is too late."""


class Interrupted(Stopped):
    """The worker is being stopped; the job waits for the next."""


class QueueAway(Exception):
    """The queue's storage cannot be opened or reached."""


class JobFailed(Refusal):
    """The work cannot be done; the message is for the person who asked for it."""


class NotAllowed(Refusal, PermissionDenied):
    """The person may not, or no longer, have this work done."""


class TryLater(JobFailed):
    """Something that the work needs is away for a while; after three attempts it is a failure."""
