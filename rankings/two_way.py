"""Bootstrap intervals of the Scores, over images and annotators at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .consensus import ConsensusMethod
from .distances import Distance, distances_between, require_distance
from .kemeny import kemeny_places
from .packed import Places, dense_places, doubled_ranks_of
from .packed_scores import Floats
from .personal_rankings import PersonalRankings
from .resampling import (
    LEVEL,
    N_RESAMPLES,
    SEED,
    Intervals,
    intervals_of,
    require_usable,
    resampled_weights,
)

# Images taken at a time: there is a table of distances for every pattern of annotators.
_BLOCK = 256
_KEMENY_DRAWS = 50


def two_way_intervals(
    rankings: PersonalRankings,
    *,
    distance: Distance = "edit",
    consensus: ConsensusMethod = "mean-rank",
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
) -> Intervals:
    """Return bootstrap intervals over images and annotators at once.

    Each resample draws images and, independently, annotators of the whole study, both with
    replacement ([Owe07]_). An annotator drawn twice counts twice in the mean ranks of every image
    that he or she ranked. An image none of whose annotators was drawn is not in that resample; a
    resample without any image is not used. With few annotators the interval is rough: three give
    ten different draws.

    The consensus depends on the draw only through the image's own annotators, and draws in the same
    proportion agree, so every image is aggregated once for each different proportion: with three
    annotators ten times, with many at most once for each resample. Kemeny's takes a search each time,
    so for it at most 50 draws of annotators are made, which the resamples share.

    Parameters
    ----------
    rankings : PersonalRankings
    distance : "edit" or "kemeny"
    consensus : "mean-rank", "kemeny" or "davidson"
    n_resamples, seed : int
    level : float
        Of the intervals, between 0 and 1.

    Returns
    -------
    Intervals
        Protocols in order of name. As :func:`.resampling.score_intervals`; no limits with a single annotator
        either, who says nothing about others.

    Raises
    ------
    RankingError
        If a setting cannot be.

    Examples
    --------
    With one annotator the protocol is a swap apart, with the other none, and with both half of one.

    >>> from rankings.personal_rankings import personal_rankings
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> people = dict.fromkeys(["img_1", "img_2"], {"ann": ab, "ben": ba})
    >>> rankings = personal_rankings(people, dict.fromkeys(people, {"iou": ab}), ["iou"])
    >>> two_way_intervals(rankings).scores
    (Interval(protocol='iou', score=0.5, low=0.0, high=1.0),)
    """
    require_usable(n_resamples, level)
    require_distance(distance)
    study = _Study(rankings, distance, consensus)
    n, n_annotators = len(rankings.images), len(rankings.annotators)
    everybody = np.ones((1, n_annotators), dtype=np.intp)
    if n < 2 or n_annotators < 2:
        total = study.distances(slice(0, n), everybody)[0].sum(axis=(0, 1))
        resampled = np.empty((0, len(rankings.protocols)))
    else:
        total, resampled = _two_way(study, everybody, n_resamples, seed)
    # In order of name, whatever order the protocols are in.
    order = np.argsort(rankings.protocols)
    return intervals_of(
        total[order] / n if n else None,
        resampled[:, order],
        sorted(rankings.protocols),
        n,
        level,
        seed,
        n_annotators,
    )


@dataclass(frozen=True, slots=True)
class _Study:
    """The rankings of people and protocols on all images, and the distance between them."""

    rankings: PersonalRankings
    distance: Distance
    consensus: ConsensusMethod

    def distances(
        self, images: slice, patterns: NDArray[np.intp]
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the distances to the consensus of each pattern of annotators.

        Parameters
        ----------
        images : slice
            The g images by their numbers.
        patterns : ndarray of shape (q, annotators)
            How often each annotator was drawn.

        Returns
        -------
        distances : ndarray of shape (q, g, protocols)
            0 where there is no consensus.
        has_consensus : ndarray of bool of shape (q, g)
            Whether any of the image's annotators was drawn.
        """
        g = images.stop - images.start
        table = np.zeros((len(patterns), g, len(self.rankings.protocols)))
        has_consensus = np.zeros((len(patterns), g), dtype=bool)
        for group in self.rankings.groups:
            # A group's images are in order.
            part = slice(*np.searchsorted(group.images, [images.start, images.stop]))
            if part.start == part.stop:
                continue
            # Images that the same people ranked have the same patterns, and are done together.
            teams, team_of = np.unique(group.annotators[part], axis=0, return_inverse=True)
            for team, members in zip(teams, _members(team_of, len(teams)), strict=True):
                rows = group.images[part][members] - images.start
                own = patterns[:, team]
                # Draws in the same proportion agree: (2, 0, 2) is (1, 0, 1). Divided by what they
                # have in common, few different ones are left, and only these are measured.
                common = np.gcd.reduce(own, axis=1)
                weights, weights_of_pattern = np.unique(
                    own // np.maximum(common, 1)[:, np.newaxis], axis=0, return_inverse=True
                )
                goals = self._goals(group.people[part][members], weights)[:, :, np.newaxis]
                apart = distances_between(group.protocols[part][members], goals, self.distance)
                table[:, rows] = apart[weights_of_pattern]
                has_consensus[:, rows] = (common > 0)[:, np.newaxis]
        return table, has_consensus

    def _goals(self, places: Places, weights: NDArray[np.intp]) -> Places:
        """Return the consensus of weighted people: (q, people), (images, people, n) to (q, images, n)."""
        if self.consensus == "kemeny":
            # Who counts twice stands there twice. Nobody at all has a consensus that is not read.
            drawn = [np.repeat(places, row if row.any() else 1, axis=1) for row in weights]
            return np.stack([kemeny_places(rankings)[0] for rankings in drawn])
        # Mean ranks, and Davidson's strengths, are in the order of weighted sums of doubled ranks,
        # which are integers.
        return dense_places(np.einsum("qa,gan->qgn", weights, doubled_ranks_of(places)))


