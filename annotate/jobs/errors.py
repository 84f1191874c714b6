"""Errors that end a piece of work early."""

from annotate.errors import Refusal


class Stopped(Exception):
    """The work must stop now and leave nothing behind."""


class Cancelled(Stopped):
    """A person asked for it."""


class Superseded(Stopped):
    """Another worker has taken the job up; this one is too late."""


class JobFailed(Refusal):
    """The work cannot be done; the message is for the person who asked for it."""
