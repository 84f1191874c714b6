"""Simulated studies: how often a design errs, and which share of true differences it finds.

Every method has a quality on an image, and features that some annotators like and others do not.
An annotator sees quality, liking and noise (Thurstone's model, or Plackett and Luce's), in steps, so
that methods tie; a protocol sees quality, one feature and noise of its own. Protocols that share
these settings are equally near to people. Losses are Kemeny's, per pair of methods. Without methods,
losses are sums of normal effects of image, annotator and rest, as a plan assumes them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..elicitation.pair_draws import FLOOR
from ..errors import RankingError
from ..inference.clusters import clustered
from ..inference.multi_reader import compare
from ..inference.personal_distances import PersonalDistances
from ..inference.significance import ALPHA
from ..orders.distances import Distance, distances_between
from ..orders.packed import dense_places
from ..orders.packed_scores import Floats

Generator = np.random.Generator
Numbers = NDArray[np.intp]
# Share of the variance that images of a scene have in common.
ALIKE: Final = 0.8
# Noise of copies of one protocol, relative to other protocols'.
_OF_COPIES: Final = 0.1
# The mean of normal losses, so far above 0 that no limit is cut there.
_NORMAL_MEAN: Final = 1000.0
_LARGEST: Final = 100_000
# Larger studies need gigabytes.
MOST_CELLS: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class Simulated:
    """Settings of a simulated study; the defaults are one without any complication.

    Attributes
    ----------
    per_image : int
        Annotators per image; 0 means all.
    repeated, repeats : float, int
        The share of images that have another number of annotators, and this number.
    farther, added : int, float
        Number of protocols with more noise, and how much more, so that they are farther from people.
    taste, noise : float
        Standard deviations of annotators' likings and noise, where a quality has 1.
    camps : float
        Concentration of a Dirichlet distribution of an annotator's shares of the features: near 0,
        each annotator likes one feature, by ``taste``. 0: likings are normal and independent.
    drift : float
        Standard deviation of the change of an annotator's likings from the first image to the last.
    scales : bool
        Whether each annotator has thresholds of their own, one to seven, instead of equal steps.
    coarse : float
        Step to which every second protocol rounds its scores; 0: all round to 0.1.
    model : "thurstone", "plackett-luce" or "normal"
        Normal noise, or Gumbel's with the same standard deviation. "normal" has no methods: a loss is
        a sum of normal effects. It uses no setting of methods, people's answers and protocols' noise.
    image, annotator, rest, difference : float
        Of "normal" alone: the variances of the difference of two protocols, and its mean. Trials of other
        models look for the protocols' noise that makes this mean.
    pairs : bool
        Whether a visit asks one pair, drawn where protocols disagree, instead of a ranking.
    flips, flips_by : float, "answer" or "pair"
        Share of pairs answered at random, independently, or the same way by everyone.
    groups, bias : int, float
        Number of groups of annotators, and the standard deviation of the likings that they share; of
        "normal": relative to that of annotators.
    scenes : int
        Number of scenes, whose images resemble each other; 0: none.
    workload : float
        Exponent of the annotators' shares of the work: the n-th does n^-workload.
    even : bool
        Whether annotators rank equally many images, as in a plan, instead of those drawn for them.
    drop_outs, skips, unclear : float
        Share of annotators who stop halfway, of rankings that are lost, and of those that are lost
        where an annotator sees less difference between methods than on half of the images.
    copies : bool
        Whether protocols are pairs of near copies.
    order : "interleaved" or "sessions"
        Whether annotators work at the same time, or one after another.
    skew : float
        Variance of a factor of every second protocol's losses on an image, with mean 1: with a large
        one, protocols differ much on few images.
    declared : bool
        Whether the test knows groups and scenes.
    loss : "kemeny" or "edit"
        Kemeny's loss per pair of methods, or the edit distance divided by the number of pairs.
    """

    annotators: int = 12
    images: int = 100
    protocols: int = 7
    methods: int = 6
    per_image: int = 0
    repeated: float = 0.0
    repeats: int = 3
    farther: int = 0
    added: float = 0.4
    taste: float = 0.3
    noise: float = 0.5
    camps: float = 0.0
    drift: float = 0.0
    scales: bool = False
    coarse: float = 0.0
    model: Literal["thurstone", "plackett-luce", "normal"] = "thurstone"
    image: float = 0.00224
    annotator: float = 0.000712
    rest: float = 0.00247
    difference: float = 0.03
    pairs: bool = False
    flips: float = 0.0
    flips_by: Literal["answer", "pair"] = "answer"
    groups: int = 0
    bias: float = 0.6
    scenes: int = 0
    workload: float = 0.0
    even: bool = False
    drop_outs: float = 0.0
    skips: float = 0.0
    unclear: float = 0.0
    copies: bool = False
    order: Literal["interleaved", "sessions"] = "interleaved"
    skew: float = 0.0
    declared: bool = True
    loss: Distance = "kemeny"

    def __post_init__(self) -> None:
        for name, least in (("annotators", 1), ("images", 1), ("protocols", 2), ("methods", 2)):
            if not least <= getattr(self, name) <= _LARGEST:
                raise RankingError(
                    f"{name} must be from {least} to {_LARGEST}, got {getattr(self, name)}"
                )
        for name, most in (
            *(("per_image", self.annotators), ("groups", self.annotators), ("scenes", self.images)),
            *(("farther", self.protocols - 1), ("flips", 1), ("drop_outs", 1), ("skips", 1)),
            *(("unclear", 1), ("camps", 100), ("drift", 100), ("coarse", 100)),
            *(("taste", 100), ("noise", 100), ("added", 100), ("bias", 100), ("workload", 100)),
            *(("skew", 100), ("image", 1), ("annotator", 1), ("rest", 1), ("difference", 1)),
            *(("repeated", 1), ("repeats", self.annotators if self.repeated else _LARGEST)),
        ):
            if not 0 <= getattr(self, name) <= most:
                raise RankingError(f"{name} must be from 0 to {most}, got {getattr(self, name)}")
        for name, known in (
            ("model", ("thurstone", "plackett-luce", "normal")),
            ("flips_by", ("answer", "pair")),
            ("order", ("interleaved", "sessions")),
            ("loss", get_args(Distance)),
        ):
            if getattr(self, name) not in known:
                raise RankingError(f"{name} must be {' or '.join(known)}")
        if self.loss == "edit" and (self.pairs or self.flips):
            raise RankingError("the edit distance needs rankings: no pairs, and no flips of pairs")
        if self.n_cells > MOST_CELLS:
            raise RankingError("so many images, annotators, protocols and methods are too large")

    @property
    def n_cells(self) -> int:
        """The numbers that a simulated study computes, about."""
        per_loss = 10 if self.model == "normal" else math.comb(self.methods, 2)
        return self.images * self.annotators * self.protocols * per_loss

    @property
    def is_farther(self) -> NDArray[np.bool_]:
        """Which protocols have more noise: the last ones."""
        return np.arange(self.protocols) >= self.protocols - self.farther

    @property
    def is_coarse(self) -> NDArray[np.bool_]:
        """Which protocols round to ``coarse``: every second one."""
        return (np.arange(self.protocols) % 2 > 0) & (self.coarse > 0)


def simulated_from(settings: Mapping[str, Any]) -> Simulated:
    """Return the study of some settings by name, as a file has them.

    Raises RankingError if a name is unknown or a value is not of its kind, or outside its limits.
    """
    known = {field.name: type(field.default) for field in fields(Simulated)}
    for name, value in settings.items():
        if name not in known:
            raise RankingError(f"there is no setting {name}; known are {', '.join(known)}")
        kinds = (float, int) if known[name] is float else (known[name],)
        if type(value) not in kinds:
            raise RankingError(f"{name} must be of kind {known[name].__name__}, got {value!r}")
    return Simulated(**settings)


@dataclass(frozen=True, slots=True)
class Made:
    """One simulated study; numbers of groups and scenes are of each ranking, None without any."""

    distances: PersonalDistances
    groups: Numbers | None
    scenes: Numbers | None

    def at(self, rows: NDArray[np.intp]) -> "Made":
        """Return some rankings of the study."""
        return Made(
            self.distances.at(rows),
            None if self.groups is None else self.groups[rows],
            None if self.scenes is None else self.scenes[rows],
        )

    def as_tested(self, study: Simulated) -> PersonalDistances:
        """Return the distances with groups and scenes as units, if the test knows them."""
        if not study.declared:
            return self.distances
        return clustered(self.distances, self.groups, self.scenes)


def simulate(study: Simulated, rng: Generator) -> Made:
    """Return the losses of one simulated study's protocols."""
    n_images, n_people = study.images, study.annotators
    scene_of = np.arange(n_images) % study.scenes if study.scenes else None
    group_of = np.arange(n_people) % study.groups if study.groups else None
    if study.model == "normal":
        images, annotators = np.nonzero(_ranked(study, rng))
        losses = _of_effects(study, rng, images, annotators, (group_of, scene_of))
    else:
        every = _of_answers(study, rng, group_of, scene_of)
        images, annotators = np.nonzero(_ranked(study, rng) & ~np.isnan(every[..., 0]))
        losses = every[images, annotators]
    names = tuple(f"p{at}" for at in range(study.protocols))
    measured = PersonalDistances(names, images, annotators, losses)
    return Made(
        measured,
        None if group_of is None else group_of[annotators],
        None if scene_of is None else scene_of[images],
    )


