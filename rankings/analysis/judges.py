"""Answers of judges from rows, and the tables of programs and people."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np

from ..agreement.report import Report, Settings, values_of
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
from ..inference.significance import holm
from ..orders.buckets import Ranking, methods_of
from ..orders.distances import distances_between
from ..orders.edit_distance import places_of
from ..orders.packed_scores import packed_scores, places_from_scores
from .analysis import ProtocolScores

COLUMNS: Final = ("judge", "image", "left", "right", "repeat", "attempt", "outcome")
_ANSWERED: Final = "answered"
_FAILED: Final = "failed"
_SIGNS: Final = {"left": 1.0, "equal": 0.0, "right": -1.0, "": np.nan, None: np.nan}
# criterion -> image -> name -> ranking
ByCriterion = Mapping[str, Rankings]
Table = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class JudgeRows:
    """A judge's answers by criterion, with what is known of it.

    ``done`` is the share of its tasks that have an answer, a refusal or an unreadable one included.
    """

    answers: Mapping[str, Answers]
    done: float
    margin: float = MARGIN
    # The margin was chosen after the first answer.
    is_late: bool = False
    tuned: bool = False
    n_outcomes: Mapping[str, int] = field(default_factory=dict)
    # image -> method -> the methods drawn like it, of which it alone was asked, of the images whose
    # pairs were all tried; None: of every image as it is.
    alike: Mapping[str, Mapping[str, Sequence[str]]] | None = None

    def by(self, criteria: Collection[str]) -> "JudgeRows":
        """Return the answers by these criteria alone."""
        answers = {name: of for name, of in self.answers.items() if name in criteria}
        return replace(self, answers=answers)

    def rankings(self, criterion: str) -> dict[str, Ranking]:
        """Return the ranking of each image whose pairs were all tried, nearest to the verdicts."""
        found = self.answers[criterion].rankings()
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


def answers_from(
    pairs: Pairs,
    places: Mapping[Hashable, tuple[int, int]],
    answered: Iterable[tuple[Hashable, int, Sequence[str | None]]],
    *,
    both_orders: bool,
    repeats: int,
    criteria: Collection[str] = (),
) -> dict[str, Answers]:
    """Return the answers of each criterion that was asked, or that has any.

    ``places`` holds the number of the pair and its order for each key, ``answered`` key, repeat from 1 and
    the verdicts by CRITERIA; those of other keys or repeats do not count. With one order, a pair is asked
    in the order of its answers.
    """
    at, verdicts = [], []
    for key, repeat, given in answered:
        place = places.get(key)
        if place is not None and repeat <= repeats:
            at.append((*place, repeat - 1))
            verdicts.append([_SIGNS[verdict] for verdict in given])
    pair, order, repeat_of = np.array(at, dtype=np.intp).reshape(-1, 3).T
    signs = np.array(verdicts, dtype=float).reshape(-1, len(CRITERIA)).T * (1 - 2 * order)
    n = len(pairs.rows)
    asked = np.ones((n, 2), dtype=bool)
    if not both_orders:
        asked[:, 1] = False
        asked[pair, :] = False
        asked[pair, order] = True
    said = np.full((len(CRITERIA), n, 2, repeats), np.nan)
    said[:, pair, order, repeat_of] = signs
    return {
        criterion: Answers(pairs, said[at_criterion], asked)
        for at_criterion, criterion in enumerate(CRITERIA)
        if criterion in criteria or not np.isnan(signs[at_criterion]).all()
    }


def rows_by_judge(
    numbered: Iterable[tuple[int, Mapping[str, Any]]],
    place: str,
    *,
    margin: float | None = None,
    tuned: bool = False,
) -> dict[str, JudgeRows]:
    """Return the rows of a table by judge; of several attempts an answer counts, else the last.

    A judge was asked the pairs in its rows, drawn with their ``probability`` and stored with their ``margin``
    if there are such columns. Another ``margin`` given here was chosen after the answers.
    Raises RankingError if a row is not an answer; the message names ``place`` and its number.
    """
    last: dict[str, dict[tuple[str, str, str, int], Mapping[str, Any]]] = defaultdict(dict)
    outcomes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for number, row in numbered:
        try:
            key = (row["image"], row["left"], row["right"], int(row["repeat"]))
            attempt = int(row["attempt"])
            float(row.get("probability") or 1), float(row.get("margin") or MARGIN)
        except (TypeError, ValueError):
            numbers = "repeat and attempt are whole numbers, probability and margin are numbers"
            raise RankingError(f"{place} {number}: {numbers}") from None
        if key[3] < 1:
            raise RankingError(f"{place} {number}: repeats are counted from 1")
        if any(row.get(name) not in _SIGNS for name in CRITERIA):
            raise RankingError(f"{place} {number}: a verdict is left, equal or right")
        if row["left"] == row["right"]:
            raise RankingError(f"{place} {number}: left and right are the same method")
        of_judge = last[row["judge"]]
        outcomes[row["judge"]][row["outcome"]] += 1
        before = of_judge.get(key)
        if before is None or (before["outcome"] != _ANSWERED and int(before["attempt"]) <= attempt):
            of_judge[key] = row
    found = {}
    for name, rows in last.items():
        chances = {
            (i, min(left, right), max(left, right)): float(row.get("probability") or 1)
            for (i, left, right, _), row in rows.items()
        }
        known = sorted(chances)
        pairs = Pairs(known, [chances[pair] for pair in known])
        places: dict[Hashable, tuple[int, int]] = {}
        for at, (image, one, other) in enumerate(pairs.rows):
            places[image, one, other], places[image, other, one] = (at, 0), (at, 1)
        both_orders = any((i, right, left, n) in rows for i, left, right, n in rows)
        repeats = max(key[3] for key in rows)
        n_tasks = len(known) * repeats * (2 if both_orders else 1)
        n_done = sum(row["outcome"] != _FAILED for row in rows.values())
        answered = (
            (key[:3], key[3], [row.get(name) for name in CRITERIA]) for key, row in rows.items()
        )
        answers = answers_from(pairs, places, answered, both_orders=both_orders, repeats=repeats)
        stored = next((float(row["margin"]) for row in rows.values() if row.get("margin")), None)
        is_late = margin is not None and margin != stored
        chosen = margin or stored or MARGIN
        found[name] = JudgeRows(
            answers, n_done / n_tasks, chosen, is_late, tuned, dict(outcomes[name])
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
    people: ByCriterion, scores: ProtocolScores, settings: Settings, sentinels: Collection[str] = ()
) -> dict[str, Placed]:
    """Return the rankings of a report's images by its protocols, without those that ignore the truth.

    An image counts as in :func:`.build_report`: its people ranked the same methods, which all have scores.
    """
    names = {name for of_image in scores.values() for name in of_image}
    protocols = tuple(sorted(names.difference(sentinels)))
    chosen = {
        image: {name: of_image[name] for name in protocols if name in of_image}
        for image, of_image in scores.items()
    }
    found: dict[str, Placed] = {}
    for criterion, rankings in people.items() if protocols else ():
        values = values_of(criterion, chosen, settings)
        by_size: dict[int, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for image, of_people in rankings.items():
            ranked = {methods_of(ranking) for ranking in of_people.values()}
            if len(ranked) == 1 and len(of_people) >= settings.min_annotators:
                methods = tuple(sorted(ranked.pop()))
                by_size[len(methods)].append((image, methods))
        of = {}
        for same in by_size.values():
            images, methods_of_each = [image for image, _ in same], [names for _, names in same]
            packed = packed_scores(values, images, methods_of_each, protocols)
            kept = np.asarray(np.isfinite(packed).all(axis=(1, 2)))
            places = places_from_scores(packed[kept], settings.decimals).astype(float)
            counted = (one for one, is_kept in zip(same, kept.tolist(), strict=True) if is_kept)
            for (image, methods), own in zip(counted, places, strict=True):
                of[image] = protocols, methods, own
        found[criterion] = Placed(of)
    return found


def main_rows(report: Report, judges: Mapping[str, JudgeRows]) -> Table:
    """Return Best, Worst and Score of judges among a report's protocols, over ``n_images``.

    On the images of the report whose pairs were all asked; no protocol's numbers change.
    """
    table: Table = {}
    for criterion, own in report.criteria.items():
        protocols = [row.protocol for row in own.rows]
        for name, of in judges.items():
            if criterion not in of.answers:
                continue
            # (judge's ranking, consensus) of images with as many methods, and the protocols' distances.
            by_size: dict[int, list[tuple[Any, list[float]]]] = defaultdict(list)
            for image, ranking in of.rankings(criterion).items():
                goal = own.consensus.get(image)
                if goal is not None and methods_of(ranking) == methods_of(goal):
                    others = [own.distances[image][protocol] for protocol in protocols]
                    places = places_of([ranking, goal])
                    by_size[places.shape[1]].append((places, others))
            apart, among = [], []
            for same in by_size.values():
                ours, theirs = np.stack([places for places, _ in same], axis=1)
                apart.append(distances_between(ours, theirs, report.settings.distance))
                among.append(np.array([others for _, others in same]))
            if apart:
                distances, theirs = np.concatenate(apart)[:, np.newaxis], np.concatenate(among)
                row = {
                    "best": int((distances <= theirs).all(axis=1).sum()),
                    "worst": int((distances >= theirs).all(axis=1).sum()),
                    "score": float(distances.mean()),
                }
                numbered = {"protocol": name, "n_images": len(distances), **row}
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
