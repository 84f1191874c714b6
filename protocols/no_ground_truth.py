"""Precision and recall without ground truth: several methods vote on every point ([LS11]_)."""

import dataclasses
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .core.base import (
    ImageScore,
    Needs,
    OverallScore,
    Protocol,
    Scene,
    Tally,
    choice,
    f_score,
    parameter,
)
from .core.errors import ProtocolError, RegionError
from .core.geometry import Floats, Indices, Shapes, box_areas
from .core.regions import Region

EMPTY_PRECISIONS: Final = ("undefined", "zero", "one", "top")
# Smaller parts, in square pixels, are rounding.
_MIN_AREA: Final = 1e-9
# To which crossings of sides are rounded, in pixels.
_GRID: Final = 1e-9
# Cells of a grid that are held at once, over all methods.
_MAX_CELLS: Final = 4_000_000


class VoteError(ProtocolError, ValueError):
    """Votes, weights or data that make no sense; the message names the place."""


@dataclass(frozen=True, slots=True)
class VoteScore:
    """A system's scores by the votes of all; None is undefined.

    Attributes
    ----------
    size : float
        The sum of its votes over all documents, weighted by their areas.
    shared : float
        The same, weighted by relevance too.
    total : float
        The sum of relevance, weighted by area: what recall is a share of.
    """

    size: float
    shared: float
    total: float
    precision: float | None
    recall: float | None

    @property
    def f_score(self) -> float | None:
        return f_score(self.recall, self.precision)

    def with_precision(self, rule: str, top: float | None) -> "VoteScore":
        """Return the score with an undefined precision replaced: "zero", "one" or "top"."""
        if self.size > 0 or rule == "undefined":
            return self
        filled = {"zero": 0.0, "one": 1.0, "top": top}[rule]
        return dataclasses.replace(self, precision=filled)


@dataclass(frozen=True, slots=True)
class Consensus:
    """What systems that vote on documents say about each other.

    Attributes
    ----------
    relevance : tuple of float
        p of each document.
    total : float
        The sum of relevance, weighted by area.
    systems : tuple of VoteScore
    top, bottom : VoteScore
        Of the virtual systems that vote 1 and 0 everywhere.
    weights : tuple of float
        Of the systems, then S_top and S_bottom; their sum is 1.
    """

    relevance: tuple[float, ...]
    total: float
    systems: tuple[VoteScore, ...]
    top: VoteScore
    bottom: VoteScore
    weights: tuple[float, ...]


def share_weights(
    n_systems: int,
    *,
    virtual: bool = True,
    groups: Sequence[Hashable] | None = None,
    oracles: Sequence[float] = (),
) -> tuple[float, ...]:
    """Return the weights of systems, oracles, S_top and S_bottom, in this order.

    Parameters
    ----------
    n_systems : int
        Without the oracles.
    virtual : bool
        Whether S_top and S_bottom have a voice; else their weight is 0.
    groups : sequence, one for each system
        Systems with the same value are one group: it has one voice, shared by its members. By
        default every system is a group; each virtual system is one.
    oracles : sequence of float
        The weights of oracles; the groups share what they leave.

    Raises
    ------
    VoteError
        If the numbers do not fit, a weight is negative or the oracles' sum is above 1.
    """
    owners: Sequence[Hashable] = range(n_systems) if groups is None else groups
    if len(owners) != n_systems:
        raise VoteError(f"expected a group for each of {n_systems} systems, got {len(owners)}")
    if not all(math.isfinite(weight) and weight >= 0 for weight in oracles):
        raise VoteError(f"the weight of an oracle must not be negative, got {list(oracles)}")
    left = 1.0 - math.fsum(oracles)
    if left < -1e-9:
        raise VoteError(f"the weights of the oracles add up to {1.0 - left:g}, more than 1")
    n_voices = len(set(owners)) + 2 * virtual
    if not n_voices:
        if left > 1e-9:
            raise VoteError("expected a system that votes, got none")
        return (*oracles, 0.0, 0.0)
    voice = max(0.0, left) / n_voices
    members = [sum(other == owner for other in owners) for owner in owners]
    ends = (voice, voice) if virtual else (0.0, 0.0)
    return (*(voice / n for n in members), *oracles, *ends)


