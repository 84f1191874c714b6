"""The annotators' own rankings and those of the protocols, as arrays that several tests share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..orders.buckets import Ranking
from ..orders.from_scores import require_decimals
from ..orders.packed import Places, named_rankings
from ..orders.packed_scores import complete_scores, places_from_scores


@dataclass(frozen=True, slots=True)
class PersonalGroup:
    """g images with the same number k of annotators and n of methods.

    ``images`` of shape (g,) and ``annotators`` of shape (g, k) are their numbers. Bucket numbers of
    the methods are of shape (g, k, n) in people's rankings and (g, p, n) in those of p protocols.
    """

    images: NDArray[np.intp]
    annotators: NDArray[np.intp]
    people: Places
    protocols: Places


@dataclass(frozen=True, slots=True)
class PersonalRankings:
    """The rankings of a study's images by people and by protocols.

    Images and annotators are in order of name; elsewhere they are given by their positions here.
    Images without a ranking are not included; each other one is in exactly one group.
    """

    images: tuple[str, ...]
    annotators: tuple[str, ...]
    protocols: tuple[str, ...]
    groups: tuple[PersonalGroup, ...]

    def of(self, protocols: Sequence[str]) -> "PersonalRankings":
        """Return the rankings of people and of some protocols, in this order."""
        rows = [self.protocols.index(name) for name in protocols]
        groups = tuple(replace(one, protocols=one.protocols[:, rows]) for one in self.groups)
        return replace(self, protocols=tuple(protocols), groups=groups)


def protocols_alike(rankings: PersonalRankings) -> list[tuple[str, ...]]:
    """Return the protocols in groups that order the methods of every image alike.

    Without an image each is by itself.
    """
    alike: dict[object, list[str]] = {}
    for at, name in enumerate(rankings.protocols):
        orders = [group.protocols[:, at].tobytes() for group in rankings.groups]
        alike.setdefault(tuple(orders) or name, []).append(name)
    return [tuple(names) for names in alike.values()]


def personal_rankings_from_scores(
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    scores: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    protocols: Sequence[str],
    decimals: int | None = 4,
) -> PersonalRankings:
    """Align people's rankings with those from the scores of protocols, rounded to ``decimals``.

    Annotators may have ranked different images. Raises MissingScore if a score is missing or not
    finite; the message names image, protocol and method. Raises RankingError if a ranking is
    invalid, the rankings of an image have different methods (the message names it), or ``decimals``
    is outside 0 .. 15.
    """
    require_decimals(decimals)
    images = [image for image in sorted(annotator_rankings) if annotator_rankings[image]]
    annotators = sorted({name for image in images for name in annotator_rankings[image]})
    number = {name: at for at, name in enumerate(annotators)}
    teams, rankings = [], []
    for image in images:
        of_image = annotator_rankings[image]
        team = sorted(of_image)
        teams.append([number[name] for name in team])
        rankings.append([*map(of_image.__getitem__, team)])
    groups = []
    for packed in named_rankings(images, rankings):
        rows = packed.rows.tolist()
        of_group = np.array([teams[row] for row in rows], dtype=np.intp)
        values = complete_scores(scores, [images[row] for row in rows], packed.methods, protocols)
        own = places_from_scores(values, decimals)
        groups.append(PersonalGroup(packed.rows, of_group, packed.places, own))
    return PersonalRankings(tuple(images), tuple(annotators), tuple(protocols), tuple(groups))
