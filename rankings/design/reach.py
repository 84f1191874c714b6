"""Differences that a design, or a number of hours of work, can detect."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..errors import RankingError
from .designs import Components, Design
from .pilots import DEMO, Asking, Pilot, worlds
from .power import least_difference, power
from .study_plans import ASKED, REPEATS, SHARINGS, Question, answers_of, in_100

_TWO: Final = 2


@dataclass(frozen=True, slots=True)
class Reach:
    """The power of a design for the requested difference, and the least it finds with that power, or None."""

    asking: Asking
    design: Design
    power: float
    least: float | None
    answers: int


def reach(pilot: Pilot, question: Question, design: Design) -> list[Reach]:
    """Return the power of a design, for every way of asking that the pilot covers.

    Raises RankingError if there are fewer than two images or annotators.
    """
    return [
        _reach_of(asking, parts, question, design) for asking, parts in question.components(pilot)
    ]


def reach_of_hours(pilot: Pilot, question: Question, hours: float) -> list[Reach]:
    """Return what all people of a question find in so many hours of work together, the most first.

    Each way of asking and of sharing has the images that fit into the hours, at most those of the
    question. Empty if the hours allow fewer than two images, or fewer rankings than people, or if there
    are fewer than two people. Raises RankingError if an answer takes no time.
    """
    if not question.seconds * question.screens > 0:
        raise RankingError("hours need answers that take time: seconds and screens above 0")
    if question.people < _TWO:
        return []
    seconds = 3600 * hours - 60 * question.people * question.minutes_a_person
    found = []
    for asking, parts in question.components(pilot):
        of_visit = question.seconds * answers_of(asking, 1000, question) / 1000
        for sharing in SHARINGS:
            per_image = sharing.per_image + sharing.repeated * (REPEATS - sharing.per_image)
            most = min(question.images or math.inf, seconds / of_visit / per_image)
            largest = REPEATS if sharing.repeated else sharing.per_image
            if largest > question.people or most < max(2, question.people / sharing.per_image):
                continue
            design = Design(
                int(most), question.people, sharing.per_image, sharing.repeated, REPEATS
            )
            # A share of the images that is rounded up may take one image too many.
            while design.n_images > 2 and design.n_rankings * of_visit > seconds:
                design = replace(design, n_images=design.n_images - 1)
            found.append(_reach_of(asking, parts, question, design))
    return sorted(found, key=lambda one: math.inf if one.least is None else one.least)


def hours_in_words(within: Sequence[Reach], question: Question, hours: float) -> Iterator[str]:
    """Yield what all people find in so many hours, as sentences: the best of each way of asking.

    ``within`` is the answer of :func:`reach_of_hours`.
    """
    if not within and question.people >= _TWO:
        yield f"{hours:g} hours are too few for a study by {question.people} people."
    for asking in dict.fromkeys(one.asking for one in within):
        best = next(one for one in within if one.asking == asking)
        yield (
            f"In {hours:g} hours, {question.people} people find {least_in_words(best, question)}: "
            f"{ASKED[asking]}, {best.design.n_images} images, {_shared(best.design)}."
        )


def least_in_words(one: Reach, question: Question) -> str:
    """Return the least difference that a design finds, rounded up, and how often, as text."""
    if one.least is None or one.least > 1:
        return "no difference"
    least = in_100(math.ceil(1000 * one.least - 1e-9) / 1000)
    return f"a difference of {least} in 100 pairs in {100 * question.share:g} % of studies"


def reach_in_words(pilot: Pilot, question: Question, design: Design, asking: Asking) -> str:
    """Return what the images and people of a design find, as a sentence.

    Without a pilot it has the range of the simulated worlds (:func:`.pilots.worlds`). Raises
    RankingError as :func:`reach`, or if the pilot does not cover this way of asking.
    """
    if asking not in pilot.components:
        raise RankingError(f"{pilot.origin} tells nothing about {ASKED[asking]}")
    own = _reach_of(asking, question.parts(pilot.components, asking), question, design)
    said = (
        f"{design.n_images} images and {design.n_annotators} people ({ASKED[asking]}, "
        f"{_shared(design)}) find {least_in_words(own, question)}"
    )
    if pilot.origin != DEMO or pilot.methods is None:
        return f"{said}, by {pilot.origin}."
    parts = (question.parts(of, asking) for of in worlds(pilot.methods))
    ends = [_reach_of(asking, one, question, design).least or math.inf for one in parts]
    low, high = (f"{100 * end:.1f}" if end <= 1 else "" for end in (min(ends), max(ends)))
    between = f"from {low} to {high}" if high else f"from {low} to none" if low else "none"
    return f"{said} if people are as in the demo; in other simulated worlds {between}."


def _shared(design: Design) -> str:
    people = "one person" if design.per_image == 1 else f"{design.per_image} people"
    more = f", {design.repeats} on {100 * design.repeated:g} %" if design.repeated else ""
    return f"{people} an image{more}"


def _reach_of(asking: Asking, parts: Components, question: Question, design: Design) -> Reach:
    alpha = question.alpha_of_pair
    least = least_difference(parts, design, share=question.share, alpha=alpha)
    return Reach(
        asking,
        design,
        power(parts, design, question.difference, alpha=alpha),
        least if math.isfinite(least) else None,
        answers_of(asking, design.n_rankings, question),
    )
