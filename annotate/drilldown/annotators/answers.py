"""Work of annotators on images: time, sides, consistency, and distance to the others."""

from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any, Final

from annotate.judging.annotator_summary import Repeats
from annotate.judging.attention_checks import Tally, tallies
from annotate.judging.models import Assignment, Judgement, Screen
from rankings.agreement.annotators import left_out_distances
from rankings.consensus.rules import ConsensusMethod
from rankings.elicitation.error_rate import Mistakes, Repeated, mistakes_of, wilson
from rankings.elicitation.log import CRITERIA, MIRRORED
from rankings.elicitation.partial_order import Verdict, verdict_of
from rankings.orders.buckets import Ranking, bucket_of, methods_of

# Limits of left's share of the answers that chose a side; a share outside them may be marked.
SIDE_LOW: Final = 0.35
SIDE_HIGH: Final = 0.65


@dataclass
class Sides:
    """Counts of the verdicts given in one criterion."""

    left: int = 0
    equal: int = 0
    right: int = 0

    @property
    def n(self) -> int:
        return self.left + self.equal + self.right

    @property
    def n_decided(self) -> int:
        return self.left + self.right

    @property
    def percents(self) -> list[float | None]:
        counts = (self.left, self.equal, self.right)
        return [100 * count / self.n if self.n else None for count in counts]

    @property
    def left_of_decided(self) -> float | None:
        """The percentage of left among the answers that chose a side."""
        return 100 * self.left / self.n_decided if self.n_decided else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of ``left_of_decided``."""
        if not self.n_decided:
            return None
        low, high = wilson(self.left, self.n_decided)
        return 100 * low, 100 * high

    @property
    def is_one_sided(self) -> bool:
        if self.left_of_decided is None or self.interval is None:
            return False
        low, high = self.interval
        is_outside = not 100 * SIDE_LOW <= self.left_of_decided <= 100 * SIDE_HIGH
        return is_outside and not low <= 50 <= high


@dataclass
class SeenTally:
    """Which result of each answered pair was seen first, and how long, as far as recorded."""

    n_known: int = 0
    first_left: int = 0
    first_right: int = 0
    # For each pair, the seconds of the result that was shown for less time.
    least: MutableSequence[float] = field(default_factory=lambda: array("d"))

    @property
    def first_both(self) -> int:
        return self.n_known - self.first_left - self.first_right

    @property
    def median_least(self) -> float | None:
        return median(self.least) if self.least else None

    def add(self, other: "SeenTally") -> None:
        self.n_known += other.n_known
        self.first_left += other.first_left
        self.first_right += other.first_right
        self.least.extend(other.least)

    def take_up(self, seen: Mapping[str, Any]) -> None:
        """Count the stored visibility of one answer (see judging.models.check_seen)."""
        if seen["first"] == "unknown":
            return
        self.n_known += 1
        self.first_left += seen["first"] == "left"
        self.first_right += seen["first"] == "right"
        self.least.append(min(seen["left"], seen["right"]))


# The first two answers to a pair of methods, from the smaller one's side.
_Answers = list[dict[str, Verdict]]


@dataclass
class Work:
    """An annotator's work on one image, or on all."""

    n_screens: int = 0
    seconds: MutableSequence[float] = field(default_factory=lambda: array("d"))
    sides: dict[str, Sides] = field(default_factory=lambda: {name: Sides() for name in CRITERIA})
    in_sight: SeenTally = field(default_factory=SeenTally)
    repeated: Repeated = field(default_factory=Repeated)
    mistakes: Mistakes = field(default_factory=Mistakes)
    # Of one image only: by pair of methods.
    answers: dict[tuple[int, int], _Answers] = field(default_factory=dict)
    known: Tally = field(default_factory=Tally)
    unsettled: list[str] = field(default_factory=list)
    # Criterion -> distances to the others' consensus, one for each image that counts.
    distances: dict[str, list[float]] = field(default_factory=dict)

    @property
    def minutes(self) -> float | None:
        return sum(self.seconds) / 60 if self.seconds else None

    @property
    def median_seconds(self) -> float | None:
        return median(self.seconds) if self.seconds else None

    @property
    def distance(self) -> float | None:
        """The mean distance to the others over criteria and images."""
        distances = [value for values in self.distances.values() for value in values]
        return fmean(distances) if distances else None

    @property
    def distance_by_criterion(self) -> list[float | None]:
        return [
            fmean(self.distances[name]) if self.distances.get(name) else None for name in CRITERIA
        ]

    def add(self, other: "Work") -> None:
        self.n_screens += other.n_screens
        self.seconds.extend(other.seconds)
        for name, sides in other.sides.items():
            self.sides[name].left += sides.left
            self.sides[name].equal += sides.equal
            self.sides[name].right += sides.right
        self.in_sight.add(other.in_sight)
        self.repeated += other.repeated
        self.mistakes += other.mistakes
        self.known += other.known
        self.unsettled += other.unsettled
        for name, distances in other.distances.items():
            self.distances.setdefault(name, []).extend(distances)

    @property
    def of_criteria(self) -> list[Sides]:
        return [self.sides[name] for name in CRITERIA]


def work_on(
    assignments: Sequence[Assignment],
    of_images: Iterable[Assignment],
    excluded: Container[int],
    consensus: ConsensusMethod,
) -> dict[int, Work]:
    """Return the work on each assignment.

    A ranking is compared with the consensus of the other annotators; ``of_images`` are all
    assignments of the same study and images. An ``excluded`` annotator is not among the others.
    """
    work = _work_of_each(assignments)
    _add_distances(of_images, work, excluded, consensus)
    return work


