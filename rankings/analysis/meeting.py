"""Checks whether the names of rankings and of scores meet, before anything is computed."""

from collections.abc import Mapping
from typing import Any

from text_rankings.base.suggestions import did_you_mean

from ..errors import RankingError
from ..orders.buckets import Ranking, methods_of


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
