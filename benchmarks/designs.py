"""Measure how many screens each kind of study needs to tell two protocols apart.

    python -m benchmarks.designs [--data FOLDER] [--studies 60] [--people 12] [--seed 2018] [--short]

The result sets of ICDAR 2015 (a folder with gt.zip and eight methods), ten protocols, simulated
people. A person orders methods by a mixture of nine protocols' scores, in steps of 0.05, and gives
a different verdict with a fixed probability. Where tastes differ, each person has a mixture of
their own. Whole rankings come from the program's planner, pairs from its draws; both go through its
log, its estimators and its test with annotators and images random.

Per design: a large study gives the components of variance of every pair of protocols, and the
planner's formulas the screens for 80 % power at 5 % (planned). Studies of about that size are
simulated and analysed after several numbers of images: the screens at which the median pair of
protocols is distinguished in 80 % of them, and how often the sign of the true difference (of
people's opinion, without their slips) is kept there. Then errors of the test where protocols are
equally near. Nothing here passes or fails.
"""

import argparse
import math
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.verdicts import TASTES
from protocols.command_line.main import main as protocols_main
from rankings.agreement.report import Settings, values_of
from rankings.command_line.files import read_plain_scores
from rankings.design.power import Components, Design, needed_images
from rankings.elicitation.log import CRITERIA, Answer, replay, simulate
from rankings.elicitation.pair_draws import disagreement, draw_methods
from rankings.elicitation.partial_order import Verdict
from rankings.errors import RankingError
from rankings.inference.multi_reader import PersonalDistances, compare, raw_components
from rankings.inference.pair_estimates import Visit, pair_losses
from rankings.orders.buckets import Ranking
from rankings.orders.distances import distances_between
from rankings.orders.packed_scores import rankings_from_scores

PROTOCOLS = (
    *("iou", "tiou", "deteval", "icdar13", "cleval", "tedeval", "evaltex", "evaltex-emd"),
    *("panoptic-quality", "total-area"),
)
# The parts of people's mixtures: all but the one that ignores text.
_MIXED = 9
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
    """Scores of protocols on the images, and people's opinion of them.

    Attributes
    ----------
    scores : mapping of criterion to ndarray of shape (images, protocols, methods)
    mixtures : ndarray of shape (people, k)
        Weight of each of the first k protocols in a person's opinion.
    """

    methods: tuple[str, ...]
    protocols: tuple[str, ...]
    scores: Mapping[str, Floats]
    rankings: Mapping[str, Sequence[Mapping[str, Ranking]]]
    mixtures: Floats
    noise: float

    @cached_property
    def levels(self) -> Mapping[str, Floats]:
        """Return each person's quality of each method: (people, images, methods), higher is better."""
        return {
            criterion: np.round(
                np.einsum("ap,ipm->aim", self.mixtures, scores[:, : self.mixtures.shape[1]]) / STEP
            )
            for criterion, scores in self.scores.items()
        }

    @cached_property
    def weights(self) -> list[dict[frozenset[str], float]]:
        """Per image where protocols disagree, mean over the criteria: one pair is asked by all three."""
        found = []
        for image in range(len(self.rankings[CRITERIA[0]])):
            shares = [
                disagreement(list(self.rankings[criterion][image].values()))
                for criterion in CRITERIA
            ]
            found.append({pair: sum(share[pair] for share in shares) / 3 for pair in shares[0]})
        return found

    def true_differences(self, criterion: str) -> Floats:
        """Return the differences of every two protocols' losses against people's opinion, without slips."""
        people = -self.levels[criterion][:, :, np.newaxis]
        own = -self.scores[criterion][np.newaxis]
        losses = distances_between(people, own, "kemeny").mean(axis=(0, 1))
        return _differences(losses / math.comb(len(self.methods), 2))

    def answer(self, person: int, image: int, rng: random.Random, items: Sequence[int]):  # type: ignore[no-untyped-def]
        """Return how a person answers pairs of some methods of an image."""

        def said(left: int, right: int, criterion: str) -> Verdict:
            levels = self.levels[criterion][person, image]
            apart = levels[items[left]] - levels[items[right]]
            verdict: Verdict = "equal" if not apart else "left" if apart > 0 else "right"
            return rng.choice(OTHERS[verdict]) if rng.random() < self.noise else verdict

        return said


