"""Answers of judges from rows, and the tables of programs and people."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from ..agreement.main_table import protocol_rows
from ..agreement.report import Report, values_of
from ..elicitation.log import CRITERIA
from ..errors import RankingError
from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.judge_answers import NO_RANKINGS, Answers, Pairs, Placed, Rankings, consistency
from ..inference.judges import (
    EPSILONS,
    MARGIN,
    JudgeStandIn,
    judge_stand_in,
    protocols_stand_in,
)
from ..inference.personal_rankings import personal_rankings_from_scores
from ..inference.resampling import distance_table
from ..inference.significance import holm
from ..orders.buckets import Ranking, methods_of
from ..orders.distances import distances_between
from ..orders.edit_distance import places_of
from ..orders.packed import Places
from .analysis import ProtocolScores

COLUMNS: Final = ("judge", "image", "left", "right", "repeat", "attempt", "outcome")
_ANSWERED: Final = "answered"
_FAILED: Final = "failed"
_SIGNS: Final = {"left": 1.0, "equal": 0.0, "right": -1.0, "": np.nan, None: np.nan}
# criterion -> image -> name -> ranking
ByCriterion = Mapping[str, Rankings]
Table = dict[str, list[dict[str, Any]]]


# Image, method on the left, method on the right, repeat from 1.
Key = tuple[str | None, str | None, str | None, int]


@dataclass(frozen=True)
class JudgeRows:
    """A judge's answers by criterion, with what is known of it.

    ``done`` is the share of its tasks that have an answer, a refusal or an unreadable one included.
    """

    answers: Mapping[str, Answers]
    done: float
    # Whether every task was tried, and the images whose tasks were.
    is_finished: bool
    tried: Collection[str]
    n_outcomes: Mapping[str, int]
    margin: float = MARGIN
    # The margin was chosen after the first answer.
    is_late: bool = False
    tuned: bool = False
    # image -> method -> the methods drawn like it, of which it alone was asked, of the images whose
    # pairs were all asked; None: of every image as it is.
    alike: Mapping[str, Mapping[str, Sequence[str]]] | None = None

    def by(self, criteria: Collection[str]) -> "JudgeRows":
        """Return the answers by these criteria alone."""
        answers = {name: of for name, of in self.answers.items() if name in criteria}
        return replace(self, answers=answers)

    def rankings(self, criterion: str) -> dict[str, Ranking]:
        """Return the ranking of each image whose pairs were all tried, nearest to the verdicts."""
        found = self.answers[criterion].rankings()
        found = {image: found[image] for image in found if image in self.tried}
        if self.alike is None:
            return found
        return {
            image: tuple(
                tuple(sorted(name for one in bucket for name in self.alike[image][one]))
                for bucket in ranking
            )
            for image, ranking in found.items()
            if image in self.alike
        }


def judge_rows(
    pairs: Pairs,
    rows: Iterable[tuple[Key, int, str, Sequence[str | None]]],
    *,
    both_orders: bool,
    repeats: int,
    criteria: Collection[str] = (),
    **known: Any,
) -> JudgeRows:
    """Return the answers of a judge by each criterion that was asked, or that has any.

    ``rows`` are key, attempt, outcome and the verdicts by CRITERIA; of several attempts an answer counts,
    else the last. Rows of other pairs or repeats do not count. With one order, a pair is asked in the
    order of its rows. ``known`` are other fields.
    """
    outcomes = Counter[str]()
    last: dict[tuple[int, int, int], tuple[str, Sequence[str | None]]] = {}
    for key, _, outcome, verdicts in sorted(rows, key=lambda row: (row[2] == _ANSWERED, row[1])):
        outcomes[outcome] += 1
        place = pairs.places.get(key[:3])
        if place is not None and key[3] <= repeats:
            last[*place, key[3] - 1] = outcome, verdicts
    pair, order, repeat = np.array([*last], dtype=np.intp).reshape(-1, 3).T
    given = [[_SIGNS[one] for one in of] for _, of in last.values()]
    signs = np.array(given, dtype=float).reshape(-1, len(CRITERIA)).T * (1 - 2 * order)
    n = len(pairs.rows)
    asked = np.ones((n, 2), dtype=bool)
    if not both_orders:
        asked[:, 1] = False
        asked[pair, :] = False
        asked[pair, order] = True
    said = np.full((len(CRITERIA), n, 2, repeats), np.nan)
    said[:, pair, order, repeat] = signs
    answers = {
        criterion: Answers(pairs, said[at], asked)
        for at, criterion in enumerate(CRITERIA)
        if criterion in criteria or not np.isnan(signs[at]).all()
    }
    n_tasks = n * repeats * (2 if both_orders else 1)
    n_done = sum(outcome != _FAILED for outcome, _ in last.values())
    is_tried = np.bincount(pair, minlength=n) > 0
    return JudgeRows(
        answers,
        n_done / n_tasks if n_tasks else 0.0,
        is_finished=0 < n_tasks == len(last),
        tried={image for image, of in pairs.slices.items() if is_tried[of].all()},
        n_outcomes=outcomes,
        **known,
    )


def rows_by_judge(
    numbered: Iterable[tuple[int, Mapping[str, Any]]],
    place: str,
    *,
    margin: float | None = None,
    tuned: bool = False,
) -> dict[str, JudgeRows]:
    """Return the rows of a table by judge, as :func:`judge_rows` does.

    A judge was asked the pairs in its rows, drawn with their ``probability`` and stored with their ``margin``
    if there are such columns. Another ``margin`` given here was chosen after the answers.
    Raises RankingError if a row is not an answer; the message names ``place`` and its number.
    """
    of_judge: dict[str, list[tuple[Key, int, str, Sequence[str | None]]]] = defaultdict(list)
    chances: dict[str, dict[tuple[str, str, str], float]] = defaultdict(dict)
    margins: dict[str, float] = {}
    for number, row in numbered:
        name, image, left, right = (row[of] for of in ("judge", "image", "left", "right"))
        try:
            repeat, attempt = int(row["repeat"]), int(row["attempt"])
            chance, stored = float(row.get("probability") or 1), float(row.get("margin") or 0)
        except (TypeError, ValueError):
            numbers = "repeat and attempt are whole numbers, probability and margin are numbers"
            raise RankingError(f"{place} {number}: {numbers}") from None
        if repeat < 1:
            raise RankingError(f"{place} {number}: repeats are counted from 1")
        verdicts = [row.get(criterion) for criterion in CRITERIA]
        if any(verdict not in _SIGNS for verdict in verdicts):
            raise RankingError(f"{place} {number}: a verdict is left, equal or right")
        if left == right:
            raise RankingError(f"{place} {number}: left and right are the same method")
        of_judge[name].append(((image, left, right, repeat), attempt, row["outcome"], verdicts))
        chances[name][image, min(left, right), max(left, right)] = chance
        if stored:
            margins.setdefault(name, stored)
    found = {}
    for name, rows in of_judge.items():
        known = sorted(chances[name])
        keys = {key for key, *_ in rows}
        found[name] = judge_rows(
            Pairs(known, [chances[name][pair] for pair in known]),
            rows,
            both_orders=any((i, right, left, n) in keys for i, left, right, n in keys),
            repeats=max(key[3] for key in keys),
            margin=margin or margins.get(name, MARGIN),
            is_late=margin is not None and margin != margins.get(name),
            tuned=tuned,
        )
    return found


def analyse_judges(
    people: ByCriterion,
    judges: Mapping[str, JudgeRows],
    *,
    declared: Declared = NONE_DECLARED,
    protocols: Mapping[str, Placed] | None = None,
) -> Table:
    """Return for each criterion a row for each judge, as JSON.

    ``people`` are whole rankings of each annotator. A judge without an answer by a criterion has no row.
    Limits are of the level 1 - 0.05 / judges of the criterion. With ``protocols``, their rankings by
    criterion, each row has the tests against them, Holm's rule over those of all judges of the criterion.
    """
    table: Table = {}
    for criterion in CRITERIA:
        given = {name: of for name, of in judges.items() if criterion in of.answers}
        own = Placed.from_rankings(people.get(criterion, {})) if given else NO_RANKINGS
        ranked = (protocols or {}).get(criterion, NO_RANKINGS)
        for name, of in given.items():
            answers = of.answers[criterion]
            found = judge_stand_in(
                name,
                own,
                answers,
                protocols=ranked,
                declared=declared,
                margin=of.margin,
                n_judges=len(given),
                done=of.done,
                tuned=of.tuned,
            )
            table.setdefault(criterion, []).append(
                {
                    "judge": name,
                    "sentence": sentence(found, is_late=of.is_late),
                    "n_judges": len(given),
                    "done": of.done,
                    "outcomes": dict(of.n_outcomes),
                    "late_margin": of.is_late,
                    **_flat(found),
                    **asdict(consistency(answers)),
                    "against": [
                        {
                            "protocol": pair.first,
                            # The judge comes second.
                            "difference": _negative(pair.difference),
                            "low": _negative(pair.high),
                            "high": _negative(pair.low),
                            "p_value": pair.p_value,
                        }
                        for pair in found.against
                    ],
                }
            )
        against = [pair for row in table.get(criterion, []) for pair in row["against"]]
        for pair, adjusted in zip(against, holm([one["p_value"] for one in against]), strict=True):
            pair["adjusted_p_value"] = adjusted
    return table


def placed_protocols(
    people: ByCriterion, scores: ProtocolScores, report: Report, sentinels: Collection[str] = ()
) -> dict[str, Placed]:
    """Return the rankings of a report's images by its protocols, without those that ignore the truth."""
    found: dict[str, Placed] = {}
    for criterion, table in report.criteria.items():
        names = sorted(row.protocol for row in table.rows if row.protocol not in sentinels)
        chosen = {image: {name: scores[image][name] for name in names} for image in table.consensus}
        values = values_of(criterion, chosen, report.settings)
        counted = {image: people[criterion][image] for image in chosen} if names else {}
        decimals = report.settings.decimals
        ranked = personal_rankings_from_scores(counted, values, names, decimals)
        found[criterion] = Placed(
            {
                ranked.images[image]: (
                    ranked.protocols,
                    tuple(sorted(methods_of(table.consensus[ranked.images[image]]))),
                    places.astype(float),
                )
                for group in ranked.groups
                for image, places in zip(group.images.tolist(), group.protocols, strict=True)
            }
        )
    return found


