"""Scores of one method or of several, by one protocol or by several."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Final

from protocols import registry
from protocols.core.base import ImageScore, Match, OverallScore, Protocol, Scene, official
from protocols.core.causes import Cost, costs, losses, total
from protocols.core.errors import DataWarning, ParameterError
from protocols.core.fitting import Held, lacking, one_sided
from protocols.core.regions import Region
from protocols.formats.containers.contents import Account
from protocols.loading.photographs import photographs
from protocols.loading.sources import Formats
from protocols.signatures import signature
from rankings.output.table import PROTOCOL, Column, Table, number
from text_rankings.base.image_sets import image_sets

from .inputs import NotData, Reading, read_methods
from .tables import Plot, Shown, dots

# The line that called a function of the facade.
_CALLER: Final = 3
_FIGURES: Final = ("recall", "precision", "f_score")
Protocols = str | Protocol | type[Protocol] | Sequence[str | Protocol | type[Protocol]]


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Shown):
    """Scores of methods by protocols.

    Figures have the levels of the call: one protocol by its name and one method without a name give the
    figures themselves; several give dictionaries by protocol, by method, or by protocol and then by method.

    Attributes
    ----------
    protocols : mapping of str to Protocol
        By slug, with the parameters that were used.
    scenes : mapping of str to list of Scene
        The images of each method.
    scores : mapping of str to mapping of str to list of ImageScore
        By protocol and method, in the order of the images.
    read_as : mapping of str to (str, str)
        How the truth and the results of each method were read, as in signatures.
    account : mapping of str to (Account, Account)
        Units of the truth and of the results of each method: regions, and units left out by reason.
    left_out : mapping of str to str
        Protocols of "all" whose inputs the data do not have, each with the reason.
    """

    protocols: Mapping[str, Protocol]
    scenes: Mapping[str, Sequence[Scene]]
    scores: Mapping[str, Mapping[str, Sequence[ImageScore]]]
    read_as: Mapping[str, tuple[str, str]]
    account: Mapping[str, tuple[Account, Account]]
    left_out: Mapping[str, str]
    has_one_protocol: bool
    has_one_method: bool

    @property
    def images(self) -> list[str]:
        """The names of the images, in the order of the ground truth."""
        return [scene.name for scene in next(iter(self.scenes.values()))]

    @property
    def said_of_images(self) -> str:
        """How many images count, and which methods have no results for some of them."""
        sets = image_sets(
            {
                method: [scene.name for scene in own if scene.detections is not None]
                for method, own in self.scenes.items()
            }
        )
        n = len(self.images)
        few = [
            f"{method or 'the results'}: {n_own} of {n}"
            for method, n_own in sets.n_of.items()
            if n_own < n
        ]
        said = f"{n} images."
        if few:
            said += f" Images with results of {', '.join(few)}; the others count as nothing found."
        return said

    @property
    def overall(self) -> Any:
        """The official figures, :class:`.OverallScore`."""
        return self._shaped(self._overall)

    @property
    def per_image(self) -> Any:
        """The scores of each image, :class:`.ImageScore` by name."""
        return self._shaped(self._by_image)

    @property
    def matches(self) -> Any:
        """The matches of each image by name; each tells its regions by their indices."""
        return self._shaped(self._matches)

    @property
    def signatures(self) -> Any:
        """A line for each score that says how it was made (``protocols.signatures``)."""
        return self._shaped(self._signature)

    def causes(self) -> Any:
        """Return the cost of each cause of loss, a list of :class:`.Cost`.

        Raises
        ------
        NoCauses
            If a protocol does not add up credits of single regions.
        """
        return self._shaped(self._causes)

    def _shaped(self, of: Callable[[str, str], Any]) -> Any:
        found: Any = {
            protocol: {method: of(protocol, method) for method in self.scenes}
            for protocol in self.protocols
        }
        if self.has_one_method:
            found = {protocol: next(iter(own.values())) for protocol, own in found.items()}
        return next(iter(found.values())) if self.has_one_protocol else found

    def _overall(self, protocol: str, method: str) -> OverallScore:
        return official(self.protocols[protocol], self.scores[protocol][method])

    def _by_image(self, protocol: str, method: str) -> dict[str, ImageScore]:
        return dict(zip(self.images, self.scores[protocol][method], strict=True))

    def _matches(self, protocol: str, method: str) -> dict[str, tuple[Match, ...]]:
        return {name: of.matches for name, of in self._by_image(protocol, method).items()}

    def _signature(self, protocol: str, method: str) -> str:
        return signature(self.protocols[protocol], *self.read_as[method], len(self.images))

    def _causes(self, protocol: str, method: str) -> list[Cost]:
        chosen, scores = self.protocols[protocol], self.scores[protocol][method]
        return costs(total(losses(chosen, self.scenes[method], scores)))

    def overall_rows(self) -> list[dict[str, Any]]:
        """Return the official figures, a dictionary for each protocol and method."""
        return [
            {
                **_row(protocol, method, self._overall(protocol, method)),
                "signature": self._signature(protocol, method),
            }
            for protocol in self.protocols
            for method in self.scenes
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return the scores of every image, a dictionary for each."""
        return [
            {**_row(protocol, method, score), "image": name, "signature": signed}
            for protocol in self.protocols
            for method in self.scenes
            for signed in [self._signature(protocol, method)]
            for name, score in self._by_image(protocol, method).items()
        ]

    def as_scores(self) -> dict[str, dict[str, dict[str, tuple[float | None, float | None]]]]:
        """Return recall and precision by image, protocol and method, as reports take them."""
        scores: dict[str, dict[str, dict[str, tuple[float | None, float | None]]]] = {}
        for row in self.rows():
            of_protocol = scores.setdefault(row["image"], {}).setdefault(row["protocol"], {})
            of_protocol[row["method"]] = row["recall"], row["precision"]
        return scores

    def tables(self) -> list[Table]:
        heads = (PROTOCOL, *(() if self.has_one_method else (Column("Method"),)))
        columns = (*heads, number("Recall", 4), number("Precision", 4), number("F-score", 4))
        keys = ["protocol", *([] if self.has_one_method else ["method"]), *_FIGURES]
        rows = tuple(tuple(row[key] for key in keys) for row in self.overall_rows())
        note = self.said_of_images
        if self.left_out:
            note += (
                f" Left out: {'; '.join(f'{name}, {why}' for name, why in self.left_out.items())}."
            )
        return [Table("scores", "Scores", note, columns, rows), self.table_of_signatures()]

    def table_of_signatures(self) -> Table:
        """Return the signature of each protocol, once for methods that were read alike."""
        pairs = [(of, method) for of in self.protocols for method in self.scenes]
        rows = dict.fromkeys((of, self._signature(of, method)) for of, method in pairs)
        columns = (PROTOCOL, Column("Signature"))
        return Table("signatures", "How they were made", "", columns, tuple(rows))

    def plot(self, figure: str = "f_score") -> Plot:
        """Return a plot of an official figure of each method and protocol.

        Parameters
        ----------
        figure : "f_score", "recall" or "precision"

        Raises
        ------
        ValueError
            If there is no such figure.
        """
        require_figure(figure)
        rows = [
            {
                "value": row[figure],
                "method": row["method"] or "results",
                "protocol": row["protocol"],
                "signature": row["signature"],
            }
            for row in self.overall_rows()
        ]
        return dots(rows, "value", "protocol", "method", figure.replace("_", "-"))


