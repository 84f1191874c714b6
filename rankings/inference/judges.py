"""Whether programs that judge pairs, and protocols, may stand in for a person.

Loss and test are those of :mod:`.stand_in`, over the pairs that were asked, each with the inverse of its
probability as weight; protocols get the same statement about all pairs. For comparison with other papers
only: the share of images on which a judge is as near to the others as a left-out person (rho), and the
winning rate of the alternative annotator test ([CRD25]_), which takes people as all there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.counts import counted

from ..errors import RankingError
from ..orders.packed_scores import Floats
from .clusters import NONE_DECLARED, Declared
from .judge_answers import NO_RANKINGS, Answers, Pairs, Placed, Rankings
from .multi_reader import Comparison, compare_clusters
from .personal_distances import PersonalDistances
from .resampling import LEVEL
from .stand_in import NO_SECOND, Cells, StandIn, compared

Numbers = NDArray[np.intp]
MARGIN: Final = 0.05
EPSILONS: Final = (0.2, 0.15, 0.1)
TIED: Final = "all tied"
_N_PEOPLE: Final = 5
_N_IMAGES_EACH: Final = 10
_N_IMAGES: Final = 30
_DONE: Final = 0.95
# Losses of the same pairs differ by less.
_NEAR: Final = 1e-9
# Programs exactly like one more person that pass, of 100 studies ("Validation").
_OF_FEW: Final = {
    3: "Three annotators cannot show this: a program exactly like one more person would "
    "pass in 2 to 16 % of studies, whatever the number of images",
    4: "Four annotators hardly show this: a program exactly like one more person would pass in 9 to "
    "42 % of studies",
}


@dataclass(frozen=True, slots=True)
class JudgeStandIn:
    """A judge or a protocol compared with people: the statement, or sentences of ``missing`` evidence.

    ``found`` is D with the limits of this family, of 100 pairs; ``at_best`` and ``at_worst`` are D if every
    missing verdict were the nearest, or the furthest, from people. ``omega`` is by EPSILONS. ``against``
    are the tests of a judge, which comes second, against protocols, over the pairs that it was asked.
    """

    found: StandIn
    margin: float
    may_stand_in: bool | None
    missing: tuple[str, ...]
    n_images: int
    n_annotators: int
    at_best: float | None = None
    at_worst: float | None = None
    rho: float | None = None
    omega: tuple[float | None, ...] = ()
    against: tuple[Comparison, ...] = ()


def judge_stand_in(
    name: str,
    people: Rankings | Placed,
    answers: Answers,
    *,
    protocols: Rankings | Placed = NO_RANKINGS,
    declared: Declared = NONE_DECLARED,
    margin: float = MARGIN,
    n_judges: int = 1,
    done: float = 1.0,
    tuned: bool = False,
) -> JudgeStandIn:
    """Compare a judge with the people who ranked the same images, over the pairs that it was asked.

    Parameters
    ----------
    name : str
    people : mapping of image to a mapping of annotator to ranking, or these as Placed
        Of all methods in the pairs; images with one annotator do not count.
    answers : Answers
    protocols : mapping of image to a mapping of protocol to ranking, or these as Placed
        Each image by the same protocols.
    declared : Declared, optional
        Groups and scenes, as of :func:`.stand_in`.
    margin : float
        Of the pairs, in [0.01, 0.1].
    n_judges : int
        Judges of the family: limits are of the level 1 - 0.05 / n_judges.
    done : float
        The share of its tasks that are done.
    tuned : bool
        Whether it was tuned on some of these images.

    Raises
    ------
    RankingError
        If the margin is out of range, or a ranking does not have a method of a pair.
    """
    if not 0.01 <= margin <= 0.1:
        raise RankingError(f"a margin is from 0.01 to 0.1, got {margin}")
    names, columns, number = _different(_placed(protocols), answers.pairs)
    said = np.vstack([[answers.verdicts] * 3, columns])
    measured = _Measured.of(_placed(people), answers.pairs, said, declared, answers.missing)
    evidence = _Evidence(1 - (1 - LEVEL) / n_judges, margin, done, tuned)
    if measured is None:
        return evidence.nothing(name)
    tied = measured.compare([name, TIED], [0, -1])
    found, best, worst = evidence.statements([name, "best", "worst"], measured, [*tied] * 3)
    against: tuple[Comparison, ...] = ()
    if names:
        firsts = [names[number.index(at)] for at in range(len(columns))]
        tested = measured.compare([*firsts, name], [*range(3, 3 + len(columns)), 0], name)
        if tested:
            against = tuple(
                replace(tested[at], first=protocol)
                for protocol, at in zip(names, number, strict=True)
            )
    return replace(
        found,
        at_best=best.found.difference,
        at_worst=worst.found.difference,
        against=against,
    )


def protocols_stand_in(
    people: Rankings | Placed,
    protocols: Rankings | Placed,
    *,
    declared: Declared = NONE_DECLARED,
) -> tuple[JudgeStandIn, ...]:
    """Compare protocols with people as :func:`judge_stand_in` does judges, a family of their own.

    Protocols that order all images alike are one in the family.
    """
    placed = _placed(protocols)
    pairs = Pairs(
        [
            (image, *pair)
            for image, (_, methods, _) in placed.of.items()
            for pair in combinations(methods, 2)
        ]
    )
    names, columns, number = _different(placed, pairs)
    if not names:
        return ()
    evidence = _Evidence(1 - (1 - LEVEL) / len(columns), MARGIN)
    measured = _Measured.of(_placed(people), pairs, columns, declared)
    if measured is None:
        return tuple(map(evidence.nothing, names))
    firsts = [names[number.index(at)] for at in range(len(columns))]
    tied = measured.compare([*firsts, TIED], range(len(firsts) + 1), TIED, is_outside=False)
    found = evidence.statements(firsts, measured, tied)
    return tuple(
        replace(found[at], found=replace(found[at].found, name=name))
        for name, at in zip(names, number, strict=True)
    )


def _placed(rankings: Rankings | Placed) -> Placed:
    return rankings if isinstance(rankings, Placed) else Placed.from_rankings(rankings)


def _different(protocols: Placed, pairs: Pairs) -> tuple[tuple[str, ...], Floats, list[int]]:
    """Return the protocols, what the different ones say of the pairs, and the number of each.

    NaN for pairs of images without protocols.
    """
    images = [image for image in pairs.methods if image in protocols.of]
    names = protocols.of[images[0]][0] if images else ()
    said = np.full((len(names), len(pairs.rows)), np.nan)
    for image in images:
        said[:, pairs.slices[image]] = protocols.signs(pairs, image)
    numbers: dict[bytes, int] = {}
    each = [numbers.setdefault(row.tobytes(), len(numbers)) for row in said]
    return names, said[[each.index(at) for at in range(len(numbers))]], each


@dataclass(frozen=True, slots=True)
class _Measured:
    """The losses of some candidates for the rankings of people, n rows by image and annotator.

    ``apart`` of shape (n, candidates + 1) are those of the candidates, and of all tied; ``between`` is the
    mean loss to people of other groups, ``others`` to all others.
    """

    images: tuple[str, ...]
    annotators: tuple[str, ...]
    declared: Declared
    image: Numbers
    annotator: Numbers
    apart: Floats
    between: Floats
    others: Floats

    @classmethod
    def of(
        cls,
        people: Placed,
        pairs: Pairs,
        columns: Floats,
        declared: Declared,
        missing: NDArray[np.bool_] | None = None,
    ) -> "_Measured | None":
        """Measure candidates that say ``columns`` of shape (candidates, pairs).

        With ``missing`` verdicts the second candidate says what is nearest to people there, and the
        third what is furthest. None if no image has annotators of two groups.
        """
        counted = [
            image
            for image in sorted(pairs.methods)
            if image in people.of and len(people.of[image][0]) > 1
        ]
        annotators = tuple(sorted({name for image in counted for name in people.of[image][0]}))
        number = {name: at for at, name in enumerate(annotators)}
        group_of, _ = declared.units(annotators, counted)
        # By (people, pairs), so that all images of a shape are measured at once.
        alike: dict[tuple[int, ...], list[tuple[int, Numbers, Floats]]] = {}
        for at, image in enumerate(counted):
            own = np.array([number[name] for name in people.of[image][0]])
            if len({*group_of[own].tolist()}) > 1:
                said = people.signs(pairs, image)
                alike.setdefault(said.shape, []).append((at, own, said))
        parts = []
        for (k, n), of_shape in alike.items():
            starts = np.array([pairs.slices[counted[at]].start for at, _, _ in of_shape])
            rows = starts[:, np.newaxis] + np.arange(n)
            own, seen = (np.stack([one[of] for one in of_shape]) for of in (1, 2))
            said = columns[:, rows].transpose(1, 0, 2)
            if missing is not None:
                _at_limits(said, seen, missing[rows])
            said = np.concatenate([said, np.zeros((len(rows), 1, n))], axis=1)
            weights = pairs.weights[rows]
            weights = 100 * weights / weights.sum(axis=1, keepdims=True)
            apart, between = _losses(seen, said, weights), _losses(seen, seen, weights)
            groups = group_of[own]
            counts = groups[:, :, np.newaxis] != groups[:, np.newaxis]
            others = (between * counts).sum(axis=2) / counts.sum(axis=2)
            parts.append(
                (
                    np.repeat([at for at, _, _ in of_shape], k),
                    own.ravel(),
                    apart.reshape(-1, said.shape[1]),
                    others.ravel(),
                    between.sum(axis=2).ravel() / (k - 1),
                )
            )
        if not parts:
            return None
        joined = [np.concatenate(of) for of in zip(*parts, strict=True)]
        order = np.lexsort((joined[1], joined[0]))
        named = tuple(counted), annotators, declared
        return cls(*named, *(value[order] for value in joined))

    def cells(self, candidates: int) -> Cells:
        """Return the rows of the test: a group's people of an image are one, then a scene's images."""
        group_of, scene_of = self.declared.units(self.annotators, self.images)
        own = self.apart[:, :candidates]
        rows = Cells(self.image, group_of[self.annotator], own, self.between)
        by_image = rows.by_scene(self.image)
        return by_image.by_scene(scene_of[by_image.images])

    def compare(
        self,
        names: Sequence[str],
        columns: Sequence[int],
        with_protocol: str | None = None,
        *,
        is_outside: bool = True,
    ) -> tuple[Comparison, ...]:
        """Return the tests of every two candidates, or of one with the others, where all are known."""
        own = self.apart[:, [*columns]]
        rows = ~np.isnan(own).any(axis=1)
        measured = PersonalDistances(
            tuple(names), self.image[rows], self.annotator[rows], own[rows]
        )
        return compare_clusters(
            measured,
            *(self.images, self.annotators, self.declared),
            with_protocol=with_protocol,
            is_outside=is_outside and with_protocol is not None,
        ).pairs

    def of_papers(self, column: int) -> tuple[float, tuple[float | None, ...]]:
        """Return rho and, for EPSILONS, omega of a candidate."""
        n = np.bincount(self.image)
        ours = self.apart[:, column]
        ours = (np.bincount(self.image, ours)[self.image] - ours) / (n[self.image] - 1)
        judge, person = (a <= b + _NEAR for a, b in ((ours, self.others), (self.others, ours)))
        sizes = np.bincount(self.annotator)
        has_any = sizes > 0
        n_each = sizes[has_any]

        def mean(values: Floats) -> Floats:
            return np.asarray(np.bincount(self.annotator, values)[has_any] / n_each)

        lost = person.astype(float) - judge
        means = mean(lost)
        squares = np.asarray(np.maximum(mean(lost**2) - means**2, 0) * n_each, dtype=float)
        omega = tuple(_omega(means, squares, n_each, epsilon) for epsilon in EPSILONS)
        return float(mean(judge.astype(float)).mean()), omega


def _at_limits(said: Floats, people: Floats, missing: NDArray[np.bool_]) -> None:
    """Put the verdicts nearest to people, and furthest, into the second and third row of ``said``."""
    # (3 answers, g, pairs): the mean loss to the people of each answer.
    each = np.stack([np.abs(people - answer).mean(axis=1) for answer in (-1, 0, 1)])
    for at, found in ((1, each.argmin(axis=0)), (2, each.argmax(axis=0))):
        said[:, at] = np.where(missing, found - 1, said[:, at])


def _losses(people: Floats, said: Floats, weights: Floats) -> Floats:
    """Return the losses of c others for k people, on n pairs of g images, of shape (g, k, c).

    ``people`` of shape (g, k, n), ``said`` of shape (g, c, n), ``weights`` of shape (g, n).
    """
    # Of -1, 0 and 1, |x - y| is x^2 + y^2 - x y - x^2 y^2: sums over pairs are products of matrices.
    weights = weights[:, np.newaxis]
    own, theirs = people**2, said**2 * weights
    both = people @ (said * weights).swapaxes(1, 2) + own @ theirs.swapaxes(1, 2)
    sums = own @ weights.swapaxes(1, 2) + theirs.sum(axis=2)[:, np.newaxis]
    return np.asarray((sums - both) / 2)


def _omega(means: Floats, squares: Floats, sizes: Numbers, epsilon: float) -> float | None:
    """Return the winning rate of differences: means of people, sums of squares around them, counts."""
    from scipy.special import stdtr

    if sizes.min() < 2:
        return None
    errors = np.sqrt(squares / (sizes - 1) / sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = stdtr(sizes - 1, (means - epsilon) / errors)
    p_values = np.sort(np.where(errors > _NEAR, p_values, means >= epsilon))
    m = len(p_values)
    # Benjamini and Yekutieli: any dependence.
    ranks = np.arange(1, m + 1)
    rejected = np.flatnonzero(p_values <= ranks * 0.05 / (m * (1 / ranks).sum()))
    return (int(rejected[-1]) + 1) / m if len(rejected) else 0.0


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The level and the margin of a statement, and facts about its candidates."""

    level: float
    margin: float
    done: float = 1.0
    tuned: bool = False

    def nothing(self, name: str) -> JudgeStandIn:
        """Return the statement about a candidate if no image counts."""
        [one] = compared([name], None, self.level).candidates
        missing = self._missing(0, 0, 0, (None, None), NO_SECOND)
        return JudgeStandIn(one, self.margin, None, missing, 0, 0)

    def statements(
        self, names: Sequence[str], measured: _Measured, tied: Sequence[Comparison]
    ) -> list[JudgeStandIn]:
        """Return the statement about each candidate; ``tied`` are their tests against all tied."""
        cells = measured.cells(len(names))
        tested = compared(names, cells, self.level)
        n_each = np.unique(cells.annotators, return_counts=True)[1]
        counts = int((n_each >= _N_IMAGES_EACH).sum()), tested.n_images, len(measured.annotators)
        found = []
        for at, (one, against) in enumerate(zip(tested.candidates, tied, strict=True)):
            limits = against.low, against.high
            missing = self._missing(*counts, limits, tested.reason)
            may = one.high < 100 * self.margin if not missing and one.high is not None else None
            rho, omega = measured.of_papers(at)
            of = tested.n_images, tested.n_annotators
            found.append(JudgeStandIn(one, self.margin, may, missing, *of, rho=rho, omega=omega))
        return found

    def _missing(
        self,
        n_with_images: int,
        n_images: int,
        n_annotators: int,
        tied: tuple[float | None, float | None],
        reason: str | None,
    ) -> tuple[str, ...]:
        """Return a sentence for all that the statement needs and is not there."""
        said = []
        if reason is not None:
            said.append(f"There is no test: {reason}.")
        if n_with_images < _N_PEOPLE:
            few = _OF_FEW.get(n_annotators, f"{n_with_images} people have {_N_IMAGES_EACH} images")
            said.append(f"{few}; {_N_PEOPLE} people with {_N_IMAGES_EACH} images each are needed.")
        if n_images < _N_IMAGES:
            had = counted(n_images, "image")
            said.append(f"{had} ranked by two people or more; {_N_IMAGES} are needed.")
        if self.done < _DONE:
            said.append(f"{100 * self.done:.0f} % of its tasks are done; 95 % are needed.")
        if self.tuned:
            said.append("It was tuned on some of these images.")
        if reason is None and (tied[1] is None or tied[1] >= 0):
            said.append(
                "It is not shown to be nearer to people than a ranking that ties everything."
            )
        return tuple(said)
