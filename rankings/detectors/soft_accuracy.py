"""Pairwise accuracy, hard and soft: how well protocols order methods over a dataset.

Pairwise accuracy is the share of pairs of methods that a protocol's figures order as people do. It
treats an indistinguishable pair like an obvious one. Soft pairwise accuracy ([TMN24]_) compares how
sure each side is: one minus the mean over pairs of ``|p_people - p_protocol|``.

Both p-values are one-sided and come from paired permutations of the images: on each image the two
methods' places are exchanged, or not, with even odds. For a protocol the sums
(:class:`.tallies.Tallies`) are exchanged, and the figures are divided again; for people the leads
are exchanged, the number of methods that each leads minus the number that lead it, whose sums order
complete rankings as Davidson's strengths do. p is the share of permutations with a larger
difference plus half of those with the same, so the p-values of a pair and of its reverse add up to
1, and identical methods have 1/2. The observed study counts as one of the permutations. Annotators
are treated as fixed.

Permuting again in every resample would take hours. In resamples, p is the normal probability of the
difference divided by the standard deviation of the permuted ones; a ratio's is that of its linear
part for two methods that are alike. The sides agree less in resamples than in studies, because
resamples vary twice; so limits are the quantiles of the resamples, shifted by the difference
between their median and the accuracy itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.image_sets import may_have_interval

from ..errors import RankingError
from ..inference.resampling import (
    BLOCK,
    LEVEL,
    SEED,
    percentile_limits,
    require_usable,
    resampled_weights,
)
from ..inference.significance import EXACT_UP_TO, sign_bits
from ..orders.packed_scores import Floats, rounded_scores
from .method_strengths import People
from .tallies import N_PARTS, Tallies, figures, slopes

N_PERMUTATIONS = N_RESAMPLES = 1000
# Above this many images fewer permutations and resamples are drawn: nearly every p is near 0 or 1.
MANY_IMAGES = 10_000
N_PERMUTATIONS_OF_MANY, N_RESAMPLES_OF_MANY = 400, 200
# Below this number of methods the interval over methods is undefined.
FEW_METHODS = 4
# Differences of figures up to this are rounding errors.
_ALIKE = 1e-9


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A protocol's pairwise accuracy with limits, or None if undefined.

    ``low`` and ``high`` are over images and annotators, the others over methods too; fewer than
    ten images give none.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    low_methods: float | None = None
    high_methods: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Every pair of methods, ``first`` and ``second``, by people and by every protocol.

    Numbers of methods, and p-values for "the first is no better than the second", have shape (k,),
    by protocols (protocols, k); ``figures`` have (protocols, methods). ``hard`` and ``soft`` have
    one accuracy for each protocol; ``is_exact`` says whether all permutations were used.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    figures: Floats
    p_people: Floats
    p_protocols: Floats
    hard: tuple[Accuracy, ...]
    soft: tuple[Accuracy, ...]
    n_permutations: int
    n_resamples: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Options:
    """Settings for computing and comparing figures, which are rounded before they order methods.

    Numbers of permutations and resamples are 1,000 if None; above 10,000 images 400 and 200.
    """

    beta: float = 1.0
    decimals: int | None = 4
    n_permutations: int | None = None
    n_resamples: int | None = None
    level: float = LEVEL
    seed: int = SEED

    def permutations(self, n_images: int) -> int:
        if self.n_permutations is not None:
            return self.n_permutations
        return N_PERMUTATIONS if n_images <= MANY_IMAGES else N_PERMUTATIONS_OF_MANY

    def resamples(self, n_images: int) -> int:
        if self.n_resamples is not None:
            return self.n_resamples
        return N_RESAMPLES if n_images <= MANY_IMAGES else N_RESAMPLES_OF_MANY


def compared(
    people: Mapping[str, People],
    strengths: Mapping[str, Floats],
    tallies: Tallies,
    options: Options | None = None,
) -> dict[str, Compared]:
    """Compare every pair of methods by people and by protocols, for criteria of the same images.

    Permutations and resamples are drawn once for all criteria, protocols and pairs. Time grows with
    images x protocols x methods x (permutations + resamples); images are processed a few hundred at
    a time. Strengths, of shape (methods,) for each criterion, are greater for better methods and
    equal for methods that people tie; images and methods of the tallies are the same, in the same
    order. Raises RankingError if images, annotators or methods differ, or a setting is invalid.
    """
    options = options or Options()
    one = _checked(people, tallies, options)
    work = _Work(people, tallies, options, one)
    work.run()
    return {criterion: work.answer(criterion, strengths[criterion]) for criterion in people}


def _checked(people: Mapping[str, People], tallies: Tallies, options: Options) -> People:
    one, *others = people.values()
    for other in others:
        if (one.images, one.annotators, one.methods) != (
            other.images,
            other.annotators,
            other.methods,
        ):
            raise RankingError("criteria compared together must be of the same images and people")
    if (tallies.images, tallies.methods) != (one.images, one.methods):
        raise RankingError("rankings and sums must be of the same images and methods, in one order")
    n_permutations = options.permutations(len(one.images))
    if n_permutations < 1:
        raise RankingError(f"n_permutations must be at least 1, got {n_permutations}")
    if not (np.isfinite(options.beta) and options.beta > 0):
        raise RankingError(f"beta must be a positive number, got {options.beta}")
    require_usable(options.resamples(len(one.images)), options.level)
    return one


class _Work:
    """The sums over images from which all results follow, added up block by block."""

    def __init__(
        self, people: Mapping[str, People], tallies: Tallies, options: Options, one: People
    ) -> None:
        self._people, self._tallies, self._options = people, tallies, options
        self._n_images, self._n_methods = len(one.images), len(one.methods)
        self.first, self.second = np.triu_indices(self._n_methods, 1)
        self.is_exact = self._n_images <= EXACT_UP_TO
        self.n_permutations = (
            2**self._n_images if self.is_exact else options.permutations(self._n_images)
        )
        # Few images do not generalise to others, and a pair requires two methods.
        can_resample = may_have_interval(self._n_images) and self._n_methods > 1
        self.n_resamples = options.resamples(self._n_images) if can_resample else 0
        rng = np.random.default_rng(options.seed)
        n_annotators = len(one.annotators)
        # Number of draws of each annotator in each resample; a sole annotator is always drawn.
        self._drawn = rng.multinomial(
            n_annotators, np.full(n_annotators, 1 / n_annotators), self.n_resamples
        ).astype(np.float64)
        self._methods_drawn = rng.multinomial(
            self._n_methods, np.full(self._n_methods, 1 / self._n_methods), self.n_resamples
        )
        self._rng = rng

    def run(self) -> None:
        n, n_pairs = self._n_images, len(self.first)
        n_protocols = len(self._tallies.protocols)
        width = self._n_methods * N_PARTS
        flat = self._tallies.sums.reshape(n, n_protocols * width)
        # The part of every sum that stays on each method's side under each permutation.
        self._stays = np.zeros((self.n_permutations, flat.shape[1]))
        self._resampled = np.zeros((self.n_resamples, flat.shape[1]))
        self._totals = flat.sum(axis=0)
        self._squares = np.zeros((n_protocols, width, width))
        self._leads = {name: np.zeros(n_pairs) for name in self._people}
        self._permuted = {name: np.zeros((self.n_permutations, n_pairs)) for name in self._people}
        self._resampled_leads = {
            name: np.zeros((self.n_resamples, n_pairs)) for name in self._people
        }
        self._variances = {name: np.zeros((self.n_resamples, n_pairs)) for name in self._people}
        bits = sign_bits(n, self.n_permutations, exact=self.is_exact, seed=self._options.seed)
        for block, of_block in bits:
            part = flat[block]
            self._stays += of_block @ part
            own = np.ascontiguousarray(part.reshape(len(part), n_protocols, width).swapaxes(0, 1))
            for at, table in enumerate(own):
                self._squares[at] += table.T @ table
            for name, people in self._people.items():
                leads, image_of = self._leads_of(people, block)[:2]
                self._leads[name] += leads.sum(axis=0)
                self._permuted[name] += of_block[:, image_of] @ leads
        if not self.n_resamples:
            return
        for block, weights in resampled_weights(self._rng, n, self.n_resamples, BLOCK):
            self._resampled += weights @ flat[block]
            for name, people in self._people.items():
                leads, image_of, annotator_of = self._leads_of(people, block)
                times = weights[:, image_of] * self._drawn[:, annotator_of]
                self._resampled_leads[name] += times @ leads
                self._variances[name] += _squares(leads, image_of, annotator_of, self._drawn)

    def _leads_of(
        self, people: People, block: slice
    ) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
        """Return the rankings of a block of images: leads of pairs, image and annotator.

        The lead is that of the pair's first method; images are counted from the block's first.
        """
        start, stop = np.searchsorted(people.image_of, [block.start, block.stop])
        rows = slice(int(start), int(stop))
        leads, ranked = people.leads[rows].astype(np.float64), people.is_ranked[rows]
        pairs = leads[:, self.first] - leads[:, self.second]
        # A ranking without one of two methods gives no information on the pair.
        pairs *= ranked[:, self.first] & ranked[:, self.second]
        return pairs, people.image_of[rows] - block.start, people.annotator_of[rows]

    def answer(self, criterion: str, strengths: Floats) -> Compared:
        """Return the results that follow from the sums for one criterion."""
        first, second, options = self.first, self.second, self._options
        totals = self._totals.reshape(len(self._tallies.protocols), self._n_methods, N_PARTS)
        of_data_set = figures(totals, criterion, options.beta)
        p_people = self._p_of_people(criterion)
        p_protocols = np.array(
            [self._p_of_protocol(at, criterion) for at in range(len(totals))]
        ).reshape(len(totals), len(first))
        by_people = np.sign(strengths[first] - strengths[second])
        by_protocols = _orders(of_data_set, options.decimals, first, second)
        soft = 1 - np.abs(p_people - p_protocols)
        hard = (by_people == by_protocols).astype(np.float64)
        resampled_soft, resampled_hard = self._resampled_pairs(criterion, totals)
        return Compared(
            first,
            second,
            of_data_set,
            p_people,
            p_protocols,
            tuple(self._accuracies(hard, resampled_hard)),
            tuple(self._accuracies(soft, resampled_soft)),
            self.n_permutations,
            self.n_resamples,
            self.is_exact,
        )

    def _p_of_people(self, criterion: str) -> Floats:
        observed = self._leads[criterion]
        # If an image's bit is set, the two methods keep their places; else their lead changes sign.
        return self._p_values(2 * self._permuted[criterion] - observed, observed, 0.5)

    def _p_of_protocol(self, at: int, criterion: str) -> Floats:
        shape = (-1, self._n_methods, N_PARTS)
        width = self._n_methods * N_PARTS
        columns = slice(at * width, (at + 1) * width)
        total = self._totals[columns].reshape(shape)[0]
        stays = self._stays[:, columns].reshape(shape)
        goes = total - stays
        beta = self._options.beta
        own = figures(stays[:, self.first] + goes[:, self.second], criterion, beta)
        other = figures(stays[:, self.second] + goes[:, self.first], criterion, beta)
        observed = figures(total, criterion, beta)
        return self._p_values(own - other, observed[self.first] - observed[self.second], _ALIKE)

    def _p_values(self, permuted: Floats, observed: Floats, slack: float) -> Floats:
        larger = np.count_nonzero(permuted > observed + slack, axis=0)
        same = np.count_nonzero(np.abs(permuted - observed) <= slack, axis=0)
        if self.is_exact:
            return np.asarray((larger + same / 2) / self.n_permutations)
        return np.asarray((larger + same / 2 + 0.5) / (self.n_permutations + 1))

    def _resampled_pairs(self, criterion: str, totals: Floats) -> tuple[list[Floats], list[Floats]]:
        """Return both accuracies of every pair, for each protocol: (resamples, pairs)."""
        from scipy.special import ndtr

        first, second, options = self.first, self.second, self._options
        leads = self._resampled_leads[criterion]
        deviations = np.sqrt(self._variances[criterion])
        p_people = ndtr(-_standardised(leads, deviations))
        by_people = np.sign(leads)
        softs, hards = [], []
        shape = (-1, self._n_methods, N_PARTS)
        width = self._n_methods * N_PARTS
        for at, total in enumerate(totals):
            resampled = self._resampled[:, at * width : (at + 1) * width].reshape(shape)
            of_resamples = figures(resampled, criterion, options.beta)
            differences = of_resamples[:, first] - of_resamples[:, second]
            differences[np.abs(differences) <= _ALIKE] = 0
            deviation = self._deviations(at, total, criterion)
            softs.append(1 - np.abs(p_people - ndtr(-_standardised(differences, deviation))))
            orders = _orders(of_resamples, options.decimals, first, second)
            hards.append((by_people == orders).astype(np.float64))
        return softs, hards

    def _deviations(self, at: int, total: Floats, criterion: str) -> Floats:
        """Return standard deviations of pairs' permuted differences, to first order: (pairs,)."""
        first, second, n = self.first, self.second, self._n_methods
        slope = slopes((total[first] + total[second]) / 2, criterion, self._options.beta)
        # Sums of products over images, between the parts of every two methods: (n, 4, n, 4).
        products = self._squares[at].reshape(n, N_PARTS, n, N_PARTS)
        # For the difference between the parts of two methods: (pairs, 4, 4).
        apart = (
            products[first, :, first]
            + products[second, :, second]
            - products[first, :, second]
            - products[second, :, first]
        )
        variances = np.einsum("pk,pkl,pl->p", slope, apart, slope)
        return np.sqrt(np.where(variances > _ALIKE**2, variances, 0))

    def _accuracies(self, pairs: Floats, resampled: Sequence[Floats]) -> Iterator[Accuracy]:
        """Yield each protocol's mean over the pairs, with limits from the resamples."""
        if not len(self.first):
            yield from (Accuracy(None) for _ in pairs)
            return
        drawn = self._methods_drawn
        # A method does not form a pair with itself; a resample without pairs has no accuracy.
        weights = (drawn[:, self.first] * drawn[:, self.second]).astype(np.float64)
        has_pair = weights.any(axis=1)
        for own, of_resamples in zip(pairs, resampled, strict=True):
            value = float(own.mean())
            if not self.n_resamples:
                yield Accuracy(value)
                continue
            low, high = self._limits(value, of_resamples.mean(axis=1))
            wide: tuple[float | None, float | None] = (None, None)
            if self._n_methods >= FEW_METHODS:
                means = (of_resamples * weights).sum(axis=1)[has_pair] / weights.sum(axis=1)[
                    has_pair
                ]
                wide = self._limits(value, means)
            yield Accuracy(value, low, high, *wide)

    def _limits(self, value: float, resampled: Floats) -> tuple[float, float]:
        low, high = percentile_limits(resampled, self._options.level)
        middle = np.median(resampled)
        # Resamples vary twice, with the study and with the draw, so the two sides agree less in
        # them.
        return max(0.0, float(value + low - middle)), min(1.0, float(value + high - middle))


