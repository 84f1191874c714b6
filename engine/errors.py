"""Errors of the package; each message is a sentence for people."""


class EngineError(Exception):
    """The base of all refusals of this package."""


class EngineUnavailable(EngineError):
    """A cluster that cannot be reached, has no workers, or was lost on the way."""


class ChunkFailed(EngineError):
    """A chunk that was given up; names it."""
