"""Simulated studies of a design: the answers that it needs to distinguish two protocols.

Whole rankings come from the program's planner, pairs from its draws; both pass through its log, its
estimators and its test with random annotators and images.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np
from numpy.typing import NDArray

from rankings.design.designs import Components, Design
from rankings.design.power import needed_images
from rankings.elicitation.log import CRITERIA, Answer, replay, simulate
from rankings.elicitation.pair_draws import disagreement, draw_methods
from rankings.elicitation.partial_order import Verdict
from rankings.errors import RankingError
from rankings.inference.moments import raw_components
from rankings.inference.multi_reader import compare
from rankings.inference.pair_estimates import Visit, pair_losses
from rankings.inference.personal_distances import PersonalDistances
from rankings.orders.buckets import Ranking
from rankings.orders.distances import distances_between

STEP = 0.05
# Multiples of the planned size at which simulated studies are analysed.
SIZES = (0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5)
OTHERS: Mapping[Verdict, tuple[Verdict, Verdict]] = {
    "left": ("equal", "right"),
    "equal": ("left", "right"),
    "right": ("left", "equal"),
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Scores of protocols on the images, by criterion: (images, protocols, methods).

    People agree with the first protocol, in steps, and err with the probability ``noise``.
    """

    methods: tuple[str, ...]
    protocols: tuple[str, ...]
    scores: Mapping[str, Floats]
    rankings: Mapping[str, Sequence[Mapping[str, Ranking]]]
    n_people: int
    noise: float

    @cached_property
    def levels(self) -> Mapping[str, Floats]:
        """Return people's quality of each method: (images, methods), higher is better."""
        return {
            criterion: np.round(scores[:, 0] / STEP) for criterion, scores in self.scores.items()
        }

    @cached_property
    def weights(self) -> list[dict[frozenset[str], float]]:
        """Disagreement of protocols per image and pair, the mean over the three criteria."""
        found = []
        for image in range(len(self.rankings[CRITERIA[0]])):
            shares = [
                disagreement(list(self.rankings[criterion][image].values()))
                for criterion in CRITERIA
            ]
            found.append({pair: sum(share[pair] for share in shares) / 3 for pair in shares[0]})
        return found

    def true_differences(self, criterion: str) -> Floats:
        """Return the difference of the losses of each two protocols, against noiseless people."""
        people = -self.levels[criterion][:, np.newaxis]
        losses = distances_between(people, -self.scores[criterion], "kemeny").mean(axis=0)
        return _differences(losses / math.comb(len(self.methods), 2))

    def answer(
        self, image: int, rng: random.Random, items: Sequence[int]
    ) -> Callable[[int, int, str], Verdict]:
        """Return a function that answers pairs of some methods of an image like a person."""

        def said(left: int, right: int, criterion: str) -> Verdict:
            levels = self.levels[criterion][image]
            apart = levels[items[left]] - levels[items[right]]
            verdict: Verdict = "equal" if not apart else "left" if apart > 0 else "right"
            return rng.choice(OTHERS[verdict]) if rng.random() < self.noise else verdict

        return said


def _differences(values: Floats) -> Floats:
    first, second = np.triu_indices(len(values), 1)
    return np.asarray(values[first] - values[second])


@dataclass(frozen=True)
class Way:
    """A kind of study: whole rankings or pairs, the number of people, and of people per image."""

    name: str
    whole: bool
    people: int
    per_image: int


WHOLE_RANKINGS = Way("today: whole rankings by 3 people an image", True, 3, 3)
PAIRS = Way("pairs where protocols disagree, weighted", False, 12, 1)


