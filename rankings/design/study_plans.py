"""Plans of studies: designs that find a difference, their cost, and a recommendation."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from ..elicitation.strategies import SECONDS_A_PAIR, pairs_of_ranking
from ..errors import RankingError
from ..inference.significance import ALPHA
from ..output.table import Column, Table, count, number
from .designs import Components, Design
from .pilots import DEMO, USUAL_METHODS, Asking, Pilot, worlds
from .power import POWER, needed_images, power

# The share of images that several people rank in the advised designs, and the number of people.
REPEATED: Final = 0.15
REPEATS: Final = 3
# Defaults if nothing was measured.
USUAL_PEOPLE: Final = 12
USUAL_MINUTES: Final = 10.0
_MOST_PEOPLE: Final = 1000
_UNCERTAIN: Final = (
    "The pilot is too small to be sure: people and images may vary less than in it, so that yours "
    "suffice. A larger pilot would show it."
)
# Numbers of people that a plan examines, up to the available number.
_STEPS: Final = (
    *(2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50),
    *(75, 100, 150, 200, 300, 500, 1000),
)


@dataclass(frozen=True, slots=True)
class Sharing:
    """Number of people per image; ``name`` is translated for display."""

    name: str
    per_image: int
    repeated: float = 0.0


SHARINGS: Final = (
    Sharing("one person per image, three on 15 %", 1, REPEATED),
    Sharing("one person per image", 1),
    Sharing("two people per image", 2),
    Sharing("three people per image", 3),
)
ASKED: Final[Mapping[Asking, str]] = {
    "rankings": "whole rankings",
    "pairs": "pairs where protocols disagree",
}


@dataclass(frozen=True, slots=True)
class Question:
    """Goal of a study, its people, and the cost of its answers.

    ``difference`` of two protocols' losses per pair, from 0 to 1: 0.02 is two pairs in a hundred;
    ``share``, the power, says how often it should be found. Every pair of the protocols is tested, so
    alpha is divided by the number of pairs. ``images`` is None for as many as needed. ``screens`` are
    the answers that a whole ranking of an image takes, ``seconds`` the time for an answer, and
    ``minutes_a_person`` that for consent, examples and practice.
    """

    difference: float = 0.03
    people: int = USUAL_PEOPLE
    share: float = POWER
    n_protocols: int = 2
    alpha: float = ALPHA
    images: int | None = None
    screens: float = pairs_of_ranking(USUAL_METHODS)
    seconds: float = SECONDS_A_PAIR
    minutes_a_person: float = USUAL_MINUTES

    def __post_init__(self) -> None:
        if not 0 < self.difference <= 1:
            raise RankingError(
                f"the difference must be above 0 and at most 1 (every pair), got {self.difference}"
            )
        if not 1 <= self.people <= _MOST_PEOPLE:
            raise RankingError(f"people must be from 1 to {_MOST_PEOPLE}, got {self.people}")
        for name in ("share", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise RankingError(f"{name} must be between 0 and 1, got {getattr(self, name)}")
        if self.n_protocols < 2:
            raise RankingError(f"n_protocols must be at least 2, got {self.n_protocols}")
        if self.images is not None and self.images < 2:
            raise RankingError(f"images must be at least 2, got {self.images}")
        for name in ("screens", "seconds", "minutes_a_person"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise RankingError(f"{name} must not be negative, got {value}")

    @property
    def alpha_of_pair(self) -> float:
        """The level of one pair's test, by Bonferroni's rule."""
        return self.alpha / math.comb(self.n_protocols, 2)

    def components(self, pilot: Pilot) -> Iterator[tuple[Asking, Components]]:
        """Yield each way of asking with its components, tested between this question's protocols."""
        for asking in pilot.components:
            yield asking, self.parts(pilot.components, asking)

    def parts(self, components: Mapping[Asking, Components], asking: Asking) -> Components:
        """Return one way of asking's components, tested between this question's protocols."""
        return replace(components[asking], protocols=self.n_protocols)


@dataclass(frozen=True, slots=True)
class Choice:
    """One design that finds the difference; ``n_images`` is None if no number of images does.

    ``n_visits`` are whole rankings or pairs, ``answers`` those to pairs; ``hours`` include the time
    before the first pair; ``fits`` says whether there are enough images.
    """

    asking: Asking
    sharing: str
    n_annotators: int
    n_images: int | None = None
    n_visits: int | None = None
    answers: int | None = None
    hours: float | None = None
    hours_a_person: float | None = None
    fits: bool = False
    is_cheapest: bool = False
    is_advised: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """All examined designs, the recommended one, and notes.

    ``within_reach`` is the smallest difference that the people and images can reveal, in steps of
    one pair in a thousand, if they cannot reveal the requested one; otherwise None. ``unlucky`` is the
    power of the cheapest design after the unluckiest tenth of pilots; None without design or pilot.
    ``is_uncertain``: no design finds the requested difference, but one would if the pilot overestimates
    the variances as much as one in 50.
    """

    question: Question
    pilot: Pilot
    choices: tuple[Choice, ...]
    remarks: tuple[str, ...]
    within_reach: float | None = None
    unlucky: float | None = None
    is_uncertain: bool = False

    @property
    def cheapest(self) -> Choice | None:
        return next((choice for choice in self.choices if choice.is_cheapest), None)

    @property
    def advised(self) -> Choice | None:
        """The cheapest design of those with which agreement can be measured, too."""
        return next((choice for choice in self.choices if choice.is_advised), None)

    def to_json(self) -> dict[str, Any]:
        return {
            "question": asdict(self.question),
            "origin": self.pilot.origin,
            "components": {name: asdict(parts) for name, parts in self.pilot.components.items()},
            "differences": list(self.pilot.differences),
            "choices": [asdict(choice) for choice in self.choices],
            "remarks": list(self.remarks),
            "unlucky": self.unlucky,
        }


