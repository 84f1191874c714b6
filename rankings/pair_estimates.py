"""How far protocols are from people, estimated from pairs or a few methods of an image at a time.

A protocol's loss of a pair of methods is Kemeny's: 1 if it and the person order the pair oppositely, 1/2
if exactly one of them ties it, else 0. Its loss on an image is the mean over all N pairs of methods
there, and one visit of an annotator, who was asked some of them, estimates it without bias by Horvitz
and Thompson's sum ([HT52]_)::

    1 / N sum over the pairs asked of loss / probability of being asked

Hajek's ratio, which divides by the sum of 1 / probability instead of by N, is less spread for the loss
itself, but not for what is tested: where two protocols agree on a pair their difference there is 0, so
that pairs which were unlikely to be asked, because protocols agree on them, add nothing to Horvitz and
Thompson's difference, while they move the denominator of Hajek's. And N is known.

An estimate of one visit is a cell of images x annotators with mean mu, the asking being part of its rest.
So the tests are those of whole rankings, with annotators and images random (:mod:`.multi_reader`). Where
every pair is asked, all is equal to them, with the Kemeny distance divided by N.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import RankingError
from .multi_reader import Comparisons, PersonalDistances, compare
from .orders import Ranking, bucket_of
from .packed import packed_rankings
from .packed_scores import Floats
from .pair_draws import Pair
from .resampling import LEVEL


@dataclass(frozen=True, slots=True)
class Visit:
    """What one annotator said of some methods of one image, by one criterion.

    Attributes
    ----------
    ranking : Ranking
        The methods asked; a pair is a ranking of two.
    probabilities : mapping of frozenset of two methods to float, or None
        At least for every two methods of the ranking, above 0 and at most 1. None: every pair was asked
        for certain, as in a whole ranking.
    drawn_from : frozenset of str, optional
        The methods that could have been asked. None: all that the protocols rank on the image.
    """

    image: str
    annotator: str
    ranking: Ranking
    probabilities: Mapping[Pair, float] | None
    drawn_from: frozenset[str] | None = None


def compare_by_pairs(
    visits: Iterable[Visit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
    *,
    level: float = LEVEL,
) -> Comparisons:
    """Compare every two protocols: :func:`.multi_reader.compare` of :func:`pair_losses`.

    Parameters
    ----------
    visits, protocol_rankings, protocols
        As of :func:`pair_losses`, also for what it raises.
    level : float
        Of the intervals, between 0 and 1.

    Examples
    --------
    >>> own = {"p": (("a",), ("b",)), "q": (("b",), ("a",))}
    >>> visits = [Visit("img_1", "ann", own["p"], None), Visit("img_2", "ben", own["p"], None)]
    >>> found = compare_by_pairs(visits, dict.fromkeys(["img_1", "img_2"], own), ["p", "q"])
    >>> found.pairs[0].difference
    -1.0
    """
    return compare(pair_losses(visits, protocol_rankings, protocols), level=level)


def pair_losses(
    visits: Iterable[Visit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
    *,
    order: Mapping[str, int] | None = None,
) -> PersonalDistances:
    """Estimate every protocol's loss on every image by every annotator who visited it.

    Parameters
    ----------
    visits : iterable of Visit
        Of one criterion. Several visits of one annotator to an image are averaged. A method that no
        protocol ranks any more is left out with its pairs; a visit without a pair left counts nothing.
    protocol_rankings : image -> protocol -> ranking
        For every image visited. They need not be those that the draws looked at: a protocol that came
        later is estimated without bias too.
    protocols : sequence of str, length p
    order : image -> number, optional
        Images are numbered in this order; without it by name.

    Returns
    -------
    PersonalDistances
        A row for each image and annotator. A single one may be below or above what a loss can be; their
        mean is not biased. A visit drawn from fewer methods than the image has now estimates the loss
        on the pairs of those.

    Raises
    ------
    RankingError
        If a pair asked has no probability in (0, 1], or methods that could not be drawn were asked, or
        protocols rank different methods; names the image.

    Examples
    --------
    A pair that is asked with probability a half weighs twice.

    >>> own = {"p": (("a",), ("b",)), "q": (("b",), ("a",))}
    >>> visit = Visit("img_1", "ann", own["p"], {frozenset("ab"): 0.5})
    >>> pair_losses([visit], {"img_1": own}, ["p", "q"]).distances.tolist()
    [[0.0, 2.0]]
    """
    known = sorted(visits, key=lambda visit: (visit.image, visit.annotator))
    images = sorted({visit.image for visit in known}, key=order.__getitem__ if order else None)
    annotators = sorted({visit.annotator for visit in known})
    visits_of: dict[str, list[int]] = {}
    for at, visit in enumerate(known):
        visits_of.setdefault(visit.image, []).append(at)

    def refuse(at: int) -> None:
        raise RankingError(f"{images[at]}: protocols rank different methods")

    own = [[protocol_rankings[image][protocol] for protocol in protocols] for image in images]
    losses = np.zeros((len(known), len(protocols)))
    counts = np.zeros(len(known), dtype=bool)
    for group in packed_rankings(own, refuse):
        asked = _Asked()
        for row, (at, methods) in enumerate(zip(group.rows.tolist(), group.methods, strict=True)):
            number = {method: place for place, method in enumerate(methods)}
            for one in visits_of[images[at]]:
                asked.add(one, known[one], row, number)
        if asked.visits:
            counts[asked.visits] = True
            asked.add_losses(losses, group.places.astype(np.int64))
    image_of, annotator_of = (
        {name: at for at, name in enumerate(names)} for names in (images, annotators)
    )
    cells = np.array(
        [(image_of[visit.image], annotator_of[visit.annotator]) for visit in known], dtype=np.intp
    ).reshape(-1, 2)
    return _averaged(tuple(protocols), cells[counts], losses[counts])


class _Asked:
    """The pairs asked on some images, one after the other: of which visit and row, which two, said what."""

    def __init__(self) -> None:
        self.visits: list[int] = []
        self._rows: list[int] = []
        self._first: list[int] = []
        self._second: list[int] = []
        # -1, 0 or 1: the first stands before, beside or after the second.
        self._said: list[int] = []
        self._weights: list[float] = []

    def add(self, at: int, visit: Visit, row: int, number: Mapping[str, int]) -> None:
        bucket = bucket_of(visit.ranking)
        strangers = bucket.keys() - visit.drawn_from if visit.drawn_from is not None else ()
        if strangers:
            raise RankingError(
                f"{visit.image}: asked but not drawn from: {', '.join(sorted(strangers))}"
            )
        could = number.keys() if visit.drawn_from is None else number.keys() & visit.drawn_from
        n_pairs = math.comb(len(could), 2)
        methods = sorted(bucket.keys() & could)
        for a, first in enumerate(methods):
            for second in methods[a + 1 :]:
                probability = _checked(visit, first, second)
                self.visits.append(at)
                self._rows.append(row)
                self._first.append(number[first])
                self._second.append(number[second])
                self._said.append(_sign(bucket[first] - bucket[second]))
                self._weights.append(1 / (n_pairs * probability))

    def add_losses(self, losses: Floats, places: NDArray[np.int64]) -> None:
        """Add each pair's weighed loss to its visit; places are (images, protocols, methods)."""
        rows = np.array(self._rows)
        # (pairs, protocols): the two places of the pair in every protocol's ranking.
        first = places[rows, :, self._first]
        second = places[rows, :, self._second]
        apart = np.abs(np.sign(first - second) - np.array(self._said)[:, np.newaxis]) / 2
        np.add.at(losses, self.visits, apart * np.array(self._weights)[:, np.newaxis])


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _checked(visit: Visit, first: str, second: str) -> float:
    if visit.probabilities is None:
        return 1.0
    probability = visit.probabilities.get(frozenset((first, second)))
    if probability is None or not 0 < probability <= 1 + 1e-9:
        raise RankingError(
            f"{visit.image}: {first} and {second} were asked with probability {probability}, "
            "which is not above 0 and up to 1"
        )
    return probability


def _averaged(
    protocols: tuple[str, ...], cells: NDArray[np.intp], losses: Floats
) -> PersonalDistances:
    """Return the mean loss of every pair of image and annotator."""
    different, cell_of, n_visits = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(different), len(protocols)))
    np.add.at(sums, cell_of.ravel(), losses)
    return PersonalDistances(
        protocols, different[:, 0], different[:, 1], sums / n_visits[:, np.newaxis]
    )