def _differences(values: Floats) -> Floats:
    first, second = np.triu_indices(len(values), 1)
    return np.asarray(values[first] - values[second])


@dataclass(frozen=True)
class Way:
    """A kind of study: k methods a visit (None: all), how they are drawn, people and people an image."""

    name: str
    k: int | None
    weighted: bool
    people: int
    per_image: int


def ways(people: int) -> tuple[Way, ...]:
    return (
        Way("today: whole rankings by 3 people an image", None, False, 3, 3),
        Way("whole rankings by 1 person an image", None, False, people, 1),
        Way("4 random methods an image, 1 person", 4, False, people, 1),
        Way("single random pairs", 2, False, people, 1),
        Way("pairs where protocols disagree, weighted", 2, True, people, 1),
    )


# Methods, protocols, scores and the protocols' rankings of the images by criterion.
Loaded = tuple[
    tuple[str, ...], tuple[str, ...], dict[str, Floats], dict[str, list[dict[str, Ranking]]]
]


def load(data: Path, decimals: int = 4) -> Loaded:
    """Score the result sets; return methods, scores and the protocols' rankings by criterion."""
    results = sorted(path for path in data.glob("*.zip") if path.name != "gt.zip")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "scores.csv"
        arguments = ["score", "--protocol", ",".join(PROTOCOLS), "--truth", str(data / "gt.zip")]
        protocols_main([*arguments, "--results", *map(str, results), "--out", str(out)])
        read = read_plain_scores(str(out))
    names = list(PROTOCOLS)
    methods = tuple(sorted(path.stem for path in results))
    scores, rankings = {}, {}
    for criterion in CRITERIA:
        values = values_of(criterion, read, Settings(decimals=decimals))
        kept = {image: list(methods) for image in values}
        own = rankings_from_scores(values, kept, names, decimals)
        rankings[criterion] = [own[image] for image in kept]
        scores[criterion] = np.round(
            [[[values[image][name][m] for m in methods] for name in names] for image in kept],
            decimals,
        )
    return methods, PROTOCOLS, scores, rankings


def people_of(n: int, taste: float, rng: np.random.Generator) -> Floats:
    """Return the mixtures of n people: one of all, and each person's own departure from it."""
    common = np.random.default_rng(7).dirichlet(np.ones(_MIXED))
    own = common * np.exp(2 * taste * rng.normal(size=(n, _MIXED)))
    return np.asarray(own / own.sum(axis=1, keepdims=True))


class Source:
    """Visits under one design, created when needed and kept, because no person answers twice."""

    def __init__(self, world: World, way: Way, rng: random.Random) -> None:
        self._world, self._way, self._rng = world, way, rng
        self._kept: dict[tuple[int, int], tuple[dict[str, Visit], int]] = {}

    def visit(self, person: int, image: int) -> tuple[dict[str, Visit], int]:
        """Return a visit by each criterion, and the screens it took; whole rankings are kept."""
        if self._way.k is not None:
            return self._made(person, image)
        if (person, image) not in self._kept:
            self._kept[person, image] = self._made(person, image)
        return self._kept[person, image]

    def _made(self, person: int, image: int) -> tuple[dict[str, Visit], int]:
        world, way, rng = self._world, self._way, self._rng
        if way.k is None:
            methods, chances = rng.sample(world.methods, len(world.methods)), None
        else:
            weights = world.weights[image] if way.weighted else None
            methods, chances = draw_methods(rng, world.methods, k=way.k, weights=weights)
        items = [world.methods.index(method) for method in methods]
        log = simulate(len(items), world.answer(person, image, rng, items))
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
    """Return a study of newly drawn images: visits and protocols' rankings by criterion, and screens."""
    people = rng.sample(range(len(world.mixtures)), way.people)
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
    """Numbers that a design needs by one criterion.

    Attributes
    ----------
    screens : float
        At which the median pair of protocols is distinguished in 80 % of the simulated studies;
        infinite if no number of images suffices.
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
    # As many people as there are, so that their part is known; twice an image, so that images' is.
    wide = Way(way.name, way.k, way.weighted, len(world.mixtures), 2)
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
    """Yield the images that each pair of protocols needs, from the components of a large study."""
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
    """Return the images at which the median pair is distinguished in 80 % of studies, and signs kept there.

    Every study is looked at after several numbers of images, each look as if the study had ended there.
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