def plan(pilot: Pilot, question: Question) -> Plan:
    """Return the requirements of each design for finding the difference.

    Designs combine each way of asking that the pilot covers, each way of assigning images to
    people, and several numbers of people up to those available. The cheapest design takes the
    fewest hours of those with enough images; of equally cheap ones, it has the fewest people.
    """
    choices = list(_choices(pilot, question))
    known = [at for at, choice in enumerate(choices) if choice.fits]
    cheapest = _least(choices, known)
    advised = _least(choices, [at for at in known if choices[at].sharing == SHARINGS[0].name])
    marked = tuple(
        replace(choice, is_cheapest=at == cheapest, is_advised=at == advised)
        for at, choice in enumerate(choices)
    )
    is_uncertain = not known and _may_suffice(pilot, question)
    return Plan(
        question,
        pilot,
        marked,
        (
            *_warnings(pilot, question, marked, is_uncertain=is_uncertain),
            *(() if cheapest is None else _band(pilot, question, choices[cheapest])),
            *pilot.remarks,
        ),
        None if known else _within_reach(pilot, question),
        None if cheapest is None else _unlucky(pilot, question, choices[cheapest]),
        is_uncertain,
    )


def _may_suffice(pilot: Pilot, question: Question) -> bool:
    """Return whether a design suffices by the least variances that this pilot may have come from."""
    if pilot.origin == DEMO and pilot.methods is not None:
        kind = replace(pilot, components=worlds(pilot.methods)[0])
        return any(choice.fits for choice in _choices(kind, question))
    if all(parts.degrees is None for parts in pilot.components.values()):
        return False
    components = {asking: parts.lucky for asking, parts in pilot.components.items()}
    return any(choice.fits for choice in _choices(replace(pilot, components=components), question))


def _band(pilot: Pilot, question: Question, choice: Choice) -> Iterator[str]:
    """Yield how often a design finds the difference in other worlds, if nothing was measured."""
    if pilot.origin != DEMO or pilot.methods is None:
        return
    found = [
        _power_of(choice, question.parts(of, choice.asking), question)
        for of in (pilot.components, *worlds(pilot.methods))
    ]
    yield (
        f"Without a pilot the promise is uncertain: in simulated worlds this design finds the difference in "
        f"{100 * min(found):.0f} to {100 * max(found):.0f} % of studies."
    )


def _unlucky(pilot: Pilot, question: Question, choice: Choice) -> float | None:
    """Return a design's power if the pilot's estimates are far too small, as those of one in ten are."""
    parts = question.parts(pilot.components, choice.asking)
    return None if parts.degrees is None else _power_of(choice, parts.unlucky, question)


def _power_of(choice: Choice, parts: Components, question: Question) -> float:
    """Return the power of a design with images."""
    sharing = next(one for one in SHARINGS if one.name == choice.sharing)
    design = Design(
        choice.n_images or 0, choice.n_annotators, sharing.per_image, sharing.repeated, REPEATS
    )
    return power(parts, design, question.difference, alpha=question.alpha_of_pair)


def in_100(difference: float) -> str:
    """Return a difference of losses per pair as a number of pairs in 100, as text."""
    return f"{100 * difference:g}"


def plan_table(found: Plan) -> Table:
    """Return the designs as a table, the cheapest first; those that do not suffice last."""
    rows = tuple(
        (
            ASKED[choice.asking],
            choice.sharing,
            choice.n_annotators,
            choice.n_images,
            choice.answers,
            choice.hours,
            choice.hours_a_person,
            _mark(choice),
        )
        for choice in sorted(found.choices, key=by_cost)
    )
    question = found.question
    note = (
        f"Designs that find a difference of {in_100(question.difference)} in 100 pairs in "
        f"{100 * question.share:g} % of studies, by {found.pilot.origin}."
    )
    columns = (
        *(Column("Asked"), Column("People per image"), count("People"), count("Images")),
        *(count("Answers"), number("Hours", 1), number("Hours each", 1), Column()),
    )
    return Table("plan", "What finds it", note, columns, rows)


def numbers_of_people(most: int) -> Iterator[int]:
    """Yield the numbers of people that a plan examines, at most ``most``, ascending."""
    yield from (n for n in _STEPS if n < most)
    if most >= _STEPS[0]:
        yield most