class Source:
    """Visits under one design, created when needed and kept, because no person answers twice."""

    def __init__(self, world: World, way: Way, rng: random.Random) -> None:
        self._world, self._way, self._rng = world, way, rng
        self._kept: dict[tuple[int, int], tuple[dict[str, Visit], int]] = {}

    def visit(self, person: int, image: int) -> tuple[dict[str, Visit], int]:
        """Return a visit by criterion, and the number of its screens; whole rankings are kept."""
        if not self._way.whole:
            return self._made(person, image)
        if (person, image) not in self._kept:
            self._kept[person, image] = self._made(person, image)
        return self._kept[person, image]

    def _made(self, person: int, image: int) -> tuple[dict[str, Visit], int]:
        world, way, rng = self._world, self._way, self._rng
        if way.whole:
            methods, chances = rng.sample(world.methods, len(world.methods)), None
        else:
            methods, chances = draw_methods(rng, world.methods, k=2, weights=world.weights[image])
        items = [world.methods.index(method) for method in methods]
        log = simulate(len(items), world.answer(image, rng, items))
        rankings = replay(len(items), log).rankings()
        if rankings is None:
            raise RankingError("the log is not complete")
        n_screens = sum(isinstance(entry, Answer) for entry in log)
        return {
            name: Visit(
                str(image),
                str(person),
                tuple(tuple(methods[item] for item in bucket) for bucket in ranking),
                chances,
            )
            for name, ranking in rankings.items()
        }, n_screens


def study(
    source: Source, world: World, way: Way, n_images: int, rng: random.Random
) -> tuple[dict[str, list[Visit]], dict[str, dict[str, Mapping[str, Ranking]]], int]:
    """Draw images for a study; return visits and protocols' rankings by criterion, and screens."""
    people = rng.sample(range(world.n_people), way.people)
    visits: dict[str, list[Visit]] = {name: [] for name in CRITERIA}
    own: dict[str, dict[str, Mapping[str, Ranking]]] = {name: {} for name in CRITERIA}
    n_screens = turn = 0
    for at in range(n_images):
        image = rng.randrange(len(world.weights))
        for name in CRITERIA:
            own[name][str(at)] = world.rankings[name][image]
        for _ in range(way.per_image):
            person = people[turn % way.people]
            turn += 1
            made, screens = source.visit(person, image)
            n_screens += screens
            for name, visit in made.items():
                visits[name].append(
                    Visit(str(at), visit.annotator, visit.ranking, visit.probabilities)
                )
    return visits, own, n_screens


@dataclass(frozen=True)
class Found:
    """The requirements of a design by one criterion.

    Attributes
    ----------
    screens : float
        Number at which the median pair of protocols is distinguished in 80 % of the simulated
        studies; infinite if no number of images suffices.
    planned : float
        The same by the planner's formulas.
    signs : float or None
        Share of estimates of that size with the sign of the true difference, mean over pairs.
    """

    screens: float
    planned: float
    signs: float | None


def measured(world: World, way: Way, n_studies: int, seed: int, n_large: int) -> dict[str, Found]:
    """Return the requirements of a design, by each criterion."""
    rng = random.Random(f"{seed}/{way.name}")
    source = Source(world, way, rng)
    # All people, to estimate their part of the variance; two per image, for the images' part.
    wide = replace(way, people=world.n_people, per_image=2)
    visits, own, n_screens = study(source, world, wide, n_large, rng)
    an_image = n_screens / (2 * n_large) * way.per_image
    planned = {}
    for name in CRITERIA:
        large = pair_losses(visits[name], own[name], world.protocols)
        planned[name] = median(_needed(large, way, world.true_differences(name)))
    finite = [n for n in planned.values() if math.isfinite(n)]
    if not finite:
        return {name: Found(math.inf, math.inf, None) for name in CRITERIA}
    most = max(2, math.ceil(SIZES[-1] * max(finite)))
    studies = [study(source, world, way, most, rng)[:2] for _ in range(n_studies)]
    found = {}
    for name, n in planned.items():
        if not math.isfinite(n):
            found[name] = Found(math.inf, math.inf, None)
            continue
        images, signs = _simulated(studies, world, name, n)
        found[name] = Found(images * an_image, n * an_image, signs)
    return found


