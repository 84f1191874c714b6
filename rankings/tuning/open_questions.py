"""The paper's open questions ([DPTF18]_, sections V and VI), as far as rankings and scores answer them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from text_rankings.base.i18n import gettext_noop

from ..agreement.report import ALL_TIED, RecallPrecision, Scores, Settings
from ..inference.disparity import Disparity, disparity
from ..inference.multi_reader import personal_distances
from ..inference.personal_rankings import PersonalRankings, personal_rankings_from_scores
from ..inference.resampling import N_RESAMPLES, SEED, distance_table, drawn_images
from ..orders.buckets import Ranking, methods_of
from ..orders.from_scores import f_beta
from ..orders.packed_scores import packed_study
from .beta import BetaSearch, fold_numbers, folds
from .gains import Gain, corrected, gain
from .preference_strength import StrengthCorrelation, strength_correlations
from .slices import ImageProperty, Slice, slices

DIFFERENCE = gettext_noop("Difference of the methods")
# Of a larger study the gain of a beta is measured on so many images.
MOST_IMAGES = 5000


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """Answers for one criterion: disparity of annotators, values, and slices."""

    disparity: Disparity
    strengths: tuple[StrengthCorrelation, ...]
    slices: tuple[Slice, ...]


def open_questions(
    people: Mapping[str, Mapping[str, Ranking]],
    consensus: Mapping[str, Ranking],
    values: Scores,
    rankings: PersonalRankings,
    distances: Mapping[str, Mapping[str, float]],
    settings: Settings,
    *,
    properties: Sequence[ImageProperty] = (),
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
) -> OpenQuestions:
    """Answer the open questions for one criterion.

    Parameters
    ----------
    people : image -> annotator -> ranking
        Of the images that count.
    consensus : image -> ranking
    values : image -> protocol -> method -> value that the criterion is compared with
    rankings : PersonalRankings
        Of people and, by these values, of protocols.
    distances : image -> protocol or baseline -> distance to the consensus
    settings : Settings
    properties : sequence of ImageProperty
        Properties that divide the images into slices, in addition to how much the methods differ.
    n_resamples, seed : int
        Of the bootstrap.

    Raises
    ------
    MissingScore
        If the value of a ranked method is missing; names image, protocol and method.
    RankingError
        If the rankings of an image are of different methods, or a setting cannot be.

    Examples
    --------
    >>> ab, values = (("a",), ("b",)), {"img_1": {"iou": {"a": 0.9, "b": 0.4}}}
    >>> people, distances = {"img_1": {"ann": ab}}, {"img_1": {"iou": 0.0, ALL_TIED: 0.5}}
    >>> rankings = personal_rankings_from_scores(people, values, ["iou"])
    >>> study = people, {"img_1": ab}, values, rankings, distances
    >>> [cut] = open_questions(*study, Settings()).slices
    >>> cut.by, cut.least, [(one.protocol, one.score) for one in cut.scores]
    ('Difference of the methods', 0.5, [('iou', 0.0), ('all tied', 0.5)])
    """
    protocols = rankings.protocols
    everything = [*properties, differences_of_methods(values, consensus, protocols)]
    rows = [*protocols, ALL_TIED]
    return OpenQuestions(
        disparity(rankings, distance=settings.distance),
        strength_correlations(
            people,
            values,
            protocols,
            decimals=settings.decimals,
            n_resamples=n_resamples,
            seed=seed,
        ),
        slices(distance_table(distances, rows), sorted(distances), rows, everything),
    )


def differences_of_methods(
    values: Scores, consensus: Mapping[str, Ranking], protocols: Sequence[str]
) -> ImageProperty:
    """Return how far apart the protocols see the methods of each image.

    Parameters
    ----------
    values : image -> protocol -> method -> value
    consensus : image -> ranking
        The images that count.
    protocols : sequence of str

    Returns
    -------
    ImageProperty
        The absolute difference of the values of two methods, mean over pairs and protocols; None for an
        image with one method.

    Raises
    ------
    MissingScore
        If the value of a ranked method is missing; names image, protocol and method.

    Examples
    --------
    >>> values = {"img_1": {"iou": {"a": 0.75, "b": 0.25}}}
    >>> differences_of_methods(values, {"img_1": (("a",), ("b",))}, ["iou"]).values
    {'img_1': 0.5}
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
    """Return what the best beta brings each protocol, judged on images it was not searched on.

    Each image is ranked with the beta that :func:`.tuning.beta_search` finds best on the images outside
    its fold, and compared with the report's beta. Of more than 5,000 images so many are drawn at random.

    Parameters
    ----------
    people : image -> annotator -> ranking
        Of the images that count.
    consensus : image -> ranking
    values : image -> protocol -> method -> F-score with the report's beta
    scores : image -> protocol -> method -> (recall, precision)
    searches : sequence of BetaSearch
        Result of the search on these images.
    settings : Settings

    Returns
    -------
    tuple of Gain
        In the order of the searches; without numbers with fewer than two images.

    Examples
    --------
    With beta 1 precision decides against what people say, with a larger one recall decides for it.

    >>> from rankings.tuning.beta import beta_search
    >>> ab = (("a",), ("b",))
    >>> scores = dict.fromkeys(["img_1", "img_2"], {"iou": {"a": (0.9, 0.4), "b": (0.5, 0.8)}})
    >>> people, consensus = dict.fromkeys(scores, {"ann": ab}), dict.fromkeys(scores, ab)
    >>> searches = beta_search(scores, consensus)
    >>> values = dict.fromkeys(scores, {"iou": {"a": 0.55, "b": 0.62}})
    >>> beta_gains(people, consensus, values, scores, searches, Settings())[0].difference
    -1.0
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
        personal_distances(
            personal_rankings_from_scores(drawn_people, by_beta, protocols, settings.decimals),
            distance=settings.distance,
        )
        for by_beta in (values, changed)
    )
    return corrected(
        [gain(name, as_is.only(at), searched.distances[:, at]) for at, name in enumerate(protocols)]
    )


def _f(score: RecallPrecision, beta: float) -> float | None:
    recall, precision = score
    return None if recall is None or precision is None else f_beta(recall, precision, beta)