def _work_of_each(assignments: Sequence[Assignment]) -> dict[int, Work]:
    work = {assignment.pk: Work(unsettled=list(assignment.unsettled)) for assignment in assignments}
    repeats = Repeats()
    rows = (
        Judgement.objects.filter(assignment__in=list(work), withdrawal__isnull=True)
        .order_by("assignment", "number")
        .values_list(
            "assignment",
            "screen__left",
            "screen__right",
            "screen__left__method",
            "screen__right__method",
            "screen__purpose",
            "seconds_taken",
            "seen",
            *CRITERIA,
        )
    )
    for (
        assignment,
        left,
        right,
        first,
        second,
        purpose,
        seconds,
        seen,
        *verdicts,
    ) in rows.iterator():
        of_image = work[assignment]
        of_image.n_screens += 1
        of_image.in_sight.take_up(seen)
        if seconds is not None:
            of_image.seconds.append(seconds)
        if purpose == Screen.Purpose.KNOWN:
            continue
        given = {name: said for name, said in zip(CRITERIA, verdicts, strict=True) if said}
        for criterion, verdict in given.items():
            sides = of_image.sides[criterion]
            setattr(sides, verdict, getattr(sides, verdict) + 1)
        alike = repeats.heard(assignment, left, right, purpose, given)
        of_image.repeated += Repeated.of_screen(len(alike), alike.count(False))
        answers = of_image.answers.setdefault((min(first, second), max(first, second)), [])
        if len(answers) < 2:
            answers.append(given if first < second else {c: MIRRORED[v] for c, v in given.items()})
    for assignment, known in tallies([of.pk for of in assignments if of.known]).items():
        work[assignment].known = known
    return work


def _add_distances(
    assignments: Iterable[Assignment],
    work: Mapping[int, Work],
    excluded: Container[int],
    consensus: ConsensusMethod,
) -> None:
    """Add each complete ranking's distance to the consensus of the others who ranked the image.

    An excluded annotator is compared, but is not among the others.
    """
    # A visit about only some methods does not rank the image.
    complete = [one for one in assignments if one.rankings and one.drawn is None]
    # Criterion -> image -> assignment -> places of the methods.
    places: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
    for criterion in CRITERIA:
        # Answers from elsewhere may be by some criteria only.
        by = [one for one in complete if criterion in (one.rankings or {})]
        rankings = _alike((one for one in by if one.annotator_id not in excluded), criterion)
        places[criterion] = {
            image: {key: bucket_of(ranking) for key, ranking in of_image.items()}
            for image, of_image in rankings.items()
        }
        _store(left_out_distances(rankings, consensus=consensus), criterion, work)
        for assignment in by:
            others = rankings.get(str(assignment.image_id), {})
            own = _ranking(assignment, criterion)
            if assignment.annotator_id in excluded and _are_of_same_methods(
                [own, *others.values()]
            ):
                with_own = {**others, str(assignment.pk): own}
                distances = left_out_distances({"": with_own}, consensus=consensus).get("", {})
                _store(
                    {"": {str(assignment.pk): distances[str(assignment.pk)]} if distances else {}},
                    criterion,
                    work,
                )
    for assignment in complete:
        if assignment.pk in work:
            of_others = {
                criterion: [
                    of
                    for key, of in of_criterion.get(str(assignment.image_id), {}).items()
                    if key != str(assignment.pk)
                ]
                for criterion, of_criterion in places.items()
            }
            _add_mistakes(work[assignment.pk], of_others)


def _add_mistakes(work: Work, others: Mapping[str, Sequence[Mapping[str, int]]]) -> None:
    """Count mistakes against the verdicts on which all others, at least two, agree."""
    for pair, answers in work.answers.items():
        if len(answers) < 2:
            continue
        first, second = map(str, pair)
        agreed: dict[str, Verdict] = {}
        for criterion, places in others.items():
            ranked = [of for of in places if first in of and second in of]
            verdicts = {verdict_of(of, first, second) for of in ranked}
            if len(ranked) > 1 and len(verdicts) == 1:
                agreed[criterion] = verdicts.pop()
        work.mistakes += mistakes_of(answers[0], answers[1], agreed)


def _store(
    distances: Mapping[str, Mapping[str, float]], criterion: str, work: Mapping[int, Work]
) -> None:
    for of_annotator in distances.values():
        for assignment, distance in of_annotator.items():
            if int(assignment) in work:
                work[int(assignment)].distances[criterion] = [distance]


def _alike(assignments: Iterable[Assignment], criterion: str) -> dict[str, dict[str, Ranking]]:
    """Return the rankings by image and assignment, for images whose rankings have equal methods."""
    rankings: defaultdict[str, dict[str, Ranking]] = defaultdict(dict)
    for assignment in assignments:
        rankings[str(assignment.image_id)][str(assignment.pk)] = _ranking(assignment, criterion)
    return {
        image: of_annotator
        for image, of_annotator in rankings.items()
        if _are_of_same_methods(of_annotator.values())
    }


def _are_of_same_methods(rankings: Iterable[Ranking]) -> bool:
    return len({methods_of(ranking) for ranking in rankings}) == 1


def _ranking(assignment: Assignment, criterion: str) -> Ranking:
    # Called for complete assignments only; a constraint ensures that they have rankings.
    rankings = assignment.rankings or {}
    return tuple(tuple(map(str, bucket)) for bucket in rankings[criterion])