def _needed(large: PersonalDistances, way: Way, true: Floats) -> Iterator[float]:
    """Yield the number of images for each pair of protocols, from a large study's components."""
    (image, annotator, rest), _, _ = raw_components(large)
    differences = _differences(large.distances.mean(axis=0))
    for at, difference in enumerate(differences.tolist()):
        parts = Components(*(max(float(part[at]), 0.0) for part in (image, annotator, rest)))
        design = Design(2, way.people, way.per_image)
        need = needed_images(parts, design, abs(difference)) if difference and true[at] else None
        yield math.inf if need is None else need


Made = tuple[dict[str, list[Visit]], dict[str, dict[str, Mapping[str, Ranking]]]]


def _simulated(
    studies: Sequence[Made], world: World, criterion: str, planned: float
) -> tuple[float, float]:
    """Return the images at which 80 % of studies distinguish the median pair, and the signs kept.

    Every study is analysed after several numbers of images, each time as if it had ended there.
    """
    true = np.sign(world.true_differences(criterion))
    sizes = [max(4, round(size * planned)) for size in SIZES]
    told, kept = np.zeros((2, len(sizes), len(true)))
    for visits, own in studies:
        measured = pair_losses(visits[criterion], own[criterion], world.protocols)
        # Rows are in the order of the images' names as text.
        names = np.array(sorted({visit.image for visit in visits[criterion]}), dtype=np.intp)
        number = names[measured.images]
        for at, size in enumerate(sizes):
            some = number < size
            part = PersonalDistances(
                measured.protocols,
                measured.images[some],
                measured.annotators[some],
                measured.distances[some],
            )
            pairs = compare(part).pairs
            told[at] += [pair.p_value is not None and pair.p_value <= 0.05 for pair in pairs]
            kept[at] += np.sign([pair.difference or 0.0 for pair in pairs]) == true
    powers = np.maximum.accumulate(np.median(told / len(studies), axis=1))
    signs = (kept / len(studies))[:, true != 0].mean(axis=1)
    images = np.interp(0.8, powers, sizes, right=math.inf)
    return float(images), float(np.interp(images, sizes, signs))


def error_rate(n_people: int, n_visits: int, taste: float, n_studies: int, seed: int) -> float:
    """Return how often the test distinguishes two equally near protocols at 5 %.

    People see a quality, and each prefers one of two features (``taste``). Each protocol sees the
    quality and one feature, so the two are exchangeable. For each image one pair is asked, drawn by
    the protocols' disagreement.
    """
    rng, draws = np.random.default_rng([seed, n_people, n_visits]), random.Random(seed)
    methods = tuple("abcdef")
    errors = 0
    for _ in range(n_studies):
        quality = rng.normal(size=(n_visits, 6))
        features = rng.normal(size=(n_visits, 2, 6))
        liking = taste * rng.normal(size=(n_people, 2))
        person = np.arange(n_visits) % n_people
        seen = quality + np.einsum("vk,vkm->vm", liking[person], features)
        seen = np.round((seen + 0.5 * rng.normal(size=seen.shape)) * 2)
        own = np.round(
            quality[:, np.newaxis] + 0.5 * features + 0.5 * rng.normal(size=features.shape), 1
        )
        rankings, visits = {}, []
        for at in range(n_visits):
            rankings[str(at)] = {
                name: _ranking(methods, own[at, place]) for place, name in enumerate("pq")
            }
            weights = disagreement(list(rankings[str(at)].values()))
            asked, chances = draw_methods(draws, methods, k=2, weights=weights)
            said = seen[at, [methods.index(method) for method in asked]]
            visits.append(Visit(str(at), str(person[at]), _ranking(asked, said), chances))
        [pair] = compare(pair_losses(visits, rankings, "pq")).pairs
        errors += (pair.p_value or 1.0) <= 0.05
    return errors / n_studies


def _ranking(methods: Sequence[str], values: Floats) -> Ranking:
    return tuple(
        tuple(method for method, own in zip(methods, values, strict=True) if own == level)
        for level in sorted({*values.tolist()}, reverse=True)
    )
