"""Progress of a study, per image and per annotator."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django_stubs_ext import StrOrPromise

from annotate.judging.effort import last_seconds
from annotate.judging.image_allocation import n_counted
from annotate.judging.models import Assignment, Screen
from annotate.studies.exclusions import left_out
from annotate.studies.models import Membership, Role, Study, StudyImage
from annotate.studies.pseudonyms import pseudonyms

PACE: Final = timedelta(days=7)
N_LAST_ANSWERS: Final = 1000
_FARTHEST_DAYS: Final = 3650


@dataclass(frozen=True)
class Figures:
    """Key figures of a study; the rankings of excluded annotators do not count."""

    n_images: int
    n_ready: int  # images with the required number of complete rankings
    n_begun: int  # images with some work, but fewer
    # Number of images by the number of complete rankings they still need.
    n_lacking: Mapping[int, int]
    n_rankings: int
    # Rankings that remain incomplete: pairs were skipped twice.
    n_incomplete: int
    n_last_days: int

    @property
    def n_untouched(self) -> int:
        return self.n_images - self.n_ready - self.n_begun

    @property
    def n_rankings_lacking(self) -> int:
        return sum(lacking * n for lacking, n in self.n_lacking.items())


@dataclass(frozen=True)
class AnnotatorProgress:
    """The progress of one annotator in a study."""

    person: User
    key: str
    name: str
    is_left_out: bool
    n_complete: int
    n_in_work: int
    n_incomplete: int
    n_screens: int
    n_skips: int
    n_images: int

    @property
    def numbers(self) -> tuple[int, ...]:
        return self.n_complete, self.n_in_work, self.n_incomplete, self.n_screens, self.n_skips


@dataclass(frozen=True, slots=True)
class CellState:
    """The state of a cell in the table of images and annotators: its letter, and the meaning."""

    letter: StrOrPromise
    kind: str
    words: StrOrPromise


DONE = CellState(pgettext_lazy("letter of a cell", "D"), "done", gettext_lazy("done"))
FLAGGED = CellState(
    pgettext_lazy("letter of a cell", "F"),
    "flagged",
    gettext_lazy("done and flagged: a contradiction was left unresolved"),
)
IN_WORK = CellState(pgettext_lazy("letter of a cell", "W"), "in-work", gettext_lazy("in progress"))
SKIPPED = CellState(
    pgettext_lazy("letter of a cell", "S"),
    "skipped",
    gettext_lazy("incomplete: pairs were skipped, or the person left"),
)
CELL_STATES = (DONE, FLAGGED, IN_WORK, SKIPPED)
_CELL_OF_STATE = {
    Assignment.State.COMPLETE: DONE,
    Assignment.State.IN_WORK: IN_WORK,
    Assignment.State.INCOMPLETE: SKIPPED,
}


@dataclass(frozen=True)
class ImageProgress:
    """One image's row: each annotator's key and the state of the ranking, None if not begun."""

    name: str
    # Complete rankings that count, and how many it needs.
    n_counted: int
    n_wanted: int
    cells: Sequence[tuple[str, CellState | None]]


def figures(
    study: Study, now: datetime | None = None, rankings: Sequence["_Rankings"] | None = None
) -> Figures:
    """Return the study's key figures; ``rankings`` are the counts of its assignments, if known."""
    rankings = _rankings(study, now) if rankings is None else rankings
    excluded = left_out(study)
    complete_ones = n_counted(study, list(excluded))
    wanted = Coalesce("n_annotators", Value(study.min_annotators))
    rows = study.study_images.annotate(counted=complete_ones, wanted=wanted)
    lacking: Counter[int] = Counter()
    for n_complete, n_wanted, n in (
        rows.values_list("counted", "wanted").annotate(n=Count("*")).order_by()
    ):
        lacking[n_wanted - n_complete] += n
    begun = study.assignments.values("image")
    counted = [row for row in rankings if row.annotator not in excluded]
    complete = [row for row in counted if row.state == Assignment.State.COMPLETE]
    return Figures(
        n_images=sum(lacking.values()),
        n_ready=sum(n for missing, n in lacking.items() if missing <= 0),
        n_begun=rows.filter(counted__lt=F("wanted"), image__in=begun).count(),
        n_lacking={missing: n for missing, n in sorted(lacking.items()) if missing > 0},
        n_rankings=sum(row.n for row in complete),
        n_incomplete=sum(row.n for row in counted if row.state == Assignment.State.INCOMPLETE),
        n_last_days=sum(row.n_lately for row in complete),
    )


@dataclass(frozen=True)
class _Rankings:
    """Counts of one annotator's rankings in one state."""

    annotator: int
    state: str
    n: int
    n_lately: int
    n_answered: int
    n_skipped: int