def _row(protocol: str, method: str, score: ImageScore | OverallScore) -> dict[str, Any]:
    figures = {name: getattr(score, name) for name in _FIGURES}
    return {"protocol": protocol, "method": method, **figures}


def require_figure(figure: str) -> None:
    """Raise ValueError, with the figures there are, unless there is such a figure."""
    if figure not in _FIGURES:
        raise ValueError(f"the figure must be one of {', '.join(_FIGURES)}, got {figure!r}")


def score(
    truth: Any,
    results: Any,
    protocols: Protocols = "iou",
    *,
    parameters: Mapping[str, Any] | None = None,
    format: str | None = None,
    truth_format: str | None = None,
    results_format: str | None = None,
    box_format: str = "xyxy",
    sizes: Any = None,
    images: str | PathLike[str] | None = None,
    truth_reading: str = "",
    results_reading: str = "",
    drop_broken_ignored: bool = False,
) -> Scores:
    """Score results against ground truth.

    Parameters
    ----------
    truth
        A path (zip, folder, or file of any format that is read), COCO's data, a data frame with the
        columns of a CSV file, a dictionary of image to regions, or a list of images. The regions of an
        image are an array of boxes (k, 4) or of polygons, a list of either, or a dictionary of ``boxes``,
        ``quads`` or ``polygons`` with ``texts``, ``scores``, ``labels`` and ``ignored`` (or ``iscrowd``,
        ``ignore``, ``difficult``), as training loops have it; other keys give a warning.
    results
        The same of one method, COCO's list of results, a dictionary of methods, or a list of paths, which
        name the methods. An image without an entry has no detections.
    protocols : str, Protocol or sequence of them
        Slugs, with or without a variant, or own protocols; "all" takes those that fit the data.
    parameters : mapping of str to value, optional
        Of the protocols that are named by slugs; by default the published ones.
    format, truth_format, results_format : str, optional
        Formats of files: of both, or of one; by default they are detected.
    box_format : str
        The four numbers of a box in an array: "xyxy", "xywh" or "cxcywh".
    sizes : mapping or sequence of (width, height), optional
        By image; coordinates of arrays are then shares of them.
    images : str or PathLike, optional
        A zip or folder of photographs, for their sizes and EXIF orientations; truth and results are then
        files.
    truth_reading, results_reading : str, optional
        Another reading of files that a warning or an error offers, such as "stored".
    drop_broken_ignored : bool
        Leave lines of ignored text out of a file of ground truth that are invalid, and count them.

    Returns
    -------
    Scores

    Raises
    ------
    ProtocolError
        If truth or results cannot be read, with image and region; if there is no such protocol; or if the
        data do not have the inputs of a protocol.

    Examples
    --------
    >>> truth = {"street": [[0, 0, 100, 40], [0, 60, 50, 90]], "shop": []}
    >>> east = {"street": [[0, 0, 100, 40]]}
    >>> found = score(truth, east, "iou")
    >>> found.overall.recall, found.per_image["street"].recall, len(found.matches["street"])
    (0.5, 0.5, 1)
    >>> several = score(truth, {"east": east, "blind": {}}, ["iou", "deteval"])
    >>> several.overall["deteval"]["blind"].recall
    0.0
    """
    chosen = _chosen(protocols, parameters or {})
    if images is not None:
        photographs(fspath(images))
    formats = Formats(
        truth_format or format,
        results_format or format,
        drop_broken_ignored,
        images=None if images is None else fspath(images),
        truth_reading=truth_reading,
        results_reading=results_reading,
        is_of_facade=True,
    )
    options = {"format": format, "truth_format": truth_format, "results_format": results_format}
    named = [name for name, given in options.items() if given is not None]
    reading = Reading(formats, box_format, sizes, tuple(named))
    methods = read_methods(truth, results, reading)
    scenes = methods.scenes
    used, left_out = _fitting(chosen, scenes, protocols == "all")
    _warn_of_fields(used, scenes)
    scores = _scored(list(used.values()), scenes)
    is_one = isinstance(protocols, str | Protocol | type) and protocols != "all"
    read_as, account = methods.read_as, methods.account
    is_only = not methods.are_named
    return Scores(used, scenes, scores, read_as, account, left_out, is_one, is_only)


