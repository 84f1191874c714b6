"""Components of variance for planning, from a pilot, another study or the demo.

All are of Kemeny's loss per pair (:mod:`.pair_estimates`), from 0 to 1, so that whole rankings and
pairs can be compared. Whole rankings also predict a study that asks one pair per image at a time:
images and annotators vary in the same way, and the variance of the draw is added to the rest.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Final, Literal

import numpy as np

from ..agreement.report import RecallPrecision, Settings, values_of
from ..elicitation.pair_draws import disagreement, inclusion_probabilities
from ..elicitation.strategies import Way, pairs_of_ranking
from ..errors import RankingError
from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.pair_estimates import Visit, names_of, pair_losses
from ..inference.resampling import SEED, drawn_images
from ..orders.buckets import Ranking, bucket_of, methods_of
from ..orders.packed_scores import Floats, protocols_of, rankings_from_scores
from .designs import Components
from .power import components_of

# The task on an image: to rank all methods, or to compare one pair, drawn where protocols disagree.
Asking = Literal["rankings", "pairs"]
# More images add little to the estimate of how much they vary.
MOST_IMAGES: Final = 2000

DEMO: Final = "the demo"
PILOT: Final = "the pilot"
NO_PILOT: Final = (
    "There is no pilot: how much images and people vary is taken from the demo, whose people are "
    "simulated."
)
# By preference, means over the demo's pairs of protocols without its sentinel.
DEMO_COMPONENTS: Final[Mapping[Asking, Components]] = {
    "rankings": Components(image=0.00224, annotator=0.000712, rest=0.00247, prior=None),
    "pairs": Components(image=0.00224, annotator=0.000712, rest=0.147, prior=None),
}
USUAL_METHODS: Final = 10
TEN_METHODS: Final = (
    "The number of methods is not known, so a ranking is taken to need the pairs of ten methods."
)


@dataclass(frozen=True, slots=True)
class Pilot:
    """Variation that a plan assumes: how much images, people and the rest vary.

    ``components`` by way of asking; a study that asked pairs has none for whole rankings. ``remarks``
    are sentences about unknown parts; ``differences`` are the absolute differences of the mean losses
    of all pairs of protocols, ascending, as a scale. ``methods`` are those of an image on average, None if
    unknown.
    """

    components: Mapping[Asking, Components]
    origin: str
    remarks: tuple[str, ...] = ()
    differences: tuple[float, ...] = ()
    methods: float | None = None

    def for_methods(self, n_methods: int) -> "Pilot":
        """Return the variation of rankings of another number of methods, and of pairs of them.

        By simulations and subsets of the demo's methods, the variance of images and the rest is
        proportional to (1 + 0.14 (n - 2)) / (n choose 2), and drawing one pair adds so much of 0.15 as
        is left of it; annotators vary as before. Where only pairs were asked, nothing changes.
        """
        if self.methods is None or n_methods == self.methods or "rankings" not in self.components:
            return self
        share, own = _of_one_pair(n_methods), _of_one_pair(self.methods)
        whole, pairs = self.components["rankings"], self.components["pairs"]
        drawn = (pairs.rest - whole.rest) / (1 - own) if own < 1 else _DRAWN
        image, rest = whole.image * share / own, whole.rest * share / own
        scaled: Mapping[Asking, Components] = {
            "rankings": replace(whole, image=image, rest=rest),
            "pairs": replace(pairs, image=image, rest=rest + drawn * (1 - share)),
        }
        return replace(self, components=scaled, methods=float(n_methods))


# The variance of a difference that drawing one pair of many methods adds.
_DRAWN: Final = 0.15


# Simulated people and protocols: the variance of a difference on one pair, the images' share of it, and the
# annotators' component. The first is the kindest.
_WORLDS: Final = tuple(product((0.205, 0.23), (0.51, 0.08), (0.0, 0.0039)))


def worlds(n_methods: float) -> list[Mapping[Asking, Components]]:
    """Return what may vary if nothing is measured: components of several worlds, the kindest first."""
    share = _of_one_pair(n_methods)
    found: list[Mapping[Asking, Components]] = []
    for variance, of_image, annotator in _WORLDS:
        image, rest = variance * share * of_image, variance * share * (1 - of_image)
        whole = Components(image, annotator, rest, prior=None)
        found.append({"rankings": whole, "pairs": replace(whole, rest=rest + _DRAWN * (1 - share))})
    return found


def _of_one_pair(n_methods: float) -> float:
    """Return the variance of a difference on so many methods, relative to that on two."""
    return (1 + 0.14 * (n_methods - 2)) * 2 / (n_methods * (n_methods - 1))


def screens_of(
    n_methods: int,
    measured: float,
    measured_with: int,
    way: Way = "insertion",
    measured_way: Way = "insertion",
) -> float:
    """Return the answers that a ranking of so many methods takes, by those measured with others.

    Parameters
    ----------
    n_methods, measured_with : int
        Methods of an image, at least 2.
    measured : float
        Mean answers of a ranking with ``measured_with`` methods.
    way, measured_way : "insertion", "careful" or "every-pair"
        The way to rank, and that of the measurement.

    Every method but the first is inserted with one answer at least; without re-checks no way takes more
    answers than there are pairs.
    """
    usual = pairs_of_ranking(measured_with, way=measured_way)
    scaled = max(measured * pairs_of_ranking(n_methods, way=way) / usual, n_methods - 1.0)
    return scaled if way == "insertion" else min(scaled, math.comb(n_methods, 2))


def ties_of(rankings: Mapping[str, Mapping[str, Ranking]]) -> float:
    """Return the share of pairs of methods that people's rankings tie, by image and annotator; 0 if none."""
    sizes = [[len(bucket) for bucket in one] for of in rankings.values() for one in of.values()]
    n_tied = sum(math.comb(size, 2) for one in sizes for size in one)
    return n_tied / max(sum(math.comb(sum(one), 2) for one in sizes), 1)


