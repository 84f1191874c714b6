"""Changes of a protocol's parameters that bring it nearer to people, judged on other images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..agreement.report import Scores, Settings
from ..inference.personal_distances import PersonalDistances, personal_losses
from ..inference.personal_rankings import personal_rankings_from_scores
from ..orders.buckets import Ranking, methods_of
from .gains import Gain, choose, corrected, gain

ANY = "any one of them"
# The name of an unchanged protocol among the names of its variants.
AS_IS = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A fixed change and its gain; nothing was searched.

    On ``n_left_out`` images the protocol, changed or not, leaves some ranked method unscored.
    """

    change: str
    n_left_out: int
    gain: Gain


@dataclass(frozen=True, slots=True)
class Search:
    """The best value of a parameter by the loss for single annotators, and its gain elsewhere.

    The parameter is ``ANY`` for the best change of any single one, which has no values. ``least``
    and ``greatest`` are the range of the best values of the folds, None if nothing could be
    searched. For ``gain``, each image is judged with the value that is best on the images outside
    its fold.
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

    Weights and rules are by a change in words; values by parameter: the present one, and each
    variant.
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
) -> ProtocolChanges:
    """Measure the gain of each change of a protocol; :func:`corrected_changes` corrects p-values.

    ``scores`` have the values that the criterion is compared with by image, variant and method; an
    image with an undefined one is not in the gain of that change. ``variants`` says the changes
    behind the names. Raises RankingError if the rankings of an image have different methods, or a
    setting is invalid.
    """
    one = _Compared(protocol, people, scores, settings)
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

    def changed(self, words: str, name: str) -> Change:
        measured, n_left_out = self._distances([name])
        found = gain(self.protocol, measured.of([AS_IS]), measured.distances[:, 1])
        return Change(words, n_left_out, found)

    def searched(self, parameter: str, as_is: float | None, names: Mapping[float, str]) -> Search:
        measured, _ = self._distances(list(names.values()))
        choice = choose(measured)
        if choice is None:
            return Search(parameter, as_is, None, None, None, Gain(self.protocol))
        found = gain(self.protocol, measured.of([AS_IS]), choice.held_out)
        if as_is is None or choice.chosen is None:
            return Search(parameter, None, None, None, None, found)
        # The unchanged protocol comes first, so that it is chosen if no variant is nearer.
        value_of = [as_is, *names]
        of_folds = [value_of[at] for at in choice.fold_choices]
        return Search(
            parameter, as_is, value_of[choice.chosen], min(of_folds), max(of_folds), found
        )

    def _distances(self, names: Sequence[str]) -> tuple[PersonalDistances, int]:
        """Return losses of variants on images on which all are defined, and count the others."""
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
        return personal_losses(rankings), len(self.people) - len(used)


def _methods(of_image: Mapping[str, Ranking]) -> list[str]:
    return sorted(methods_of(next(iter(of_image.values())))) if of_image else []


def corrected_changes(found: Sequence[ProtocolChanges]) -> tuple[ProtocolChanges, ...]:
    """Correct p-values by Holm's rule, separately for weights, rules and searches."""
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
