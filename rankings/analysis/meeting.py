"""Checks of scores, and whether their names and those of rankings meet, before anything is computed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from text_rankings.base.suggestions import did_you_mean

from ..errors import RankingError
from ..orders.buckets import Ranking, methods_of
from ..orders.from_scores import require_fraction


def require_fractions(scores: Mapping[Any, Any]) -> None:
    """Raise RankingError unless these are scores: image -> protocol -> method -> (recall, precision).

    Raises RankingError if one is neither a number in [0, 1] nor None; names image, protocol, method
    and value.
    """
    for image, of_protocol in scores.items():
        for protocol, of_method in _inner(of_protocol, f"{image}", "protocols"):
            for method, score in _inner(of_method, f"{image}, {protocol}", "methods"):
                name = f"{image}, {protocol}, {method}"
                if score is None:
                    continue
                if isinstance(score, str) or not isinstance(score, Sequence) or len(score) != 2:
                    raise RankingError(f"{name}: expected (recall, precision), got {score!r}")
                require_fraction(score[0], f"{name}: recall")
                require_fraction(score[1], f"{name}: precision")


def _inner(given: Any, name: str, of: str) -> Iterable[tuple[Any, Any]]:
    if not isinstance(given, Mapping):
        raise RankingError(f"{name}: expected a dictionary of {of}, got {given!r}")
    return given.items()


def require_names_that_meet(
    rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> None:
    """Raise RankingError if no ranked image has scores of all its methods because of its names.

    Raises RankingError if there are rankings and scores, but on every ranked image a name is in one
    of them only; says which, and the nearest name of the other.
    """
    images = {image for of_criterion in rankings.values() for image in of_criterion}
    shared = sorted(images & scores.keys())
    if not images or not scores:
        return
    if not shared:
        name = min(images)
        raise RankingError(
            f"no ranked image has scores: there are none of {name!r}{did_you_mean(name, scores)}"
        )
    unknown, known = "", set[str]()
    for image in shared:
        scored = {method for of_method in scores[image].values() for method in of_method}
        ranked = {
            method
            for of_criterion in rankings.values()
            for ranking in of_criterion.get(image, {}).values()
            for method in methods_of(ranking)
        }
        if ranked <= scored:
            return
        if not unknown:
            unknown, known = min(ranked - scored), scored
    raise RankingError(
        f"no ranked image has scores of all its methods: there are none of {unknown!r}"
        f"{did_you_mean(unknown, known)}"
    )
