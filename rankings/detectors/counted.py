"""Rankings, images and protocols that count when methods are ordered over a dataset."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from text_rankings.base.image_sets import ImageSets, image_sets, may_have_interval

from ..orders.buckets import Ranking
from .method_strengths import People, people_of
from .tallies import Tallies

_NOTHING_SHARED: Final = "on no image have the protocols scored every method"


# Method, the number of its images, and that of the others.
Short = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The protocols and images that are compared, and the others with the reason.

    ``groups`` are protocols that leave the same methods out of their orders.
    """

    groups: Mapping[Short, list[str]]
    left_out: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    images_left_out: tuple[tuple[str, str], ...]


def counted_people(
    rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    tallies: Tallies,
    min_annotators: int,
) -> Iterator[tuple[dict[str, People], Chosen]]:
    """Yield the rankings that count, of criteria with the same images, annotators and methods."""
    people = {
        # Sums of floats must not depend on the order of the images in a file.
        criterion: people_of(dict(sorted(of_criterion.items())), min_annotators=min_annotators)
        for criterion, of_criterion in rankings.items()
    }
    for together in _alike(people):
        chosen = _chosen(people[together[0]], tallies)
        counted = {name: people[name] for name in together}
        if chosen.images_left_out and chosen.groups:
            counted = {
                name: replace(
                    people_of({image: rankings[name][image] for image in chosen.images}),
                    left_out=own.left_out,
                )
                for name, own in counted.items()
            }
        yield counted, chosen


def _alike(people: Mapping[str, People]) -> list[list[str]]:
    """Group the criteria that have the same images, annotators and methods."""
    groups: dict[Any, list[str]] = {}
    for name, own in people.items():
        groups.setdefault((own.images, own.annotators, own.methods), []).append(name)
    return list(groups.values())


def _chosen(people: People, tallies: Tallies) -> Chosen:
    """Choose the protocols that know all methods, and the images that they share."""
    own = tallies.of(people.images, sorted(tallies.protocols), people.methods)
    left_out = dict(_lacking(own))
    known = [name for name in own.protocols if name not in left_out]
    scored = own.of(own.images, known, own.methods).is_scored
    images_of = {
        protocol: {
            method: np.flatnonzero(scored[:, at, column]).tolist()
            for column, method in enumerate(own.methods)
        }
        for at, protocol in enumerate(known)
    }
    short: dict[str, Short] = {}
    sets = _sets(images_of, len(own.images))
    if sets.differ and not may_have_interval(len(sets.shared)):
        short = {protocol: _short(of_method) for protocol, of_method in images_of.items()}
        for protocol, lacking in short.items():
            for method, _, _ in lacking:
                del images_of[protocol][method]
            if not images_of[protocol]:
                del images_of[protocol]
                left_out[protocol] = f"no method has all its images: {_said(lacking)}"
        sets = _sets(images_of, len(own.images))
        few = {protocol for protocol, _ in sets.lacking}
        if few and few != {*images_of} and not may_have_interval(len(sets.shared)):
            for protocol in few:
                n = len(next(iter(images_of.pop(protocol).values())))
                left_out[protocol] = f"it has scored {n} of {len(sets.images)} images"
            sets = _sets(images_of, len(own.images))
    everything = tuple(left_out.items())
    if not images_of or len(sets.shared) == len(own.images):
        return Chosen(_grouped(images_of, short), everything, people.images, ())
    if not sets.shared:
        left_out |= dict.fromkeys(images_of, _NOTHING_SHARED)
        return Chosen({}, tuple(left_out.items()), people.images, ())
    reasons = {
        image: f"{protocol} has not scored {method}"
        for (protocol, method), images in reversed([*sets.lacking.items()])
        for image in images
    }
    shared = {*sets.shared}
    return Chosen(
        _grouped(images_of, short),
        everything,
        tuple(people.images[at] for at in sets.shared),
        tuple(
            (image, reasons.get(at, "no protocol has scored it"))
            for at, image in enumerate(people.images)
            if at not in shared
        ),
    )


def _sets(
    images_of: Mapping[str, Mapping[str, Sequence[int]]], n_images: int
) -> ImageSets[tuple[str, str], int]:
    cells = {
        (protocol, method): images
        for protocol, of_method in images_of.items()
        for method, images in of_method.items()
    }
    return image_sets(cells, range(n_images))


def _short(of_method: Mapping[str, Sequence[int]]) -> Short:
    """Return the methods that lack images which a protocol has scored for others."""
    sets = image_sets(of_method)
    return tuple((method, sets.n_of[method], len(sets.images)) for method in sets.lacking)


def _said(short: Short) -> str:
    return ", ".join(f"{method}: {n} of {of} images" for method, n, of in short)


def _grouped(protocols: Iterable[str], short: Mapping[str, Short]) -> dict[Short, list[str]]:
    groups: dict[Short, list[str]] = {}
    for protocol in protocols:
        groups.setdefault(short.get(protocol, ()), []).append(protocol)
    return groups


def _lacking(tallies: Tallies) -> Iterator[tuple[str, str]]:
    for at, protocol in enumerate(tallies.protocols):
        is_known = np.any(tallies.is_scored[:, at], axis=0).tolist()
        lacks = [name for name, known in zip(tallies.methods, is_known, strict=True) if not known]
        if lacks:
            yield protocol, f"it has not scored {', '.join(lacks)}"
