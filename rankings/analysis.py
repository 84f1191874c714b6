"""A whole report: the tables, how sure they are, and what they would be if something were else."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .agreement import (
    AnnotatorDistance,
    HumanCeiling,
    annotator_distances,
    human_ceiling,
    image_agreements,
    krippendorff_alpha,
)
from .consensus import consensus_of
from .edit_distance import places_of
from .from_scores import ranking_from_scores
from .orders import Ranking
from .pairwise import (
    CriterionDistance,
    criterion_distances,
    margin_weighted_discordance,
)
from .report import (
    ALL_TIED,
    CriterionReport,
    RecallPrecision,
    Report,
    Settings,
    build_report,
    values_of,
)
from .resampling import (
    N_RESAMPLES,
    SEED,
    Intervals,
    distance_table,
    score_intervals,
    two_way_intervals,
)
from .sensitivity import RoundingRow, Variant, rounding_table, sensitivity_table
from .sentinels import SentinelWarning, sentinel_warnings
from .significance import (
    CriticalDifference,
    Friedman,
    Permutations,
    WilcoxonPair,
    clusters,
    critical_difference,
    friedman_test,
    permutation_test,
    wilcoxon_pairs,
)
from .tuning import BetaSearch, TieCalibration, beta_search, tie_calibration

# criterion -> image -> annotator -> ranking
Rankings = Mapping[str, Mapping[str, Mapping[str, Ranking]]]
# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]]


@dataclass(frozen=True, slots=True)
class Measures:
    """Other measures of one protocol beside the Score: means over the images; None without one.

    Attributes
    ----------
    kemeny_distance : the Kemeny distance to the consensus, neutral towards ties
    tau_b, n_without_tau_b : Kendall's tau-b, and on how many images it is undefined
    pairwise_accuracy : share of pairs on which protocol and consensus say the same
    discordance : margin-weighted, by the protocol's values
    """

    protocol: str
    kemeny_distance: float | None
    tau_b: float | None
    n_without_tau_b: int
    pairwise_accuracy: float | None
    discordance: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree: means over the images that count; None where undefined."""

    kendall_w: float | None
    edit_distance: float | None
    kemeny_distance: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class CriterionAnalysis:
    """What stands around the table of one criterion."""

    intervals: Intervals
    two_way: Intervals
    clusters: Mapping[str, int | None]
    permutations: Permutations
    friedman: Friedman
    wilcoxon: tuple[WilcoxonPair, ...]
    critical_difference: CriticalDifference
    measures: tuple[Measures, ...]
    agreement: Agreement
    annotators: Mapping[str, AnnotatorDistance]
    ceiling: HumanCeiling
    rounding: tuple[RoundingRow, ...]
    sensitivity: tuple[Variant, ...]
    calibration: tuple[TieCalibration, ...]
    # Preference only: other criteria compare with recall or precision alone.
    betas: tuple[BetaSearch, ...]
    warnings: tuple[SentinelWarning, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A report with everything around it."""

    report: Report
    criteria: Mapping[str, CriterionAnalysis]
    between_criteria: tuple[CriterionDistance, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON-able data, numbers in full precision, undefined as None."""
        return {
            **self.report.to_json(),
            "analysis": {name: _plain(asdict(one)) for name, one in self.criteria.items()},
            "between_criteria": [_plain(asdict(one)) for one in self.between_criteria],
        }


def analyse(
    rankings: Rankings,
    scores: ProtocolScores,
    settings: Settings | None = None,
    *,
    sentinels: Collection[str] = (),
    other_consensuses: Collection[str] = (),
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
) -> Analysis:
    """Build a report and everything around it.

    Parameters
    ----------
    rankings : criterion -> image -> annotator -> ranking
    scores : image -> protocol -> method -> (recall, precision)
        Fractions in [0, 1]; None is undefined.
    sentinels : collection of str
        Protocols that look at no ground truth; one above another protocol is warned of.
    other_consensuses : collection of str
        Consensus methods of the sensitivity table beside the report's own; "kemeny" is exact and
        takes up to a tenth of a second for each image and criterion.
    n_resamples, seed : int
        Of the bootstrap; the seed also draws the sign patterns of the permutation tests.
    """
    settings = settings or Settings()
    unnamed = {
        criterion: {image: list(of_image.values()) for image, of_image in of_criterion.items()}
        for criterion, of_criterion in rankings.items()
    }
    report = build_report(unnamed, scores, settings)
    found = {
        criterion: _criterion(
            criterion,
            table,
            rankings[criterion],
            scores,
            settings,
            sentinels,
            [name for name in other_consensuses if name != settings.consensus],
            n_resamples,
            seed,
        )
        for criterion, table in report.criteria.items()
    }
    consensus = {criterion: table.consensus for criterion, table in report.criteria.items()}
    between = criterion_distances(consensus, distance=settings.distance)
    return Analysis(report, found, between)


def _criterion(
    criterion: str,
    table: CriterionReport,
    rankings: Mapping[str, Mapping[str, Ranking]],
    scores: ProtocolScores,
    settings: Settings,
    sentinels: Collection[str],
    other_consensuses: Collection[str],
    n_resamples: int,
    seed: int,
) -> CriterionAnalysis:
    protocols = [row.protocol for row in table.rows]
    counted = {image: rankings[image] for image in table.consensus}
    values = {
        image: {name: of_image[name] for name in protocols}
        for image, of_image in values_of(criterion, scores, settings).items()
        if image in counted
    }
    matrix = distance_table(table.distances, protocols)
    tested = permutation_test(matrix, protocols, seed=seed)
    order = clusters([row.score for row in table.rows], tested.p_values)
    protocol_rankings = _protocol_rankings(protocols, values, table.consensus, settings)
    known = {row.protocol: row.score for row in (*table.rows, *table.baselines)}
    sentinels = [name for name in sentinels if name in protocols]
    p_values = {
        (first, second): tested.p_values[at][place]
        for at, first in enumerate(protocols)
        for place, second in enumerate(protocols)
    }
    return CriterionAnalysis(
        intervals=score_intervals(matrix, protocols, n_resamples=n_resamples, seed=seed),
        two_way=two_way_intervals(
            counted,
            {
                image: {name: protocol_rankings[name][image] for name in protocols}
                for image in counted
            },
            distance=settings.distance,
            n_resamples=n_resamples,
            seed=seed,
        ),
        clusters=dict(zip(protocols, order, strict=True)),
        permutations=tested,
        friedman=friedman_test(matrix, protocols),
        wilcoxon=wilcoxon_pairs(matrix, protocols),
        critical_difference=critical_difference(matrix, protocols),
        measures=_measures(protocols, protocol_rankings, values, table.consensus),
        agreement=_agreement(counted),
        annotators=annotator_distances(counted, distance=settings.distance),
        ceiling=human_ceiling(counted, distance=settings.distance),
        rounding=rounding_table(values, table.consensus, distance=settings.distance),
        sensitivity=sensitivity_table(
            counted,
            values,
            decimals=settings.decimals,
            distance=settings.distance,
            consensus=_consensus_by(settings.consensus),
            other_consensuses={name: _consensus_by(name) for name in other_consensuses},
        )
        if counted
        else (),
        calibration=tie_calibration(values, table.consensus, distance=settings.distance),
        betas=_betas(criterion, scores, table, protocols, settings),
        warnings=sentinel_warnings(
            {name: score for name, score in known.items() if name in protocols or name == ALL_TIED},
            [*sentinels, *([ALL_TIED] if ALL_TIED in known else [])],
            p_values=p_values,
        ),
    )


def _consensus_by(name: str) -> Callable[[Sequence[Ranking]], Ranking]:
    return lambda rankings: consensus_of(rankings, name)  # type: ignore[arg-type]


def _protocol_rankings(
    protocols: Sequence[str],
    values: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    consensus: Mapping[str, Ranking],
    settings: Settings,
) -> dict[str, dict[str, Ranking]]:
    return {
        name: {
            image: ranking_from_scores(
                {method: values[image][name][method] for bucket in ranking for method in bucket},
                settings.decimals,
            )
            for image, ranking in consensus.items()
        }
        for name in protocols
    }


def _measures(
    protocols: Sequence[str],
    rankings: Mapping[str, Mapping[str, Ranking]],
    values: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    consensus: Mapping[str, Ranking],
) -> tuple[Measures, ...]:
    """Return the other measures of every protocol, all protocols of an image at once."""
    columns: list[list[list[float | None]]] = [[[], [], [], []] for _ in protocols]
    for image, goal in consensus.items():
        methods = sorted(method for bucket in goal for method in bucket)
        places = places_of([goal, *(rankings[name][image] for name in protocols)])
        first, second = np.triu_indices(len(methods), 1)
        signs = np.sign(places[:, first] - places[:, second])
        goal_signs, own = signs[0], signs[1:]
        ordered = (goal_signs != 0).sum() * (own != 0).sum(axis=1)
        kemeny = np.abs(own - goal_signs).sum(axis=1) / 2
        concordant = (own * goal_signs).sum(axis=1)
        agreeing = (own == goal_signs).sum(axis=1)
        for at, name in enumerate(protocols):
            of_method = {method: values[image][name][method] for method in methods}
            columns[at][0].append(float(kemeny[at]))
            tau = concordant[at] / math.sqrt(ordered[at]) if ordered[at] else None
            columns[at][1].append(None if tau is None else float(tau))
            columns[at][2].append(float(agreeing[at] / len(first)) if len(first) else None)
            columns[at][3].append(margin_weighted_discordance(of_method, goal))
    return tuple(
        Measures(name, _mean(kemenys), _mean(taus), taus.count(None), _mean(shares), _mean(margins))
        for name, (kemenys, taus, shares, margins) in zip(protocols, columns, strict=True)
    )


def _agreement(counted: Mapping[str, Mapping[str, Ranking]]) -> Agreement:
    images = image_agreements(counted).values()
    return Agreement(
        _mean([image.kendall_w for image in images]),
        _mean([image.edit_distance for image in images]),
        _mean([image.kemeny_distance for image in images]),
        krippendorff_alpha(counted),
    )


def _betas(
    criterion: str,
    scores: ProtocolScores,
    table: CriterionReport,
    protocols: Sequence[str],
    settings: Settings,
) -> tuple[BetaSearch, ...]:
    if criterion in ("recall", "precision"):
        return ()
    counted = {
        image: {name: scores[image][name] for name in protocols} for image in table.consensus
    }
    return beta_search(
        counted, table.consensus, decimals=settings.decimals, distance=settings.distance
    )


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def _plain(data: Any) -> Any:
    """Return nested data with tuples as lists and keys as text."""
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return data
