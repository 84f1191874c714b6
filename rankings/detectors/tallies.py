"""Sums of protocols over images, and the figures of a whole data set that follow from them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.from_scores import f_betas
from ..orders.packed_scores import Floats

# Recall credit and its divisor, precision credit and its divisor.
N_PARTS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The parts of every protocol's figures, for each method on each image.

    A figure of a data set is a sum over images divided by a sum: official figures add credits and numbers
    of regions. A mean over the images where a score is defined is of the same kind, the score and 1
    being the parts.

    Attributes
    ----------
    images, protocols, methods : tuple of str
    sums : ndarray of shape (images, protocols, methods, 4)
        Recall credit and its divisor, precision credit and its divisor; 0 where there is no score.
    is_scored : ndarray of bool, shape (images, protocols, methods)
        Whether the protocol has scored the method's result; a score may be undefined.
    """

    images: tuple[str, ...]
    protocols: tuple[str, ...]
    methods: tuple[str, ...]
    sums: Floats
    is_scored: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = (len(self.images), len(self.protocols), len(self.methods), N_PARTS)
        if self.sums.shape != shape:
            raise RankingError(f"expected sums of shape {shape}, got {self.sums.shape}")
        if self.is_scored.shape != shape[:3]:
            raise RankingError(f"expected scores of shape {shape[:3]}, got {self.is_scored.shape}")
        for kind in ("images", "protocols", "methods"):
            names = getattr(self, kind)
            if len(set(names)) < len(names):
                raise RankingError(f"one of the {kind} stands twice in {', '.join(names)}")
        wrong = np.argwhere(~np.isfinite(self.sums))
        if len(wrong):
            image, protocol, method, _ = wrong[0]
            raise RankingError(
                f"{self.images[image]}, {self.protocols[protocol]}: {self.methods[method]} "
                "has a sum that is not a finite number"
            )

    def of(
        self, images: Sequence[str], protocols: Sequence[str], methods: Sequence[str]
    ) -> "Tallies":
        """Return those of some images, protocols and methods; there is no score of unknown ones."""
        wanted = (tuple(images), tuple(protocols), tuple(methods))
        if wanted == (self.images, self.protocols, self.methods):
            return self
        to_images, of_images = _shared(wanted[0], self.images)
        to_methods, of_methods = _shared(wanted[2], self.methods)
        shape = tuple(map(len, wanted))
        sums, is_scored = np.zeros((*shape, N_PARTS)), np.zeros(shape, dtype=bool)
        # Protocol by protocol, so that no second copy of all is made.
        for at, own in zip(*_shared(wanted[1], self.protocols), strict=True):
            to, of = np.ix_(to_images, to_methods), np.ix_(of_images, of_methods)
            sums[:, at][to] = self.sums[:, own][of]
            is_scored[:, at][to] = self.is_scored[:, own][of]
        return Tallies(*wanted, sums, is_scored)


