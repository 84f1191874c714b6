"""People's strength of preference for each method over all images, with its uncertainty.

Model: Davidson's ([Dav70]_), with one strength per method and one tie parameter, over the pairs of
all rankings; each ranking weighs the same. The pairs of a ranking, the rankings of an image and
those of an annotator depend on each other, so errors are clustered by both ([CGM11]_, 2.3): with A
the information of the fit and u_r the score of ranking r (its share of the slope)::

    covariance = A^-1 (B_image + B_annotator - B_ranking) A^-1,
    B_c = C / (C - 1) sum over the C clusters c of (sum of u_r in c) (sum of u_r in c)'

If the variance of a difference is smaller than with one of the two clusterings alone, the larger of
these two is used, because with few clusters the three-part sum may even be negative. Limits are
those of Student's t with one degree of freedom fewer than the smaller number of clusters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.image_sets import may_have_interval

from ..consensus.davidson import DEFAULT_RIDGE, expected, information, maximum
from ..consensus.rules import why_no_order
from ..errors import RankingError
from ..inference.multi_reader import NOTHING, ONE_IMAGE
from ..inference.resampling import LEVEL
from ..orders.buckets import Ranking
from ..orders.packed import doubled_ranks_of, packed_rankings
from ..orders.packed_scores import Floats
from ..orders.pairwise import PairCounts

ANNOTATOR_FIXED = (
    "with one annotator the limits are based on images alone, and hold for this annotator"
)

FEW: Final = "fewer than ten images give no interval"


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """All rankings of a criterion, one row each, in order of image and annotator.

    ``image_of`` and ``annotator_of`` of shape (r,) number each ranking's image and annotator;
    images ascend. Of shape (r, n): ``places`` are bucket numbers, -1 if a ranking does not contain
    the method; ``leads`` how many ranked methods each leads, minus how many lead it; 0 if not
    ranked. The images ``left_out`` have too few rankings, or rankings of different methods.
    """

    images: tuple[str, ...]
    annotators: tuple[str, ...]
    methods: tuple[str, ...]
    image_of: NDArray[np.intp]
    annotator_of: NDArray[np.intp]
    places: NDArray[np.int16]
    leads: NDArray[np.int16]
    is_complete: bool
    left_out: tuple[str, ...] = ()

    @property
    def is_ranked(self) -> NDArray[np.bool_]:
        return self.places >= 0


def people_of(rankings: Mapping[str, Mapping[str, Ranking]], *, min_annotators: int = 1) -> People:
    """Return the rankings of many images and annotators as arrays.

    Annotators may have skipped images, and rankings may leave out methods. Images with fewer than
    ``min_annotators`` rankings are left out, as are images with rankings of different methods.
    Raises RankingError if a ranking is invalid.
    """
    enough = [image for image, team in rankings.items() if len(team) >= max(min_annotators, 1)]
    of_images = [[rankings[image][name] for name in sorted(rankings[image])] for image in enough]
    differing: set[int] = set()
    groups = list(packed_rankings(of_images, differing.add))
    # Rows are numbered over the images that are kept; others have none.
    sizes = np.array(
        [0 if at in differing else len(team) for at, team in enumerate(of_images)], dtype=np.intp
    )
    first_row = np.cumsum(sizes) - sizes
    methods = sorted({name for group in groups for ranked in set(group.methods) for name in ranked})
    column_of = {name: at for at, name in enumerate(methods)}
    places = np.full((int(sizes.sum()), len(methods)), -1, dtype=np.int16)
    leads = np.zeros(places.shape, dtype=np.int16)
    for group in groups:
        n_teams, n_ranked = group.places.shape[1:]
        columns_of = {ranked: [column_of[name] for name in ranked] for ranked in set(group.methods)}
        columns = np.array([columns_of[ranked] for ranked in group.methods], dtype=np.intp)
        rows = first_row[group.rows, np.newaxis] + np.arange(n_teams)
        cells = rows[:, :, np.newaxis], columns[:, np.newaxis, :]
        places[cells] = group.places
        # Of n methods, one with b before it and t in its bucket leads n - b - t and follows b: the
        # difference is n + 1 minus its doubled rank, 2 b + t + 1.
        leads[cells] = n_ranked + 1 - doubled_ranks_of(group.places)
    images = [image for at, image in enumerate(enough) if at not in differing]
    names = [name for image in images for name in sorted(rankings[image])]
    annotators = sorted(set(names))
    number_of = {name: at for at, name in enumerate(annotators)}
    return People(
        tuple(images),
        tuple(annotators),
        tuple(methods),
        np.repeat(np.arange(len(images)), sizes[sizes > 0]),
        np.array([number_of[name] for name in names], dtype=np.intp),
        places,
        leads,
        bool((places >= 0).all()),
        tuple(sorted({*rankings} - {*images})),
    )


def counts_of(people: People) -> PairCounts:
    """Return :func:`.pairwise.pair_counts` of all rankings, computed method by method."""
    n = len(people.methods)
    before, tied = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    # Column by column, which is contiguous, and many times faster than row by row.
    columns = np.ascontiguousarray(people.places.T)
    ranked = columns >= 0
    for a in range(n):
        for b in range(a + 1, n):
            both = ranked[a] & ranked[b]
            before[a, b] = np.count_nonzero(both & (columns[a] < columns[b]))
            tied[a, b] = tied[b, a] = np.count_nonzero(both & (columns[a] == columns[b]))
            before[b, a] = np.count_nonzero(both) - before[a, b] - tied[a, b]
    return PairCounts(people.methods, before, tied)


@dataclass(frozen=True, slots=True)
class Strength:
    """A method's strength on the log scale; limits are None if undefined."""

    method: str
    strength: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much people find ``first`` stronger than ``second``; negative if weaker."""

    first: str
    second: str
    lead: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strengths of all methods, the strongest first, and the leads between every two.

    Strengths sum to 0; of two methods that differ by d, the stronger wins exp(d) times as often as
    it loses. Equal ones are in order of name. Leads have the stronger as ``first``.
    ``tie_parameter`` is Davidson's nu, None if no pair was compared; ``reason`` is that for missing
    limits, or says what they do not cover. If no answer connects some of the methods there are no
    strengths, and it is that.
    """

    strengths: tuple[Strength, ...]
    leads: tuple[Lead, ...]
    tie_parameter: float | None
    n_images: int
    n_annotators: int
    n_rankings: int
    level: float
    reason: str | None


