"""Pairs that other tools collected, as rankings."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any, Final

from text_rankings.base.suggestions import did_you_mean

from ..errors import RankingError
from ..orders.buckets import Ranking, checked
from .log import MIRRORED
from .partial_order import PartialOrder, Verdict

_CRITERION: Final = "preference"
_FIRST: Final = ("method_a", "model_a", "left", "winner")
_SECOND: Final = ("method_b", "model_b", "right", "loser")
METHOD_COLUMNS: Final = ("method_a", "model_a", "left", "method_b", "model_b", "right")
_OTHER_COLUMNS: Final = ("image", "annotator", "criterion", "seconds")
_WORDS: Final[Mapping[Verdict, Sequence[str]]] = {
    "left": ("left", "a", "method_a", "model_a", "first"),
    "right": ("right", "b", "method_b", "model_b", "second"),
    "equal": ("equal", "tie", "tied", "both", "tie (bothbad)", "draw"),
}
_VERDICTS: Final = {word: verdict for verdict, words in _WORDS.items() for word in words}
_AGAIN: Final = "the same answer of the same annotator again"
# Image, annotator and the reason for which an answer is not used.
LeftOut = tuple[str, str, str]
# Criterion -> image -> annotator -> ranking.
Nested = dict[str, dict[str, dict[str, Ranking]]]
# Verdicts by a study's own words for them: :func:`codes_of`.
Codes = Mapping[str, Verdict]
_NO_CODES: Final[Codes] = {}


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

    ``following``, by criterion, image and annotator, rank the methods that the annotator compared
    there. ``unranked`` are the pairs of annotators from which no ranking follows, for a reason in
    ``left_out``. ``orders`` are all pairs by criterion.
    """

    following: Nested
    unranked: dict[str, dict[str, dict[str, list[Ranking]]]]
    orders: dict[str, list[Ranking]]
    left_out: list[LeftOut]


def are_pairs(names: Collection[str]) -> bool:
    """Return whether columns are those of pairs."""
    return "buckets" not in names and all(
        any(name in names for name in side) for side in (_FIRST, _SECOND)
    )


def unread_columns(names: Iterable[str]) -> list[str]:
    """Return the columns of pairs that are not read; what they tell of the answers is lost."""
    present = [*names]
    sides = [next((key for key in keys if key in present), "") for keys in (_FIRST, _SECOND)]
    verdicts = ["verdict" if "verdict" in present else "winner"]
    read = {*sides, *_OTHER_COLUMNS, *(verdicts if sides != ["winner", "loser"] else ())}
    return [name for name in present if name and name not in read]


def text_of(given: Any) -> str:
    """Return a value of a row as text; a missing one, also as nan, is empty."""
    is_missing = given is None or (isinstance(given, float) and isnan(given))
    return "" if is_missing else str(given).strip()


def answered_pairs(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    place: str,
    criterion: str = _CRITERION,
    codes: Codes = _NO_CODES,
) -> Iterator[AnsweredPair]:
    """Yield the pairs of a table with numbered rows.

    Rows have ``method_a``, ``method_b`` and ``verdict``, or the names that other tools use;
    ``criterion`` is that of rows that name none. A number is a verdict only by ``codes``, because
    tools do not agree on what 0, 1 and 2 mean. Raises RankingError if a row is not a pair; the
    message names it by ``place`` and its number.
    """
    for at, row in rows:
        a, b, verdict = _pair(row, f"{place} {at}", codes)
        image, name = (text_of(row.get(key)) for key in ("image", "annotator"))
        by = text_of(row.get("criterion")) or criterion
        yield AnsweredPair(image, name, by, a, b, verdict, _seconds(row.get("seconds")))


def _seconds(given: Any) -> float | None:
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None


def codes_of(given: str | Mapping[Any, str] | None) -> Codes:
    """Return codes of verdicts from text like ``0=left, 1=right, 2=equal``, or a mapping.

    Raises RankingError if a code has another meaning than left, right or equal, or two meanings.
    """
    if isinstance(given, str):
        parts = [part.rpartition("=") for part in given.split(",") if part.strip()]
        pairs = [(code, meaning) for code, _, meaning in parts]
    else:
        pairs = [(str(code), str(meaning)) for code, meaning in (given or {}).items()]
    codes: dict[str, Verdict] = {}
    for code, meaning in pairs:
        verdict = _VERDICTS.get(meaning.strip().lower())
        if verdict is None or not code.strip() or codes.get(_code(code), verdict) != verdict:
            raise RankingError(f"expected codes like 0=left, 1=right, 2=equal, got {given!r}")
        codes[_code(code)] = verdict
    return codes