def main_rows(report: Report, judges: Mapping[str, JudgeRows]) -> Table:
    """Return Best, Worst and Score of judges among a report's protocols, over ``n_images``.

    On the images of the report whose pairs were all asked; no protocol's numbers change.
    """
    table: Table = {}
    for criterion, own in report.criteria.items():
        protocols = [row.protocol for row in own.rows]
        for name, of in judges.items():
            rankings = of.rankings(criterion) if criterion in of.answers else {}
            by_size: dict[int, list[tuple[str, Places]]] = defaultdict(list)
            for image, ranking in rankings.items():
                goal = own.consensus.get(image, ())
                if methods_of(ranking) == methods_of(goal):
                    places = places_of([ranking, goal])
                    by_size[places.shape[1]].append((image, places))
            images, apart = [], []
            for same in by_size.values():
                images += [image for image, _ in same]
                ours, goals = np.stack([places for _, places in same], axis=1)
                apart += distances_between(ours, goals, report.settings.distance).tolist()
            if images:
                others = distance_table({name: own.distances[name] for name in images}, protocols)
                rows = protocol_rows(("", *protocols), np.column_stack([apart, others]))
                [numbers] = [row.numbers for row in rows if row.protocol == ""]
                numbered = {"protocol": name, "n_images": len(images), **numbers}
                table.setdefault(criterion, []).append(numbered)
    return table


