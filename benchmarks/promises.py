"""Compare what plans promise with what simulated studies of drawn designs find.

    python -m benchmarks.promises [--designs 1000] [--studies 200] [--write]

Designs have 2, 7 or 15 protocols, 2 to 10 methods, 2 to 20 people, one to three of them an image, and
variances as in several worlds (``rankings.design.pilots``). Their studies have normal effects with
these variances, and are tested as in a report. Designs whose studies are more than 7 points off are
simulated again with ten times as many, so that chance does not decide about them.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from benchmarks import pages
from rankings.design.designs import Components, Design
from rankings.design.power import power
from rankings.design.simulation import Simulated, outcome

_MOST_POINTS = 7
_SHOWN = 10
_AGAIN = 10


def promised(study: Simulated) -> float:
    """Return the power that a plan promises to a study of normal effects."""
    parts = Components(
        study.image, study.annotator, study.rest, prior=None, protocols=study.protocols
    )
    design = Design(study.images, study.annotators, study.per_image, study.repeated)
    alpha = 0.05 / math.comb(study.protocols, 2)
    return power(parts, design, study.difference, alpha=alpha)


def found(study: Simulated, n_studies: int, seed: int | None = None) -> float:
    """Return the share of true differences that simulated studies find.

    Raises ValueError if no protocol is farther, or no study allows a test.
    """
    share = outcome(study, n_studies, seed=study.images if seed is None else seed).power
    if share is None:
        raise ValueError("there is no difference to find")
    return share


def drawn_designs(seed: int) -> Iterator[Simulated]:
    """Yield designs whose promise is neither nearly 0 nor nearly 1."""
    rng = np.random.default_rng(seed)
    while True:
        study = _drawn(rng)
        if 0.1 < promised(study) < 0.98:
            yield study


def _drawn(rng: np.random.Generator) -> Simulated:
    protocols, methods = int(rng.choice([2, 7, 15])), int(rng.integers(2, 11))
    people = int(rng.choice([2, 3, 4, 5, 6, 8, 10, 12, 15, 20]))
    variance = rng.uniform(0.205, 0.23) * (1 + 0.14 * (methods - 2)) / math.comb(methods, 2)
    of_image = rng.uniform(0.08, 0.51)
    per_image = int(rng.integers(1, min(people, 3) + 1))
    return Simulated(
        *(people, int(rng.choice([40, 60, 100, 150, 200])), protocols, methods),
        per_image=per_image,
        repeated=0.15 if per_image == 1 and people > 2 and rng.random() < 0.5 else 0.0,
        farther=protocols // 2,
        model="normal",
        image=variance * of_image,
        annotator=rng.uniform(0, 0.0039),
        rest=variance * (1 - of_image),
        difference=float(10 ** rng.uniform(-1.7, -0.7)),
        even=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--designs", type=int, default=1000)
    parser.add_argument("--studies", type=int, default=200)
    options = parser.parse_args(arguments)
    apart: list[float] = []
    off: list[tuple[Simulated, float]] = []
    for study in islice(drawn_designs(3), options.designs):
        points = 100 * (promised(study) - found(study, options.studies))
        if abs(points) > _MOST_POINTS:
            again = _AGAIN * options.studies
            points = 100 * (promised(study) - found(study, again, seed=1))
            if abs(points) > _MOST_POINTS:
                off.append((study, points))
        apart.append(points)
    kept = options.designs - len(off)
    print(
        f"{kept} of {options.designs} designs find what is promised within {_MOST_POINTS} points."
    )
    print(
        f"Promised minus found: mean {np.mean(apart):+.1f}, standard deviation {np.std(apart):.1f}."
    )
    if off:
        print("\nThe largest differences; * three people on 15 % of the images:")
        print("points promised protocols images people  variances of image, annotator, rest")
    for study, points in sorted(off, key=lambda one: -abs(one[1]))[:_SHOWN]:
        people = f"{study.per_image}/{study.annotators}{'*' if study.repeated else ''}"
        print(
            f"{points:+6.1f} {promised(study):8.2f} {study.protocols:9} {study.images:6} {people:>6} "
            f"{study.image:7.4f} {study.annotator:.4f} {study.rest:.4f}"
        )


if __name__ == "__main__":
    pages.run(main)