def _squares(
    leads: Floats, image_of: NDArray[np.intp], annotator_of: NDArray[np.intp], drawn: Floats
) -> Floats:
    """Return each pair's squared leads, added over images; an image's lead is that of its rankings.

    ``leads`` of shape (rankings, pairs) are integers, so that sums are exact in any order. Images
    ascend, and within an image annotators. ``drawn`` of shape (resamples, annotators) says how
    often each counts. The result is of shape (resamples, pairs).
    """
    total = np.zeros((len(drawn), leads.shape[1]))
    # The square of a sum is the sum of all products of two of its parts: of two rankings of an
    # image, some rows apart. Products of the same two annotators are added up first.
    for apart in range(len(leads)):
        rows = np.flatnonzero(image_of[apart:] == image_of[: len(leads) - apart])
        if not len(rows):
            break
        one, other = annotator_of[rows], annotator_of[rows + apart]
        order = np.lexsort((other, one))
        rows, one, other = rows[order], one[order], other[order]
        begins = np.flatnonzero(np.diff(one, prepend=-1) | np.diff(other, prepend=-1))
        products = np.add.reduceat(leads[rows] * leads[rows + apart], begins, axis=0)
        times = drawn[:, one[begins]] * drawn[:, other[begins]]
        total += (1 if apart == 0 else 2) * (times @ products)
    return total


def _orders(
    of_methods: Floats,
    decimals: int | None,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> Floats:
    """Return 1, 0 or -1 for each pair by the rounded figures along the last axis."""
    places = rounded_scores(of_methods, decimals).astype(np.float64)
    return np.asarray(np.sign(places[..., second] - places[..., first]))


def _standardised(differences: Floats, deviations: Floats) -> Floats:
    """Return differences over deviations; 0 where the deviation is 0, because nothing differs."""
    return np.divide(
        differences,
        deviations,
        out=np.zeros(np.broadcast_shapes(differences.shape, deviations.shape)),
        where=deviations > 0,
    )
