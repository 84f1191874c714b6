"""Errors of the package; each message is a sentence for people."""


class EngineError(Exception):
    """The base of all refusals of this package."""


class EngineUnavailable(EngineError):
    """A cluster that cannot be reached, or has no workers."""


class EngineLost(EngineUnavailable):
    """A cluster that answered and does no more."""


class ChunkFailed(EngineError):
    """A chunk that was given up; names it."""
