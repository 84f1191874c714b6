"""Which changes of a protocol's parameters bring it nearer to people, judged on other images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..agreement.report import Scores, Settings
from ..inference.multi_reader import PersonalDistances, personal_distances
from ..inference.personal_rankings import personal_rankings_from_scores
from ..inference.resampling import SEED
from ..orders.buckets import Ranking, methods_of
from .beta import N_FOLDS
from .gains import Gain, choose, corrected, gain

ANY = "any one of them"
# The name of a protocol as it is, among the names of its variants.
AS_IS = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A fixed change, and what it brings; nothing was searched.

    Attributes
    ----------
    change : str
    n_left_out : int
        Images on which the changed protocol gives some ranked method no score.
    gain : Gain
    """

    change: str
    n_left_out: int
    gain: Gain


@dataclass(frozen=True, slots=True)
class Search:
    """The value of a parameter that is nearest to people, and what it brings on other images.

    Attributes
    ----------
    parameter : str
        Or ``ANY``: the best change of a single parameter, whichever it is.
    as_is, chosen, least, greatest : float or None
        The value as it is, the best on all images, and the range of the best values of the folds; None
        of ``ANY``, and where nothing could be searched.
    gain : Gain
        Of judging each image with the value that is best on the images outside its fold.
    """

    parameter: str
    as_is: float | None
    chosen: float | None
    least: float | None
    greatest: float | None
    gain: Gain


@dataclass(frozen=True, slots=True)
class ProtocolChanges:
    """Effects of changing one protocol's parameters, by one criterion."""

    protocol: str
    weights: tuple[Change, ...]
    rules: tuple[Change, ...]
    searches: tuple[Search, ...]


@dataclass(frozen=True, slots=True)
class Variants:
    """The names of a protocol's variants in its scores, except ``AS_IS``.

    Attributes
    ----------
    weights, rules : mapping of a change in words to the variant's name
    values : parameter -> (its value as it is, value -> variant's name)
    """

    weights: Mapping[str, str]
    rules: Mapping[str, str]
    values: Mapping[str, tuple[float, Mapping[float, str]]]


def protocol_changes(
    protocol: str,
    people: Mapping[str, Mapping[str, Ranking]],
    scores: Scores,
    variants: Variants,
    settings: Settings,
    *,
    n_folds: int = N_FOLDS,
    seed: int = SEED,
) -> ProtocolChanges:
    """Measure what each change of a protocol brings.

    Parameters
    ----------
    protocol : str
    people : image -> annotator -> ranking
        Of the images that count.
    scores : image -> variant -> method -> value that the criterion is compared with
        None is undefined; an image with an undefined score is not in the gain of that change.
    variants : Variants
        Which names in ``scores`` are changes, and of what.
    settings : Settings
    n_folds, seed : int
        Of the cross-validation of searches.

    Returns
    -------
    ProtocolChanges
        p-values are not corrected yet (:func:`corrected_changes`).

    Raises
    ------
    RankingError
        If the rankings of an image are of different methods, or a setting cannot be.

    Examples
    --------
    >>> people = dict.fromkeys(["img_1", "img_2"], {"ann": (("a",), ("b",))})
    >>> values = {AS_IS: {"a": 0.1, "b": 0.2}, "by area": {"a": 0.3, "b": 0.2}}
    >>> variants = Variants({"area": "by area"}, {}, {})
    >>> found = protocol_changes("iou", people, dict.fromkeys(people, values), variants, Settings())
    >>> found.weights[0].gain.difference  # a swap less on every image
    -1.0
    """

    one = _Compared(protocol, people, scores, settings, n_folds, seed)
    searches = [one.searched(name, *of) for name, of in variants.values.items()]
    if len(searches) > 1:
        every = [name for _, names in variants.values.values() for name in names.values()]
        searches.append(one.searched(ANY, None, dict(enumerate(every))))
    return ProtocolChanges(
        protocol,
        tuple(one.changed(words, name) for words, name in variants.weights.items()),
        tuple(one.changed(words, name) for words, name in variants.rules.items()),
        tuple(searches),
    )


@dataclass(frozen=True, slots=True)
class _Compared:
    """A protocol and its variants, aligned with people's rankings."""

    protocol: str
    people: Mapping[str, Mapping[str, Ranking]]
    scores: Scores
    settings: Settings
    n_folds: int
    seed: int

    def changed(self, words: str, name: str) -> Change:
        measured, n_left_out = self._distances([name])
        found = gain(self.protocol, measured.only(0), measured.distances[:, 1])
        return Change(words, n_left_out, found)

    def searched(self, parameter: str, as_is: float | None, names: Mapping[float, str]) -> Search:
        measured, _ = self._distances(list(names.values()))
        choice = choose(measured, n_folds=self.n_folds, seed=self.seed)
        if choice is None:
            return Search(parameter, as_is, None, None, None, Gain(self.protocol))
        found = gain(self.protocol, measured.only(0), choice.held_out)
        if as_is is None or choice.chosen is None:
            return Search(parameter, None, None, None, None, found)
        # The unchanged protocol comes first, so that it is chosen if no variant is nearer.
        value_of = [as_is, *names]
        of_folds = [value_of[at] for at in choice.fold_choices]
        return Search(
            parameter, as_is, value_of[choice.chosen], min(of_folds), max(of_folds), found
        )

    def _distances(self, names: Sequence[str]) -> tuple[PersonalDistances, int]:
        """Return the distances of variants on the images on which all are defined; and how many lack."""
        used = [
            image
            for image, of_image in self.people.items()
            if all(
                self.scores[image][name].get(method) is not None
                for name in (AS_IS, *names)
                for method in _methods(of_image)
            )
        ]
        people = {image: self.people[image] for image in used}
        rankings = personal_rankings_from_scores(
            people, self.scores, (AS_IS, *names), self.settings.decimals
        )
        measured = personal_distances(rankings, distance=self.settings.distance)
        return measured, len(self.people) - len(used)


def _methods(of_image: Mapping[str, Ranking]) -> list[str]:
    return sorted(methods_of(next(iter(of_image.values())))) if of_image else []


def corrected_changes(found: Sequence[ProtocolChanges]) -> tuple[ProtocolChanges, ...]:
    """Return the changes with p-values corrected by Holm's rule: weights, rules and searches apart.

    Examples
    --------
    >>> area, text = (Change(name, 0, Gain("iou", p_value=p)) for name, p in (("area", 0.01), ("text", 0.04)))
    >>> [found] = corrected_changes([ProtocolChanges("iou", (area, text), (), ())])
    >>> [one.gain.holm_p_value for one in found.weights]
    [0.02, 0.04]
    """
    weights = iter(corrected([one.gain for of in found for one in of.weights]))
    rules = iter(corrected([one.gain for of in found for one in of.rules]))
    searches = iter(corrected([one.gain for of in found for one in of.searches]))
    return tuple(
        ProtocolChanges(
            of.protocol,
            tuple(Change(one.change, one.n_left_out, next(weights)) for one in of.weights),
            tuple(Change(one.change, one.n_left_out, next(rules)) for one in of.rules),
            tuple(
                Search(
                    *(one.parameter, one.as_is, one.chosen, one.least, one.greatest),
                    next(searches),
                )
                for one in of.searches
            ),
        )
        for of in found
    )
