"""Sentences on people's preferences between the detectors, from :class:`.Preferences` as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_letters
from typing import Any, Final

from ..inference.significance import ALPHA, compact_letters
from ..rounding import in_decimals
from .words import NAMED_FIRST, is_told, n_others, named, shortened

_TWO: Final = 2
# A sentence names so many groups of detectors between which nothing is decided.
_MOST_GROUPS: Final = 2
# The largest shares, in percent, of simulated studies that call equal detectors different
# (docs/validation/preferences.md), rounded up: from so many annotators on, where each has a taste as
# strong as the quality of results, and where annotators are of two camps with opposite tastes.
_RISKS: Final = ((10, 8, 8), (5, 9, 9), (3, 11, 25), (0, 17, 52))


def preferred(criterion: str, found: Mapping[str, Any]) -> str:
    """Return one sentence: which detectors people prefer, and between which nothing is decided.

    ``found`` is one criterion's :class:`.Preferences` as JSON. Empty without a ranking, or with a single
    detector.
    """
    tested = found["comparisons"]
    n = len(tested["protocols"])
    if n < _TWO or not tested["n_rankings"] + found["n_partial"]:
        return ""
    if not tested["n_rankings"]:
        return (
            f"By {criterion}, nothing is known about all {n} detectors: no ranking has all of them."
        )
    said = _untested(tested) if tested["reason"] else "; ".join(_clauses(tested))
    return f"By {criterion}, {said} ({_counts(tested)})."


def beside_figures(found: Mapping[str, Any]) -> list[str]:
    """Return what protocols' figures put first, and why they differ from people; then risk and gaps."""
    tested, n_partial = found["comparisons"], found["n_partial"]
    said = [*_of_protocols(found)] if tested["n_rankings"] else []
    if len(tested["pairs"]) and not tested["reason"]:
        said.append(_risk(tested["n_annotators"]))
    if n_partial and tested["n_rankings"]:
        words = "ranking lacks" if n_partial == 1 else "rankings lack"
        said.append(f"{n_partial} {words} a detector and do not count here.")
    return said


def _counts(tested: Mapping[str, Any]) -> str:
    return (
        f"{_counted(tested['n_rankings'], 'ranking')} of "
        f"{_counted(tested['n_images'], 'scene' if tested['n_scenes'] > 1 else 'image')} by "
        f"{_counted(tested['n_annotators'], 'group' if tested['n_groups'] > 1 else 'annotator')}"
    )


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _untested(tested: Mapping[str, Any]) -> str:
    means = dict(zip(tested["protocols"], tested["means"], strict=True))
    first = [name for name, mean in means.items() if mean == min(means.values())]
    if len(first) == len(means):
        said = f"these people prefer none of the {len(means)} detectors"
    else:
        before = in_decimals(means[first[0]], 1)
        said = (
            f"these people place {before} of 100 other detectors before {named(first)}, the fewest"
        )
    return f"{said}; whether that holds for others cannot be tested: {tested['reason']}"


