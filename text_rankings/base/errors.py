"""Errors of the package; each message is a sentence for users."""


class EngineError(Exception):
    """The base of all errors of this package."""


class EngineUnavailable(EngineError):
    """A cluster that cannot be reached, or has no workers."""


class EngineLost(EngineUnavailable):
    """A cluster that answered before but no longer does."""


class ChunkFailed(EngineError):
    """A chunk that was abandoned; the message names it."""