def strengths_of(
    people: People, *, ridge: float = DEFAULT_RIDGE, level: float = LEVEL
) -> Strengths:
    """Fit Davidson's model to all rankings, with errors clustered by image and annotator.

    The model and the errors are described in the module. With one annotator, errors are clustered
    by image alone, and do not generalise to other people; fewer than ten images give no errors.
    Raises RankingError if the ridge is not positive or the level not between 0 and 1. Raises
    NotConverged as in Davidson's fit.
    """
    if not 0 < level < 1:
        raise RankingError(f"level must be between 0 and 1, got {level}")
    n_images, n_annotators = len(people.images), len(people.annotators)
    if not n_images:
        return Strengths((), (), None, 0, 0, 0, level, NOTHING)
    counts = counts_of(people)
    if (apart := why_no_order(counts)) is not None:
        return Strengths((), (), None, n_images, n_annotators, len(people.places), level, apart)
    at = maximum(counts, ridge)
    if not may_have_interval(n_images):
        return _ordered(people, counts, at, None, level, ONE_IMAGE if n_images == 1 else FEW)
    reason = ANNOTATOR_FIXED if n_annotators == 1 else None
    half = _half_widths(people, counts, at, ridge, level)
    return _ordered(people, counts, at, half, level, reason)


def _half_widths(
    people: People, counts: PairCounts, at: Floats, ridge: float, level: float
) -> tuple[Floats, Floats]:
    """Return half the widths of the intervals of strengths, (n,), and of leads, (n, n)."""
    # Imported here, because scipy's functions take a second to load.
    from scipy.special import stdtrit

    n = len(people.methods)
    # The common level of all strengths is known: their sum is 0. Adding 1 in its direction makes
    # the information safe to invert and affects no contrast.
    shared = np.append(np.full(n, n**-0.5), 0)
    inverse = np.linalg.inv(information(at, counts, ridge) + np.outer(shared, shared))
    influence = _scores(people, counts, at) @ inverse[:, :n]
    of_image = _clustered(influence, people.image_of, len(people.images))
    clusterings = [of_image]
    smallest = len(people.images)
    if len(people.annotators) > 1:
        of_annotator = _clustered(influence, people.annotator_of, len(people.annotators))
        alone = _clustered(influence, np.arange(len(influence)), len(influence))
        clusterings += [of_annotator, of_image + of_annotator - alone]
        smallest = min(smallest, len(people.annotators))
    quantile = float(stdtrit(smallest - 1, (1 + level) / 2))
    # A strength is a contrast too: its method minus the mean of all.
    centred = np.eye(n) - 1 / n
    of_strengths = [np.diag(centred @ part @ centred) for part in clusterings]
    of_leads = [np.diag(part)[:, np.newaxis] + np.diag(part) - 2 * part for part in clusterings]
    return (
        quantile * np.sqrt(np.maximum(np.max(of_strengths, axis=0), 0)),
        quantile * np.sqrt(np.maximum(np.max(of_leads, axis=0), 0)),
    )


