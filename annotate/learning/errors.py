"""Refusals of steps of the first visit."""

from annotate.errors import Refusal


class LearningRefusal(Refusal):
    """A step of the first visit that was not taken."""


class StudyNotOpen(LearningRefusal):
    """The study takes no new annotators now."""


class ConsentMissing(LearningRefusal):
    """The annotator has yet to agree to take part."""
