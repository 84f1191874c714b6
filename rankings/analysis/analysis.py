"""A whole report: its tables with intervals, tests, measures of agreement and variants."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from text_rankings.base.chunks import answers

from ..agreement.annotators import (
    AnnotatorDistance,
    HumanBaseline,
    annotator_distances,
    human_baseline,
    image_agreements,
    krippendorff_alpha,
    mean_of,
)
from ..agreement.baselines import (
    BaselineMeasures,
    against_silence,
    baseline_measures,
)
from ..agreement.measures import Measures, measures
from ..agreement.report import (
    ALL_TIED,
    CriterionReport,
    RecallPrecision,
    Report,
    Scores,
    Settings,
    build_report,
    values_of,
)
from ..agreement.sensitivity import RoundingRow, Variant, rounding_table, sensitivity_table
from ..agreement.sentinels import SentinelWarning, sentinel_warnings
from ..agreement.ties import TiedShares, tied_shares
from ..consensus.rules import ConsensusMethod, consensus_by
from ..inference.clusters import Declared
from ..inference.multi_reader import Comparisons, compare_protocols, told_apart
from ..inference.personal_distances import personal_losses
from ..inference.personal_rankings import (
    PersonalRankings,
    personal_rankings_from_scores,
    protocols_alike,
)
from ..inference.resampling import (
    FEW_IMAGES,
    LEVEL,
    N_RESAMPLES,
    SEED,
    Intervals,
    distance_table,
    score_intervals,
)
from ..inference.significance import (
    CriticalDifference,
    Friedman,
    critical_difference,
    friedman_test,
)
from ..inference.stand_in import StandIns, stand_in
from ..inference.undeclared import Signs, undeclared_clusters
from ..orders.buckets import Ranking
from ..orders.pairwise import CriterionDistance, criterion_distances
from ..tuning.beta import BetaSearch, beta_search
from ..tuning.gains import Gain
from ..tuning.open_questions import OpenQuestions, beta_gains, open_questions
from ..tuning.slices import ImageProperty
from ..tuning.tie_calibration import TieCalibration, tie_calibration

# criterion -> image -> annotator -> ranking
Rankings = Mapping[str, Mapping[str, Mapping[str, Ranking]]]
# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of the annotators: means over the images that count, or None if undefined.

    ``n_without_w`` of these images have no W, mostly because every annotator ties all methods.
    ``w_low`` and ``w_high`` limit the mean of the others (Student's t over images, annotators fixed),
    None below ten images; ``w_by_chance`` is the mean of 1 / m, the expectation of m random orders.
    """

    kendall_w: float | None
    edit_distance: float | None
    kemeny_distance: float | None
    alpha: float | None
    n_without_w: int = 0
    w_low: float | None = None
    w_high: float | None = None
    w_by_chance: float | None = None


@dataclass(frozen=True, slots=True)
class CriterionAnalysis:
    """The statistics in addition to the table of one criterion: intervals, tests, variants.

    Clusters and letters come from the comparisons, with annotators and images random; intervals
    and Friedman's test take the annotators as fixed. Cluster and letter
    are None if there is no test.
    """

    intervals: Intervals
    comparisons: Comparisons
    clusters: Mapping[str, int | None]
    letters: Mapping[str, str | None]
    friedman: Friedman
    critical_difference: CriticalDifference
    measures: tuple[Measures, ...]
    agreement: Agreement
    annotators: Mapping[str, AnnotatorDistance]
    human_baseline: HumanBaseline
    against_person: StandIns
    against_silence: Mapping[str, Comparisons]
    baselines: tuple[BaselineMeasures, ...]
    ties: TiedShares
    rounding: tuple[RoundingRow, ...]
    sensitivity: tuple[Variant, ...]
    calibration: tuple[TieCalibration, ...]
    # Empty for recall and precision, whose values do not depend on beta.
    betas: tuple[BetaSearch, ...]
    beta_gains: tuple[Gain, ...]
    questions: OpenQuestions
    warnings: tuple[SentinelWarning, ...]
    signs: Signs


