"""Refusals of a load, with their reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.errors import Refusal
from protocols.formats.problems import Problem


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a file, the field of its answer, and each possible answer with its label."""

    path: Path
    field: str
    words: str
    choices: Sequence[tuple[str, str]]


class NotLoaded(Refusal):
    """Refusal of a load; ``problems`` lists the faults of its files. Nothing was loaded.

    ``questions`` lists what would have to be answered, if there is no other fault.
    """

    questions: Sequence[Question] = ()

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(_("{message} Nothing was loaded.").format(message=message))
        self.problems = tuple(problems)

    @classmethod
    def because_of(cls, problems: Sequence[Problem]) -> "NotLoaded":
        errors = [problem for problem in problems if problem.severity == "error"]
        return cls(
            ngettext("{n} fault. First: {first}", "{n} faults. First: {first}", len(errors)).format(
                n=len(errors), first=errors[0]
            ),
            problems,
        )


class CannotUndo(Refusal):
    """Refusal to undo a load, for example because other data depend on it."""
