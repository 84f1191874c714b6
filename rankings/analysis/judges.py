"""Rows of judges' answers, and the table of programs and people."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from ..elicitation.log import CRITERIA
from ..errors import RankingError
from ..inference.clusters import NONE_DECLARED, Declared
from ..inference.judges import (
    EPSILONS,
    MARGIN,
    Answers,
    JudgeStandIn,
    PairAnswers,
    consistency,
    judge_stand_in,
    nearest_ranking,
)
from ..orders.buckets import Ranking

COLUMNS: Final = ("judge", "image", "left", "right", "repeat", "attempt", "outcome")
_ANSWERED: Final = "answered"
_FAILED: Final = "failed"
_VERDICTS: Final = ("left", "equal", "right")
People = Mapping[str, Mapping[str, Mapping[str, Ranking]]]


@dataclass(frozen=True)
class JudgeRows:
    """A judge's last answers: (image, left, right, repeat) -> row, with what it was asked.

    ``asked``: image -> (one, other, probability) of each pair; None: the pairs in the rows,
    with their column probability if there is one.
    """

    last: Mapping[tuple[str, str, str, int], Mapping[str, Any]]
    asked: Mapping[str, Sequence[tuple[str, str, float]]] | None = None
    both_orders: bool = True
    repeats: int = 1
    margin: float = MARGIN
    # The margin was chosen after the first answer.
    is_late: bool = False
    tuned: bool = False
    n_outcomes: Mapping[str, int] = field(default_factory=dict)

    def pairs(self) -> Mapping[str, Sequence[tuple[str, str, float]]]:
        if self.asked is not None:
            return self.asked
        found: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
        for (image, left, right, _), row in self.last.items():
            chance = float(row.get("probability") or 1)
            found[image][min(left, right), max(left, right)] = chance
        return {
            image: [(*pair, p) for pair, p in sorted(of.items())] for image, of in found.items()
        }

    def answers(self, criterion: str) -> Answers:
        """Return the answers of one criterion, by image."""

        def of_order(image: str, left: str, right: str) -> list[Any]:
            rows = [self.last.get((image, left, right, n + 1), {}) for n in range(self.repeats)]
            return [row.get(criterion) or None for row in rows]

        found: dict[str, list[PairAnswers]] = {}
        for image, pairs in self.pairs().items():
            for one, other, probability in pairs:
                forward, backward = of_order(image, one, other), of_order(image, other, one)
                sides: tuple[Any, Any] = (forward, backward)
                if not self.both_orders:
                    is_forward = any(
                        (image, one, other, n + 1) in self.last for n in range(self.repeats)
                    )
                    sides = (forward, None) if is_forward else (None, backward)
                pair = PairAnswers(one, other, *sides, probability=probability)
                found.setdefault(image, []).append(pair)
        return found

    def rankings(
        self, criterion: str, looks: Mapping[str, Sequence[Sequence[str]]]
    ) -> dict[str, Ranking]:
        """Return the ranking of each image whose pairs were all asked.

        ``looks`` are the methods of each image, those whose results look alike together, by the name
        in the pairs first.
        """
        asked = {(image, frozenset((left, right))) for image, left, right, _ in self.last}
        found = {}
        for image, pairs in self.answers(criterion).items():
            alike = {of[0]: of for of in looks[image]}
            n_asked = sum((image, frozenset((pair.one, pair.other))) in asked for pair in pairs)
            if n_asked == len(alike) * (len(alike) - 1) // 2:
                found[image] = tuple(
                    tuple(sorted(name for one in bucket for name in alike[one]))
                    for bucket in nearest_ranking(pairs)
                )
        return found

    @property
    def done(self) -> float:
        """The share of tasks that have an answer, a refusal or an unreadable one included."""
        n = sum(map(len, self.pairs().values())) * self.repeats * (2 if self.both_orders else 1)
        n_done = sum(row["outcome"] != _FAILED for row in self.last.values())
        return n_done / n if n else 0.0


def rows_by_judge(
    numbered: Iterable[tuple[int, Mapping[str, Any]]], place: str, *, margin: float = MARGIN
) -> dict[str, JudgeRows]:
    """Return the rows of a table by judge; of several attempts an answer counts, else the last.

    Raises RankingError if a row is not an answer; the message names ``place`` and the row's number.
    """
    last: dict[str, dict[tuple[str, str, str, int], Mapping[str, Any]]] = defaultdict(dict)
    outcomes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for number, row in numbered:
        try:
            key = (row["image"], row["left"], row["right"], int(row["repeat"]))
            attempt = int(row["attempt"])
        except (TypeError, ValueError):
            raise RankingError(f"{place} {number}: repeat and attempt are whole numbers") from None
        if any(row.get(name) not in (*_VERDICTS, "", None) for name in CRITERIA):
            raise RankingError(f"{place} {number}: a verdict is left, equal or right")
        if row["left"] == row["right"]:
            raise RankingError(f"{place} {number}: left and right are the same method")
        of_judge = last[row["judge"]]
        outcomes[row["judge"]][row["outcome"]] += 1
        before = of_judge.get(key)
        if before is None or (before["outcome"] != _ANSWERED and int(before["attempt"]) <= attempt):
            of_judge[key] = row
    return {
        name: JudgeRows(
            rows,
            both_orders=any((i, right, left, n) in rows for i, left, right, n in rows),
            repeats=max((key[3] for key in rows), default=1),
            margin=margin,
            n_outcomes=dict(outcomes[name]),
        )
        for name, rows in last.items()
    }


def analyse_judges(
    people: People, judges: Mapping[str, JudgeRows], *, declared: Declared = NONE_DECLARED
) -> dict[str, list[dict[str, Any]]]:
    """Return for each criterion a row for each judge, as JSON.

    ``people`` are whole rankings: criterion -> image -> annotator -> ranking. A judge without an
    answer by a criterion has no row. Limits are of the level 1 - 0.05 / judges of the criterion.
    """
    table: dict[str, list[dict[str, Any]]] = {}
    for criterion in CRITERIA:
        answers = {
            name: of.answers(criterion)
            for name, of in judges.items()
            if any(row.get(criterion) for row in of.last.values())
        }
        for name, of_judge in answers.items():
            given = judges[name]
            found = judge_stand_in(
                name,
                people.get(criterion, {}),
                of_judge,
                declared=declared,
                margin=given.margin,
                n_judges=len(answers),
                done=given.done,
                tuned=given.tuned,
            )
            table.setdefault(criterion, []).append(
                {
                    "judge": name,
                    "sentence": sentence(found),
                    "n_judges": len(answers),
                    "done": given.done,
                    "outcomes": dict(given.n_outcomes),
                    "late_margin": given.is_late,
                    **_flat(found),
                    **asdict(consistency(of_judge)),
                }
            )
    return table


def _flat(found: JudgeStandIn) -> dict[str, Any]:
    one = found.found
    return {
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "degrees_of_freedom": one.degrees_of_freedom,
        "of_people": one.of_people,
        "margin": found.margin,
        "may_stand_in": found.may_stand_in,
        "missing": list(found.missing),
        "n_images": found.n_images,
        "n_annotators": found.n_annotators,
        "at_best": found.at_best,
        "at_worst": found.at_worst,
        "rho": found.rho,
        "omega": {str(key): value for key, value in zip(EPSILONS, found.omega, strict=False)},
    }


def sentence(found: JudgeStandIn) -> str:
    """Return the statement about a judge, in words."""
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
    margin = f"the margin of {100 * found.margin:g}"
    if found.may_stand_in:
        return (
            f"It may stand in for a person: {text[0].lower()}{text[1:]}, which is below {margin}."
        )
    return f"{text}, which is not shown to be below {margin}: it may not stand in for a person."