def _chosen(protocols: Protocols, parameters: Mapping[str, Any]) -> dict[str, Protocol]:
    named: Iterable[Any] = [protocols]
    if protocols == "all":
        named = list(registry.PROTOCOLS)
    elif isinstance(protocols, Iterable) and not isinstance(protocols, str | Protocol | type):
        named = protocols
    chosen: dict[str, Protocol] = {}
    for one in named:
        protocol = one() if isinstance(one, type) and issubclass(one, Protocol) else one
        if not isinstance(protocol, Protocol):
            protocol = registry.get(protocol, parameters)
        if chosen.setdefault(protocol.full_slug, protocol) != protocol:
            raise ParameterError(f"{protocol.full_slug} is there twice, with other parameters")
    if not chosen:
        raise NotData("no protocol is named")
    return chosen


def _fitting(
    chosen: Mapping[str, Protocol], scenes: Mapping[str, Sequence[Scene]], any_of_them: bool
) -> tuple[dict[str, Protocol], dict[str, str]]:
    """Return the protocols with parameters fixed that depend on the truth, and why others are left out."""
    truths = [region for scene in next(iter(scenes.values())) for region in scene.truth]
    used, left_out = {}, {}
    for protocol in chosen.values():
        reasons = (
            lacking(protocol, truths, _detections(own), len(scenes)) for own in scenes.values()
        )
        reason = next(filter(None, reasons), "")
        if reason and not any_of_them:
            raise NotData(f"{protocol.slug} cannot score this: {reason}")
        if reason:
            left_out[protocol.full_slug] = reason
        else:
            settled = protocol.settled_for(truths)
            used[settled.full_slug] = settled
    return used, left_out


def _warn_of_fields(
    protocols: Mapping[str, Protocol], scenes: Mapping[str, Sequence[Scene]]
) -> None:
    """Warn of fields that the protocols read and that are not on all regions of both sides."""
    for method, own in scenes.items():
        truths = [region for scene in own for region in scene.truth]
        held = Held.of(truths, _detections(own))
        where = f", {method}" if method else ""
        for slug, protocol in protocols.items():
            for said in one_sided(protocol, held):
                warnings.warn(f"{slug}{where}: {said}", DataWarning, stacklevel=_CALLER)


def _detections(scenes: Sequence[Scene]) -> list[Region]:
    return [region for scene in scenes for region in scene.detections or ()]


def _scored(
    protocols: Sequence[Protocol], scenes: Mapping[str, Sequence[Scene]]
) -> dict[str, dict[str, list[ImageScore]]]:
    """Return the scores with their matches by protocol and method."""
    scores: dict[str, dict[str, list[ImageScore]]] = {of.full_slug: {} for of in protocols}
    alone = [protocol for protocol in protocols if protocol.needs != "several methods"]
    for method, own in scenes.items():
        for protocol, found in zip(alone, registry.score_together(alone, own), strict=True):
            scores[protocol.full_slug][method] = found
    for protocol in protocols:
        if protocol.needs == "several methods":
            scores[protocol.full_slug] = protocol.score_methods(scenes)
    return scores