def _rankings(study: Study, now: datetime | None = None) -> list[_Rankings]:
    """Count assignments by annotator and state; one index covers all fields."""
    since = (now or timezone.now()) - PACE
    rows = study.assignments.order_by().values_list("annotator", "state")
    counted = rows.annotate(
        n=Count("*"),
        lately=Count("finished", filter=Q(finished__gte=since)),
        answered=Sum("n_answered"),
        skipped=Sum("n_skipped"),
    )
    return [_Rankings(*row) for row in counted]


def median_seconds(study: Study) -> float | None:
    """Return the median active time per pair over the last answers with a recorded time."""
    taken = last_seconds(study, N_LAST_ANSWERS)
    return median(taken) if taken else None


@dataclass(frozen=True)
class Forecast:
    """The day the study will be complete at its recent pace; None without a pace, or if far off."""

    n_lacking: int
    n_last_days: int
    day: date | None


def forecast(counted: Figures, now: datetime | None = None) -> Forecast | None:
    """Return when all images will have their rankings, or None if they have them."""
    lacking, lately = counted.n_rankings_lacking, counted.n_last_days
    if not lacking:
        return None
    left = math.ceil(lacking * PACE.days / lately) if lately else None
    today = timezone.localdate(now)
    is_far = left is None or left > _FARTHEST_DAYS
    return Forecast(lacking, lately, None if is_far else today + timedelta(days=left or 0))


@dataclass(frozen=True)
class Counts:
    """Counts over a whole study, and their time."""

    figures: Figures
    # (annotator, state) -> number of assignments, and of screens
    assignments: Mapping[tuple[int, str], int]
    screens: Mapping[tuple[int, str], int]
    median_seconds: float | None
    at: datetime

    @property
    def n_screens(self) -> int:
        return sum(n for (_, state), n in self.screens.items() if state == Screen.State.ANSWERED)


def counts(study: Study) -> Counts:
    rankings = _rankings(study)
    return Counts(
        figures=figures(study, rankings=rankings),
        assignments={(row.annotator, row.state): row.n for row in rankings},
        screens=_screens(study, rankings),
        median_seconds=median_seconds(study),
        at=timezone.now(),
    )


def _screens(study: Study, rankings: Sequence[_Rankings]) -> dict[tuple[int, str], int]:
    """Count screens: ended rankings store their counts, and only few are in progress."""
    in_work = study.assignments.order_by().filter(
        state=Assignment.State.IN_WORK,
        screens__state__in=(Screen.State.ANSWERED, Screen.State.SKIPPED),
    )
    rows = in_work.values_list("annotator", "screens__state").annotate(n=Count("screens"))
    screens = Counter({(annotator, state): n for annotator, state, n in rows})
    for row in rankings:
        screens[row.annotator, Screen.State.ANSWERED] += row.n_answered
        screens[row.annotator, Screen.State.SKIPPED] += row.n_skipped
    return screens


def annotators(study: Study) -> list[User]:
    """Return the study's annotators, including former ones who have answered."""
    members = study.memberships.filter(role=Role.ANNOTATOR, person=OuterRef("pk"))
    answered = study.assignments.filter(annotator=OuterRef("pk"))
    people = User.objects.filter(Exists(members) | Exists(answered))
    return list(people.order_by("username"))


@dataclass(frozen=True)
class Member:
    """A membership with the person's work in the study."""

    membership: Membership
    n_screens: int
    n_complete: int


def members(study: Study) -> list[Member]:
    rankings = _rankings(study)
    screens = _screens(study, rankings)
    complete = {row.annotator: row.n for row in rankings if row.state == Assignment.State.COMPLETE}
    return [
        Member(membership, screens.get((person, Screen.State.ANSWERED), 0), complete.get(person, 0))
        for membership in study.memberships.select_related("person").order_by(
            "person__username", "role"
        )
        for person in [membership.person_id]
    ]


def people_who_left(study: Study) -> list[User]:
    """Return the people who answered in the study but are no longer its annotators."""
    still = study.memberships.filter(role=Role.ANNOTATOR).values("person")
    answered = study.assignments.filter(annotator=OuterRef("pk"))
    return list(User.objects.filter(Exists(answered)).exclude(pk__in=still).order_by("username"))


def annotator_progress(
    study: Study, people: Sequence[User], counted: Counts, *, hides_names: bool = False
) -> list[AnnotatorProgress]:
    by_state, by_screen = counted.assignments, counted.screens
    keys, excluded = pseudonyms(study), left_out(study)
    return [
        AnnotatorProgress(
            person=person,
            key=keys[person.pk],
            name=keys[person.pk] if hides_names else person.get_username(),
            is_left_out=person.pk in excluded,
            n_complete=by_state.get((person.pk, Assignment.State.COMPLETE), 0),
            n_in_work=by_state.get((person.pk, Assignment.State.IN_WORK), 0),
            n_incomplete=by_state.get((person.pk, Assignment.State.INCOMPLETE), 0),
            n_screens=by_screen.get((person.pk, Screen.State.ANSWERED), 0),
            n_skips=by_screen.get((person.pk, Screen.State.SKIPPED), 0),
            n_images=counted.figures.n_images,
        )
        for person in people
    ]