def _code(text: str) -> str:
    """Return a code without the ways of writing it: 1 and 1.0 are one code."""
    number = _number(text)
    return text.strip().lower() if number is None else str(number + 0.0)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def without_repeats(
    answers: Iterable[AnsweredPair],
) -> tuple[list[AnsweredPair], list[LeftOut]]:
    """Return the answers, each of an annotator once, and those that are the same again.

    Answers without an annotator are all kept, because each may be of another person.
    """
    kept, repeated = [], []
    seen: set[tuple[str, str, str, Ranking]] = set()
    for one in answers:
        order = _of_two(one.first, one.second, one.verdict)
        answer = one.criterion, one.image, one.annotator, order
        if one.annotator and answer in seen:
            repeated.append((one.image, one.annotator, _AGAIN))
        else:
            seen.add(answer)
            kept.append(one)
    return kept, repeated


def rankings_that_follow(answers: Iterable[AnsweredPair]) -> OfPairs:
    """Return the rankings that follow from answers."""
    orders: dict[str, list[Ranking]] = defaultdict(list)
    pairs: dict[tuple[str, str, str], list[tuple[str, str, Verdict]]] = defaultdict(list)
    for one in answers:
        pair = one.first, one.second, one.verdict
        pairs[one.criterion, one.image, one.annotator].append(pair)
        orders[one.criterion].append(_of_two(*pair))
    found = OfPairs({by: {} for by in orders}, {by: {} for by in orders}, dict(orders), [])
    for (criterion, image, name), own in pairs.items():
        ranking, reason = _ranking(own)
        if ranking is None:
            found.left_out.append((image, name, reason))
            of_two = [_of_two(*pair) for pair in own]
            found.unranked[criterion].setdefault(image, {})[name] = of_two
        else:
            found.following[criterion].setdefault(image, {})[name] = ranking
    return found


def _of_two(first: str, second: str, verdict: Verdict) -> Ranking:
    if verdict == "equal":
        return checked([(first, second)])
    return checked([(first,), (second,)] if verdict == "left" else [(second,), (first,)])


def _pair(row: Mapping[str, Any], place: str, codes: Codes) -> tuple[str, str, Verdict]:
    columns = [next((key for key in keys if key in row), None) for keys in (_FIRST, _SECOND)]
    if None in columns:
        raise RankingError(
            f"{place} has the columns {', '.join(map(str, row)) or 'none'}; expected buckets, or "
            "method_a, method_b and verdict, or winner and loser"
        )
    first, second = (text_of(row[key]) for key in columns if key is not None)
    if not first or not second or first == second:
        raise RankingError(f"{place} needs two methods, got {first!r} and {second!r}")
    if columns == ["winner", "loser"]:
        return first, second, "left"
    given = text_of(row.get("verdict", row.get("winner")))
    verdict = _verdict(given, first, second, codes)
    if verdict is None and _number(given) is not None:
        raise RankingError(
            f"{place} has the verdict {given}, a number, which tools use in different ways; say what "
            'each number means, like "0=left, 1=right, 2=equal" (codes in Python, --codes in the shell)'
        )
    if verdict is None:
        meant = did_you_mean(given, _VERDICTS)
        raise RankingError(
            f"{place} has the verdict {given!r}{meant}; expected left, right or equal"
        )
    return first, second, verdict


def is_verdict(word: str) -> bool:
    """Return whether a word means left, right or equal."""
    return word.strip().lower() in _VERDICTS


def has_verdict(row: Mapping[str, Any], codes: Codes = _NO_CODES) -> bool:
    """Return whether the verdict of a row is one, or a number, which must be explained."""
    first, second = (str(row.get(keys[0]) or "").strip() for keys in (_FIRST, _SECOND))
    given = str(row.get("verdict")).strip()
    return _number(given) is not None or _verdict(given, first, second, codes) is not None


def _verdict(given: str, first: str, second: str, codes: Codes) -> Verdict | None:
    of_name: dict[str, Verdict] = {first: "left", second: "right"}
    return of_name.get(given) or codes.get(_code(given)) or _VERDICTS.get(given.lower())


def _by_name(pair: tuple[str, str, Verdict]) -> tuple[str, str, Verdict]:
    """Return a pair with the methods in the order of their names."""
    first, second, verdict = pair
    return pair if first < second else (second, first, MIRRORED[verdict])


def _ranking(pairs: Sequence[tuple[str, str, Verdict]]) -> tuple[Ranking | None, str]:
    """Return the ranking that follows from one annotator's pairs, or None and why there is none."""
    methods = sorted({name for first, second, _ in pairs for name in (first, second)})
    order = PartialOrder(len(methods))
    # Sorted, so that a message names the same pair in any order of rows.
    for first, second, verdict in sorted(map(_by_name, pairs)):
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
