"""Pairs that other tools collected, as rankings."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from text_rankings.base.suggestions import did_you_mean

from ..errors import RankingError
from ..orders.buckets import Ranking, checked
from .partial_order import PartialOrder, Verdict

_CRITERION: Final = "preference"
_FIRST: Final = ("method_a", "model_a", "left", "winner")
_SECOND: Final = ("method_b", "model_b", "right", "loser")
_WORDS: Final[Mapping[Verdict, Sequence[str]]] = {
    "left": ("left", "a", "1", "method_a", "model_a", "first"),
    "right": ("right", "b", "2", "method_b", "model_b", "second"),
    "equal": ("equal", "tie", "tied", "0", "both", "tie (bothbad)", "draw"),
}
_VERDICTS: Final = {word: verdict for verdict, words in _WORDS.items() for word in words}


@dataclass(frozen=True, slots=True)
class AnsweredPair:
    """One answer: two methods on an image, and the verdict by a criterion.

    "left" means that the first method is better. Image and annotator are empty if not known.
    """

    image: str
    annotator: str
    criterion: str
    first: str
    second: str
    verdict: Verdict
    seconds: float | None


@dataclass(frozen=True, slots=True)
class OfPairs:
    """Rankings that follow from pairs.

    ``whole``, by criterion, image and annotator, are of annotators whose pairs order all methods of
    an image; ``orders`` are all pairs by criterion; ``left_out`` (image, annotator, reason) give no
    whole ranking.
    """

    whole: dict[str, dict[str, dict[str, Ranking]]]
    orders: dict[str, list[Ranking]]
    left_out: list[tuple[str, str, str]]


def are_pairs(names: Collection[str]) -> bool:
    """Return whether columns are those of pairs."""
    return "buckets" not in names and all(
        any(name in names for name in side) for side in (_FIRST, _SECOND)
    )


def answered_pairs(
    rows: Iterable[Mapping[str, Any]], place: str, criterion: str = _CRITERION
) -> Iterator[AnsweredPair]:
    """Yield the pairs of a table.

    Rows have ``method_a``, ``method_b`` and ``verdict``, or the names that other tools use;
    ``criterion`` is that of rows that name none. Raises RankingError if a row is not a pair; the
    message names it by ``place`` and its number from 0.
    """
    for at, row in enumerate(rows):
        first, second, verdict = _pair(row, f"{place} {at}")
        image, name = (str(row.get(key) or "").strip() for key in ("image", "annotator"))
        by = str(row.get("criterion") or criterion).strip()
        yield AnsweredPair(image, name, by, first, second, verdict, _seconds(row.get("seconds")))


def _seconds(given: Any) -> float | None:
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None


def rankings_of_pairs(rows: Iterable[Mapping[str, Any]], place: str) -> OfPairs:
    """Return the rankings that follow from pairs; rows and errors are as in answered_pairs."""
    return rankings_that_follow(answered_pairs(rows, place))


def rankings_that_follow(answers: Iterable[AnsweredPair]) -> OfPairs:
    """Return the rankings that follow from answers."""
    orders: dict[str, list[Ranking]] = defaultdict(list)
    pairs: dict[tuple[str, str, str], list[tuple[str, str, Verdict]]] = defaultdict(list)
    for one in answers:
        first, second = one.first, one.second
        pairs[one.criterion, one.image, one.annotator].append((first, second, one.verdict))
        ordered = [(first,), (second,)] if one.verdict != "right" else [(second,), (first,)]
        tied = one.verdict == "equal"
        orders[one.criterion].append(checked([(first, second)] if tied else ordered))
    whole: dict[str, dict[str, dict[str, Ranking]]] = {criterion: {} for criterion in orders}
    left_out = []
    for (criterion, image, name), own in pairs.items():
        ranking, reason = _ranking(own)
        if ranking is None:
            left_out.append((image, name, reason))
        else:
            whole[criterion].setdefault(image, {})[name] = ranking
    return OfPairs(whole, dict(orders), left_out)


def _pair(row: Mapping[str, Any], place: str) -> tuple[str, str, Verdict]:
    columns = [next((key for key in keys if key in row), None) for keys in (_FIRST, _SECOND)]
    if None in columns:
        raise RankingError(
            f"{place} has the columns {', '.join(map(str, row)) or 'none'}; expected buckets, or "
            "method_a, method_b and verdict, or winner and loser"
        )
    first, second = (str(row[key] or "").strip() for key in columns if key is not None)
    if not first or not second or first == second:
        raise RankingError(f"{place} needs two methods, got {first!r} and {second!r}")
    if columns == ["winner", "loser"]:
        return first, second, "left"
    given = str(row.get("verdict", row.get("winner", ""))).strip()
    verdict = _verdict(given, first, second)
    if verdict is None:
        meant = did_you_mean(given, _VERDICTS)
        raise RankingError(
            f"{place} has the verdict {given!r}{meant}; expected left, right or equal"
        )
    return first, second, verdict


def has_verdict(row: Mapping[str, Any]) -> bool:
    """Return whether the verdict of a row is one."""
    first, second = (str(row.get(keys[0]) or "").strip() for keys in (_FIRST, _SECOND))
    return _verdict(str(row.get("verdict")).strip(), first, second) is not None


def _verdict(given: str, first: str, second: str) -> Verdict | None:
    of_name: dict[str, Verdict] = {first: "left", second: "right"}
    return of_name.get(given) or _VERDICTS.get(given.lower())


def _ranking(pairs: Sequence[tuple[str, str, Verdict]]) -> tuple[Ranking | None, str]:
    """Return the ranking that follows from one annotator's pairs, or None and why there is none."""
    methods = sorted({name for first, second, _ in pairs for name in (first, second)})
    order = PartialOrder(len(methods))
    for first, second, verdict in pairs:
        i, j = methods.index(first), methods.index(second)
        known = order.known(i, j)
        if known is not None and known != verdict:
            return None, f"{first} and {second} contradict other answers"
        if known is None:
            order.set(i, j, verdict)
    if any(order.open_items(i) for i in range(len(methods))):
        return None, "not every pair follows from the answers"
    groups = order.groups_worst_first((1 << len(methods)) - 1)
    buckets = [
        tuple(name for at, name in enumerate(methods) if group >> at & 1)
        for group in reversed(groups)
    ]
    return checked(buckets), ""