def weigh_votes(
    votes: Sequence[Sequence[float]] | Floats,
    areas: Sequence[float] | Floats | None = None,
    weights: Sequence[float] | None = None,
    *,
    leave_one_out: bool = False,
) -> Consensus:
    """Return precision and recall of systems by their own votes ([LS11]_, (10) to (13)).

    Parameters
    ----------
    votes : array of shape (s, d)
        The votes of s systems on d documents, in [0, 1]; oracles are systems too.
    areas : sequence of float, length d
        Above 0; 1 each by default.
    weights : sequence of float, length s + 2
        Of the systems, S_top and S_bottom; equal by default.
    leave_one_out : bool
        Whether a system has no vote in the consensus it is measured by. The others then share its
        weight; a system with all the weight has no scores.

    Returns
    -------
    Consensus
        Precision is None for a system without votes. Where nothing is relevant, which takes a
        weight of 0 for S_top, recall is 1 for a system without votes and 0 for others.

    Raises
    ------
    VoteError
        If votes, areas or weights do not fit each other or their ranges; says which.
    """
    real = np.asarray(votes, dtype=np.float64)
    if real.ndim != 2:
        raise VoteError("expected as many votes of each system as there are documents")
    n_systems, n_documents = real.shape
    if not np.all((real >= 0) & (real <= 1)):
        raise VoteError("a vote must be in [0, 1]")
    sizes = np.ones(n_documents) if areas is None else np.asarray(areas, dtype=np.float64)
    if sizes.shape != (n_documents,):
        raise VoteError(f"expected {n_documents} areas, got {sizes.size}")
    if not np.all((sizes > 0) & np.isfinite(sizes)):
        raise VoteError("an area must be above 0")
    shares = _checked_weights(weights, n_systems)

    rows = np.vstack([real, np.ones(n_documents), np.zeros(n_documents)])
    relevance = shares @ rows
    weighted = np.tile(relevance, (len(rows), 1))
    if leave_one_out:
        weighted = _without_own_vote(shares, rows)
    size = rows @ sizes
    weighted = weighted * sizes
    # Summed alike, so that the recall of S_top is 1 to the last digit.
    shared, total = (rows * weighted).sum(axis=1), weighted.sum(axis=1)
    scores = [
        _vote_score(*values)
        for values in zip(*(array.tolist() for array in (size, shared, total)), strict=True)
    ]
    return Consensus(
        tuple(relevance.tolist()),
        float(relevance @ sizes),
        tuple(scores[:-2]),
        scores[-2],
        scores[-1],
        tuple(shares.tolist()),
    )


def _checked_weights(weights: Sequence[float] | None, n_systems: int) -> Floats:
    given = share_weights(n_systems) if weights is None else weights
    shares = np.asarray(given, dtype=np.float64)
    if shares.shape != (n_systems + 2,):
        raise VoteError(
            f"expected {n_systems + 2} weights, of {n_systems} systems, S_top and S_bottom; "
            f"got {shares.size}"
        )
    if not np.all(shares >= 0):
        raise VoteError(f"a weight must not be negative, got {list(given)}")
    total = math.fsum(shares.tolist())
    if not abs(total - 1.0) <= 1e-9:
        raise VoteError(f"the weights must add up to 1, got {total:.12g}")
    return shares


def _without_own_vote(shares: Floats, rows: Floats) -> Floats:
    others = np.tile(shares, (len(shares), 1))
    np.fill_diagonal(others, 0.0)
    left = others.sum(axis=1, keepdims=True)
    # nan says that nobody else has a voice.
    others = np.divide(others, left, out=np.full_like(others, np.nan), where=left > 1e-12)
    return np.asarray(others @ rows)


def _vote_score(size: float, shared: float, total: float) -> VoteScore:
    if math.isnan(total):
        return VoteScore(size, 0.0, 0.0, None, None)
    # Rounding must not push a share over 1.
    precision = min(1.0, shared / size) if size > 0 else None
    recall = min(1.0, shared / total) if total > 0 else float(size <= 0)
    return VoteScore(size, shared, total, precision, recall)