def images_in_order(study: Study) -> QuerySet[StudyImage]:
    rows = study.study_images.select_related("image").only(
        "study", "image__name", "n_complete", "n_annotators"
    )
    # Naming the dataset makes the database walk its index of ordered images instead of sorting.
    return rows.filter(image__dataset=study.dataset_id).order_by("image__position", "image__pk")


def image_progress(
    study: Study, images: Sequence[int], people: Sequence[AnnotatorProgress]
) -> list[ImageProgress]:
    """Return the rows of some images of the study, by their keys, in its order."""
    rows = images_in_order(study).filter(image__in=images)
    states: dict[tuple[int, int], CellState] = {}
    assignments = study.assignments.filter(image__in=images)
    for image, annotator, state, unsettled in assignments.values_list(
        "image", "annotator", "state", "unsettled"
    ):
        is_flagged = state == Assignment.State.COMPLETE and unsettled
        states[image, annotator] = (
            FLAGGED if is_flagged else _CELL_OF_STATE[Assignment.State(state)]
        )
    excluded = {row.person.pk for row in people if row.is_left_out}
    return [
        ImageProgress(
            name=row.image.name,
            n_counted=row.n_complete
            - sum(states.get((row.image_id, person)) in (DONE, FLAGGED) for person in excluded),
            n_wanted=row.n_annotators or study.min_annotators,
            cells=[(person.key, states.get((row.image_id, person.person.pk))) for person in people],
        )
        for row in rows
    ]


def in_words(study: Study, counted: Figures) -> dict[str, str]:
    """Describe an image's required rankings, and the missing and recent ones of the study."""
    needs = _("An image is complete with {wanted}.")
    if counted.n_incomplete or counted.n_rankings:
        needs = _(
            "An image is complete with {wanted}, not counting those of people who are left out of the "
            "reports."
        )
    return {
        "needs": needs.format(wanted=study.n_complete(study.min_annotators)),
        "lacking": study.n_complete(counted.n_rankings_lacking),
        "lately": study.n_complete(counted.n_last_days),
    }


def what_blocks(study: Study, counted: Figures, n_annotators: int) -> list[str]:
    """Return, in at most three sentences, what is missing for a complete report of this study."""
    sentences = []
    if study.state == Study.State.CLOSED:
        n = sum(counted.n_lacking.values())
        return [_lacking(study, counted, n)] if n else []
    if study.state == Study.State.DRAFT:
        sentences.append(_("The study is not open yet: annotators cannot answer."))
    if n_annotators == 0:
        sentences.append(_("No annotator takes part yet."))
    elif n_annotators < study.min_annotators:
        sentences.append(
            ngettext(
                "A report needs {wanted} per image, and only {n} annotator takes part.",
                "A report needs {wanted} per image, and only {n} annotators take part.",
                n_annotators,
            ).format(wanted=study.n_complete(study.min_annotators), n=n_annotators)
        )
    if n := sum(counted.n_lacking.values()):
        sentences.append(_lacking(study, counted, n))
    if n := counted.n_incomplete:
        sentences.append(_stays_incomplete(study, n))
    return sentences


def _lacking(study: Study, counted: Figures, n: int) -> str:
    """Describe the images without enough rankings; a closed study gets no more."""
    if study.state == Study.State.CLOSED:
        words = ngettext(
            "The study closed with {n} of {total} images short of {lacking} in all.",
            "The study closed with {n} of {total} images short of {lacking} in all.",
            n,
        )
    else:
        words = ngettext(
            "{n} of {total} images still needs {lacking} in all.",
            "{n} of {total} images still need {lacking} in all.",
            n,
        )
    lacking = study.n_complete(counted.n_rankings_lacking)
    return words.format(n=n, total=counted.n_images, lacking=lacking)


def main_action(study: Study, n_annotators: int) -> str:
    """Return the next act of a researcher: "open" the study, "recruit" people, or read the "report"."""
    if study.state == Study.State.DRAFT:
        return "open"
    is_short = study.state == Study.State.OPEN and n_annotators < study.min_annotators
    return "recruit" if is_short else "report"


def _stays_incomplete(study: Study, n: int) -> str:
    if study.asks_visits:
        words = ngettext(
            "{n} visit stays incomplete, because pairs were skipped or the person left; another "
            "annotator can have the image.",
            "{n} visits stay incomplete, because pairs were skipped or the person left; another "
            "annotator can have the image.",
            n,
        )
    else:
        words = ngettext(
            "{n} ranking stays incomplete, because pairs were skipped twice; another annotator can "
            "have the image.",
            "{n} rankings stay incomplete, because pairs were skipped twice; another annotator can "
            "have the image.",
            n,
        )
    return words.format(n=n)
