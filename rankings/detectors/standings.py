"""Standings of the detectors: people's order of the methods over all images, and each protocol's.

People's order is by Davidson's model (:mod:`.method_strengths`), a protocol's by its figures for
the dataset (:mod:`.tallies`); :mod:`.soft_accuracy` measures how well they agree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.image_sets import image_sets

from ..consensus.davidson import ranking_by_strength
from ..orders.buckets import Ranking
from ..orders.from_scores import ranking_from_scores
from ..orders.packed_scores import Floats
from .method_strengths import Lead, People, Strengths, people_of, strengths_of
from .soft_accuracy import Accuracy, Compared, Options, compared
from .tallies import Tallies, slopes

# How many pairs to list that a protocol gets wrong, and how many images of each.
MOST_WRONG: Final = 30
MOST_IMAGES: Final = 5
_NOTHING_SHARED: Final = "on no image have the protocols scored every method"


@dataclass(frozen=True, slots=True)
class Wrong:
    """Two methods that a protocol orders opposite to people, who put ``first`` before ``second``.

    ``lead`` is how much stronger people find the first, with its interval. ``p_people`` is
    one-sided for "people find the first no better", ``p_protocol`` for "by the protocol, the second
    is no better". ``images`` are those on which people and protocol disagree most, the largest
    first.
    """

    first: str
    second: str
    lead: float
    low: float | None
    high: float | None
    p_people: float
    figure_first: float
    figure_second: float
    p_protocol: float
    images: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A protocol's order of the methods over the dataset, by its rounded figures.

    ``hard`` and ``soft`` pairwise accuracy; of the ``n_wrong`` pairs ordered opposite to people,
    ``wrong`` has the 30 of which people are surest.
    """

    protocol: str
    order: Ranking
    figures: Mapping[str, float]
    hard: Accuracy
    soft: Accuracy
    n_wrong: int
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, slots=True)
class CriterionDetectors:
    """People's order by one criterion and every protocol's, the highest soft accuracy first.

    Images with too few rankings, or with rankings of different methods, are left out. Figures of
    different images are never compared: ``images_left_out`` have the images on which a protocol has
    not scored every method, with the reason.
    """

    people: Strengths
    order: Ranking
    protocols: tuple[Standing, ...]
    left_out: tuple[tuple[str, str], ...]
    n_images_left_out: int
    images_left_out: tuple[tuple[str, str], ...]
    n_permutations: int
    n_resamples: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Detectors:
    """The standings by all criteria, and their settings."""

    options: Options
    min_annotators: int
    criteria: Mapping[str, CriterionDetectors]

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data, with numbers in full precision and undefined ones as None."""
        return {
            "settings": {**asdict(self.options), "min_annotators": self.min_annotators},
            "criteria": {name: asdict(own) for name, own in self.criteria.items()},
        }


def detectors(
    rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    tallies: Tallies,
    options: Options | None = None,
    *,
    min_annotators: int = 1,
) -> Detectors:
    """Order the methods over all images, by people and by every protocol.

    Recall is compared with a protocol's recall, precision with its precision, and every other
    criterion with F_beta of the two.

    Parameters
    ----------
    rankings : criterion -> image -> annotator -> ranking
    tallies : Tallies
        Only the images and methods that people have ranked are used. A protocol that has scored no
        result of one of these methods is left out, and listed in ``left_out``; an image on which
        another has not scored a method is left out for all.
    options : Options, optional
        How figures are computed and compared.
    min_annotators : int
        An image needs this many rankings, all of the same methods.

    Raises
    ------
    RankingError
        If a ranking or a setting is invalid.
    NotConverged
        If Davidson's model does not converge.

    Examples
    --------
    >>> sums = np.array([[[[3.0, 4, 3, 4], [1, 4, 1, 4]]]])  # a finds 3 of 4 words, b one
    >>> tallies = Tallies(("img_1",), ("iou",), ("a", "b"), sums, np.ones((1, 1, 2), dtype=bool))
    >>> found = detectors({"recall": {"img_1": {"ann": (("a",), ("b",))}}}, tallies).criteria["recall"]
    >>> found.order, dict(found.protocols[0].figures)
    ((('a',), ('b',)), {'a': 0.75, 'b': 0.25})
    """
    options = options or Options()
    people = {
        criterion: people_of(of_criterion, min_annotators=min_annotators)
        for criterion, of_criterion in rankings.items()
    }
    done: dict[str, CriterionDetectors] = {}
    for together in _alike(people):
        chosen = _chosen(people[together[0]], tallies)
        counted = {name: people[name] for name in together}
        if chosen.images_left_out and chosen.protocols:
            counted = {
                name: replace(
                    people_of({image: rankings[name][image] for image in chosen.images}),
                    n_left_out=own.n_left_out,
                )
                for name, own in counted.items()
            }
        done |= _together(counted, tallies, options, chosen)
    return Detectors(options, min_annotators, {name: done[name] for name in rankings})


def _alike(people: Mapping[str, People]) -> list[list[str]]:
    """Group the criteria that have the same images, annotators and methods."""
    groups: dict[Any, list[str]] = {}
    for name, own in people.items():
        groups.setdefault((own.images, own.annotators, own.methods), []).append(name)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The protocols and images that are compared, and the others with the reason."""

    protocols: list[str]
    left_out: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    images_left_out: tuple[tuple[str, str], ...]


