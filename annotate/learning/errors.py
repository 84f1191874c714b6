"""Refusals of steps of the first visit."""

from annotate.errors import Refusal


class LearningRefusal(Refusal):
    """Refusal of a step of the first visit."""


class StudyNotOpen(LearningRefusal):
    """The study takes no new annotators now."""


class ConsentMissing(LearningRefusal):
    """The annotator has yet to agree to take part."""
