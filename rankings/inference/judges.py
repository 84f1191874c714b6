"""Programs that judge pairs: their verdicts, and whether they may stand in for a person.

A verdict of a pair is the side that wins in both orders ([ZCS23]_), else *equal*; a missing answer counts
as *equal*. Loss and test are those of :mod:`.stand_in`, over the pairs that were asked, each with the
inverse of its probability as weight. For comparison with other papers only: the share of images on which a
judge is as near to the others as a left-out person (rho), and the winning rate of the alternative
annotator test ([CRD25]_), which takes people as all there are.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ..consensus.kemeny import kemeny
from ..errors import RankingError
from ..orders.buckets import Ranking, bucket_of
from ..orders.packed_scores import Floats
from .clusters import NONE_DECLARED, Declared
from .multi_reader import compare_clusters
from .personal_distances import PersonalDistances
from .resampling import LEVEL
from .stand_in import Cells, StandIn, compared

Verdict = Literal["left", "equal", "right"]
MARGIN: Final = 0.05
EPSILONS: Final = (0.2, 0.15, 0.1)
TIED: Final = "all tied"
_N_PEOPLE: Final = 5
_N_IMAGES_EACH: Final = 10
_N_IMAGES: Final = 30
_DONE: Final = 0.95
# Programs exactly like one more person that pass, of 100 studies ("Validation").
_OF_FEW: Final = {
    3: "Three annotators cannot show this: a program exactly like one more person would "
    "pass in 2 to 16 % of studies, whatever the number of images",
    4: "Four annotators hardly show this: a program exactly like one more person would pass in 9 to "
    "42 % of studies",
}


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """A judge's answers to two methods, one for each repeat; None is a missing one.

    ``forward`` has ``one`` on the left, ``backward`` ``other``; None if that order was not to be asked.
    """

    one: str
    other: str
    forward: Sequence[Verdict | None] | None
    backward: Sequence[Verdict | None] | None
    probability: float = 1.0

    def orders(self) -> list[int]:
        """Return what each order says: 1 for ``one``, -1 for ``other``, 0 for equal or nothing."""
        signs = {"left": 1, "right": -1}
        found = []
        for answers, way in ((self.forward, 1), (self.backward, -1)):
            if answers is not None:
                said = _most_frequent([signs.get(answer or "equal", 0) for answer in answers])
                found.append(way * said)
        return found

    @property
    def verdict(self) -> int:
        """1 if ``one`` wins in every order asked, -1 if ``other`` does, else 0."""
        orders = {*self.orders()}
        return orders.pop() if len(orders) == 1 else 0

    @property
    def is_missing(self) -> bool:
        """Whether an order has no answer at all."""
        asked = [of for of in (self.forward, self.backward) if of is not None]
        return any(all(answer is None for answer in of) for of in asked)


def _most_frequent(signs: Sequence[int]) -> int:
    counts = Counter(signs).most_common(2)
    is_drawn = len(counts) > 1 and counts[0][1] == counts[1][1]
    return 0 if is_drawn or not counts else counts[0][0]


Answers = Mapping[str, Sequence[PairAnswers]]


def nearest_ranking(pairs: Sequence[PairAnswers]) -> Ranking:
    """Return the weak order with the least Kemeny distance to the verdicts, as :func:`.kemeny` finds it."""
    orders: list[Ranking] = []
    for pair in pairs:
        one, other = (pair.one, pair.other) if pair.verdict >= 0 else (pair.other, pair.one)
        orders.append(((one,), (other,)) if pair.verdict else (tuple(sorted((one, other))),))
    return kemeny(orders).ranking


@dataclass(frozen=True, slots=True)
class Consistency:
    """How a judge agrees with itself; shares are None where there is nothing to share.

    ``contradictions`` of the pairs asked in both orders, ``first_place`` of the contradictions (left won),
    ``stability``: of two repeats of a request, how often they say the same.
    """

    n_pairs: int
    n_missing: int
    contradictions: float | None
    first_place: float | None
    stability: float | None
    n_circular: int
    n_triples: int


def consistency(answers: Answers) -> Consistency:
    """Return the figures of all images together."""
    pairs = [pair for of_image in answers.values() for pair in of_image]
    both = [orders for pair in pairs if len(orders := pair.orders()) == 2]
    contradictions = [orders[0] for orders in both if orders[0] * orders[1] < 0]
    same = [
        one == other
        for pair in pairs
        for of in (pair.forward, pair.backward)
        for one, other in combinations(of or (), 2)
    ]
    triples = [kind for of_image in answers.values() for kind in _triples(of_image)]
    return Consistency(
        len(pairs),
        sum(pair.is_missing for pair in pairs),
        _share(len(contradictions), len(both)),
        _share(contradictions.count(1), len(contradictions)),
        _share(sum(same), len(same)),
        sum(triples),
        len(triples),
    )


def _share(n: int, of: int) -> float | None:
    return n / of if of else None


def _triples(pairs: Sequence[PairAnswers]) -> Iterator[bool]:
    """Yield for all three methods whose pairs were asked whether the verdicts go round."""
    said = {(pair.one, pair.other): pair.verdict for pair in pairs}
    said |= {(other, one): -verdict for (one, other), verdict in said.items()}
    for a, b, c in combinations(sorted({name for pair in said for name in pair}), 3):
        if (a, b) in said and (b, c) in said and (c, a) in said:
            yield said[a, b] == said[b, c] == said[c, a] != 0


@dataclass(frozen=True, slots=True)
class JudgeStandIn:
    """A judge compared with people: the statement, or sentences of ``missing`` evidence.

    ``found`` is D with the limits of this family, of 100 pairs; ``at_best`` and ``at_worst`` are D if every
    missing verdict were the nearest, or the furthest, from people. ``against_tied`` are the limits of its
    loss less that of all tied. ``omega`` is by EPSILONS.
    """

    found: StandIn
    margin: float
    may_stand_in: bool | None
    missing: tuple[str, ...]
    n_images: int
    n_annotators: int
    at_best: float | None = None
    at_worst: float | None = None
    against_tied: tuple[float | None, float | None] = (None, None)
    rho: float | None = None
    omega: tuple[float | None, ...] = ()


def judge_stand_in(
    name: str,
    people: Mapping[str, Mapping[str, Ranking]],
    answers: Answers,
    *,
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
    people : mapping of image to a mapping of annotator to ranking
        Of all methods in the pairs; images with one annotator do not count.
    answers : mapping of image to pairs
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
    images = sorted(image for image in answers if answers[image] and len(people.get(image, ())) > 1)
    annotators = sorted({person for image in images for person in people[image]})
    groups, scenes = declared.units(annotators, images)
    of_images = [
        found
        for at, image in enumerate(images)
        if (found := _OfImage.of(answers[image], people[image], at, annotators, groups))
    ]
    level = 1 - (1 - LEVEL) / n_judges
    if not of_images:
        none = compared([name], None, level)
        missing = _missing(0, 0, 0, done=done, tuned=tuned, tied=(None, None), reason=none.reason)
        return JudgeStandIn(none.candidates[0], margin, None, missing, 0, 0)
    cells = _cells(of_images, scenes)
    tested = compared([name, "best", "worst"], cells, level)
    one, best, worst = tested.candidates
    tied = _against_tied(of_images, images, annotators, declared)
    n_each = np.unique(cells.annotators, return_counts=True)[1]
    missing = _missing(
        int((n_each >= _N_IMAGES_EACH).sum()),
        *(tested.n_images, len(annotators)),
        done=done,
        tuned=tuned,
        tied=tied,
        reason=tested.reason,
    )
    may = None
    if not missing and one.high is not None:
        may = one.high < 100 * margin
    rho, omega = _of_papers(of_images)
    return JudgeStandIn(
        one,
        margin,
        may,
        missing,
        tested.n_images,
        tested.n_annotators,
        best.difference,
        worst.difference,
        tied,
        rho,
        omega,
    )


@dataclass(frozen=True, slots=True)
class _OfImage:
    """An image: its number, and of k annotators their numbers and groups.

    ``said`` of shape (3, pairs) are the judge's verdicts: as they are, at best, at worst; ``people`` of
    shape (k, pairs); ``weights`` of the pairs sum to 100.
    """

    image: int
    numbers: NDArray[np.intp]
    groups: NDArray[np.intp]
    said: Floats
    people: Floats
    weights: Floats

    @classmethod
    def of(
        cls,
        pairs: Sequence[PairAnswers],
        rankings: Mapping[str, Ranking],
        image: int,
        annotators: Sequence[str],
        groups: NDArray[np.intp],
    ) -> "_OfImage | None":
        """Return the arrays of an image; None if its annotators are of one group."""
        team = sorted(rankings)
        numbers = np.array([annotators.index(person) for person in team], dtype=np.intp)
        if len(np.unique(groups[numbers])) < 2:
            return None
        try:
            buckets = [bucket_of(rankings[person]) for person in team]
            people = np.array(
                [[np.sign(of[p.other] - of[p.one]) for p in pairs] for of in buckets], dtype=float
            )
        except KeyError as unknown:
            raise RankingError(f"a ranking has no method {unknown}") from unknown
        weights = np.array([1 / pair.probability for pair in pairs])
        verdicts = np.array([pair.verdict for pair in pairs], dtype=float)
        is_missing = np.array([pair.is_missing for pair in pairs])
        # (3 answers, pairs): the mean loss to the people of each answer.
        each = np.stack([np.abs(people - x).mean(axis=0) for x in (-1, 0, 1)])
        best = np.where(is_missing, each.argmin(axis=0) - 1, verdicts)
        worst = np.where(is_missing, each.argmax(axis=0) - 1, verdicts)
        said = np.stack([verdicts, best, worst])
        return cls(image, numbers, groups[numbers], said, people, 100 * weights / weights.sum())

    def apart(self) -> Floats:
        """Return a, of shape (k, 3)."""
        return np.asarray(
            (np.abs(self.people[:, np.newaxis] - self.said) / 2 * self.weights).sum(axis=2)
        )

    def losses(self) -> Floats:
        """Return the loss between every two annotators, of shape (k, k)."""
        apart = np.abs(self.people[:, np.newaxis] - self.people[np.newaxis]) / 2
        return np.asarray((apart * self.weights).sum(axis=2))

    def between(self) -> Floats:
        """Return b over people of other groups, of shape (k,)."""
        others = self.groups[:, np.newaxis] != self.groups
        return np.asarray((self.losses() * others).sum(axis=1) / others.sum(axis=1))

    def tied(self) -> Floats:
        """Return the loss of all tied to each annotator, of shape (k,)."""
        return np.asarray((np.abs(self.people) / 2 * self.weights).sum(axis=1))


def _cells(of_images: Sequence[_OfImage], scenes: NDArray[np.intp]) -> Cells:
    images = np.concatenate([scenes[[one.image] * len(one.numbers)] for one in of_images])
    own = np.concatenate([np.full(len(one.numbers), one.image) for one in of_images])
    rows = Cells(
        own,
        np.concatenate([one.groups for one in of_images]),
        np.concatenate([one.apart() for one in of_images]),
        np.concatenate([one.between() for one in of_images]),
    )
    # A group's people of an image are one first, then the images of a scene.
    by_image = rows.by_scene(own)
    scene_of = dict(zip(own.tolist(), images.tolist(), strict=True))
    return by_image.by_scene(np.array([scene_of[image] for image in by_image.images.tolist()]))


def _against_tied(
    of_images: Sequence[_OfImage],
    images: Sequence[str],
    annotators: Sequence[str],
    declared: Declared,
) -> tuple[float | None, float | None]:
    """Return the limits of the judge's loss less that of all tied, by the same model."""
    measured = PersonalDistances(
        ("judge", TIED),
        np.concatenate([np.full(len(one.numbers), one.image) for one in of_images]),
        np.concatenate([one.numbers for one in of_images]),
        np.concatenate([np.column_stack([one.apart()[:, 0], one.tied()]) for one in of_images]),
    )
    [pair] = compare_clusters(measured, images, annotators, declared).pairs
    return pair.low, pair.high


