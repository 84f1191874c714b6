"""The settings of a study, each declared once.

Forms, steps of a new study, the API, bundles, locks and the log derive from the declaration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from django.db import models
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from protocols import registry
from protocols.core.base import Protocol

from .models import Study


class Part(models.TextChoices):
    """Parts of the page of settings, in its order."""

    STUDY = "study", _("The study")
    END = "end", _("How it ends")
    WORDS = "words", _("What annotators read")
    BREAKS = "breaks", _("Breaks")
    MEANING = "meaning", _("Settings that determine what answers mean")


class Lock(Enum):
    """The moment from which a setting can no longer change."""

    NEVER = auto()
    OPENING = auto()
    FIRST_ANSWER = auto()


class InBundle(Enum):
    """Whether a bundle holds a setting. Texts by the researcher may name people."""

    ALWAYS = auto()
    WITH_WORDS = auto()
    WITH_WORDS_AND_NAMES = auto()


@dataclass(frozen=True, slots=True)
class StudyField:
    """A setting: a field of Study, which has its default, limits and help text, and where it appears."""

    name: str
    part: Part
    # The step in which a new study asks for it, and whether the step shows it at once.
    step: str
    is_main: bool = False
    locks_at: Lock = Lock.NEVER
    # A form refuses an empty value instead of taking the default.
    is_required: bool = False
    # It determines the sampling of each image: a change draws again, and requires that the study is
    # not open.
    is_drawn: bool = False
    in_bundle: InBundle = InBundle.ALWAYS
    # None: the field's verbose name.
    own_label: Promise | None = None

    @property
    def label(self) -> str:
        return str(self.own_label or capfirst(_field(self.name).verbose_name))


# Settings that affect the meaning of an answer, or the circumstances in which it is given.
_meaning = partial(StudyField, part=Part.MEANING, locks_at=Lock.FIRST_ANSWER)
_asked = partial(_meaning, step="design")
_question = partial(_asked, is_main=True, is_required=True)
_shown = partial(_meaning, step="look")
_annotators = partial(StudyField, part=Part.STUDY, step="design", is_main=True)
# In the order of forms and of the API.
SETTINGS: Final = (
    _question("recall_question", own_label=_("Recall question")),
    _question("precision_question", own_label=_("Precision question")),
    _question("preference_question", own_label=_("Preference question")),
    _annotators("min_annotators", is_required=True, own_label=_("Annotators per image, at least")),
    _annotators("max_annotators", own_label=_("Annotators per image, at most")),
    StudyField("ends_by", Part.END, "design", locks_at=Lock.OPENING),
    StudyField("answer_budget", Part.END, "design", locks_at=Lock.OPENING),
    _asked("methods_per_visit", is_drawn=True),
    _asked("drawn_by", is_drawn=True),
    _asked("whole_percent", is_drawn=True),
    _asked("agreement_percent", is_drawn=True),
    _asked("agreement_annotators", is_drawn=True),
    _asked("strategy", own_label=_("Order of the pairs")),
    _asked("certainty"),
    _asked("may_repeat"),
    _asked("n_checks"),
    _asked("n_known"),
    _asked("known_at_least"),
    _shown("ground_truth", is_main=True),
    _shown("match_protocol", is_main=True),
    _shown("place_list"),
    _shown("same_for_all"),
    _shown("keep_camera"),
    _shown("twin_iou"),
    StudyField("break_minutes", Part.BREAKS, "look"),
    StudyField("break_screens", Part.BREAKS, "look"),
    StudyField("welcome", Part.WORDS, "look", is_main=True, in_bundle=InBundle.WITH_WORDS),
    StudyField("consent", Part.WORDS, "look", is_main=True, in_bundle=InBundle.WITH_WORDS),
    StudyField(
        "contact", Part.WORDS, "look", is_main=True, in_bundle=InBundle.WITH_WORDS_AND_NAMES
    ),
)
BY_NAME: Final[Mapping[str, StudyField]] = {setting.name: setting for setting in SETTINGS}
# The other fields of Study.
NOT_SETTINGS: Final = (
    *("id", "dataset", "created"),
    # Forms and API have it in addition to the settings; a copy of a study gets a new one.
    "name",
    # Derived from the first name.
    "slug",
    # Written when a study is opened or closed, by a person or by its rule.
    *("state", "ended"),
    # Only the design step of a new study asks for it; a copy draws a new one.
    "seed",
    # Written when answers from elsewhere are loaded.
    "is_external",
)


def of_step(step: str) -> list[str]:
    """Return the names of the settings for which a step of a new study asks."""
    return [setting.name for setting in SETTINGS if setting.step == step]


def usual(name: str) -> Any:
    """Return the default of a study's setting, or of its seed."""
    return _field(name).get_default()


def _field(name: str) -> "models.Field[Any, Any]":
    return next(field for field in Study._meta.fields if field.name == name)


def match_protocols() -> dict[str, list[Protocol]]:
    """Return by family the protocols that may colour matches; families without one are left out."""
    usable = {
        family: [one for one in protocols if one.has_matches and one.needs == "regions"]
        for family, protocols in registry.families().items()
    }
    return {family: protocols for family, protocols in usable.items() if protocols}
