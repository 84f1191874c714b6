"""The facts about a report's origin, which every export contains."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext_noop

from annotate.recruiting.selectors import how_people_were_found
from annotate.studies.models import Study
from rankings import __version__ as software_version
from rankings.output.signature import SIGNATURE, TABLES_VERSION, report_signature
from rankings.output.skips import END

from .cache import Asked
from .included import (
    counted_assignments,
    counted_visits,
    known_answers,
    method_names,
    not_counted,
    people_left_out,
    protocols_left_out,
)
from .provenance import described

# A caution about every fixed test in an open study.
STILL_OPEN: Final = gettext_noop(
    "still open: checking after every ten images and stopping at the first test below 5 % finds "
    "a difference between equal protocols in 22 % of studies, so fix the end date in advance"
)
# Names of the facts about a report's origin, stored in English.
_STUDY: Final = gettext_noop("study")
_DATASET: Final = gettext_noop("dataset")
_DATE: Final = gettext_noop("date")
_SOFTWARE: Final = gettext_noop("software")
_TABLES: Final = gettext_noop("version of the tables")
_METHODS: Final = gettext_noop("methods")
_PROTOCOLS: Final = gettext_noop("protocols")
_NONE: Final = gettext_noop("none")
_LIST: Final = gettext_noop("; ")
_ANNOTATORS: Final = gettext_noop("annotators")
_RANKINGS: Final = gettext_noop("complete rankings")
_VISITS: Final = gettext_noop("visits with drawn methods")
_IMAGES: Final = gettext_noop("images of the study")
_STATE: Final = gettext_noop("state")
_ORIGIN: Final = gettext_noop("origin of the answers")
_ELSEWHERE: Final = gettext_noop(
    "collected elsewhere and loaded; how pairs were chosen is not known, and they count as drawn at "
    "random"
)
_END_RULES: Final[Mapping[str, str]] = {
    Study.EndRule.BUDGET: gettext_noop("the budget of answers was used up"),
    Study.EndRule.DECIDED: gettext_noop("planned looks had decided every pair of protocols"),
}
_FOUND: Final = gettext_noop("people who came by a link")
_NOT_COMPARED: Final = gettext_noop("protocols left out")
_LEFT_OUT: Final = gettext_noop("annotators left out")
_KNOWN: Final = gettext_noop("known-answer pairs")


@dataclass(frozen=True)
class Facts(Asked):
    """All that a reader needs to assess and reproduce a report."""

    created: datetime
    n_images: int
    n_rankings: int
    n_annotators: int
    n_visits: int
    found: Sequence[str]
    protocols_left_out: Sequence[str]
    people_left_out: Sequence[str]
    known_answers: Sequence[str]
    not_counted: Mapping[str, str]

    @property
    def header(self) -> dict[str, str]:
        """The facts about the report's origin that every export contains, and its signature."""
        header = self._unsigned
        return {**header, SIGNATURE: report_signature(asdict(self.settings), header)}

    @property
    def _unsigned(self) -> dict[str, str]:
        return {
            _STUDY: self.study.name,
            _DATASET: self.study.dataset.name,
            _DATE: f"{self.created:%Y-%m-%d}",
            _SOFTWARE: f"text-detection-rankings {software_version}",
            _TABLES: TABLES_VERSION,
            _METHODS: ", ".join(method_names(self.study)),
            _PROTOCOLS: _LIST.join(map(described, self.runs)) or _NONE,
            **({_NOT_COMPARED: _LIST.join(left)} if (left := self.protocols_left_out) else {}),
            _ANNOTATORS: str(self.n_annotators),
            _RANKINGS: str(self.n_rankings),
            **({_VISITS: str(self.n_visits)} if self.n_visits else {}),
            _IMAGES: str(self.n_images),
            **({_ORIGIN: _ELSEWHERE} if self.study.is_external else {}),
            **({_STATE: STILL_OPEN} if self.study.state == Study.State.OPEN else {}),
            **({END: _END_RULES[self.study.ends_by]} if self.study.ended else {}),
            **({_FOUND: _LIST.join(found)} if (found := self.found) else {}),
            **({_LEFT_OUT: _LIST.join(left)} if (left := self.people_left_out) else {}),
            **({_KNOWN: _LIST.join(known)} if (known := self.known_answers) else {}),
            **self.not_counted,
        }


def facts_of(asked: Asked) -> Facts:
    """Return the facts about a report of the study as it is now."""
    study = asked.study
    counted, complete = counted_visits(study), counted_assignments(study)
    return Facts(
        study=study,
        settings=asked.settings,
        runs=asked.runs,
        created=timezone.now(),
        n_images=study.study_images.count(),
        n_rankings=complete.count(),
        n_visits=counted.filter(drawn__isnull=False).count(),
        n_annotators=counted.values("annotator").distinct().count(),
        found=how_people_were_found(study),
        protocols_left_out=protocols_left_out(study),
        people_left_out=people_left_out(study),
        known_answers=known_answers(study),
        not_counted=not_counted(study),
    )