@dataclass(frozen=True, slots=True)
class Analysis:
    """A report with all its statistics."""

    report: Report
    criteria: Mapping[str, CriterionAnalysis]
    between_criteria: tuple[CriterionDistance, ...]

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data, with numbers in full precision and undefined ones as None."""
        return {
            **self.report.to_json(),
            "analysis": {name: plain(around) for name, around in self.criteria.items()},
            "between_criteria": [plain(pair) for pair in self.between_criteria],
        }


def analyse(
    rankings: Rankings,
    scores: ProtocolScores,
    settings: Settings | None = None,
    *,
    sentinels: Collection[str] = (),
    other_consensuses: Collection[ConsensusMethod] = (),
    properties: Sequence[ImageProperty] = (),
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    declared: Declared | None = None,
    executor: Executor | None = None,
) -> Analysis:
    """Build a report, and compute all its statistics.

    Parameters
    ----------
    rankings : criterion -> image -> annotator -> ranking
    scores : image -> protocol -> method -> (recall, precision)
        Fractions in [0, 1]; None is undefined.
    settings : Settings, optional
    sentinels : collection of str
        Protocols that ignore the ground truth; one that beats another protocol causes a warning.
    other_consensuses : collection of str
        Consensus methods of the sensitivity table in addition to the report's own.
    properties : sequence of ImageProperty
        Properties that divide the images into slices, each with its own Scores.
    n_resamples, seed : int
        For the bootstrap.
    declared : Declared, optional
        Groups of annotators and scenes of images, which the tests of protocols count instead.
    executor : Executor or None
        Computes the statistics, each a chunk with its own stream of random numbers from the seed;
        None computes them here, one after the other, with the same results.

    Raises
    ------
    RankingError
        If a ranking or setting is invalid, or the rankings of an image have different methods.

    Examples
    --------
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> rankings = {"recall": {"img_1": {"ann": ab, "ben": ab}, "img_2": {"ann": ab, "ben": ba}}}
    >>> iou = {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}
    >>> found = analyse(rankings, {"img_1": iou, "img_2": iou}, Settings(min_annotators=2), n_resamples=10)
    >>> found.criteria["recall"].agreement.edit_distance  # they agree on one image and swap on the other
    0.5
    """
    settings = settings or Settings()
    unnamed = {
        criterion: {image: list(by_name.values()) for image, by_name in of_criterion.items()}
        for criterion, of_criterion in rankings.items()
    }
    report = build_report(unnamed, scores, settings)
    others = tuple(name for name in other_consensuses if name != settings.consensus)
    options = _Options(
        settings,
        others,
        tuple(properties),
        n_resamples,
        seed,
        declared or Declared(),
        frozenset(sentinels),
    )
    chunks = (
        chunk
        for criterion, table in report.criteria.items()
        for chunk in _statistics(criterion, table, rankings[criterion], scores, options)
    )
    around: dict[str, dict[str, Any]] = {criterion: {} for criterion in report.criteria}
    for chunk, answer in answers(executor, chunks):
        around[chunk.criterion][chunk.statistic] = answer
    criteria = {
        criterion: _criterion(around[criterion], sentinels)
        for criterion, table in report.criteria.items()
    }
    consensus = {criterion: table.consensus for criterion, table in report.criteria.items()}
    between = criterion_distances(consensus, distance=settings.distance)
    return Analysis(report, criteria, between)


@dataclass(frozen=True, slots=True)
class _Options:
    """The settings of an analysis that all criteria share."""

    settings: Settings
    other_consensuses: Sequence[ConsensusMethod]
    properties: Sequence[ImageProperty]
    n_resamples: int
    seed: int
    declared: Declared
    sentinels: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A chunk: one statistic of one criterion, a pure function of the study and the seed."""

    criterion: str
    statistic: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.statistic} of {self.criterion}"

    def __call__(self) -> Any:
        return self.function(*self.arguments, **self.options)


def _statistics(
    criterion: str,
    table: CriterionReport,
    rankings: Mapping[str, Mapping[str, Ranking]],
    scores: ProtocolScores,
    options: _Options,
) -> Iterator[Statistic]:
    """Yield the statistics of a criterion, under the names of :class:`CriterionAnalysis`."""
    settings = options.settings
    protocols = [row.protocol for row in table.rows]
    counted = {image: rankings[image] for image in table.consensus}
    # Only those of the images that count: the numbers of a large study fill the memory.
    chosen = {image: {name: scores[image][name] for name in protocols} for image in counted}
    values = values_of(criterion, chosen, settings)
    # The distance of each protocol to the consensus of each image: (images, protocols).
    matrix = distance_table(table.distances, protocols)
    resampled = {"n_resamples": options.n_resamples, "seed": options.seed}
    by_distance = {"distance": settings.distance}
    by_consensus = {**by_distance, "consensus": settings.consensus}

    def chunk(name: str, function: Callable[..., Any], *arguments: Any, **others: Any) -> Statistic:
        return Statistic(criterion, name, function, arguments, others)

    # The longest computation comes first, so that it does not run alone at the end.
    yield chunk("sensitivity", _sensitivity, counted, values, options)
    yield chunk("calibration", tie_calibration, values, counted, **by_distance)
    ranked = personal_rankings_from_scores(counted, values, protocols, settings.decimals)
    clusters = {"declared": options.declared}
    silent = [name for name in protocols if name in options.sentinels]
    tested = ranked.of([name for name in protocols if name not in options.sentinels])
    yield chunk("comparisons", compare_protocols, tested, **clusters)
    different = [same[0] for same in protocols_alike(tested)]
    yield chunk("against_silence", against_silence, ranked, different, silent, **clusters)
    yield chunk("signs", _signs, tested, options)
    yield chunk(
        "questions",
        open_questions,
        *(counted, table.consensus, values, ranked, settings),
        properties=options.properties,
        **resampled,
    )
    yield chunk("betas", _betas, criterion, chosen, table, (counted, values), settings)
    yield chunk("rounding", rounding_table, values, table.consensus, **by_distance)
    yield chunk("measures", measures, protocols, values, table.consensus, settings)
    yield chunk("human_baseline", human_baseline, counted, **by_consensus, **resampled)
    yield chunk("against_person", stand_in, tested.of(different), **clusters)
    yield chunk(
        "baselines",
        baseline_measures,
        *(ranked, table.consensus),
        consensus_method=settings.consensus,
    )
    yield chunk("annotators", annotator_distances, counted, **by_consensus)
    yield chunk("ties", tied_shares, ranked, table.consensus)
    yield chunk("agreement", _agreement, counted)
    yield chunk("intervals", score_intervals, matrix, protocols, **resampled)
    yield chunk("friedman", friedman_test, matrix, protocols)
    yield chunk("critical_difference", critical_difference, matrix, protocols)