def demo_pilot(*why: str) -> Pilot:
    """Return the demo's components, with the reasons for using them."""
    return Pilot(DEMO_COMPONENTS, DEMO, why or (NO_PILOT,), methods=USUAL_METHODS)


def pilot(
    visits: Sequence[Visit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
    *,
    origin: str = PILOT,
    declared: Declared = NONE_DECLARED,
) -> Pilot:
    """Return the variation that rankings or pairs of one criterion predict for a later study.

    Whole rankings count alone if there are also pairs. With too few data it is the demo's, with the
    reason; with one annotator, the annotators' component is the demo's share of the other components.
    Declared groups and scenes are the units of the plan's test.
    Raises RankingError as :func:`.pair_estimates.pair_losses` does.
    """
    whole = [visit for visit in visits if visit.probabilities is None]
    used = whole or list(visits)
    if not used:
        return demo_pilot()
    if len(protocols) < 2:
        few = f"{origin} has fewer than two protocols."
        return demo_pilot(few, NO_PILOT)
    chosen = {*drawn_images(sorted({visit.image for visit in used}), MOST_IMAGES, SEED)}
    used = [visit for visit in used if visit.image in chosen]
    measured = pair_losses(used, protocol_rankings, protocols)
    if len(np.unique(measured.images)) < 2:
        few = f"{origin} has fewer than two images."
        return demo_pilot(few, NO_PILOT)
    remarks = []
    if len(np.unique(measured.annotators)) < 2:
        known = _without_annotators(measured.distances)
        remarks.append(
            f"{origin} has only one annotator, which tells nothing about how people "
            "differ: that is taken from the demo."
        )
    else:
        known = components_of(measured, declared.of(measured, *names_of(used)))
        remarks += [
            words.format(origin=origin, n=f"{n:.1f}".removesuffix(".0"))
            for n, words in ((known.per_group, _GROUPS), (known.per_scene, _SCENES))
            if n > 1
        ]
    remarks += [_NEGATIVE[name] for name in known.negative]
    if not known.image_is_apart:
        remarks.append(
            "No image was ranked by two people, so images and chance cannot be separated: the "
            "effect of several people per image is unknown, and taken as zero."
        )
    means = measured.distances.mean(axis=0).tolist()
    apart = tuple(sorted(abs(a - b) for a, b in combinations(means, 2)))
    if not whole:
        return Pilot({"pairs": known}, origin, tuple(remarks), apart)
    drawn = variance_of_draws(used, protocol_rankings, protocols)
    as_pairs = replace(known, rest=known.rest + drawn)
    methods = float(np.mean([len(bucket_of(visit.ranking)) for visit in used]))
    components: Mapping[Asking, Components] = {"rankings": known, "pairs": as_pairs}
    return Pilot(components, origin, tuple(remarks), apart, methods if methods >= 2 else None)


_GROUPS: Final = (
    "{origin} has groups of {n} people on average, and tests count groups. This plan assumes groups of that "
    "size; more and smaller groups need fewer people."
)
_SCENES: Final = (
    "{origin} has scenes of {n} images on average, and tests count scenes. This plan assumes scenes of that "
    "size; more and smaller scenes need fewer images."
)
_NEGATIVE: Final = {
    "image": (
        "Images seem to vary no more than by chance: their variance was estimated below 0 and is "
        "taken as 0."
    ),
    "annotator": (
        "People seem to differ no more than by chance: their variance was estimated below 0 and is "
        "taken as 0. A small pilot may miss it."
    ),
    "rest": "Nothing is left to chance: the rest of the variance was estimated below 0 and is taken as 0.",
}


def variance_of_draws(
    visits: Sequence[Visit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
) -> float:
    """Return how much drawing one pair per image adds to the variance of a difference.

    Pairs of methods are drawn where the protocols disagree (:mod:`.pair_draws`). The mean over the
    visits (whole rankings, at least one) and over pairs of protocols (at least two).
    """
    total = 0.0
    n_pairs = len(protocols) * (len(protocols) - 1) / 2
    drawn: dict[tuple[str, frozenset[str]], tuple[list[tuple[str, str]], Floats, Floats]] = {}
    for visit in visits:
        # Annotators of an image may have ranked different methods.
        asked = visit.image, methods_of(visit.ranking)
        if asked not in drawn:
            drawn[asked] = _drawn(protocol_rankings[visit.image], protocols, asked[1])
        pairs, probabilities, own = drawn[asked]
        said = _signs(visit.ranking, pairs)
        # (pairs, protocols): each one's share of the loss on the image.
        losses = np.abs(own - said[:, np.newaxis]) / (2 * len(pairs))
        # Sums of squared differences over pairs of protocols: p sum x^2 - (sum x)^2.
        expected = (_squares(losses) / probabilities).sum()
        total += float(expected - _squares(losses.sum(axis=0)))
    return total / n_pairs / len(visits)


def _drawn(
    rankings: Mapping[str, Ranking], protocols: Sequence[str], ranked: Collection[str]
) -> tuple[list[tuple[str, str]], Floats, Floats]:
    """Return the pairs of the ranked methods, their probabilities, and signs (pairs, protocols)."""
    ordered = [_of_methods(rankings[name], ranked) for name in protocols]
    methods = sorted(bucket_of(ordered[0]))
    if len(methods) < 2:
        raise RankingError("a draw needs at least two methods of every image")
    chances = inclusion_probabilities(methods, k=2, weights=disagreement(ordered))
    pairs = list(combinations(methods, 2))
    return (
        pairs,
        np.array([chances[frozenset(pair)] for pair in pairs]),
        np.stack([_signs(ranking, pairs) for ranking in ordered], axis=1),
    )


def _of_methods(ranking: Ranking, methods: Collection[str]) -> Ranking:
    kept = (tuple(name for name in bucket if name in methods) for bucket in ranking)
    return tuple(bucket for bucket in kept if bucket)


def _signs(ranking: Ranking, pairs: Sequence[tuple[str, str]]) -> Floats:
    place = bucket_of(ranking)
    return np.sign([place[a] - place[b] for a, b in pairs]).astype(np.float64)


def _squares(values: Floats) -> Floats:
    """Return the sum of squared differences over all pairs of numbers along the last axis."""
    return np.asarray(values.shape[-1] * (values**2).sum(axis=-1) - values.sum(axis=-1) ** 2)


def _without_annotators(losses: Floats) -> Components:
    """Return the components of one annotator's rankings, with the demo's share for annotators."""
    demo = DEMO_COMPONENTS["rankings"]
    share = demo.annotator / (demo.image + demo.rest)
    centred = losses - losses.mean(axis=0)
    n, n_protocols = losses.shape
    variance = float(_squares(centred).sum()) / (n - 1) / (n_protocols * (n_protocols - 1) / 2)
    return Components(variance, share * variance, 0.0, image_is_apart=False)


def pilot_of_rankings(
    rankings: Mapping[str, Mapping[str, Ranking]],
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    criterion: str,
    settings: Settings,
    *,
    without: Collection[str] = (),
    origin: str = PILOT,
    declared: Declared = NONE_DECLARED,
) -> Pilot:
    """Return the :func:`pilot` of whole rankings by one criterion and of protocols' scores.

    Images on which a protocol has no score for a ranked method are left out, as are protocols
    ``without``, such as sentinels. Of the settings, decimals and beta are used.
    """
    protocols = [name for name in protocols_of(scores) if name not in without]
    values = values_of(criterion, scores, settings)
    methods = {
        image: sorted(bucket_of(next(iter(of_image.values()))))
        for image, of_image in rankings.items()
        if of_image
    }
    methods = {
        image: ranked
        for image, ranked in methods.items()
        if all(
            values.get(image, {}).get(name, {}).get(method) is not None
            for name in protocols
            for method in ranked
        )
    }
    visits = [
        Visit(image, annotator, ranking, None)
        for image in methods
        for annotator, ranking in rankings[image].items()
    ]
    own = rankings_from_scores(values, methods, protocols, settings.decimals)
    return pilot(visits, own, protocols, origin=origin, declared=declared)