def _of_papers(of_images: Sequence[_OfImage]) -> tuple[float | None, tuple[float | None, ...]]:
    """Return rho and, for EPSILONS, omega."""
    # {annotator: [[judge at least as near, person at least as near], ...]}, an image each.
    of_person: dict[int, list[tuple[float, float]]] = {}
    for one in of_images:
        apart, losses = one.apart()[:, 0], one.losses()
        n = len(one.numbers) - 1
        judge, person = (apart.sum() - apart) / n, losses.sum(axis=1) / n
        near = 1e-9
        rows = zip(one.numbers.tolist(), judge.tolist(), person.tolist(), strict=True)
        for number, ours, theirs in rows:
            pair = (float(ours <= theirs + near), float(theirs <= ours + near))
            of_person.setdefault(number, []).append(pair)
    values = [np.array(pairs) for pairs in of_person.values()]
    rho = float(np.mean([pairs[:, 0].mean() for pairs in values]))
    return rho, tuple(_omega(values, epsilon) for epsilon in EPSILONS)


def _omega(values: Sequence[Floats], epsilon: float) -> float | None:
    from scipy.special import stdtr

    p_values = []
    for pairs in values:
        lost = pairs[:, 1] - pairs[:, 0]
        if len(lost) < 2:
            return None
        mean, error = lost.mean(), lost.std(ddof=1) / len(lost) ** 0.5
        certain = float(mean >= epsilon)
        p_values.append(stdtr(len(lost) - 1, (mean - epsilon) / error) if error > 0 else certain)
    m = len(p_values)
    # Benjamini and Yekutieli: any dependence.
    size = m * sum(1 / k for k in range(1, m + 1))
    rejected = [k for k, p in enumerate(sorted(p_values), 1) if p <= k * 0.05 / size]
    return max(rejected, default=0) / m


def _missing(
    n_with_images: int,
    n_images: int,
    n_annotators: int,
    *,
    done: float,
    tuned: bool,
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
        said.append(f"{n_images} images have two people; {_N_IMAGES} are needed.")
    if done < _DONE:
        said.append(f"{100 * done:.0f} % of its tasks are done; 95 % are needed.")
    if tuned:
        said.append("It was tuned on some of these images.")
    if reason is None and (tied[1] is None or tied[1] >= 0):
        said.append("It is not shown to be nearer to people than a ranking that ties everything.")
    return tuple(said)