def analyse_protocols(
    people: ByCriterion, protocols: Mapping[str, Placed], *, declared: Declared = NONE_DECLARED
) -> Table:
    """Return for each criterion the same statement about each protocol, a family of their own."""
    return {
        criterion: [
            {"protocol": one.found.name, "sentence": sentence(one), **_flat(one)}
            for one in protocols_stand_in(
                people.get(criterion, {}), protocols.get(criterion, NO_RANKINGS), declared=declared
            )
        ]
        for criterion in CRITERIA
    }


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _flat(found: JudgeStandIn) -> dict[str, Any]:
    one = found.found
    same = ("difference", "low", "high", "degrees_of_freedom", "of_people")
    own = ("margin", "may_stand_in", "n_images", "n_annotators", "at_best", "at_worst", "rho")
    return {
        **{name: getattr(one, name) for name in same},
        **{name: getattr(found, name) for name in own},
        "missing": list(found.missing),
        "omega": {str(key): value for key, value in zip(EPSILONS, found.omega, strict=False)},
    }


def sentence(found: JudgeStandIn, *, is_late: bool = False) -> str:
    """Return the statement about a judge or a protocol, in words."""
    one = found.found
    if one.difference is None:
        return " ".join(found.missing)
    more = "more" if one.difference >= 0 else "fewer"
    pairs = f"{abs(one.difference):.1f} {more} than another person does"
    text = f"Of 100 pairs it differs from a person on {pairs}"
    if one.low is not None and one.high is not None:
        text += f" ({one.low:.1f} to {one.high:.1f})"
    if found.may_stand_in is None:
        return " ".join([f"{text}.", *found.missing])
    late = ", which was chosen after its first answer" if is_late else ""
    margin = f"the margin of {100 * found.margin:g}{late}"
    if found.may_stand_in:
        return (
            f"It may stand in for a person: {text[0].lower()}{text[1:]}, which is below {margin}."
        )
    return f"{text}, which is not shown to be below {margin}: it may not stand in for a person."