def _chosen(people: People, tallies: Tallies) -> _Chosen:
    """Choose the protocols that know all methods, and the images that they share."""
    own = tallies.of(people.images, tallies.protocols, people.methods)
    left_out = dict(_lacking(own))
    known = [name for name in own.protocols if name not in left_out]
    scored = own.of(own.images, known, own.methods).is_scored
    sets = image_sets(
        {
            (protocol, method): np.flatnonzero(scored[:, at, column]).tolist()
            for at, protocol in enumerate(known)
            for column, method in enumerate(own.methods)
        },
        range(len(own.images)),
    )
    if not known or len(sets.shared) == len(own.images):
        return _Chosen(known, tuple(left_out.items()), people.images, ())
    if not sets.shared:
        left_out |= dict.fromkeys(known, _NOTHING_SHARED)
        return _Chosen([], tuple(left_out.items()), people.images, ())
    reasons = {
        image: f"{protocol} has not scored {method}"
        for (protocol, method), images in reversed([*sets.lacking.items()])
        for image in images
    }
    shared = {*sets.shared}
    return _Chosen(
        known,
        tuple(left_out.items()),
        tuple(people.images[at] for at in sets.shared),
        tuple(
            (image, reasons.get(at, "no protocol has scored it"))
            for at, image in enumerate(people.images)
            if at not in shared
        ),
    )


def _together(
    people: Mapping[str, People], tallies: Tallies, options: Options, chosen: _Chosen
) -> dict[str, CriterionDetectors]:
    one = next(iter(people.values()))
    strengths = {name: strengths_of(own, level=options.level) for name, own in people.items()}
    if not one.images:
        return {
            name: CriterionDetectors(strengths[name], (), (), (), own.n_left_out, (), 0, 0, False)
            for name, own in people.items()
        }
    own_tallies = tallies.of(one.images, chosen.protocols, one.methods)
    orders = {
        name: ranking_by_strength({row.method: row.strength for row in own.strengths})
        for name, own in strengths.items()
    }
    # Methods that people tie have the same place.
    places = {name: _places(order, one.methods) for name, order in orders.items()}
    answers = compared(
        people, {name: -place for name, place in places.items()}, own_tallies, options
    )
    return {
        name: CriterionDetectors(
            strengths[name],
            orders[name],
            tuple(
                _Standings(
                    name, own, strengths[name], places[name], own_tallies, answers[name], options
                ).all()
            ),
            chosen.left_out,
            own.n_left_out,
            chosen.images_left_out,
            answers[name].n_permutations,
            answers[name].n_resamples,
            answers[name].is_exact,
        )
        for name, own in people.items()
    }


