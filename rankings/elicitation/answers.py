"""People's answers in rows, as rankings or pairs, and the whole rankings among them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from text_rankings.base.names import natural_order

from ..errors import RankingError
from ..orders.buckets import Ranking, checked, methods_of
from .ordering import in_order
from .pairs import (
    Codes,
    LeftOut,
    Nested,
    OfPairs,
    answered_pairs,
    rankings_that_follow,
    text_of,
    without_repeats,
)

_NO_IMAGE: Final = (
    "answers without an image, among others that have one, count as those of one image"
)
_NAMELESS: Final = "answers without an annotator count as those of one nameless person"


@dataclass(frozen=True, slots=True)
class Answers:
    """Rankings and pairs of people, by criterion, image and annotator.

    ``following`` are rankings of the methods that an annotator compared on an image, ``whole`` those
    that have all methods which anyone compared there. ``orders`` are all answers by criterion, as
    rankings. ``compared``, by criterion and image, has each annotator's ranking or, if none follows,
    the annotator's pairs. ``unranked`` are annotators from whose answers no ranking follows,
    ``left_out`` all without a whole ranking, with the reasons.
    """

    following: Nested
    whole: Nested
    orders: dict[str, list[Ranking]]
    compared: dict[str, dict[str, list[Ranking]]]
    unranked: list[LeftOut]
    left_out: list[LeftOut]

    @property
    def notes(self) -> list[str]:
        """Sentences on answers that name no annotator, or no image while others do."""
        people = (own for images in self.following.values() for own in images.values())
        is_nameless = any("" in own for own in people)
        is_nameless |= any(not name for _, name, _ in self.left_out)
        images = {image for own in self.compared.values() for image in own}
        lacks_image = "" in images and len(images) > 1
        return [*([_NAMELESS] if is_nameless else []), *([_NO_IMAGE] if lacks_image else [])]


def answers_of_rows(
    rows: Iterable[tuple[int, Mapping[str, Any]]], place: str, codes: Codes
) -> Answers:
    """Return the answers in numbered rows: rankings with ``buckets``, else pairs.

    Rankings have ``image``, ``annotator`` (may be empty), ``criterion`` and ``buckets``; those with
    "false" in ``in_reports`` are skipped. Pairs are as in :func:`.pairs.answered_pairs`, and count
    once for each annotator. Raises RankingError if a row is neither; the message names it by ``place``
    and its number.
    """
    numbered = list(rows)
    if numbered and "buckets" in numbered[0][1]:
        return answers_of_rankings(_of_buckets(numbered, place))
    pairs, repeated = without_repeats(answered_pairs(numbered, place, codes=codes))
    return answers_of_pairs(rankings_that_follow(pairs), repeated)


def answers_of_rankings(rankings: Nested) -> Answers:
    """Return rankings as answers."""
    orders = {
        criterion: [one for own in images.values() for one in own.values()]
        for criterion, images in rankings.items()
    }
    return answers_of_pairs(OfPairs(rankings, {by: {} for by in rankings}, orders, []))


def answers_of_pairs(found: OfPairs, repeated: Sequence[LeftOut] = ()) -> Answers:
    """Return the rankings that follow from pairs as answers, in the order of their names.

    ``repeated`` are answers that are left out since they were given twice.
    """
    following, unranked = in_order(found.following), in_order(found.unranked)
    methods_on: dict[str, set[str]] = defaultdict(set)
    compared: dict[str, dict[str, list[Ranking]]] = {}
    for criterion, images in following.items():
        compared[criterion] = {image: [*own.values()] for image, own in images.items() if own}
        for image, of_people in unranked[criterion].items():
            pairs = [pair for own in of_people.values() for pair in own]
            compared[criterion].setdefault(image, []).extend(pairs)
        for image, rankings in compared[criterion].items():
            methods_on[image].update(*map(methods_of, rankings))
    whole: Nested = {}
    left_out = [*repeated, *found.left_out]
    compared = in_order(compared)
    for criterion, images in following.items():
        # An image without a whole ranking stays, so that reports name it.
        whole[criterion] = {image: {} for image in [*images, *compared[criterion]]}
        for image, own in images.items():
            for name, ranking in own.items():
                n, of = len(methods_of(ranking)), len(methods_on[image])
                if n == of:
                    whole[criterion][image][name] = ranking
                else:
                    left_out.append((image, name, f"a ranking of {n} of {of} methods"))
    orders = {criterion: found.orders[criterion] for criterion in following}
    left_out.sort(key=_place)
    return Answers(
        following, in_order(whole), orders, compared, sorted(found.left_out, key=_place), left_out
    )


def _place(left: LeftOut) -> tuple[Any, ...]:
    image, name, reason = left
    return natural_order(image or ""), name or "", reason


def _of_buckets(rows: Sequence[tuple[int, Mapping[str, Any]]], place: str) -> Nested:
    rankings: Nested = {}
    for at, row in rows:
        if str(row.get("in_reports")).lower() == "false":
            continue
        try:
            buckets = row["buckets"]
            ranking = checked(json.loads(buckets) if isinstance(buckets, str) else buckets)
            criterion, image = text_of(row["criterion"]), text_of(row["image"])
        except KeyError as fault:
            raise RankingError(f"{place} {at} has no {fault.args[0]}") from fault
        except (TypeError, ValueError) as fault:
            raise RankingError(f"{place} {at}: buckets are no ranking: {fault}") from fault
        name = text_of(row.get("annotator"))
        own = rankings.setdefault(criterion, {}).setdefault(image, {})
        if name in own:
            who = name or "a nameless annotator"
            raise RankingError(f"{place} {at}: {who} ranks {image} a second time")
        own[name] = ranking
    return rankings
