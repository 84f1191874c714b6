"""Differences that a design, or a number of hours of work, can detect."""

import math
from dataclasses import dataclass, replace

from ..errors import RankingError
from .designs import Components, Design
from .pilots import Asking, Pilot
from .power import least_difference, power
from .study_plans import REPEATS, SHARINGS, Question, answers_of


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
    question. Empty if the hours allow fewer than two images, or fewer rankings than people. Raises
    RankingError if there are fewer than two people, or an answer takes no time.
    """
    if not question.seconds * question.screens > 0:
        raise RankingError("hours need answers that take time: seconds and screens above 0")
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