def _lacking(tallies: Tallies) -> Iterator[tuple[str, str]]:
    for at, protocol in enumerate(tallies.protocols):
        is_known = np.any(tallies.is_scored[:, at], axis=0).tolist()
        lacks = [name for name, known in zip(tallies.methods, is_known, strict=True) if not known]
        if lacks:
            yield protocol, f"it has not scored {', '.join(lacks)}"


def _places(order: Ranking, methods: Sequence[str]) -> Floats:
    place_of = {name: place for place, bucket in enumerate(order) for name in bucket}
    return np.array([place_of[name] for name in methods], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Standings:
    """Input for the standings of the protocols by one criterion."""

    criterion: str
    people: People
    strengths: Strengths
    places: Floats
    tallies: Tallies
    answer: Compared
    options: Options
    # The lead of each pair of methods.
    lead_of: dict[frozenset[str], Lead] = field(default_factory=dict)

    def all(self) -> list[Standing]:
        for lead in self.strengths.leads:
            self.lead_of[frozenset((lead.first, lead.second))] = lead
        standings = [self._of(at, name) for at, name in enumerate(self.tallies.protocols)]
        # With fewer than two methods there is no accuracy, and the order is by name.
        return sorted(standings, key=lambda one: (-(one.soft.value or 0.0), one.protocol))

    def _of(self, at: int, protocol: str) -> Standing:
        methods = self.tallies.methods
        figures = self.answer.figures[at]
        of_method = dict(zip(methods, figures.tolist(), strict=True))
        order = ranking_from_scores(of_method, self.options.decimals)
        pairs = self._wrong_pairs(_places(order, methods))
        return Standing(
            protocol,
            order,
            of_method,
            self.answer.hard[at],
            self.answer.soft[at],
            len(pairs),
            tuple(self._wrong(at, pair) for pair in pairs[:MOST_WRONG]),
        )

    def _wrong_pairs(self, places: Floats) -> list[int]:
        """Return the numbers of the pairs ordered opposite to people, people's surest first."""
        first, second = self.answer.first, self.answer.second
        by_people = self.places[first] - self.places[second]
        against = by_people * (places[first] - places[second]) < 0
        sure = np.minimum(self.answer.p_people, 1 - self.answer.p_people)
        return sorted(np.flatnonzero(against).tolist(), key=lambda pair: (sure[pair], pair))

    def _wrong(self, at: int, pair: int) -> Wrong:
        a, b = int(self.answer.first[pair]), int(self.answer.second[pair])
        p_people, p_protocol = self.answer.p_people[pair], 1 - self.answer.p_protocols[at, pair]
        if self.places[a] > self.places[b]:
            a, b, p_people, p_protocol = b, a, 1 - p_people, 1 - p_protocol
        methods, figures = self.tallies.methods, self.answer.figures[at]
        lead = self.lead_of[frozenset((methods[a], methods[b]))]
        return Wrong(
            methods[a],
            methods[b],
            lead.lead,
            lead.low,
            lead.high,
            float(p_people),
            float(figures[a]),
            float(figures[b]),
            float(p_protocol),
            self._images(at, a, b),
        )

    def _images(self, at: int, a: int, b: int) -> tuple[str, ...]:
        """Return the images on which people and protocol differ most about two methods."""
        sums = self.tallies.sums[:, at]
        middle = (sums[:, a] + sums[:, b]).sum(axis=0) / 2
        pull = (sums[:, a] - sums[:, b]) @ slopes(middle, self.criterion, self.options.beta)
        apart = -pull * self._leads(a, b)
        order = np.argsort(-apart, kind="stable")[:MOST_IMAGES]
        return tuple(self.people.images[one] for one in order.tolist() if apart[one] > 0)

    def _leads(self, a: int, b: int) -> NDArray[np.float64]:
        leads = (self.people.leads[:, a] - self.people.leads[:, b]).astype(np.float64)
        leads *= (self.people.places[:, a] >= 0) & (self.people.places[:, b] >= 0)
        of_image = np.bincount(self.people.image_of, leads, minlength=len(self.people.images))
        return np.asarray(of_image, dtype=np.float64)
