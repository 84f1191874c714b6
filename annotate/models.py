"""Gathers the models of all subjects for Django."""

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports.models import Import
from annotate.judging.models import Assignment, Judgement, Screen, Skip, Withdrawal
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Membership, Study, StudyImage

__all__ = [
    "Assignment",
    "Dataset",
    "Image",
    "Import",
    "Judgement",
    "Membership",
    "Method",
    "ProtocolRun",
    "Result",
    "Score",
    "Screen",
    "Skip",
    "Study",
    "StudyImage",
    "Withdrawal",
]