def _scores(people: People, counts: PairCounts, at: Floats) -> Floats:
    """Return each ranking's share of the slope of the log-likelihood: (rankings, n + 1)."""
    n = len(people.methods)
    _, first, tied = expected(at, counts)
    np.fill_diagonal(tied, 0)
    present = people.is_ranked.astype(np.float64)
    scores = np.empty((len(present), n + 1))
    # Observed wins minus losses, minus those expected given the methods in the same ranking.
    scores[:, :n] = (people.leads - present @ (first - first.T).T) * present / 2
    n_tied = np.zeros(len(present), dtype=np.intp)
    # Column by column, which is contiguous, and many times faster than row by row.
    columns = np.ascontiguousarray(people.places.T)
    for a in range(n - 1):
        for b in range(a + 1, n):
            n_tied += (columns[a] == columns[b]) & (columns[a] >= 0)
    scores[:, n] = n_tied - ((present @ tied) * present).sum(axis=1) / 2
    return scores


def _clustered(influence: Floats, cluster_of: NDArray[np.intp], n_clusters: int) -> Floats:
    """Return the covariance that clusters of rankings give: (n, n)."""
    sums = np.stack(
        [np.bincount(cluster_of, column, minlength=n_clusters) for column in influence.T], axis=1
    )
    return np.asarray(n_clusters / (n_clusters - 1) * (sums.T @ sums))


def _ordered(
    people: People,
    counts: PairCounts,
    at: Floats,
    half: tuple[Floats, Floats] | None,
    level: float,
    reason: str | None,
) -> Strengths:
    values = at[:-1] - at[:-1].mean()
    order = sorted(range(len(values)), key=lambda method: (-values[method], people.methods[method]))

    def limits(value: float, width: float | None) -> tuple[float | None, float | None]:
        return (None, None) if width is None else (value - width, value + width)

    strengths = [
        Strength(
            people.methods[one],
            float(values[one]),
            *limits(float(values[one]), None if half is None else float(half[0][one])),
        )
        for one in order
    ]
    leads = [
        Lead(
            people.methods[one],
            people.methods[other],
            float(values[one] - values[other]),
            *limits(
                float(values[one] - values[other]),
                None if half is None else float(half[1][one, other]),
            ),
        )
        for place, one in enumerate(order)
        for other in order[place + 1 :]
    ]
    is_compared = bool(counts.before.any() or counts.tied.any())
    return Strengths(
        tuple(strengths),
        tuple(leads),
        float(np.exp(at[-1])) if is_compared else None,
        len(people.images),
        len(people.annotators),
        len(people.places),
        level,
        reason,
    )