def _criterion(around: Mapping[str, Any], sentinels: Collection[str]) -> CriterionAnalysis:
    """Collect the statistics of a criterion, and results that combine several of them."""
    cluster_of, letters_of = told_apart(around["comparisons"])
    searches, gains = around["betas"]
    return CriterionAnalysis(
        **{**around, "betas": searches, "beta_gains": gains},
        clusters=cluster_of,
        letters=letters_of,
        warnings=_warnings(around["against_silence"], sentinels),
    )


def _signs(ranked: PersonalRankings, options: _Options) -> Signs:
    measured = personal_losses(ranked)
    return undeclared_clusters(measured, ranked.images, options.declared, seed=options.seed)


def _sensitivity(
    counted: Mapping[str, Mapping[str, Ranking]], values: Scores, options: _Options
) -> tuple[Variant, ...]:
    if not counted:
        return ()
    return sensitivity_table(
        counted,
        values,
        decimals=options.settings.decimals,
        distance=options.settings.distance,
        consensus=consensus_by(options.settings.consensus),
        other_consensuses={name: consensus_by(name) for name in options.other_consensuses},
    )


def _warnings(
    silence: Mapping[str, Comparisons], sentinels: Collection[str]
) -> tuple[SentinelWarning, ...]:
    """Warn of sentinels, and of the baseline that ties everything, by the mean losses."""
    present = [name for name in (*sentinels, ALL_TIED) if name in silence]
    losses = {
        name: mean
        for sentinel in present
        for name, mean in zip(silence[sentinel].protocols, silence[sentinel].means, strict=True)
    }
    p_values = {
        (pair.first, pair.second): pair.adjusted_p_value
        for sentinel in present
        for pair in silence[sentinel].pairs
    }
    return sentinel_warnings(losses, present, p_values=p_values)


def _agreement(counted: Mapping[str, Mapping[str, Ranking]]) -> Agreement:
    images = image_agreements(counted).values()
    return Agreement(
        mean_of([image.kendall_w for image in images]),
        mean_of([image.edit_distance for image in images]),
        mean_of([image.kemeny_distance for image in images]),
        krippendorff_alpha(counted),
        sum(image.kendall_w is None for image in images),
        *_limits_of_mean([image.kendall_w for image in images if image.kendall_w is not None]),
        mean_of([1 / image.n_annotators for image in images if image.kendall_w is not None]),
    )


def _limits_of_mean(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the limits of a mean in [0, 1] by Student's t, None for fewer than ten values."""
    if len(values) < FEW_IMAGES:
        return None, None
    from scipy.special import stdtrit

    mean, n = math.fsum(values) / len(values), len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * math.sqrt(variance / n)
    return max(mean - half, 0.0), min(mean + half, 1.0)


def _betas(
    criterion: str,
    scores: ProtocolScores,
    table: CriterionReport,
    compared: tuple[Mapping[str, Mapping[str, Ranking]], Scores],
    settings: Settings,
) -> tuple[tuple[BetaSearch, ...], tuple[Gain, ...]]:
    """Return the searches for the best beta, and its gains; empty for recall and precision."""
    if criterion in ("recall", "precision"):
        return (), ()
    searches = beta_search(
        scores, table.consensus, decimals=settings.decimals, distance=settings.distance
    )
    people, values = compared
    return searches, beta_gains(people, table.consensus, values, scores, searches, settings)


def plain(data: Any) -> Any:
    """Return nested data with dataclasses as mappings, tuples as lists and keys as text."""
    if isinstance(data, str | int | float | None):
        return data
    if isinstance(data, Mapping):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    # Not asdict(), which would copy all nested values again.
    return {name: plain(getattr(data, name)) for name in data.__dataclass_fields__}