@dataclass(frozen=True)
class Faces:
    """The parts of an image on which all methods vote alike, and their areas.

    This is all that a consensus needs: other weights, groups or oracles need no geometry.

    Attributes
    ----------
    signatures : ndarray of shape (n, s)
        The vote of each method on each face, in lexicographic order.
    areas : ndarray of shape (n,)
        In square pixels, above 0.
    """

    signatures: Floats
    areas: Floats

    def __len__(self) -> int:
        return len(self.areas)

    @property
    def area(self) -> float:
        return float(self.areas.sum())

    def weigh(
        self, weights: Sequence[float] | None = None, *, leave_one_out: bool = False
    ) -> Consensus | None:
        """Return the consensus, None where there is no area to vote on."""
        if not len(self):
            return None
        return weigh_votes(self.signatures.T, self.areas, weights, leave_one_out=leave_one_out)


def faces_of(
    methods: Sequence[Sequence[Region]],
    *,
    width: float | None = None,
    height: float | None = None,
    domain: str = "image",
    use_confidences: bool = True,
) -> Faces:
    """Return the faces of the arrangement of all methods' polygons on an image.

    Clusters of touching boxes stand apart: rectangles are cut on the grid of their coordinates,
    other polygons along all their sides. There is no resolution; only crossings of slanted sides
    are rounded, to 1e-9 pixels.

    Parameters
    ----------
    methods : sequence of sequences of Region
        Detections that overlap count once, with the greatest confidence.
    width, height : float or None
        The frame, to which polygons are clipped. Without it the domain is the bounding box of all
        polygons, and nothing is clipped.
    domain : str
        "image": the frame. "union": the union of all polygons inside the frame.
    use_confidences : bool
        Whether a detection votes with its confidence; one without votes 1.

    Returns
    -------
    Faces
        Without any where the domain has no area.

    Raises
    ------
    VoteError
        If a confidence is outside [0, 1]; names method and detection.
    """
    drawn = _Drawn(methods, use_confidences)
    frame: tuple[float, float, float, float] | None = None
    if width is not None and height is not None:
        frame = (0.0, 0.0, width, height)
        drawn.clip(frame)
    elif len(drawn.boxes):
        frame = (*drawn.boxes[:, :2].min(axis=0).tolist(), *drawn.boxes[:, 2:].max(axis=0).tolist())
    drawn.keep((drawn.areas > 0) & (drawn.ranks > 0))
    parts = [*_parts_of_rectangles(drawn), *_parts_of_others(drawn)]
    ranks = np.concatenate([np.zeros((len(methods), 0), dtype=np.intp), *(r for r, _ in parts)], 1)
    areas = np.concatenate([np.zeros(0), *(a for _, a in parts)])
    voted = (areas > _MIN_AREA) & ranks.any(axis=0)
    ranks, areas = ranks[:, voted], areas[voted]
    if domain == "image" and frame is not None:
        whole = float(box_areas(np.array([frame]))[0])
        # The rest of a large frame is known only up to the rounding of its size.
        rest = whole - math.fsum(areas.tolist())
        if rest > max(_MIN_AREA, 1e-13 * whole):
            ranks = np.concatenate([np.zeros((len(methods), 1), dtype=np.intp), ranks], axis=1)
            areas = np.concatenate([[rest], areas])
    return _merged(ranks, areas, drawn.levels)


