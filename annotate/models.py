"""Gathers the models of all subjects for Django."""

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports.models import Import
from annotate.judging.models import (
    Assignment,
    Judgement,
    Preferences,
    Screen,
    Skip,
    Withdrawal,
)
from annotate.learning.models import FirstVisit
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Exclusion, Membership, Pseudonym, Study, StudyImage

__all__ = [
    "Assignment",
    "Dataset",
    "Exclusion",
    "FirstVisit",
    "Image",
    "Import",
    "Judgement",
    "KeptReport",
    "Membership",
    "Method",
    "Preferences",
    "ProtocolRun",
    "Pseudonym",
    "Result",
    "Score",
    "Screen",
    "Skip",
    "Study",
    "StudyImage",
    "Withdrawal",
]
