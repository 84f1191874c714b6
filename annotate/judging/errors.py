"""Refusals of answers, skips and undos, with their reasons."""

from annotate.errors import Refusal


class JudgingRefusal(Refusal):
    """An answer, skip or undo that was not taken."""


class StudyNotOpen(JudgingRefusal):
    """The study takes no answers now."""


class AlreadyAnswered(JudgingRefusal):
    """The screen has another answer, or an undo left it behind; the stored answer stays."""


class Incomplete(JudgingRefusal):
    """A criterion that was asked has no usable answer; ``reasons`` says why for each."""

    def __init__(self, reasons: dict[str, str]) -> None:
        super().__init__(" ".join(reasons.values()))
        self.reasons = reasons