def _of_effects(
    study: Simulated,
    rng: Generator,
    images: Numbers,
    annotators: Numbers,
    clusters: tuple[Numbers | None, Numbers | None],
) -> Floats:
    """Return losses that are sums of normal effects, (rankings, protocols)."""
    group_of, scene_of = clusters
    k = study.protocols
    of_annotator = rng.normal(size=(study.annotators, k))
    if group_of is not None:
        of_annotator += study.bias * rng.normal(size=(study.groups, k))[group_of]
    # A difference has the variance of two protocols.
    return np.asarray(
        _NORMAL_MEAN
        + study.difference * study.is_farther
        + np.sqrt(study.image / 2) * _alike(rng, (study.images, k), scene_of)[images]
        + np.sqrt(study.annotator / 2) * of_annotator[annotators]
        + np.sqrt(study.rest / 2) * rng.normal(size=(len(images), k))
    )


def _of_answers(
    study: Simulated, rng: Generator, group_of: Numbers | None, scene_of: Numbers | None
) -> Floats:
    """Return the losses of protocols on rankings by everybody, (images, annotators, protocols).

    Those of rankings that are lost because methods look close are NaN.
    """
    n_images, n_people, k = study.images, study.annotators, study.protocols
    n_features = (k + 1) // 2 if study.copies else k
    quality = _alike(rng, (n_images, 1, study.methods), scene_of)
    features = _alike(rng, (n_images, n_features, study.methods), scene_of)
    # (images or 1, annotators, features)
    likings = _likings(study, rng, n_features, group_of)
    seen = quality + np.einsum(
        "iaf,ifm->iam", np.broadcast_to(likings, (n_images, n_people, n_features)), features
    )
    seen += _noise_of(study, rng, seen.shape)
    levels = _levels(study, rng, seen)
    own_noise = np.full(k, 0.5) + study.added * study.is_farther
    own_noise *= _OF_COPIES if study.copies else 1
    own = quality + 0.5 * features[:, np.arange(k) * n_features // k]
    own += own_noise[:, np.newaxis] * _alike(rng, own.shape, scene_of)
    own = np.round(own, 1)
    if study.coarse:
        own[:, study.is_coarse] = np.round(own[:, study.is_coarse] / study.coarse)
    if study.loss == "edit":
        a, b = dense_places(levels)[:, :, np.newaxis], dense_places(own)[:, np.newaxis]
        losses = distances_between(a, b, "edit") / math.comb(study.methods, 2)
    else:
        losses = _losses(study, rng, _with_flips(study, rng, _signs(levels)), _signs(own))
    if study.skew:
        factors = rng.gamma(1 / study.skew, study.skew, size=(n_images, 1, k))
        losses = np.where(np.arange(k) % 2, factors, 1) * losses
    if study.unclear:
        spread = seen.std(axis=-1)
        is_lost = (spread < np.median(spread, axis=0)) & (rng.random(spread.shape) < study.unclear)
        losses = np.where(is_lost[..., np.newaxis], np.nan, losses)
    return np.asarray(losses)


def _likings(study: Simulated, rng: Generator, n_features: int, group_of: Numbers | None) -> Floats:
    """Return annotators' likings of features: (images, or 1 if they never change, annotators, features)."""

    def drawn(n: int) -> Floats:
        if study.camps:
            return rng.dirichlet(np.full(n_features, study.camps), n)
        return rng.normal(size=(n, n_features))

    likings = study.taste * drawn(study.annotators)
    if group_of is not None:
        likings += study.bias * drawn(study.groups)[group_of]
    if not study.drift:
        return likings[np.newaxis]
    progress = np.linspace(-0.5, 0.5, study.images)[:, np.newaxis, np.newaxis]
    return np.asarray(likings + study.drift * progress * rng.normal(size=likings.shape))


def _levels(study: Simulated, rng: Generator, seen: Floats) -> Floats:
    """Return what annotators see, (images, annotators, methods), in steps."""
    if not study.scales:
        return np.asarray(np.round(2 * seen))
    levels = np.zeros(seen.shape)
    for at in range(study.annotators):
        thresholds = rng.normal(size=rng.integers(1, 8)) * seen.std()
        levels[:, at] = (seen[:, at, :, np.newaxis] > thresholds).sum(axis=-1)
    return levels


def _losses(
    study: Simulated, rng: Generator, answers: NDArray[np.int8], own: NDArray[np.int8]
) -> Floats:
    """Return losses on answers (images, annotators, pairs) of protocols (images, protocols, pairs)."""
    if not study.pairs:
        return np.asarray(np.abs(answers[:, :, np.newaxis] - own[:, np.newaxis]).mean(axis=-1) / 2)
    # Pairs weigh as often as two protocols differ about them (elicitation.pair_draws).
    n_of = np.stack([(own == sign).sum(axis=1) for sign in (-1, 0, 1)]).astype(float)
    weights = study.protocols**2 - (n_of**2).sum(axis=0)
    total, n_pairs = weights.sum(axis=-1, keepdims=True), weights.shape[-1]
    shares = np.divide(weights, total, out=np.full_like(weights, 1 / n_pairs), where=total > 0)
    chances = (1 - FLOOR) * shares + FLOOR / n_pairs
    points = rng.random((*answers.shape[:2], 1))
    drawn = (points > chances.cumsum(axis=-1)[:, np.newaxis, :-1]).sum(axis=-1)
    image = np.arange(len(answers))[:, np.newaxis]
    answer = np.take_along_axis(answers, drawn[..., np.newaxis], axis=-1)
    of_pair = np.abs(answer - own.transpose(0, 2, 1)[image, drawn]) / 2
    return np.asarray(of_pair / n_pairs / chances[image, drawn][..., np.newaxis])


def _alike(rng: Generator, shape: tuple[int, ...], scene_of: Numbers | None) -> Floats:
    """Return normal numbers with variance 1, more alike for images of one scene."""
    own = rng.normal(size=shape)
    if scene_of is None:
        return own
    shared = rng.normal(size=(int(scene_of.max()) + 1, *shape[1:]))[scene_of]
    return np.asarray(np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own)


def _noise_of(study: Simulated, rng: Generator, shape: tuple[int, ...]) -> Floats:
    if study.model == "thurstone":
        return np.asarray(study.noise * rng.normal(size=shape))
    return np.asarray(study.noise * np.sqrt(6) / np.pi * rng.gumbel(size=shape))


def _signs(levels: Floats) -> NDArray[np.int8]:
    """Return -1, 0 or 1 for every two methods, on the last axis."""
    first, second = np.triu_indices(levels.shape[-1], 1)
    return np.sign(levels[..., first] - levels[..., second]).astype(np.int8)


def _with_flips(study: Simulated, rng: Generator, answers: NDArray[np.int8]) -> NDArray[np.int8]:
    if not study.flips:
        return answers
    shape = answers.shape if study.flips_by == "answer" else (len(answers), 1, answers.shape[-1])
    at_random = rng.integers(-1, 2, size=shape, dtype=np.int8)
    return np.where(rng.random(shape) < study.flips, at_random, answers)


def _ranked(study: Simulated, rng: Generator) -> NDArray[np.bool_]:
    """Return who ranks which image: (images, annotators)."""
    shape = (study.images, study.annotators)
    shares = np.arange(1.0, study.annotators + 1) ** -study.workload
    # The largest of these keys are drawn without replacement, with chances as the shares.
    keys = np.log(shares) + rng.gumbel(size=shape)
    n_of_image = np.full((study.images, 1), study.per_image or study.annotators)
    n_of_image[: math.ceil(study.repeated * study.images - 1e-9)] = study.repeats
    if study.even:
        ranked = _evenly(-keys, n_of_image[:, 0])
    else:
        ranked = (-keys).argsort(axis=1).argsort(axis=1) < n_of_image
    stops = rng.random(study.annotators) < study.drop_outs
    ranked[study.images // 2 :, stops] = False
    return np.asarray(ranked & (rng.random(shape) >= study.skips))


def _evenly(keys: Floats, n_of_image: Numbers) -> NDArray[np.bool_]:
    """Return who ranks which image if it is given to those with fewest so far, then smallest keys."""
    ranked = np.zeros(keys.shape, dtype=bool)
    n_so_far = np.zeros(keys.shape[1])
    for own, row, n in zip(ranked, keys, n_of_image, strict=True):
        own[np.lexsort((row, n_so_far))[:n]] = True
        n_so_far += own
    return ranked


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of many simulated studies.

    ``errors`` is the share of studies that find any difference between equally near protocols;
    ``power`` the share of true differences that are found, with its standard error (None for a single
    study); both are None without a true difference. ``difference`` is the mean difference of losses of
    the farther protocols and the others; ``coverage`` the share of 95 % intervals of a protocol's mean
    loss that contain the mean over all studies; ``tested`` the share of studies that allow a test.
    """

    n_studies: int
    errors: float
    power: float | None
    power_error: float | None
    difference: float
    coverage: float
    tested: float


def outcome(
    study: Simulated, n_studies: int, seed: int, progress: Callable[[int], None] | None = None
) -> Outcome:
    """Simulate studies and test each; ``progress`` takes the number done.

    Raises RankingError if there is no study to simulate.
    """
    if n_studies < 1:
        raise RankingError(f"the number of studies must be at least 1, got {n_studies}")
    rng = np.random.default_rng(seed)
    is_farther, is_coarse = study.is_farther, study.is_coarse
    first, second = np.triu_indices(study.protocols, 1)
    differs = is_farther[first] != is_farther[second]
    alike = ~differs & (is_coarse[first] == is_coarse[second])
    errors, tested = 0, 0
    found, means, limits = [], [], []
    for done in range(n_studies):
        if progress is not None:
            progress(done)
        result = compare(simulate(study, rng).as_tested(study))
        if result.reason:
            continue
        tested += 1
        told = np.array([(pair.adjusted_p_value or 0.0) <= ALPHA for pair in result.pairs])
        errors += bool(told[alike].any())
        found += [float(told[differs].mean())] if differs.any() else []
        means.append(result.means)
        limits.append(result.mean_limits)
    if not tested:
        return Outcome(n_studies, 0.0, None, None, 0.0, 0.0, 0.0)
    # (studies, protocols) and (studies, protocols, 2)
    losses, bounds = np.array(means, dtype=float), np.array(limits, dtype=float)
    true = losses.mean(axis=0)
    inside = (bounds[..., 0] <= true) & (true <= bounds[..., 1])
    apart = true[is_farther].mean() - true[~is_farther].mean() if is_farther.any() else 0.0
    return Outcome(
        n_studies,
        errors / tested,
        float(np.mean(found)) if found else None,
        float(np.std(found, ddof=1) / math.sqrt(len(found))) if len(found) > 1 else None,
        float(apart),
        float(inside.mean()),
        tested / n_studies,
    )