def _choices(pilot: Pilot, question: Question) -> Iterator[Choice]:
    for n in numbers_of_people(question.people):
        yield from _choices_of(pilot, question, n)


def _choices_of(pilot: Pilot, question: Question, n_annotators: int) -> Iterator[Choice]:
    for asking, parts in question.components(pilot):
        for sharing in SHARINGS:
            if n_annotators >= (REPEATS if sharing.repeated else sharing.per_image):
                yield _choice(parts, asking, sharing, n_annotators, question)


def _choice(
    parts: Components, asking: Asking, sharing: Sharing, n_annotators: int, question: Question
) -> Choice:
    design = Design(2, n_annotators, sharing.per_image, sharing.repeated, REPEATS)
    n_images = needed_images(
        parts, design, question.difference, share=question.share, alpha=question.alpha_of_pair
    )
    if n_images is None:
        return Choice(asking, sharing.name, n_annotators)
    n_visits = replace(design, n_images=n_images).n_rankings
    answers = answers_of(asking, n_visits, question)
    hours = answers * question.seconds / 3600 + n_annotators * question.minutes_a_person / 60
    fits = question.images is None or n_images <= question.images
    return Choice(
        *(asking, sharing.name, n_annotators, n_images, n_visits, answers, hours),
        hours_a_person=hours / n_annotators,
        fits=fits,
    )


def _within_reach(pilot: Pilot, question: Question) -> float | None:
    """Return the smallest difference above the requested one that a design finds, or None."""

    # More people find more, if there are as many rankings as people.
    numbers = list(numbers_of_people(question.people))
    most = question.people if question.images is None else question.images
    largest = {
        max((n for n in numbers if n <= most * sharing.per_image), default=0)
        for sharing in SHARINGS
    }

    def is_found(thousandths: int) -> bool:
        larger = replace(question, difference=thousandths / 1000)
        return any(choice.fits for n in largest - {0} for choice in _choices_of(pilot, larger, n))

    # A design that finds a difference finds all larger ones.
    low, high = math.floor(1000 * question.difference), 1000
    if low >= high or not is_found(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high / 1000


def answers_of(asking: Asking, n_visits: int, question: Question) -> int:
    """Return the answers that so many rankings or pairs take."""
    return n_visits if asking == "pairs" else round(n_visits * question.screens)


def _least(choices: Sequence[Choice], among: Sequence[int]) -> int | None:
    return min(among, key=lambda at: by_cost(choices[at]), default=None)


def by_cost(choice: Choice) -> tuple[bool, float, int]:
    """Return the key that orders designs: those that fit first, then by hours and people."""
    return (
        not choice.fits,
        math.inf if choice.hours is None else choice.hours,
        choice.n_annotators,
    )


def _mark(choice: Choice) -> str:
    if choice.n_images is None:
        return "too few people"
    if not choice.fits:
        return "too few images"
    return "cheapest" if choice.is_cheapest else "advised" if choice.is_advised else ""


def _warnings(
    pilot: Pilot, question: Question, choices: Sequence[Choice], *, is_uncertain: bool
) -> Iterator[str]:
    if question.people < 2:
        yield (
            "One annotator says nothing about others: a study needs two people at least, and should have "
            "five."
        )
        return
    least = _least_people(pilot, question)
    if not any(choice.n_images is not None for choice in choices):
        if pilot.origin == DEMO:
            yield (
                f"By the demo's people, {question.people} people are too few for a difference of "
                f"{in_100(question.difference)} in 100 pairs. Yours may differ less: a pilot of 20 images by "
                "three people would show it."
            )
            return
        yield _too_few(question, least)
        if is_uncertain:
            yield _UNCERTAIN
        return
    if not any(choice.fits for choice in choices):
        fewest = min(choice.n_images for choice in choices if choice.n_images is not None)
        yield (
            f"The {question.images} images are not enough: at least {fewest} are "
            "needed. Choose a larger difference, or add images."
        )
        if is_uncertain and pilot.origin != DEMO:
            yield _UNCERTAIN
    if least is not None and least > 2 and pilot.origin != DEMO:
        yield (
            f"You need at least {least} people, however many images you use, because "
            "people differ too much."
        )
    if question.people < 5:
        yield (
            "With fewer than five people, tests err more often than stated if tastes differ (up to "
            "10 % instead of 5 %)."
        )


def _least_people(pilot: Pilot, question: Question) -> int | None:
    """Return the fewest people with whom any design finds the difference, or None."""

    def suffice(n: int) -> bool:
        return any(choice.n_images is not None for choice in _choices_of(pilot, question, n))

    low, high = 1, _MOST_PEOPLE
    if not suffice(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffice(middle) else (middle, high)
    return high


def _too_few(question: Question, least: int | None) -> str:
    said = (
        f"By this estimate, a difference of {in_100(question.difference)} in 100 pairs cannot be detected "
        f"with {question.people} people, "
    )
    if least is None:
        return (
            f"{said}nor with any available number of people, however many images you use. Choose a larger "
            "difference."
        )
    return (
        f"{said}however many images you use: people differ too much. It takes at least {least} people, and "
        "a few more to make it cheap."
    )