class _Drawn:
    """The polygons of all methods on an image, ready to be cut into faces.

    A rank is the place of a vote among the votes of its method: 0 is no vote, and of two votes the
    greater has the greater rank. ``levels`` leads back from ranks to votes.
    """

    def __init__(self, methods: Sequence[Sequence[Region]], use_confidences: bool) -> None:
        regions = [region for detections in methods for region in detections]
        counts = [len(detections) for detections in methods]
        self.n_methods = len(methods)
        self.method: Indices = np.repeat(np.arange(len(methods)), counts)
        votes = np.ones(len(regions))
        if use_confidences:
            votes = np.array(
                [
                    _vote(region, f"method {k}, detection {at}")
                    for k, detections in enumerate(methods)
                    for at, region in enumerate(detections)
                ],
                dtype=np.float64,
            )
        self.levels = [
            np.unique(np.concatenate([[0.0], votes[self.method == k]])) for k in range(len(methods))
        ]
        self.ranks: Indices = np.zeros(len(regions), dtype=np.intp)
        for k, levels in enumerate(self.levels):
            own = self.method == k
            self.ranks[own] = np.searchsorted(levels, votes[own])
        shapes = Shapes(regions)
        self.boxes = shapes.boxes
        self.areas = shapes.areas
        self.rectangular = shapes.rectangular
        self.polygons: NDArray[np.object_] = np.full(len(regions), None, dtype=object)
        slanted = np.flatnonzero(~self.rectangular)
        if len(slanted):
            self.polygons[slanted] = _areal(shapes.polygons(slanted))

    def clip(self, frame: tuple[float, float, float, float]) -> None:
        left, top, right, bottom = frame
        outside = (self.boxes[:, :2] < (left, top)) | (self.boxes[:, 2:] > (right, bottom))
        beyond = np.flatnonzero(outside.any(axis=1))
        if not len(beyond):
            return
        boxes = self.boxes.copy()
        boxes[:, ::2] = np.clip(boxes[:, ::2], left, right)
        boxes[:, 1::2] = np.clip(boxes[:, 1::2], top, bottom)
        self.boxes = boxes
        self.areas = self.areas.copy()
        straight, slanted = beyond[self.rectangular[beyond]], beyond[~self.rectangular[beyond]]
        self.areas[straight] = box_areas(boxes[straight])
        if len(slanted):
            inside = shapely.intersection(self.polygons[slanted], shapely.box(*frame))
            self.polygons[slanted] = _areal(inside)
            self.areas[slanted] = shapely.area(inside)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        for name in ("method", "ranks", "boxes", "areas", "rectangular", "polygons"):
            setattr(self, name, getattr(self, name)[kept])

    def clusters(self) -> Indices:
        """Return the number of the cluster of each polygon: those whose boxes touch belong together."""
        n = len(self.boxes)
        boxes = shapely.box(*self.boxes.T)
        a, b = shapely.STRtree(boxes).query(boxes)
        touching = coo_array((np.ones(len(a), dtype=bool), (a, b)), shape=(n, n))
        _, cluster = connected_components(touching, directed=False)
        return np.asarray(cluster, dtype=np.intp)


