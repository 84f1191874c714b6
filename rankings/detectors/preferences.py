"""People's preferences between the detectors, with annotators and images random.

A detector's loss in a ranking is how many of 100 other detectors it places before it, ties half. The
losses of every two detectors are compared by the test that compares protocols
(:mod:`..inference.multi_reader`), with declared groups and scenes as its units.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.multi_reader import Comparisons, compare_clusters, told_apart
from ..inference.personal_distances import PersonalDistances
from ..orders.packed_scores import rounded_scores
from .leaderboard import leaderboard
from .method_strengths import People
from .soft_accuracy import Options
from .tallies import Tallies, figures


@dataclass(frozen=True, slots=True)
class Beside:
    """The detectors that a protocol's figures put first, on the images that count for people.

    If people's first is not among them: ``p_value`` of the difference between its figure and that of
    the protocol's first, adjusted for all pairs (None: no test), and ``lead_of_100``, on how many more
    of 100 images the protocol places people's first before its own first than the reverse.
    """

    protocol: str
    first: tuple[str, ...]
    p_value: float | None = None
    lead_of_100: float | None = None


@dataclass(frozen=True, slots=True)
class Preferences:
    """Every two detectors compared by people's rankings.

    In ``comparisons`` protocols are the detectors; means are losses. ``n_partial`` rankings that lack
    a detector do not count. ``letters`` are None without a test of every pair, as for a difference that
    is the same in every ranking. ``protocols`` have a figure of every detector on every image.
    """

    comparisons: Comparisons
    letters: Mapping[str, str | None]
    n_partial: int
    protocols: tuple[Beside, ...]


def preferences(
    criterion: str,
    people: People,
    tallies: Tallies,
    options: Options,
    declared: Declared = NONE_DECLARED,
) -> Preferences:
    """Compare every two detectors; the tallies are of people's images and methods, in their order."""
    is_whole = np.asarray(people.is_ranked.all(axis=1))
    measured = places_before(people).at(is_whole)
    found = compare_clusters(measured, people.images, people.annotators, declared)
    # Not of the groups and scenes that the test counts.
    found = replace(found, n_rankings=int(is_whole.sum()))
    is_tested = all(pair.adjusted_p_value is not None for pair in found.pairs)
    letters = told_apart(found)[1] if is_tested else dict.fromkeys(people.methods)
    known = [mean for mean in found.means if mean is not None]
    best = found.means.index(min(known)) if known else None
    beside = () if best is None else tuple(_beside(criterion, best, tallies, options))
    return Preferences(found, letters, int((~is_whole).sum()), beside)


def places_before(people: People) -> PersonalDistances:
    """Return, for each ranking, how many of 100 other detectors it places before each one.

    A tied detector counts half. The row is undefined if the ranking is incomplete.
    """
    others = max(len(people.methods) - 1, 1)
    losses = 50 * (others - people.leads.astype(np.float64)) / others
    # Multiples of 50 / others.
    scale = others // math.gcd(others, 50)
    return PersonalDistances(
        people.methods, people.image_of, people.annotator_of, losses, scale=scale
    )


def _beside(criterion: str, best: int, tallies: Tallies, options: Options) -> Iterator[Beside]:
    name = tallies.methods[best]
    for at, protocol in enumerate(tallies.protocols):
        sums = tallies.sums[:, at]
        whole = figures(sums.sum(axis=0), criterion, options.beta)
        # Smaller for higher figures.
        shown = rounded_scores(whole, options.decimals)
        first = np.flatnonzero(shown == shown.min()).tolist()
        names = tuple(tallies.methods[one] for one in first)
        if name in names:
            yield Beside(protocol, names)
            continue
        board = leaderboard(sums, tallies.methods, criterion, beta=options.beta)
        of_image = rounded_scores(figures(sums, criterion, options.beta), options.decimals)
        lead = np.sign(of_image[:, first[0]].astype(np.float64) - of_image[:, best]).mean()
        places = [board.methods.index(one) for one in (name, names[0])]
        p_value = board.p_values[places[0]][places[1]]
        yield Beside(protocol, names, p_value, 100 * float(lead))
