"""The paper's open questions ([DPTF18]_, sections V and VI) that rankings and scores answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..agreement.baselines import losses_by_image
from ..agreement.report import ALL_TIED, RecallPrecision, Scores, Settings
from ..inference.disparity import Disparity, disparity
from ..inference.personal_distances import personal_losses
from ..inference.personal_rankings import PersonalRankings, personal_rankings_from_scores
from ..inference.resampling import N_RESAMPLES, SEED, drawn_images
from ..orders.buckets import Ranking, methods_of
from ..orders.from_scores import f_beta
from ..orders.packed_scores import packed_study
from .beta import BetaSearch
from .cross_validation import fold_numbers, folds
from .gains import Gain, corrected, gain
from .preference_strength import StrengthCorrelation, strength_correlations
from .slices import ImageProperty, Slice, slices

DIFFERENCE = "Difference of the methods"
# In a larger study the gain of a beta is measured on this many images.
MOST_IMAGES = 5000


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """Answers for one criterion: disparity of annotators, strength of preference, and slices."""

    disparity: Disparity
    strengths: tuple[StrengthCorrelation, ...]
    slices: tuple[Slice, ...]


def open_questions(
    people: Mapping[str, Mapping[str, Ranking]],
    consensus: Mapping[str, Ranking],
    values: Scores,
    rankings: PersonalRankings,
    settings: Settings,
    *,
    properties: Sequence[ImageProperty] = (),
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
) -> OpenQuestions:
    """Answer the open questions for one criterion.

    ``people`` are the rankings of the images that count; ``rankings`` those of people and, by
    ``values``, of protocols. ``properties`` divide the images into slices, in addition to the
    methods' difference. Raises MissingScore, which names image, protocol and method, and
    RankingError if the rankings of an image have different methods, or a setting is invalid.
    """
    protocols = rankings.protocols
    everything = [*properties, differences_of_methods(values, consensus, protocols)]
    return OpenQuestions(
        disparity(rankings),
        strength_correlations(
            people,
            values,
            protocols,
            decimals=settings.decimals,
            n_resamples=n_resamples,
            seed=seed,
        ),
        slices(losses_by_image(rankings), rankings.images, [*protocols, ALL_TIED], everything),
    )


def differences_of_methods(
    values: Scores, consensus: Mapping[str, Ranking], protocols: Sequence[str]
) -> ImageProperty:
    """Return how much the methods of each image differ in the protocols' values.

    The absolute difference of the values of two methods, mean over pairs and protocols; None for an
    image with one method. Raises MissingScore if the value of a ranked method is missing; the
    message names image, protocol and method.
    """

    images = sorted(consensus)
    found: dict[str, float | None] = dict.fromkeys(images)
    for group in packed_study(values, consensus, protocols):
        first, second = np.triu_indices(group.goals.shape[1], 1)
        if len(first) and protocols:
            apart = np.abs(group.values[..., first] - group.values[..., second])
            means = apart.mean(axis=(1, 2)).tolist()
            found |= {images[at]: mean for at, mean in zip(group.rows, means, strict=True)}
    return ImageProperty(DIFFERENCE, "", found)


def beta_gains(
    people: Mapping[str, Mapping[str, Ranking]],
    consensus: Mapping[str, Ranking],
    values: Scores,
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    searches: Sequence[BetaSearch],
    settings: Settings,
) -> tuple[Gain, ...]:
    """Return each protocol's gain from its best beta, judged on images outside the search.

    The beta of an image is the best by :func:`.beta.beta_search` on the images outside its fold; it
    is compared with the report's beta. Of more than 5,000 images, 5,000 are drawn at random.
    Without numbers if there are fewer than two images.
    """
    images, protocols = sorted(consensus), [search.protocol for search in searches]
    if len(images) < 2 or not protocols:
        return tuple(map(Gain, protocols))
    betas = {search.protocol: search.fold_betas for search in searches}
    fold_of = dict(zip(images, fold_numbers(folds(len(images)), len(images)).tolist(), strict=True))
    images = drawn_images(images, MOST_IMAGES, SEED)
    changed = {
        image: {
            name: {
                method: _f(scores[image][name][method], betas[name][fold_of[image]])
                for method in methods_of(consensus[image])
            }
            for name in protocols
        }
        for image in images
    }
    drawn_people = {image: people[image] for image in images}
    as_is, searched = (
        personal_losses(
            personal_rankings_from_scores(drawn_people, by_beta, protocols, settings.decimals)
        )
        for by_beta in (values, changed)
    )
    return corrected(
        [
            gain(name, as_is.of([name]), searched.distances[:, at])
            for at, name in enumerate(protocols)
        ]
    )


def _f(score: RecallPrecision, beta: float) -> float | None:
    recall, precision = score
    return None if recall is None or precision is None else f_beta(recall, precision, beta)
