"""Refusals of answers, skips and undos, with their reasons."""

from annotate.errors import Refusal


class JudgingRefusal(Refusal):
    """Refusal of an answer, skip or undo."""


class StudyNotOpen(JudgingRefusal):
    """The study does not accept answers now."""


class AlreadyAnswered(JudgingRefusal):
    """The screen has another answer, or was retired by an undo; the stored answer is kept."""


class Incomplete(JudgingRefusal):
    """A criterion was not answered validly; ``reasons`` says why for each."""

    def __init__(self, reasons: dict[str, str]) -> None:
        super().__init__(" ".join(reasons.values()))
        self.reasons = reasons
