"""The models of all subjects, collected for Django."""

from annotate.accounts.models import Invitation, Preferences
from annotate.api.models import GivenAnswer
from annotate.api.tokens.models import Token
from annotate.audit.models import AuditEntry
from annotate.challenges.models import (
    Challenge,
    ChallengeArchive,
    ChallengeChange,
    ChallengeMember,
    Entry,
    EntryScore,
    Team,
)
from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.design.setup.models import NewStudy
from annotate.imports.models import Draft, DraftFile, Finding, Import
from annotate.jobs.models import Job
from annotate.judging.models import (
    Assignment,
    Judgement,
    Screen,
    Skip,
    Withdrawal,
)
from annotate.leaderboards.models import PublicBoard
from annotate.learning.models import FirstVisit
from annotate.publication.models import PublicPage
from annotate.recruiting.models import Arrival, Entrance
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun, Score
from annotate.stopping.models import Look
from annotate.studies.models import Exclusion, Membership, Pseudonym, Study, StudyImage

__all__ = [
    "Arrival",
    "Assignment",
    "AuditEntry",
    "Challenge",
    "ChallengeArchive",
    "ChallengeChange",
    "ChallengeMember",
    "Dataset",
    "Draft",
    "DraftFile",
    "Entrance",
    "Entry",
    "EntryScore",
    "Exclusion",
    "Finding",
    "FirstVisit",
    "GivenAnswer",
    "Image",
    "Import",
    "Invitation",
    "Job",
    "Judgement",
    "KeptReport",
    "Look",
    "Membership",
    "Method",
    "NewStudy",
    "Preferences",
    "ProtocolRun",
    "Pseudonym",
    "PublicBoard",
    "PublicPage",
    "Result",
    "Score",
    "Screen",
    "Skip",
    "Study",
    "StudyImage",
    "Team",
    "Token",
    "Withdrawal",
]
