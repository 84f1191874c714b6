"""Measure how often people's preferences between detectors err, and what they find.

    python -m benchmarks.preferences [--studies 500] [--write]

Every annotator sees the quality of each result on an image (standard deviation 1), a taste for each
detector, a taste for features of the images, and noise, in steps, so that detectors tie. Detectors are
equal in the population: shares are studies that call any two of them different
(``rankings.detectors.preferences``). In *camps* half of the population has the opposite taste for each
detector. In *far* half of the detectors are worse, by 2; errors are among equal ones, and *found*
is the share of true differences of 0.5 that are found. The largest errors of each number of annotators
are the risks that the report names (``rankings.analysis.detector_verdicts``).
"""

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks import pages
from rankings.detectors.method_strengths import People
from rankings.detectors.preferences import places_before
from rankings.inference.multi_reader import compare
from rankings.inference.significance import ALPHA

IMAGES = 60
# Taste for detectors, whether there are two camps, how much worse half of the detectors are.
WORLDS = {
    "taste .3": (0.3, False, 0.0),
    "taste 1": (1.0, False, 0.0),
    "camps .5": (0.5, True, 0.0),
    "camps 1": (1.0, True, 0.0),
    "far": (0.3, False, 2.0),
    "found": (0.3, False, 0.5),
}


def people(
    rng: np.random.Generator, n_annotators: int, n_methods: int, world: tuple[float, bool, float]
) -> People:
    """Return one simulated study of 60 images, all ranked by all annotators."""
    taste, in_camps, worse = world
    shape = IMAGES, n_annotators, n_methods
    if in_camps:
        camp = 2 * rng.integers(0, 2, n_annotators) - 1
        own = camp[:, np.newaxis] * rng.normal(size=n_methods)
    else:
        own = rng.normal(size=shape[1:])
    liking = 0.3 * rng.normal(size=(n_annotators, n_methods))
    features = rng.normal(size=(IMAGES, n_methods, n_methods))
    seen = rng.normal(size=(IMAGES, 1, n_methods)) + taste * own + 0.5 * rng.normal(size=shape)
    seen += np.einsum("af,ifm->iam", liking, features)
    seen[..., n_methods - n_methods // 2 :] -= worse
    levels = np.round(2 * seen).reshape(-1, n_methods)
    signs = np.sign(levels[..., np.newaxis] - levels[:, np.newaxis])
    image_of, annotator_of = (numbers.ravel() for numbers in np.indices(shape[:2]))
    return People(
        tuple(f"{at:02}" for at in range(IMAGES)),
        tuple(f"{at:02}" for at in range(n_annotators)),
        tuple(f"{at:02}" for at in range(n_methods)),
        image_of,
        annotator_of,
        (signs < 0).sum(axis=-1).astype(np.int16),
        signs.sum(axis=-1).astype(np.int16),
        is_complete=True,
    )


def share(n_annotators: int, n_methods: int, name: str, n_studies: int, seed: int) -> float:
    """Return the share of studies that err, or for *found* of differences that are found."""
    rng, found = np.random.default_rng(seed), []
    worse = np.arange(n_methods) >= n_methods - n_methods // 2
    first, second = np.triu_indices(n_methods, 1)
    differs: NDArray[np.bool_] = worse[first] != worse[second]
    differs &= WORLDS[name][2] > 0
    for _ in range(n_studies):
        study = people(rng, n_annotators, n_methods, WORLDS[name])
        pairs = compare(places_before(study)).pairs
        p_values = np.array([pair.adjusted_p_value for pair in pairs], dtype=float)
        told = p_values <= ALPHA
        found.append(told[differs].mean() if name == "found" else told[~differs].any())
    return float(np.mean(found))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=2018)
    options = parser.parse_args(arguments)
    print(f"{options.studies} studies a cell, {IMAGES} images, seed {options.seed}\n")
    print("annotators  detectors", *(name.rjust(9) for name in WORLDS))
    for n_annotators in (2, 3, 5, 8, 12):
        for n_methods in (2, 3, 6, 10):
            shares = [
                share(n_annotators, n_methods, name, options.studies, options.seed)
                for name in WORLDS
            ]
            cells = " ".join(f"{one:9.1%}" for one in shares)
            print(f"{n_annotators:10} {n_methods:10} {cells}", flush=True)


if __name__ == "__main__":
    pages.run(main)
