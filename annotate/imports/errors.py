"""Refusals of a load, with their reasons."""

from collections.abc import Sequence

from annotate.errors import Refusal
from protocols.formats.problems import Problem, counted


class NotLoaded(Refusal):
    """Something in the files is wrong; ``problems`` says what and where. Nothing was loaded."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(f"{message} Nothing was loaded.")
        self.problems = tuple(problems)

    @classmethod
    def because_of(cls, problems: Sequence[Problem]) -> "NotLoaded":
        errors = [problem for problem in problems if problem.severity == "error"]
        return cls(f"{counted(len(errors), 'fault')}. First: {errors[0]}", problems)


class CannotUndo(Refusal):
    """Something is built on what was loaded."""