def error_rate(
    n_people: int, n_visits: int, taste: str, n_studies: int, seed: int
) -> tuple[float, float]:
    """Return how often two equally near protocols are distinguished at 5 %, and covered by intervals.

    As in ``benchmarks.verdicts``: the two would be the same if exchanged; pairs are asked where they
    disagree, each image one pair.
    """
    rng, draws = np.random.default_rng([seed, n_people, n_visits]), random.Random(seed)
    methods = tuple("abcdef")
    errors = covered = 0
    for _ in range(n_studies):
        quality = rng.normal(size=(n_visits, 6))
        features = rng.normal(size=(n_visits, 2, 6))
        liking = TASTES[taste] * rng.normal(size=(n_people, 2))
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
        covered += pair.low is not None and pair.high is not None and pair.low <= 0 <= pair.high
    return errors / n_studies, covered / n_studies


def _ranking(methods: Sequence[str], values: Floats) -> Ranking:
    return tuple(
        tuple(method for method, own in zip(methods, values, strict=True) if own == level)
        for level in sorted({*values.tolist()}, reverse=True)
    )


def print_needs(loaded: Loaded, options: argparse.Namespace) -> None:
    settings = [(noise, "none") for noise in (0.05, 0.1, 0.2)] + [(0.1, "moderate")]
    for noise, taste in settings[1:2] if options.short else settings:
        rng = np.random.default_rng(options.seed)
        world = World(*loaded, people_of(options.population, TASTES[taste], rng), noise)
        print(f"\nWrong answers {noise:.0%}, tastes differ: {taste}\n")
        print("| design | recall | precision | preference | planned | signs kept |")
        print("| --- | ---: | ---: | ---: | --- | --- |")
        today: dict[str, Found] = {}
        for way in ways(options.people):
            found = measured(world, way, options.studies, options.seed, options.large)
            today = today or found
            cells = [
                f"{_number(found[name].screens)}{_share(found[name], today[name])}"
                for name in CRITERIA
            ]
            planned = " / ".join(_number(found[name].planned) for name in CRITERIA)
            signs = " / ".join(
                "–" if found[name].signs is None else f"{found[name].signs:.0%}"
                for name in CRITERIA
            )
            print(f"| {way.name} | {' | '.join(cells)} | {planned} | {signs} |", flush=True)


def _number(screens: float) -> str:
    return f"{screens:,.0f}" if math.isfinite(screens) else "none suffices"


def _share(found: Found, today: Found) -> str:
    if found is today or not (math.isfinite(found.screens) and math.isfinite(today.screens)):
        return ""
    return f" ({found.screens / today.screens:.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, help="gt.zip and a zip a method; without it only errors of the test"
    )
    parser.add_argument("--studies", type=int, default=60, help="simulated at the size found")
    parser.add_argument(
        "--large", type=int, default=3000, help="images of the study that gives components"
    )
    parser.add_argument(
        "--people", type=int, default=12, help="of the designs with one person an image"
    )
    parser.add_argument("--population", type=int, default=24, help="people there are")
    parser.add_argument(
        "--errors", type=int, default=1000, help="studies of equal protocols a cell"
    )
    parser.add_argument("--seed", type=int, default=2018)
    parser.add_argument("--short", action="store_true", help="10 %% wrong answers alone, no errors")
    options = parser.parse_args()
    started = perf_counter()
    print(f"{date.today()}, seed {options.seed}, {options.studies} studies a design\n")
    if options.data is not None:
        loaded = load(options.data)
        n_pairs = math.comb(len(PROTOCOLS), 2)
        print(f"{len(loaded[0])} methods, {n_pairs} pairs of protocols, median over pairs")
        print_needs(loaded, options)
    if not options.short:
        print(f"\n{options.errors:,} studies of two equal protocols, pairs where they disagree\n")
        print("| people | pairs asked | taste | errors | coverage |")
        print("| ---: | ---: | --- | ---: | ---: |")
        for n_people, n_visits in ((5, 200), (12, 200), (12, 600)):
            for taste in TASTES:
                errors, covered = error_rate(
                    n_people, n_visits, taste, options.errors, options.seed
                )
                print(
                    f"| {n_people} | {n_visits} | {taste} | {errors:.1%} | {covered:.1%} |",
                    flush=True,
                )
    print(f"\n{perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
