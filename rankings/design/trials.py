"""Trials of a planned design: what simulated studies of it find, and how often they err."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from ..errors import RankingError
from .pilots import Pilot
from .simulation import ALIKE, Simulated, outcome, simulate
from .study_plans import REPEATS, SHARINGS, Choice, Question

Model = Literal["normal", "thurstone", "plackett-luce"]
N_STUDIES: Final = 200
_FEWEST: Final = 20
# Cells of all studies together: a few minutes.
_MOST_CELLS: Final = 4_000_000_000
_SEED: Final = 2018
_MOST_ADDED: Final = 20.0
# How much groups differ, relative to annotators of one group.
_BIAS: Final = 0.6


@dataclass(frozen=True, slots=True)
class Trial:
    """Results of simulated studies of a design; errors are standard errors of the simulation.

    ``power`` is the share of true differences that are found, ``false_alarms`` the share of studies of
    equally near protocols that find a difference, ``difference`` the mean one in these studies.
    """

    n_studies: int
    difference: float
    power: float
    power_error: float
    false_alarms: float
    false_alarms_error: float


def simulated_design(
    pilot: Pilot, question: Question, choice: Choice, *, model: Model = "normal", methods: int = 6
) -> Simulated:
    """Return the simulated study of a design of a plan; half of its protocols are farther from people.

    The model "normal" has the pilot's components of variance. The others have people with tastes and
    noise, whose answers do not depend on the pilot; :func:`try_design` adapts the protocols' noise.
    Raises RankingError if the design has no images, or is too large to be simulated.
    """
    if choice.n_images is None:
        raise RankingError("a design without images cannot be simulated")
    parts = question.parts(pilot.components, choice.asking)
    sharing = next(one for one in SHARINGS if one.name == choice.sharing)
    n_groups = round(choice.n_annotators / parts.per_group) if parts.per_group > 1 else 0
    n_scenes = round(choice.n_images / parts.per_scene) if parts.per_scene > 1 else 0
    return Simulated(
        annotators=choice.n_annotators,
        images=choice.n_images,
        protocols=question.n_protocols,
        methods=methods,
        per_image=sharing.per_image,
        repeated=sharing.repeated,
        repeats=REPEATS,
        even=True,
        farther=question.n_protocols // 2,
        model=model,
        # The variances of single images and annotators that give groups and scenes those of the pilot.
        image=parts.image / (1 + ALIKE * (parts.per_scene - 1) if n_scenes else 1),
        annotator=parts.annotator / (1 + _BIAS**2 * parts.per_group if n_groups else 1),
        groups=n_groups,
        bias=_BIAS,
        scenes=n_scenes,
        rest=parts.rest,
        difference=question.difference,
        pairs=choice.asking == "pairs",
    )


def n_studies_of(study: Simulated) -> int:
    """Return how many studies a trial simulates: fewer of large ones."""
    return max(_FEWEST, min(N_STUDIES, _MOST_CELLS // study.n_cells))


def try_design(study: Simulated, progress: Callable[[int, int], None] | None = None) -> Trial:
    """Simulate studies with true differences, and as many of equally near protocols.

    ``study`` is from :func:`simulated_design`; ``progress`` takes the numbers of simulated and of all
    studies. Raises RankingError if no noise of protocols makes the difference, or no study allows a
    test.
    """
    n = n_studies_of(study)
    made = study if study.model == "normal" else with_difference(study)

    def done_from(start: int) -> Callable[[int], None]:
        return lambda done: None if progress is None else progress(start + done, 2 * n)

    found = outcome(made, n, _SEED, done_from(0))
    equal = outcome(replace(made, farther=0), n, _SEED, done_from(n))
    if found.power is None or found.power_error is None or not equal.tested:
        raise RankingError("no simulated study allows a test")
    return Trial(
        *(n, found.difference, found.power, found.power_error, equal.errors),
        math.sqrt(equal.errors * (1 - equal.errors) / n),
    )


def with_difference(study: Simulated) -> Simulated:
    """Return the study with as much noise of the farther protocols as makes its ``difference``.

    Raises RankingError if none does.
    """
    large = replace(
        study,
        annotators=min(study.annotators, 4),
        images=2000,
        per_image=0,
        repeated=0,
        pairs=False,
    )
    farther = study.is_farther

    def apart(added: float) -> float:
        made = simulate(replace(large, added=added), np.random.default_rng(_SEED))
        means = made.distances.distances.mean(axis=0)
        return float(means[farther].mean() - means[~farther].mean())

    # In a sample, protocols that are equally near to people differ by chance, too.
    low, high, wanted = 0.0, _MOST_ADDED, study.difference + apart(0.0)
    if apart(high) < wanted:
        raise RankingError(
            f"no noise of the protocols makes a difference of {study.difference:g} in this model"
        )
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if apart(middle) < wanted else (low, middle)
    return replace(study, added=high)
