"""Standings of the detectors: people's order of the methods over all images, and each protocol's.

People's order is by Davidson's model (:mod:`.method_strengths`), a protocol's by its figures for
the dataset (:mod:`.tallies`); :mod:`.soft_accuracy` measures how well they agree.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..consensus.davidson import ranking_by_strength
from ..inference.clusters import NONE_DECLARED, Declared
from ..orders.buckets import Ranking, bucket_of
from ..orders.from_scores import ranking_from_scores
from ..orders.packed_scores import Floats
from .counted import Chosen, counted_people
from .method_strengths import Lead, People, Strengths, strengths_of
from .preferences import Preferences, preferences
from .soft_accuracy import Accuracy, Compared, Options, compared
from .tallies import Tallies, slopes

# How many pairs to list that a protocol gets wrong, and how many images of each.
MOST_WRONG: Final = 30
MOST_IMAGES: Final = 5
# Why an image does not count for people.
TOO_FEW: Final = "too few rankings, or rankings of different methods"


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
    """A protocol's order of the methods over the dataset, by its rounded figures on ``n_images``.

    ``hard`` and ``soft`` pairwise accuracy; of the ``n_wrong`` pairs ordered opposite to people,
    ``wrong`` has the 30 of which people are surest. ``methods_left_out`` of the order have a score
    on too few images: name, number of images, and that of the other methods.
    """

    protocol: str
    n_images: int
    order: Ranking
    figures: Mapping[str, float]
    hard: Accuracy
    soft: Accuracy
    n_wrong: int
    wrong: tuple[Wrong, ...]
    methods_left_out: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CriterionDetectors:
    """People's order by one criterion and every protocol's, the highest soft accuracy first.

    Figures of different images are never compared. Where ten images or more have a score of every
    method, these are compared; ``images_left_out`` have the others, with the reason, and those with
    too few rankings, or with rankings of different methods. Otherwise methods that lack images are
    left out of the protocol's order.
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
    preferences: Preferences


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
    declared: Declared = NONE_DECLARED,
) -> Detectors:
    """Order the methods over all images, by people and by every protocol.

    Recall is compared with a protocol's recall, precision with its precision, and every other
    criterion with F_beta of the two.

    Parameters
    ----------
    rankings : criterion -> image -> annotator -> ranking
    tallies : Tallies
        Only the images and methods that people have ranked are used. A protocol that has scored no
        result of one of these methods is left out, and listed in ``left_out``. If ten images are
        left, an image on which another has not scored a method is left out for all.
    options : Options, optional
        How figures are computed and compared.
    min_annotators : int
        An image needs this many rankings, all of the same methods.
    declared : Declared, optional
        Groups of annotators and scenes of images, the units of people's preferences.

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
    done: dict[str, CriterionDetectors] = {}
    for people, chosen in counted_people(rankings, tallies, min_annotators):
        preferred = _preferred(people, tallies, options, chosen, declared)
        done |= _together(people, tallies, options, chosen, preferred)
    return Detectors(options, min_annotators, {name: done[name] for name in rankings})


def preferences_alone(
    rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    tallies: Tallies,
    options: Options,
    *,
    min_annotators: int = 1,
    declared: Declared = NONE_DECLARED,
) -> dict[str, Preferences]:
    """Return people's preferences of :func:`detectors` by each criterion, without the rest."""
    done: dict[str, Preferences] = {}
    for people, chosen in counted_people(rankings, tallies, min_annotators):
        done |= _preferred(people, tallies, options, chosen, declared)
    return {name: done[name] for name in rankings}


def _preferred(
    people: Mapping[str, People],
    tallies: Tallies,
    options: Options,
    chosen: Chosen,
    declared: Declared,
) -> dict[str, Preferences]:
    # The others leave methods out of their orders.
    protocols = chosen.groups.get((), [])
    return {
        name: preferences(
            name, own, tallies.of(own.images, protocols, own.methods), options, declared
        )
        for name, own in people.items()
    }


def _together(
    people: Mapping[str, People],
    tallies: Tallies,
    options: Options,
    chosen: Chosen,
    preferred: Mapping[str, Preferences],
) -> dict[str, CriterionDetectors]:
    strengths = {name: strengths_of(own, level=options.level) for name, own in people.items()}
    ordered = {name: own for name, own in people.items() if strengths[name].strengths}
    orders = {
        name: ranking_by_strength({row.method: row.strength for row in strengths[name].strengths})
        for name in ordered
    }
    standings: dict[str, list[Standing]] = {name: [] for name in people}
    drawn: dict[str, list[Compared]] = {name: [] for name in people}
    # Without a protocol there are permutations of people's answers.
    for short, protocols in (chosen.groups or {(): []}).items():
        if not ordered:
            break
        kept = {
            name: _without(own, {method for method, _, _ in short}) for name, own in ordered.items()
        }
        one = next(iter(kept.values()))
        own_tallies = tallies.of(one.images, protocols, one.methods)
        # Methods that people tie have the same place.
        places = {name: _places(orders[name], one.methods) for name in kept}
        answers = compared(kept, {name: -own for name, own in places.items()}, own_tallies, options)
        for name, own in kept.items():
            found = _Standings(
                name, own, strengths[name], places[name], own_tallies, answers[name], options
            )
            standings[name] += [replace(one, methods_left_out=short) for one in found.all()]
            drawn[name].append(answers[name])
    return {
        name: CriterionDetectors(
            strengths[name],
            orders.get(name, ()),
            # With fewer than two methods there is no accuracy, and the order is by name.
            tuple(sorted(standings[name], key=lambda one: (-(one.soft.value or 0), one.protocol))),
            chosen.left_out if name in ordered else (),
            len(own.left_out) + len(chosen.images_left_out),
            (*chosen.images_left_out, *((image, TOO_FEW) for image in own.left_out)),
            max((one.n_permutations for one in drawn[name]), default=0),
            max((one.n_resamples for one in drawn[name]), default=0),
            all(one.is_exact for one in drawn[name]) and bool(drawn[name]),
            preferred[name],
        )
        for name, own in people.items()
    }


def _without(people: People, methods: Collection[str]) -> People:
    """Return people's rankings without some columns; leads are those in the whole rankings."""
    kept = [at for at, name in enumerate(people.methods) if name not in methods]
    names = tuple(people.methods[at] for at in kept)
    return replace(
        people, methods=names, places=people.places[:, kept], leads=people.leads[:, kept]
    )


def _places(order: Ranking, methods: Sequence[str]) -> Floats:
    place_of = bucket_of(order)
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
        return [self._of(at, name) for at, name in enumerate(self.tallies.protocols)]

    def _of(self, at: int, protocol: str) -> Standing:
        methods = self.tallies.methods
        figures = self.answer.figures[at]
        of_method = dict(zip(methods, figures.tolist(), strict=True))
        order = ranking_from_scores(of_method, self.options.decimals)
        pairs = self._wrong_pairs(_places(order, methods))
        return Standing(
            protocol,
            len(self.tallies.images),
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