def _shared(wanted: Sequence[str], known: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the numbers of the names that both have, in the one and in the other."""
    number_of = {name: at for at, name in enumerate(known)}
    places = [at for at, name in enumerate(wanted) if name in number_of]
    return places, [number_of[wanted[at]] for at in places]


def tallies_of_scores(
    scores: Mapping[str, Mapping[str, Mapping[str, tuple[float | None, float | None]]]],
) -> Tallies:
    """Return the parts of means over images, for protocols whose credits are not known.

    Parameters
    ----------
    scores : image -> protocol -> method -> (recall, precision)
        An undefined score, None, has no part in the mean.

    Examples
    --------
    >>> tallies_of_scores({"img_1": {"iou": {"a": (0.5, 1.0)}}}).protocols
    ('iou',)
    """
    protocols = list(dict.fromkeys(name for of_image in scores.values() for name in of_image))
    methods = sorted(
        {name for of_image in scores.values() for own in of_image.values() for name in own}
    )
    number, column = ({name: at for at, name in enumerate(names)} for names in (protocols, methods))
    sums = np.zeros((len(scores), len(protocols), len(methods), N_PARTS))
    is_scored = np.zeros(sums.shape[:3], dtype=bool)
    for at, of_image in enumerate(scores.values()):
        for protocol, of_protocol in of_image.items():
            for method, score in of_protocol.items():
                cell = at, number[protocol], column[method]
                sums[cell], is_scored[cell] = parts_of_score(*score), True
    return Tallies(tuple(scores), tuple(protocols), tuple(methods), sums, is_scored)


# Numbers of image, protocol and method, recall, precision and the four sums; None is undefined or not known.
ScoreRow = tuple[int, int, int, float | None, float | None, *tuple[float | None, ...]]


def tallies_of_rows(
    images: Mapping[int, str],
    protocols: Mapping[int, str],
    methods: Mapping[int, str],
    batches: Iterable[Sequence[ScoreRow]],
    *,
    means: Collection[int] = (),
) -> tuple[Tallies, list[str]]:
    """Return the sums of many rows, some thousand at a time, and the protocols that have none.

    Parameters
    ----------
    images, protocols, methods : number -> name
        In the order wanted.
    batches : iterable of sequences of rows
    means : collection of int
        Protocols whose figures are means over images, whatever sums their rows have.

    Returns
    -------
    Tallies
        Without the protocols for which a row has no sums; their names are returned as well.

    Examples
    --------
    >>> rows = [(1, 7, 3, 0.5, 1.0, 2.0, 4.0, 2.0, 2.0)]  # image, protocol, method, scores, sums
    >>> found, without = tallies_of_rows({1: "img_1"}, {7: "iou"}, {3: "a"}, [rows])
    >>> found.sums.tolist(), without
    ([[[[2.0, 4.0, 2.0, 2.0]]]], [])
    """
    shape = len(images), len(protocols), len(methods)
    sums, is_scored = np.zeros((*shape, N_PARTS)), np.zeros(shape, dtype=bool)
    is_mean = np.array([number in means for number in protocols], dtype=bool)
    lacks_sums = np.zeros(len(protocols), dtype=bool)
    for batch in batches:
        # nan for None.
        table = np.array(batch, dtype=np.float64)
        at = tuple(
            _numbers(table[:, column], names)
            for column, names in enumerate((images, protocols, methods))
        )
        scores, parts = table[:, 3:5], table[:, 5:]
        of_means = np.zeros((len(table), N_PARTS))
        of_means[:, 0::2], of_means[:, 1::2] = np.nan_to_num(scores), ~np.isnan(scores)
        takes_means = is_mean[at[1]]
        lacks_sums[at[1][~takes_means & np.isnan(parts).any(axis=1)]] = True
        sums[at] = np.where(takes_means[:, np.newaxis], of_means, np.nan_to_num(parts))
        is_scored[at] = True
    names = list(protocols.values())
    known = [name for name, lacks in zip(names, lacks_sums, strict=True) if not lacks]
    everything = Tallies(
        tuple(images.values()), tuple(names), tuple(methods.values()), sums, is_scored
    )
    without = [name for name, lacks in zip(names, lacks_sums, strict=True) if lacks]
    return everything.of(everything.images, known, everything.methods), without


def _numbers(keys: Floats, names: Mapping[int, str]) -> NDArray[np.intp]:
    """Return the position of each key among the names."""
    known = np.array(list(names), dtype=np.float64)
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(known, keys, sorter=order)], dtype=np.intp)


def parts_of_score(
    recall: float | None, precision: float | None
) -> tuple[float, float, float, float]:
    """Return the parts of a mean over images: each score and 1, or twice 0 where it is undefined.

    Parameters
    ----------
    recall, precision : float or None
        In [0, 1].

    Examples
    --------
    >>> parts_of_score(0.5, None)
    (0.5, 1.0, 0.0, 0.0)
    """
    return (
        *((0.0, 0.0) if recall is None else (recall, 1.0)),
        *((0.0, 0.0) if precision is None else (precision, 1.0)),
    )


def figures(sums: Floats, criterion: str, beta: float) -> Floats:
    """Return the figure of a criterion: recall, precision, or for any other F_beta of the two.

    Parameters
    ----------
    sums : ndarray of shape (..., 4)
        As of :class:`Tallies`, added over images.
    criterion : str
    beta : float
        Above 0.

    Returns
    -------
    ndarray of shape (...)
        In [0, 1]. 0 where there is nothing to divide by, as official figures have it: no truth at all,
        or a method that found nothing on any image.

    Examples
    --------
    >>> sums = np.array([3.0, 4, 3, 12])
    >>> [round(float(figures(sums, name, 1.0)), 4) for name in ("recall", "precision", "preference")]
    [0.75, 0.25, 0.375]
    """
    if criterion == "recall":
        return _quotients(sums[..., 0], sums[..., 1])
    if criterion == "precision":
        return _quotients(sums[..., 2], sums[..., 3])
    return f_betas(
        _quotients(sums[..., 0], sums[..., 1]), _quotients(sums[..., 2], sums[..., 3]), beta
    )


def slopes(sums: Floats, criterion: str, beta: float) -> Floats:
    """Return how :func:`figures` changes with each of its four sums.

    Parameters
    ----------
    sums : ndarray of shape (..., 4)
    criterion : str
    beta : float
        As of :func:`figures`.

    Returns
    -------
    ndarray of shape (..., 4)
        0 where there is nothing to divide by.

    Examples
    --------
    >>> slopes(np.array([3.0, 4, 3, 12]), "recall", 1.0)[:2].tolist()  # 1 / 4 and -3 / 4^2
    [0.25, -0.1875]
    """
    slope = np.zeros(sums.shape)
    recall, precision = (_quotients(sums[..., at], sums[..., at + 1]) for at in (0, 2))
    by_recall = np.full(recall.shape, float(criterion == "recall"))
    by_precision = np.full(recall.shape, float(criterion == "precision"))
    if criterion not in ("recall", "precision"):
        below = (beta**2 * precision + recall) ** 2
        above = (1 + beta**2) * beta**2 * precision**2
        by_recall = np.divide(above, below, out=by_recall, where=below > 0)
        above = (1 + beta**2) * recall**2
        by_precision = np.divide(above, below, out=by_precision, where=below > 0)
    for at, share, by in ((0, recall, by_recall), (2, precision, by_precision)):
        divisor = sums[..., at + 1]
        np.divide(by, divisor, out=slope[..., at], where=divisor > 0)
        slope[..., at + 1] = -share * slope[..., at]
    return slope


def _quotients(above: Floats, below: Floats) -> Floats:
    return np.clip(np.divide(above, below, out=np.zeros_like(above), where=below > 0), 0, 1)
