"""Measure how often the statement that a program may stand in for a person is wrong, and what it finds.

    python -m benchmarks.judges [--studies 400] [--quick] [--only WORD] [--write]

People order eight methods by three aspects, each person with own weights (weak or strong tastes) and with
noise; methods of nearly equal quality are tied. A judge has the average weights, or leans to one aspect. Its
noise, or its lean, makes it differ from a person on exactly 5 pairs of 100 more than another person does,
which is the margin, so that every statement is wrong. The first number of a cell is the share of studies with
a wrong statement; nominal is .025. The benchmark fails if a cell exceeds .05, or .07 for twelve people
of strong tastes and a judge that leans, by more than two standard errors. The numbers in brackets are the
shares that pass the alternative annotator test, for comparison only. *Found* is the share of studies with the
statement about a judge of average weights with a person's noise. ``--quick`` takes few studies of two cells.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks import pages
from rankings.inference.clusters import NONE_DECLARED, Declared
from rankings.inference.judge_answers import Answers, Pairs, Placed
from rankings.inference.judges import MARGIN, JudgeStandIn, judge_stand_in

Floats = NDArray[np.float64]
METHODS: Final = 8
_FIRST, _SECOND = np.array([*combinations(range(METHODS), 2)]).T
# Standard deviations of the weights of an aspect among people.
TASTES: Final = {"weak": 0.4, "strong": 1.2}
_NOISE: Final = 0.35
_STEP: Final = 0.4
# Images with six people of their own each, to find what is exactly at the margin.
_CALIBRATION: Final = 20_000
_SCENE: Final = 10


@dataclass(frozen=True)
class World:
    """People's tastes, and a judge: its lean to one aspect, and its noise."""

    taste: float
    lean: float = 0.0
    noise: float = _NOISE
    # The share of an image's quality that its scene has.
    scene: float = 0.0

    def draw(
        self, rng: np.random.Generator, images: int, people: int, *, strangers: bool = False
    ) -> tuple[Floats, Floats]:
        """Return bucket numbers (images, people, methods) and those of the judge (images, methods).

        With ``strangers`` each image has people of its own.
        """
        quality = rng.normal(size=(images, METHODS, 3))
        if self.scene:
            own = rng.normal(size=(-(-images // _SCENE), METHODS, 3)).repeat(_SCENE, axis=0)
            quality = self.scene**0.5 * own[:images] + (1 - self.scene) ** 0.5 * quality
        who = (images if strangers else 1, people, 3)
        weights = 1 / 3 + self.taste * rng.normal(size=who) / 3
        seen = np.einsum("ima,ipa->ipm", quality, np.broadcast_to(weights, (images, people, 3)))
        seen += _NOISE * rng.normal(size=seen.shape)
        lean = 1 / 3 + self.lean * np.array([2, -1, -1]) / 3
        judged = quality @ lean + self.noise * rng.normal(size=(images, METHODS))
        return np.rint(-seen / _STEP), np.rint(-judged / _STEP)

    def difference(self, seed: int = 1) -> float:
        """Return D, of many images with few people of their own."""
        people, judge = self.draw(np.random.default_rng(seed), _CALIBRATION, 6, strangers=True)
        said, own = _signs(people), _signs(judge)[:, np.newaxis]
        others = sum(np.abs(said - np.roll(said, k, axis=1)).mean() for k in range(1, 6)) / 5
        return float(np.abs(said - own).mean() - others) / 2


def _signs(places: Floats) -> Floats:
    return np.sign(places[..., _SECOND] - places[..., _FIRST])


def at_margin(taste: float, *, leans: bool, scene: float = 0.0) -> World:
    """Return the world whose judge differs by exactly the margin, by bisection with one seed."""
    start = World(taste, noise=0.2 if leans else _NOISE, scene=scene)
    vary: Callable[[float], World] = (
        (lambda x: replace(start, lean=x)) if leans else (lambda x: replace(start, noise=x))
    )
    low, high = (0.0, 3.0)
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if vary(middle).difference() < MARGIN else (low, middle)
    return vary((low + high) / 2)


def studied(world: World, rng: np.random.Generator, images: int, people: int) -> JudgeStandIn:
    """Return the statement of one simulated study; scenes are declared if the world has any."""
    ranked, judge = world.draw(rng, images, people)
    names, methods = _names("p", people), _names("m", METHODS)
    placed = {f"i{at:03}": (names, methods, of) for at, of in enumerate(ranked)}
    verdicts = _signs(judge).ravel()
    said = np.stack([verdicts, verdicts], axis=1)[:, :, np.newaxis]
    answers = Answers(_pairs(images), said, np.ones(said.shape[:2], dtype=bool))
    declared = NONE_DECLARED
    if world.scene:
        declared = Declared(scenes={f"i{at:03}": str(at // _SCENE) for at in range(images)})
    return judge_stand_in("judge", Placed(placed), answers, declared=declared)


def _names(letter: str, n: int) -> tuple[str, ...]:
    return tuple(f"{letter}{at:02}" for at in range(n))


_ASKED: dict[int, Pairs] = {}


def _pairs(images: int) -> Pairs:
    if images not in _ASKED:
        each = [*combinations(_names("m", METHODS), 2)]
        _ASKED[images] = Pairs([(f"i{at:03}", *pair) for at in range(images) for pair in each])
    return _ASKED[images]


def shares(
    world: World, images: int, people: int, studies: int, seed: int = 2026
) -> tuple[float, float, float]:
    """Return the shares of studies whose upper limit is below the margin, and of the other test."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(studies):
        one = studied(world, rng, images, people)
        high = one.found.high
        found.append(
            (
                high is not None and high < 100 * MARGIN,
                *(of is not None and of >= 0.5 for of in (one.omega[2], one.omega[0])),
            )
        )
    passed, narrow, wide = np.mean(found, axis=0).tolist()
    return passed, narrow, wide


CELLS: Final = (
    *((3, 60), (5, 30), (5, 60), (5, 233), (8, 60), (8, 233), (12, 30), (12, 60), (12, 233)),
)
# Few people are far from this judge, so that their mean is skewed.
_SKEWED: Final = "strong tastes, one-sided"
_QUICK: Final = ((5, 30), (12, 30))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="tastes and judges whose names hold this word")
    options = parser.parse_args(arguments)
    n = 20 if options.quick else options.studies
    worlds = {
        f"{taste} tastes, {judge}": at_margin(size, leans=judge == "one-sided")
        for taste, size in TASTES.items()
        for judge in ("average", "one-sided")
        if options.only in f"{taste} tastes, {judge}"
    }
    error = (0.05 * 0.95 / n) ** 0.5
    print(f"{n} studies a cell; nominal .025; the standard error of .05 is {error:.3f}")
    heads = "".join(f"{name:>27}" for name in worlds)
    print(f"people x images{heads}   found: weak, strong tastes")
    n_missed = 0
    for people, images in _QUICK if options.quick else CELLS:
        row = f"{people:6} x {images:<7}"
        for name, world in worlds.items():
            wrong, narrow, wide = shares(world, images, people, n)
            # The cells that the report's note names, and all others.
            most = 0.07 if name == _SKEWED and people >= 12 else 0.05
            n_missed += wrong > most + 2 * error
            row += f"{wrong:13.3f} ({narrow:.3f} {wide:.3f})"
        power = [shares(World(taste), images, people, n // 2)[0] for taste in TASTES.values()]
        print(row + "   " + ", ".join(f"{share:.2f}" for share in power), flush=True)
    if not options.quick:
        for taste, size in TASTES.items():
            world = at_margin(size, leans=True, scene=0.5)
            wrong, _, _ = shares(world, 60, 12, n)
            print(
                f"12 x 60 in scenes of {_SCENE}, declared, {taste} tastes, one-sided: {wrong:.3f}"
            )
    print("\nIn brackets the alternative annotator test with epsilon .1 and .2.")
    return min(n_missed, 1)


if __name__ == "__main__":
    pages.run(main)