def _areal(geometries: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the areal parts: repair and clipping may leave loose lines and points beside them."""
    mixed = shapely.get_type_id(geometries) == shapely.GeometryType.GEOMETRYCOLLECTION
    areal = geometries.copy()
    for at in np.flatnonzero(mixed).tolist():
        parts = _polygons_in(geometries[at : at + 1])[0]
        areal[at] = shapely.multipolygons(parts)
    return areal


def _polygons_in(geometries: NDArray[np.object_]) -> tuple[NDArray[np.object_], Indices]:
    """Return the polygons that geometries consist of, and the index of the one each is from."""
    parts, owner = shapely.get_parts(geometries, return_index=True)
    # A collection may hold multipolygons.
    parts, inner = shapely.get_parts(parts, return_index=True)
    flat = shapely.get_type_id(parts) == shapely.GeometryType.POLYGON
    return parts[flat], owner[inner][flat]


def _vote(region: Region, place: str) -> float:
    if region.confidence is None:
        return 1.0
    if not 0 <= region.confidence <= 1:
        raise VoteError(f"{place}: expected a confidence in [0, 1], got {region.confidence!r}")
    return float(region.confidence)


_Parts = list[tuple[Indices, Floats]]


def _parts_of_rectangles(drawn: _Drawn) -> _Parts:
    """Return the cells of the coordinate grids of the clusters that have only rectangles.

    What is left in ``drawn`` are the polygons of the other clusters.
    """
    if not len(drawn.boxes):
        return []
    cluster = drawn.clusters()
    straight = np.bincount(cluster, ~drawn.rectangular)[cluster] == 0
    order = np.flatnonzero(straight)[np.argsort(cluster[straight], kind="stable")]
    starts = np.flatnonzero(np.diff(cluster[order])) + 1
    parts = [part for one in np.split(order, starts) if len(one) for part in _cells(drawn, one)]
    drawn.keep(~straight)
    return parts


def _cells(drawn: _Drawn, at: Indices) -> _Parts:
    boxes, methods, ranks = drawn.boxes[at], drawn.method[at], drawn.ranks[at]
    xs, ys = np.unique(boxes[:, ::2]), np.unique(boxes[:, 1::2])
    left, right = np.searchsorted(xs, boxes[:, ::2]).T
    top, bottom = np.searchsorted(ys, boxes[:, 1::2]).T
    own, methods = np.unique(methods, return_inverse=True)
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    step = max(1, _MAX_CELLS // (len(own) * n_columns))
    parts = []
    for first in range(0, n_rows, step):
        last = min(first + step, n_rows)
        grid = np.zeros((len(own), last - first, n_columns), dtype=np.intp)
        rows = np.clip(top - first, 0, None), np.clip(bottom - first, 0, None)
        for k, rank, y1, y2, x1, x2 in zip(
            *(array.tolist() for array in (methods, ranks, *rows, left, right)), strict=True
        ):
            cells = grid[k, y1:y2, x1:x2]
            np.maximum(cells, rank, out=cells)
        areas = np.outer(np.diff(ys[first : last + 1]), np.diff(xs)).ravel()
        voted = grid.reshape(len(own), -1)
        covered = voted.any(axis=0)
        all_ranks = np.zeros((drawn.n_methods, int(covered.sum())), dtype=np.intp)
        all_ranks[own] = voted[:, covered]
        parts.append((all_ranks, areas[covered]))
    return parts


def _parts_of_others(drawn: _Drawn) -> _Parts:
    """Return the faces between the boundaries of all polygons, each with the ranks that cover it."""
    if not len(drawn.boxes):
        return []
    missing = np.flatnonzero(drawn.rectangular)
    polygons = drawn.polygons
    polygons[missing] = shapely.box(*drawn.boxes[missing].T)
    parts, owner = _polygons_in(polygons)
    # On a grid, noding cannot fail where sides almost coincide; doubles hold coordinates up to it.
    grid = max(_GRID, 1e-13 * float(np.abs(drawn.boxes).max()))
    lines = shapely.union_all(shapely.boundary(parts), grid_size=grid)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    areas = shapely.area(faces)
    faces, areas = faces[areas > _MIN_AREA], areas[areas > _MIN_AREA]
    # A point inside a face is inside the polygons that cover the face.
    covering, face = shapely.STRtree(shapely.point_on_surface(faces)).query(
        parts, predicate="contains"
    )
    ranks = np.zeros((drawn.n_methods, len(faces)), dtype=np.intp)
    np.maximum.at(ranks, (drawn.method[owner[covering]], face), drawn.ranks[owner[covering]])
    return [(ranks, areas)]


def _merged(ranks: Indices, areas: Floats, levels: Sequence[Floats]) -> Faces:
    """Return faces with the areas of equal ranks added up."""
    codes = np.zeros(len(areas), dtype=np.int64)
    n_codes = 1
    for row, known in zip(ranks, levels, strict=True):
        if n_codes * len(known) >= 2**62:
            codes = np.unique(codes, return_inverse=True)[1]
            n_codes = len(codes)
        codes = codes * len(known) + row
        n_codes *= len(known)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    signatures = np.empty((len(first), len(levels)))
    for k, known in enumerate(levels):
        signatures[:, k] = known[ranks[k, first]]
    return Faces(signatures, np.asarray(np.bincount(inverse, areas), dtype=np.float64))


def look_alikes(
    tables: Sequence[Faces], *, min_iou: float = 0.99, min_share: float = 0.9
) -> list[tuple[int, int]]:
    """Return pairs of methods that mark the same areas: they pull the consensus to themselves.

    Two methods agree on an image where the IoU of what they mark is at least ``min_iou``. Images
    that both leave empty do not count. A pair is returned that agrees on at least ``min_share`` of
    the others; put such methods in one group (`share_weights`).
    """
    n_methods = tables[0].signatures.shape[1] if tables else 0
    agree = np.zeros((n_methods, n_methods))
    counted = np.zeros((n_methods, n_methods))
    for table in tables:
        marked = (table.signatures > 0).astype(np.float64)
        both = marked.T @ (marked * table.areas[:, None])
        own = np.diag(both)
        either = own[:, None] + own[None, :] - both
        counted += either > 0
        agree += (either > 0) & (both >= min_iou * either)
    alike = (counted > 0) & (agree >= min_share * counted)
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(alike, 1))]


@dataclass(frozen=True)
class NoGroundTruth(Protocol):
    """Measure each method by what all methods together mark.

    Every point of an image has a relevance, the weighted share of methods that mark it, among them
    two virtual ones that mark everything and nothing. Precision is the mean relevance of what a
    method marks, recall the part of all relevance that it marks. A method votes in its own
    consensus unless told otherwise. With one method precision is 2/3 whatever it finds; below three
    methods the scores say little.

    A method without detections has recall 0 and no precision; ``empty_precision`` says what stands
    for it. An image whose domain has no area has no scores. Ground truth counts only as an oracle.
    """

    slug: ClassVar[str] = "no-ground-truth"
    name: ClassVar[str] = "Without ground truth"
    reference: ClassVar[str] = "LS11"
    summary: ClassVar[str] = "Methods vote on every point; each is measured by the votes of all."
    needs: ClassVar[Needs] = "several methods"
    has_matches: ClassVar[bool] = False

    domain: str = choice(
        "image", "union", says="what is voted on: the whole image, or what any method marks"
    )
    empty_precision: str = choice(
        "zero",
        "one",
        "top",
        "undefined",
        says="the precision of a method that marks nothing; top is that of marking everything",
    )
    oracle_weight: float = parameter(
        0.0, says="the weight of the ground truth as one more method; 0 leaves it out"
    )
    use_confidences: bool = parameter(False, says="a detection votes with its confidence, not 1")
    leave_one_out: bool = parameter(False, says="a method does not vote for itself")

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return self.score_methods({"the method": scenes})["the method"]

    def score_methods(self, results: Mapping[str, Sequence[Scene]]) -> dict[str, list[ImageScore]]:
        """Return the scores of several methods that vote on the same images.

        Raises
        ------
        VoteError
            If methods have different numbers of images, or a confidence that is to be used is
            outside [0, 1].
        """
        lengths = {method: len(scenes) for method, scenes in results.items()}
        if len(set(lengths.values())) > 1:
            raise VoteError(f"expected the same images of every method, got numbers {lengths}")
        scores: dict[str, list[ImageScore]] = {method: [] for method in results}
        for scenes in zip(*results.values(), strict=True):
            for method, score in zip(results, self._score_image(scenes), strict=True):
                scores[method].append(score)
        return scores

    def _score_image(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        votes = [scene.detections or () for scene in scenes]
        oracles = [self.oracle_weight] if self.oracle_weight > 0 else []
        if oracles:
            counted = [region for region in scenes[0].truth if not region.ignored]
            votes.append(tuple(dataclasses.replace(one, confidence=None) for one in counted))
        sized = [one for one in scenes if one.width is not None and one.height is not None]
        width, height = (sized[0].width, sized[0].height) if sized else (None, None)
        try:
            faces = faces_of(
                votes,
                width=width,
                height=height,
                domain=self.domain,
                use_confidences=self.use_confidences,
            )
        except VoteError as refusal:
            raise VoteError(f"image {scenes[0].name!r}, {refusal}") from refusal
        weights = share_weights(len(scenes), oracles=oracles)
        consensus = faces.weigh(weights, leave_one_out=self.leave_one_out)
        known: dict[str, float | None] = {
            "n_methods": len(scenes),
            "n_faces": len(faces),
            "domain_area": faces.area,
            "size_known": float(bool(sized)),
        }
        if consensus is None:
            nothing = {"size": 0.0, "expected_text_area": None, "top_precision": None}
            tally = Tally(0.0, 0.0, 0.0, 0.0)
            return [ImageScore(None, None, None, tally, indicators=known | nothing)] * len(scenes)
        return [
            self._image_score(own, consensus, known) for own in consensus.systems[: len(scenes)]
        ]

    def _image_score(
        self, own: VoteScore, consensus: Consensus, known: Mapping[str, float | None]
    ) -> ImageScore:
        top = consensus.top.precision
        score = own.with_precision(self.empty_precision, top)
        return ImageScore(
            score.recall,
            score.precision,
            score.f_score,
            Tally(own.shared, own.total, own.shared, own.size),
            indicators={
                **known,
                "size": own.size,
                "expected_text_area": consensus.total,
                "top_precision": top,
            },
        )

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the figures of areas added over images, then divided.

        Images whose domain has no area are left out and counted. A method that marks nothing on any
        image has the precision that ``empty_precision`` says.
        """
        voted = [score for score in scores if score.indicators["top_precision"] is not None]
        area = math.fsum(score.indicators["domain_area"] or 0.0 for score in voted)
        text = math.fsum(score.indicators["expected_text_area"] or 0.0 for score in voted)
        top = text / area if area else None
        pooled = _vote_score(
            math.fsum(score.tally.n_detections for score in voted),
            math.fsum(score.tally.recalled for score in voted),
            math.fsum(score.tally.n_truth for score in voted),
        ).with_precision(self.empty_precision, top)
        recall, precision = (pooled.recall, pooled.precision) if voted else (None, None)
        return dataclasses.replace(
            super().overall(scores),
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            indicators={
                "n_images_without_area": len(scores) - len(voted),
                "n_images_without_detections": sum(not score.tally.n_detections for score in voted),
                "top_precision": top,
            },
        )


def evaluate_cases(given: Any) -> Any:
    """Return what systems say about each other, of votes or images given as JSON data.

    Parameters
    ----------
    given : object
        A case, a list of cases, or ``{"cases": [case...]}``. A case is a table ``{"systems":
        [[vote...]...]}`` or an image ``{"methods": [[{"polygon": [[x, y]...], "confidence"?}...]...],
        "width"?, "height"?, "domain"?}``, with ``"name"`` and ``"options"``: ``kappa`` (weights of
        the systems, S_top and S_bottom), or ``virtual``, ``groups`` and ``oracles`` (weights of the
        last systems); ``area`` (of the documents of a table), ``leave_one_out``,
        ``empty_precision``.

    Returns
    -------
    dict or list
        Of a case ``{"P", "sum_P", "systems", "top", "bottom", "kappa"}``, on an image also
        ``faces``, in whose order P stands; None where there is nothing to vote on. Of several cases
        a list of ``{"name", "result"}``.

    Raises
    ------
    VoteError
        If the data are something else; names the place.
    """
    cases = given.get("cases", given) if isinstance(given, Mapping) else given
    if isinstance(cases, Mapping):
        return _evaluate(cases, "the case")
    if not isinstance(cases, list):
        raise VoteError('expected a case with "systems" or "methods", or a list of cases')
    return [
        {
            "name": str(case.get("name", "")) if isinstance(case, Mapping) else "",
            "result": _evaluate(case, f"case {at}"),
        }
        for at, case in enumerate(cases)
    ]


_OPTIONS: Final = (
    "kappa",
    "virtual",
    "groups",
    "oracles",
    "area",
    "leave_one_out",
    "empty_precision",
)


def _evaluate(case: Any, place: str) -> dict[str, Any] | None:
    if not isinstance(case, Mapping) or ("systems" in case) == ("methods" in case):
        raise VoteError(f'{place}: expected an object with either "systems" or "methods"')
    options = case.get("options") or {}
    if not isinstance(options, Mapping):
        raise VoteError(f'{place}: expected "options" as an object')
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise VoteError(f"{place}: no option {unknown[0]!r}; options: {', '.join(_OPTIONS)}")
    try:
        if "systems" in case:
            return _evaluate_table(case, options)
        return _evaluate_image(case, options)
    except (VoteError, RegionError) as refusal:
        raise VoteError(f"{place}: {refusal}") from refusal


def _evaluate_table(case: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any] | None:
    rows = case["systems"]
    if not isinstance(rows, list) or len({len(_numbers(row, "systems")) for row in rows}) != 1:
        raise VoteError('expected "systems" as lists of the same number of votes')
    if not rows[0]:
        return None
    areas = _numbers(options["area"], "area") if "area" in options else None
    return _answered(
        lambda weights, alone: weigh_votes(rows, areas, weights, leave_one_out=alone),
        len(rows),
        options,
    )


def _evaluate_image(case: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any] | None:
    if "area" in options:
        raise VoteError('the areas of an image are measured; "area" is for tables')
    methods = case["methods"]
    if not isinstance(methods, list) or not all(isinstance(one, list) for one in methods):
        raise VoteError('expected "methods" as lists of detections')
    domain = case.get("domain", "image")
    if domain not in ("image", "union"):
        raise VoteError(f'expected "domain" as image or union, got {domain!r}')
    faces = faces_of(
        [
            [_region(one, f"method {k}, detection {at}") for at, one in enumerate(detections)]
            for k, detections in enumerate(methods)
        ],
        width=_side(case, "width"),
        height=_side(case, "height"),
        domain=domain,
    )
    if not len(faces):
        return None
    answer = _answered(
        lambda weights, alone: weigh_votes(
            faces.signatures.T, faces.areas, weights, leave_one_out=alone
        ),
        len(methods),
        options,
    )
    answer["faces"] = [
        {"signature": signature, "area": area}
        for signature, area in zip(faces.signatures.tolist(), faces.areas.tolist(), strict=True)
    ]
    return answer


def _answered(
    weigh: Callable[[Sequence[float], bool], Consensus],
    n_systems: int,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    rule = options.get("empty_precision", "undefined")
    if rule not in EMPTY_PRECISIONS:
        raise VoteError(f'expected "empty_precision" as one of {", ".join(EMPTY_PRECISIONS)}')
    alone = _switch(options, "leave_one_out", False)
    consensus = weigh(_weights(n_systems, options), alone)

    def shown(score: VoteScore) -> dict[str, float | None]:
        filled = score.with_precision(rule, consensus.top.precision)
        return {
            "size": filled.size,
            "sum_PS": filled.shared,
            "precision": filled.precision,
            "recall": filled.recall,
            "f1": filled.f_score,
        }

    return {
        "P": list(consensus.relevance),
        "sum_P": consensus.total,
        "systems": [shown(score) for score in consensus.systems],
        "top": shown(consensus.top),
        "bottom": shown(consensus.bottom),
        "kappa": list(consensus.weights),
    }


def _weights(n_systems: int, options: Mapping[str, Any]) -> Sequence[float]:
    if "kappa" in options:
        others = [name for name in ("virtual", "groups", "oracles") if name in options]
        if others:
            raise VoteError(f'"kappa" gives all weights; leave out "{others[0]}"')
        return _numbers(options["kappa"], "kappa")
    oracles = _numbers(options.get("oracles", []), "oracles")
    groups = options.get("groups")
    if groups is not None and (
        not isinstance(groups, list) or not all(isinstance(one, str | int) for one in groups)
    ):
        raise VoteError('expected "groups" as a list of names')
    if len(oracles) > n_systems:
        raise VoteError(f"{len(oracles)} oracles are more than {n_systems} systems")
    return share_weights(
        n_systems - len(oracles),
        virtual=_switch(options, "virtual", True),
        groups=groups,
        oracles=oracles,
    )


def _switch(options: Mapping[str, Any], name: str, default: bool) -> bool:
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise VoteError(f'expected "{name}" true or false, got {value!r}')
    return value


def _numbers(given: Any, name: str) -> list[float]:
    if not isinstance(given, list) or not all(_is_number(value) for value in given):
        raise VoteError(f'expected "{name}" as numbers, got {given!r}')
    return [float(value) for value in given]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _side(case: Mapping[str, Any], side: str) -> float | None:
    value = case.get(side)
    if value is None:
        return None
    if not _is_number(value) or value <= 0:
        raise VoteError(f'expected "{side}" above 0, got {value!r}')
    return float(value)


def _region(given: Any, place: str) -> Region:
    try:
        points = tuple(float(value) for x, y in given["polygon"] for value in (x, y))
        confidence = given.get("confidence")
        if confidence is not None and not _is_number(confidence):
            raise VoteError(f"{place}: expected a confidence in [0, 1], got {confidence!r}")
        return Region(points, confidence=confidence)
    except RegionError as refusal:
        raise VoteError(f"{place}: {refusal}") from refusal
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as fault:
        if isinstance(fault, VoteError):
            raise
        raise VoteError(f'{place}: expected {{"polygon": [[x, y], ...]}}') from fault
