"""Cases of statistics: for each a drawn one, ones with ties and gaps, one annotator, and all equal.

Places are bucket numbers, best first; None where an annotator left a method out.
"""

import random
from itertools import combinations
from typing import Any, Final

# The libraries, in an environment of their own below var/writers.
PACKAGES: Final = (
    *("krippendorff==0.9.0", "pingouin==0.7.0", "scipy==1.17.1", "scikit-posthocs==0.17.1"),
    *("corankco==7.2.0", "pulp==3.3.2", "choix==0.4.1", "arenakit==0.1.1"),
    *("numpy==2.4.6", "pandas==3.1.1", "preflibtools==2.0.33"),
)
RIDGE: Final = 1e-7
N_METHODS: Final = 5
Places = list[int | None]


def _places(draws: random.Random, n_buckets: int) -> Places:
    """Return places of drawn quality, so that annotators agree more than by chance."""
    values = [at + draws.gauss(0, 1.5) for at in range(N_METHODS)]
    order = sorted(range(N_METHODS), key=values.__getitem__)
    if n_buckets < N_METHODS:
        return [order.index(at) * n_buckets // N_METHODS for at in range(N_METHODS)]
    return [order.index(at) for at in range(N_METHODS)]


def _team(draws: random.Random, n_images: int, n_annotators: int, n_buckets: int) -> list[Any]:
    """Return places by annotator and image."""
    return [[_places(draws, n_buckets) for _ in range(n_images)] for _ in range(n_annotators)]


def _with_gaps(draws: random.Random, team: list[Any]) -> list[Any]:
    """Leave out two methods of each ranking, and all of some."""
    for of_annotator in team:
        for places in of_annotator:
            gone = range(N_METHODS) if draws.random() < 0.2 else draws.sample(range(N_METHODS), 2)
            for at in gone:
                places[at] = None
    return team


def _table(draws: random.Random, n: int, p: int, *, whole: bool) -> list[list[float]]:
    """Return distances by image and protocol, or values by image and annotator."""
    of_images = [draws.gauss(0, 2) for _ in range(n)]
    rows = [[of + at + draws.gauss(0, 1.5) + 8 for at in range(p)] for of in of_images]
    return [[float(round(value)) if whole else value for value in row] for row in rows]


def _pairs(draws: random.Random, *, ties: bool) -> list[Any]:
    """Return every pair of four methods, two of them alike, by 30 images and eight annotators."""
    strengths = [1.5, 0.5, 0.5, -1.0]
    found = []
    for image in range(30):
        for annotator in range(8):
            values = [of + draws.gauss(0, 1.2) for of in strengths]
            for a, b in combinations(range(4), 2):
                is_tie = ties and abs(values[a] - values[b]) < 0.4
                won = 2 if is_tie else int(values[a] < values[b])
                found.append([a, b, won, f"{image}", f"{annotator}"])
    return found


def _buckets(places: Places) -> list[list[str]]:
    known = sorted({place for place in places if place is not None})
    return [[f"m{at}" for at, of in enumerate(places) if of == place] for place in known]


def cases() -> dict[str, dict[str, Any]]:
    """Return the cases of each statistic by name; the same ones each time."""
    draws = random.Random(50)
    strict, tied = (_team(draws, 6, 4, n) for n in (N_METHODS, 3))
    gaps = _with_gaps(draws, _team(draws, 8, 4, 3))
    equal = [[[0] * N_METHODS] * 3] * 3
    images = _table(draws, 12, 5, whole=False)
    ties = _table(draws, 12, 5, whole=True)
    same = [[1.0] * 5] * 12
    gap: list[list[float | None]] = [[*row] for row in images]
    gap[2][1] = None
    p_values = [[1.0] * 7 for _ in range(7)]
    for a, b in combinations(range(7), 2):
        p_values[a][b] = p_values[b][a] = draws.choice((0.01, 0.3, 0.6))
    # The last two have the same p-values with all others.
    alike = [[*row[:6], row[5]] for row in [*p_values[:6], p_values[5]]]
    untested = [[1.0, None], [None, 1.0]]
    pairs, with_ties = (_pairs(draws, ties=of) for of in (False, True))
    by_image = {
        label: [[team[a][i] for a in range(len(team))] for i in range(len(team[0]))]
        for label, team in (("strict", strict), ("ties", tied), ("gaps", gaps))
    }
    kemeny = {
        f"{label} {i}": ranked
        for label, of_images in by_image.items()
        for i, of_image in enumerate(of_images)
        if (
            ranked := [
                _buckets(places) for places in of_image if any(p is not None for p in places)
            ]
        )
    }
    tables = {"strict": images, "ties": ties, "gaps": gap, "one": images[:1], "equal": same}
    compared = {
        "strict": pairs,
        "ties": with_ties,
        # The first and the last are never compared.
        "gaps": [of for of in pairs if of[:2] != [0, 3]],
        "one": [of for of in pairs if of[4] == "0"],
        "equal": [[*of[:2], 2, *of[3:]] for of in pairs],
    }
    return {
        "alpha": {"strict": strict, "ties": tied, "gaps": gaps, "one": strict[:1], "equal": equal},
        "concordance": {
            **{f"strict {i}": of for i, of in enumerate(by_image["strict"])},
            **{f"ties {i}": of for i, of in enumerate(by_image["ties"])},
            "gaps": [[None, *by_image["strict"][0][0][1:]], *by_image["strict"][0][1:]],
            "one": by_image["strict"][0][:1],
            "equal": [[0] * N_METHODS] * 3,
        },
        "intraclass": {
            "strict": images, "ties": ties, "gaps": gap, "one": [row[:1] for row in images], "equal": same
        },
        "tau": {
            **{f"strict {i}": of[:2] for i, of in enumerate(by_image["strict"])},
            **{f"ties {i}": of[:2] for i, of in enumerate(by_image["ties"])},
            "gaps": [[None, *by_image["strict"][0][0][1:]], by_image["strict"][0][1]],
            # With themselves.
            "one": [by_image["ties"][0][0]] * 2,
            "equal": [[0] * N_METHODS, list(range(N_METHODS))],
        },
        "friedman": tables,
        "nemenyi": tables,
        "letters": {
            "strict": p_values,
            "ties": alike,
            "gaps": untested,
            # Of the two signs of one difference, both are as far from 0.
            "one": [[1.0] * 5] * 5,
            "equal": [[1.0] * 3] * 3,
            "limit": [[1.0, 0.05], [0.05, 1.0]],
        },
        "kemeny": {
            **kemeny,
            "one": [_buckets(by_image["ties"][0][0])],
            "equal": [_buckets([0] * N_METHODS)] * 3,
            "limit": [[["m0"], ["m1"]], [["m1"], ["m0"]]],
        },
        "bradley-terry": compared,
        "arena": compared,
    }  # fmt: skip


def ranking(places: Places) -> tuple[tuple[str, ...], ...]:
    """Return the ranking of places; methods without a place are left out."""
    known = sorted({place for place in places if place is not None})
    return tuple(tuple(f"m{at}" for at, of in enumerate(places) if of == place) for place in known)
