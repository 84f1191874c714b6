"""The page of a study's annotators, the rules that mark them, and one annotator's images."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, pstdev
from typing import Final

from django.db.models import Count, Q
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from annotate.jobs.registry import Progress
from annotate.judging.models import Assignment
from annotate.studies.exclusions import LeftOut, left_out
from annotate.studies.models import Study
from rankings.consensus.rules import ConsensusMethod
from rankings.elicitation.error_rate import ErrorRate, error_rate

from .answers import Work, work_on

# Rules that mark an annotator; the page states them.
QUICK_SHARE: Final = 1 / 3
FAR_DEVIATIONS: Final = 2
FAR_LEAST: Final = 0.5
FAR_OTHERS: Final = 3

# Images whose answers are held in memory at once.
_AT_ONCE: Final = 1000


@dataclass
class Annotator:
    """One row of the page; ``marks`` says which rules mark it."""

    key: str
    name: str
    practice: str
    n_complete: int
    n_begun: int
    work: Work
    # Why this person is excluded from reports, and since when; None if included.
    left_out: LeftOut | None = None
    marks: list[str] = field(default_factory=list)

    @property
    def error(self) -> ErrorRate | None:
        return error_rate(self.work.repeated)

    @property
    def consistency(self) -> float | None:
        """The percentage of repeated pairs that got the same answer again."""
        repeated = self.work.repeated
        return 100 * (1 - repeated.n_differing / repeated.n) if repeated.n else None


def totals_of(
    study: Study,
    excluded: Container[int],
    consensus: ConsensusMethod,
    progress: Progress | None = None,
) -> dict[int, Work]:
    """Return the work of all annotators on all images, by person.

    With ``progress``, it works in batches of images and reports each, as it can take minutes.
    """
    work: defaultdict[int, Work] = defaultdict(Work)
    for assignments in _in_parts(study, progress) if progress else [list(study.assignments.all())]:
        of_each = work_on(assignments, assignments, excluded, consensus)
        for assignment in assignments:
            work[assignment.annotator_id].add(of_each[assignment.pk])
    return dict(work)


def _in_parts(study: Study, progress: Progress) -> Iterator[list[Assignment]]:
    """Yield the assignments, one batch of images at a time."""
    ids = list(study.assignments.order_by("image").values_list("image", flat=True).distinct())
    for at in range(0, len(ids), _AT_ONCE):
        progress.tell(at, len(ids), "Images counted")
        yield list(study.assignments.filter(image__in=ids[at : at + _AT_ONCE]))


def annotators_page(
    *,
    study: Study,
    names: Mapping[int, tuple[str, str]],
    totals: Mapping[int, Work],
    excluded: Mapping[int, LeftOut],
) -> list[Annotator]:
    """Return the study's annotators; ``names`` gives each person's key and displayed name."""
    practice = {
        visit.annotator_id: visit.get_practice_display() for visit in study.first_visits.all()
    }
    rows = study.assignments.order_by().values_list("annotator")
    is_complete = Q(state=Assignment.State.COMPLETE)
    begun = {
        person: (n_complete, n)
        for person, n_complete, n in rows.annotate(
            complete=Count("state", filter=is_complete), n=Count("*")
        )
    }
    members = study.memberships.filter(role="annotator").values_list("person", flat=True)
    taking_part = {*members, *begun}
    people = []
    for person in filter(taking_part.__contains__, names):
        key, name = names[person]
        n_complete, n_begun = begun.get(person, (0, 0))
        people.append(
            Annotator(
                key=key,
                name=name,
                practice=practice.get(person, ""),
                n_complete=n_complete,
                n_begun=n_begun,
                work=totals.get(person) or Work(),
                left_out=excluded.get(person),
            )
        )
    _mark(people)
    return people


def images_of(
    study: Study, assignments: Iterable[Assignment], consensus: ConsensusMethod
) -> list[tuple[str, str, Work]]:
    """Return the image's name, the state and the work of each of one annotator's assignments."""
    assignments = list(assignments)
    of_images = study.assignments.filter(
        image__in=[assignment.image_id for assignment in assignments]
    )
    work = work_on(assignments, of_images.order_by("pk"), left_out(study), consensus)
    return [
        (assignment.image.name, assignment.get_state_display(), work[assignment.pk])
        for assignment in assignments
    ]


def _mark(people: Sequence[Annotator]) -> None:
    counted = [person for person in people if person.left_out is None]
    medians = [
        person.work.median_seconds for person in counted if person.work.median_seconds is not None
    ]
    for person in people:
        sided = [name for name, sides in person.work.sides.items() if sides.is_one_sided]
        if sided:
            criteria = ", ".join(map(gettext, sided))
            person.marks.append(_("one side: {criteria}").format(criteria=criteria))
        own = person.work.median_seconds
        if own is not None and len(medians) > 1 and own < QUICK_SHARE * median(medians):
            person.marks.append(_("quick"))
        others = [
            other.work.distance
            for other in counted
            if other is not person and other.work.distance is not None
        ]
        distance = person.work.distance
        if distance is not None and len(others) >= FAR_OTHERS:
            far = fmean(others) + max(FAR_DEVIATIONS * pstdev(others), FAR_LEAST)
            if distance > far:
                person.marks.append(_("far from the others"))