def _clauses(tested: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is decided, what is not, and which differences have no test."""
    order = _order_of(tested)
    same = [pair for pair in tested["pairs"] if _is_same_everywhere(pair)]
    told = [pair for pair in tested["pairs"] if is_told(pair)]
    yield from _of_first(order, told)
    groups = [f"between {named(shortened(group))}" for group in _undecided(tested, order)]
    if groups:
        yield f"{named(groups[:_MOST_GROUPS])} nothing is decided"
    if len(groups) > _MOST_GROUPS:
        yield f"{len(told)} of {len(tested['pairs'])} pairs are decided"
    if same:
        pairs = [" before ".join(_better_first(pair)) for pair in same[:NAMED_FIRST]]
        if len(same) > NAMED_FIRST:
            pairs.append(n_others(len(same) - NAMED_FIRST))
        yield f"there is no test of differences that are the same in every ranking: {named(pairs)}"


def _of_first(order: Sequence[str], told: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    first = order[0]
    after = [other for pair in told for better, other in [_better_first(pair)] if better == first]
    if len(order) > _TWO and len(after) == len(order) - 1:
        yield f"people prefer {first} to all others"
    elif after:
        yield f"people prefer {first} to {named(shortened([name for name in order if name in after]))}"
    elif told:
        yield f"{first} comes first, but people prefer it to no other significantly"


def _undecided(tested: Mapping[str, Any], order: Sequence[str]) -> list[list[str]]:
    """Return the largest groups of detectors between which nothing is decided, by the letters' rule."""
    number = {name: at for at, name in enumerate(order)}
    p_values: list[list[float | None]] = [[None] * len(order) for _ in order]
    for pair in tested["pairs"]:
        a, b = number[pair["first"]], number[pair["second"]]
        p = 0.0 if _is_same_everywhere(pair) else pair["adjusted_p_value"]
        p_values[a][b] = p_values[b][a] = p
    letters = compact_letters(range(len(order)), tuple(map(tuple, p_values))) or ()
    groups = [
        [order[at] for at, own in enumerate(letters) if letter in own]
        for letter in sorted({*"".join(letters)}, key=ascii_letters.index)
    ]
    return [group for group in groups if len(group) > 1]


def _is_same_everywhere(pair: Mapping[str, Any]) -> bool:
    """Return whether a difference has no test, as it is the same in every ranking, and is not 0."""
    return pair["adjusted_p_value"] is None and bool(pair["difference"])


def _better_first(pair: Mapping[str, Any]) -> tuple[str, str]:
    """Return the two detectors, the one with fewer before it first."""
    names = pair["first"], pair["second"]
    return names if pair["difference"] < 0 else names[::-1]


def _order_of(tested: Mapping[str, Any]) -> list[str]:
    means = dict(zip(tested["protocols"], tested["means"], strict=True))
    return sorted(means, key=lambda name: means[name])


def _of_protocols(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence on the protocols that agree about the first, and one for each other reason."""
    tested = found["comparisons"]
    if len({*tested["means"]}) == 1:
        return
    best = _order_of(tested)[0]
    pairs = {frozenset((one["first"], one["second"])): one for one in tested["pairs"]}
    agree, others = list[str](), dict[tuple[str, str], list[str]]()
    for one in found["protocols"]:
        if best in one["first"]:
            agree.append(one["protocol"])
        else:
            first = one["first"][0]
            reason = _reason(tested, pairs[frozenset((best, first))], one, best, first)
            others.setdefault((first, reason), []).append(one["protocol"])
    decided = all(
        is_told(own) or _is_same_everywhere(own) for pair, own in pairs.items() if best in pair
    )
    if agree and (decided or tested["reason"]):
        yield f"On these images the figures of {named(agree)} put {best} first, too."
    elif agree:
        yield (
            f"On these images the figures of {named(agree)} put {best} first; so do people on average, but "
            "not significantly."
        )
    for (first, reason), protocols in others.items():
        yield f"On these images the figures of {named(protocols)} put {first} first{reason}."


def _reason(
    tested: Mapping[str, Any],
    pair: Mapping[str, Any],
    one: Mapping[str, Any],
    best: str,
    first: str,
) -> str:
    """Return why a protocol's figures put another detector first than people do."""
    if tested["reason"]:
        return ""
    if not is_told(pair) and not _is_same_everywhere(pair):
        return f"; between it and {best} people decide nothing"
    if one["p_value"] is not None and one["p_value"] > ALPHA:
        return f", which by them does not differ significantly from {best}"
    if one["lead_of_100"] > 0:
        return f"; image by image they put {best} before it more often, but some images weigh more"
    return f"; image by image, too, they do not put {best} before it more often: they judge images otherwise"


def _risk(n_annotators: int) -> str:
    usual, in_camps = next(own for least, *own in _RISKS if n_annotators >= least)
    said = f"The risk of calling any two equal detectors different is up to {usual} %"
    return (
        f"{said}, and {in_camps} % if people are of two opposite tastes."
        if in_camps > usual
        else f"{said}."
    )