def _two_way(
    study: _Study,
    everybody: NDArray[np.intp],
    n_resamples: int,
    seed: int,
) -> tuple[Floats, Floats]:
    """Return each protocol's sum of distances, and its mean in every resample that has an image.

    Shapes (protocols,) and (resamples used, protocols).
    """
    rng = np.random.default_rng(seed)
    n, n_annotators = len(study.rankings.images), len(study.rankings.annotators)
    n_draws = min(n_resamples, _KEMENY_DRAWS) if study.consensus == "kemeny" else n_resamples
    drawn = rng.multinomial(n_annotators, np.full(n_annotators, 1 / n_annotators), n_draws)
    drawn = np.resize(drawn, (n_resamples, n_annotators))
    # Many resamples draw the same annotators: distances are measured once for each pattern.
    patterns, pattern_of = np.unique(drawn, axis=0, return_inverse=True)
    resamples_of = _members(pattern_of, len(patterns))
    total = np.zeros(len(study.rankings.protocols))
    sums, n_used = np.zeros((n_resamples, len(study.rankings.protocols))), np.zeros(n_resamples)
    for block, weights in resampled_weights(rng, n, n_resamples, _BLOCK):
        table, has_consensus = study.distances(block, np.concatenate([everybody, patterns]))
        total += table[0].sum(axis=0)
        for at, resamples in enumerate(resamples_of, 1):
            # How often each image stands in each of these resamples: (resamples, images).
            present = weights[resamples] * has_consensus[at]
            sums[resamples] += present @ table[at]
            n_used[resamples] += present.sum(axis=1)
    used = n_used > 0
    return total, sums[used] / n_used[used, np.newaxis]


def _members(group_of: NDArray[np.intp], n_groups: int) -> list[NDArray[np.intp]]:
    """Return the indices of each group's members, in order."""
    # A stable sort by group brings members together; their numbers say where to cut.
    order = np.argsort(group_of, kind="stable")
    ends = np.cumsum(np.bincount(group_of, minlength=n_groups))
    return np.split(order, ends[:-1]) if n_groups else []
