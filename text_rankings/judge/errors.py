class Refused(Exception):
    """Bad usage, or something that is not allowed; nothing was sent to the model. Exit code 2."""


class Stopped(Exception):
    """The run cannot go on; what was answered is stored. Exit code 1."""


class OutOfBudget(Exception):
    """Another request could exceed a limit. Exit code 0."""
