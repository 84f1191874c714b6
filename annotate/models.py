"""Gathers the models of all subjects for Django."""

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports.models import Draft, DraftFile, Finding, Import
from annotate.jobs.models import Job
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
from annotate.rest.models import GivenAnswer
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Membership, Study, StudyImage
from annotate.tokens.models import Token

__all__ = [
    "Assignment",
    "Dataset",
    "Draft",
    "DraftFile",
    "Finding",
    "FirstVisit",
    "GivenAnswer",
    "Image",
    "Import",
    "Job",
    "Judgement",
    "KeptReport",
    "Membership",
    "Method",
    "Preferences",
    "ProtocolRun",
    "Result",
    "Score",
    "Screen",
    "Skip",
    "Study",
    "StudyImage",
    "Token",
    "Withdrawal",
]
