"""Ground truth and results from files, folders, COCO, arrays and data frames, as scenes."""

import csv
import io
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from protocols.arrays import SHARES, Outlines, are_shares
from protocols.coco import read_pair
from protocols.core.base import Scene
from protocols.core.errors import DataWarning, ProtocolError
from protocols.core.regions import Region
from protocols.diagnostics.inspection import Noticed
from protocols.diagnostics.readings import Regions
from protocols.diagnostics.same_results import Repeats
from protocols.formats.containers.contents import Account, Archive, Kind, LineFormat
from protocols.formats.containers.documents import image_name
from protocols.formats.containers.shapes import may_be_shares
from protocols.formats.names import method_name
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from protocols.loading.findings import Answer, findings_of, require_possible
from protocols.loading.looking import Truth, look_alone, look_at_results
from protocols.loading.sources import (
    Formats,
    findings_about,
    looked_file,
    looked_results,
    looked_truth,
    read_scenes,
    reading_of,
    results_answer,
    truth_answer,
)
from protocols.signatures import DATA

from .tables import is_frame, records_of

_ONE: Final = ""
_COCO: Final = "coco-json"
_OUTLINES: Final = {"boxes", "quads", "polygons"}
# The line that called a function of the facade.
_CALLER: Final = 4
ByImage = Mapping[str, tuple[Region, ...] | None]


class NotData(ProtocolError, ValueError):
    """Ground truth or results that cannot be used; the message names image and region."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How arrays and files are to be read.

    Formats are of files, ``box_format`` is of arrays of four numbers; ``sizes`` are the width and
    height of each image, if the coordinates of arrays are shares of them. ``named`` are the arguments
    that name formats.
    """

    formats: Formats
    box_format: str = "xyxy"
    sizes: Any = None
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Methods:
    """The scenes of each method, how its truth and results were read, and the accounts of both."""

    scenes: Mapping[str, list[Scene]]
    read_as: Mapping[str, tuple[str, str]]
    account: Mapping[str, tuple[Account, Account]]
    are_named: bool


def read_methods(truth: Any, results: Any, reading: Reading) -> Methods:
    """Return each method of input as of ``score``; raise ProtocolError if it cannot be used."""
    outlines = Outlines(reading.box_format)
    source = _Source(truth, reading, outlines)
    methods = _methods(results, source)
    _require_files(reading.named, _is_path(truth), any(map(_is_path, methods.values())))
    scenes: dict[str, list[Scene]] = {}
    read_as: dict[str, tuple[str, str]] = {}
    account: dict[str, tuple[Account, Account]] = {}
    for name, result in methods.items():
        scenes[name] = source.scenes(result, name)
        read_as[name] = source.read_as["truth"], source.read_as["results"]
        account[name] = source.account["truth"], source.account["results"]
    if not all(scenes.values()):
        raise NotData("the ground truth has no images, so that nothing can be scored")
    repeats = Repeats()
    for name, own in scenes.items() if _ONE not in methods else ():
        result = methods[name]
        archive = Path(fspath(result)).name if _is_path(result) else "results"
        source.told_of_results += repeats.told(archive, name, partial(_detections, own))
    for finding in source.findings:
        warnings.warn(finding, DataWarning, stacklevel=_CALLER - 1)
    source.require_possible()
    for finding in dict.fromkeys(source.told_of_results):
        warnings.warn(finding, DataWarning, stacklevel=_CALLER - 1)
    _warn(outlines, scenes, reading)
    return Methods(scenes, read_as, account, _ONE not in methods)


def _detections(scenes: Sequence[Scene]) -> Regions:
    return {scene.name: scene.detections or () for scene in scenes}


def _require_files(named: Sequence[str], truth_is: bool, results_are: bool) -> None:
    """Raise NotData if an argument names the format of what is no file."""
    files = {"format": truth_is or results_are, "truth_format": truth_is}
    unused = [name for name in named if not files.get(name, results_are)]
    if unused:
        raise NotData(
            f"{', '.join(unused)}: names the format of files, and arrays or data were given"
        )


def _warn(outlines: Outlines, scenes: Mapping[str, Sequence[Scene]], reading: Reading) -> None:
    remarks = list(outlines.remarks())
    sides = {"truth": [of for scene in next(iter(scenes.values())) for of in scene.truth]}
    for method, own in scenes.items():
        side = f"results of {method}" if method else "results"
        sides[side] = [of for scene in own for of in scene.detections or ()]
    for side, regions in sides.items():
        if reading.sizes is not None or not are_shares(regions):
            continue
        said = f"{side}: {SHARES}: pass sizes={{image: (width, height)}} with arrays, if they are"
        if all(may_be_shares(region.points) for region in regions):
            raise NotData(said)
        remarks.append(said)
    for remark in remarks:
        warnings.warn(remark, stacklevel=_CALLER)


def _methods(results: Any, source: "_Source") -> Mapping[str, Any]:
    """Return the result sets by method; a single one without a name has an empty one."""
    if is_frame(results) and "method" in list(results.columns):
        by_method: dict[str, list[dict[str, Any]]] = {}
        for row in records_of(results):
            by_method.setdefault(str(row.pop("method")), []).append(row)
        return {name: _Rows(rows) for name, rows in by_method.items()}
    if isinstance(results, list | tuple) and results and all(map(_is_path, results)):
        files = {method_name(fspath(path)): path for path in results}
        if len(files) < len(results):
            raise NotData("two files are results of one method; name them: {method: file, ...}")
        return files
    if not isinstance(results, Mapping) or _is_coco(results) or is_frame(results):
        return {_ONE: results}
    if not results:
        raise NotData("the results are an empty dictionary; expected images or methods")
    names = {image_name(str(key)) for key in results}
    if names & source.images.keys() or not all(map(_is_result_set, results.values())):
        return {_ONE: results}
    return {str(name): result for name, result in results.items()}


def _is_result_set(given: Any) -> bool:
    """Return whether something can be all results of a method, and not those of one image."""
    if isinstance(given, Mapping):
        return not given.keys() & _OUTLINES
    if isinstance(given, list | tuple):
        return not given or isinstance(given[0], Mapping)
    return isinstance(given, str | PathLike | _Rows) or is_frame(given)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a data frame."""

    rows: Sequence[Mapping[str, Any]]


def _is_coco(given: Any) -> bool:
    if isinstance(given, Mapping):
        return isinstance(given.get("images"), list) and "annotations" in given
    if _is_path(given):
        return str(fspath(given)).endswith(".json") and guess(fspath(given)).format == "coco-json"
    is_list = isinstance(given, list) and bool(given) and isinstance(given[0], Mapping)
    return is_list and "image_id" in given[0]


def _is_path(given: Any) -> bool:
    return isinstance(given, str | PathLike)


class _Source:
    """A ground truth, and the results that belong to it."""

    def __init__(self, truth: Any, reading: Reading, outlines: Outlines) -> None:
        self._truth, self._reading, self._outlines = truth, reading, outlines
        self._images: ByImage | None = None
        self._known: Truth | None = None
        # How both were read last, as in signatures, and their accounts.
        self.read_as: dict[Kind, str] = {}
        self.account: dict[Kind, Account] = {}
        # Sentences about the ground truth and options, each once; those about results.
        self.findings: dict[str, None] = {}
        self.told_of_results: list[str] = []
        # Each result set with its answer, and name, regions and answer of the ground truth.
        self._noticed: list[tuple[Noticed, Answer | None]] = []
        self._of_truth: tuple[str, Truth, Answer | None] = "truth", Truth(), None

    @property
    def images(self) -> ByImage:
        """The regions of the ground truth by image, read when they are first asked for."""
        if self._images is None:
            self._images = self._by_image(self._truth, "truth")
        return self._images

    @property
    def known(self) -> Truth:
        """The ground truth as results are compared with it; raises NotData if it cannot be right."""
        if self._known is None:
            regions = {image: regions or () for image, regions in self.images.items()}
            noticed = look_alone(Archive("truth", LineFormat.QUAD, regions, (), {}))
            if noticed.archive.errors:
                raise NotData(str(noticed.archive.errors[0]))
            self._tell(findings_of(noticed))
            self._known = Truth.of(noticed.archive)
        return self._known

    def scenes(self, results: Any, method: str) -> list[Scene]:
        """Return the scenes of one method."""
        is_list = isinstance(results, list) and not results
        are_files = _is_path(self._truth) and _is_path(results)
        if not are_files:
            self._tell_unused()
        formats = self._reading.formats
        if not are_files and _is_coco(self._truth) and (_is_coco(results) or is_list):
            self.read_as["truth"] = _COCO if _is_path(self._truth) else DATA
            self.read_as["results"] = _COCO if _is_path(results) else DATA
            pair = read_pair(self._truth, results, method or "results")
            self.account["truth"] = pair.truth.account
            self.account["results"] = pair.noticed.archive.account
            self._noticed.append((pair.noticed, None))
            self._of_truth = pair.truth.name, pair.known, None
            self._tell(pair.findings_of_truth)
            self.told_of_results += pair.findings
            return list(pair.scenes.values())
        if are_files:
            truth, given = fspath(self._truth), fspath(results)
            of_truth, known = looked_truth(truth, formats)
            noticed = looked_results(given, truth, formats)
            self.read_as["truth"] = reading_of(of_truth.archive, formats, "truth")
            self.read_as["results"] = reading_of(noticed.archive, formats, "results")
            self.account["truth"] = of_truth.archive.account
            self.account["results"] = noticed.archive.account
            self._noticed.append((noticed, results_answer(noticed, formats)))
            self._of_truth = of_truth.archive.name, known, truth_answer(formats)
            self._tell(findings_of(of_truth))
            self.told_of_results += findings_about(given, truth, formats)
            return read_scenes(truth, given, formats)
        self.account.pop("results", None)
        found = self._looked(self._by_image(results, "results"), method)
        self.account.setdefault("truth", _account_of(self.images))
        self.account.setdefault("results", _account_of(found))
        return [
            Scene(regions or (), found.get(image), image) for image, regions in self.images.items()
        ]

    def require_possible(self) -> None:
        """Raise Misread if truth and results cannot be right as read."""
        name, known, answer = self._of_truth
        is_said = bool(self._reading.formats.results_reading)
        require_possible(name, known, self._noticed, is_said=is_said, answer=answer)

    def _tell_unused(self) -> None:
        """Report options that apply to files only."""
        names = ("images", "truth_reading", "results_reading")
        if options := [name for name in names if getattr(self._reading.formats, name)]:
            said = f"{', '.join(options)}: not used, since truth and results are not both files"
            self.findings[said] = None

    def _looked(self, found: ByImage, method: str) -> ByImage:
        """Return results that were not read from files under the names of the images of the truth."""
        given = {image: regions for image, regions in found.items() if regions is not None}
        is_quads = all(region.n_points == 4 for regions in given.values() for region in regions)
        shape = LineFormat.QUAD if is_quads else LineFormat.POLYGON
        noticed = look_at_results(Archive(method or "results", shape, given, (), {}), self.known)
        if noticed.archive.errors:
            raise NotData(str(noticed.archive.errors[0]))
        self.told_of_results += findings_of(noticed)
        self._noticed.append((noticed, None))
        self._of_truth = "truth", self.known, None
        return noticed.archive.regions

    def _by_image(self, given: Any, kind: Kind) -> ByImage:
        if _is_path(given):
            formats = replace(self._reading.formats, images=None, truth_reading="")
            noticed = looked_file(fspath(given), kind, formats)
            self.read_as[kind] = reading_of(noticed.archive, formats, kind)
            self.account[kind] = noticed.archive.account
            self._tell_of(kind, findings_of(noticed))
            return noticed.archive.regions
        named = [self._reading.box_format] if self._reading.box_format != "xyxy" else []
        shares = [] if self._reading.sizes is None else ["shares"]
        self.read_as[kind] = "+".join([DATA, *named, *shares])
        if is_frame(given) or isinstance(given, _Rows):
            rows = given.rows if isinstance(given, _Rows) else records_of(given)
            if not rows:
                return {}
            archive = _of_rows(rows, kind)
            self._tell_of(kind, findings_of(Noticed(archive)))
            return archive.regions
        if _is_coco(given) and isinstance(given, Mapping):
            pair = read_pair(given, [])
            self._tell(pair.findings_of_truth)
            return {scene.name: scene.truth for scene in pair.scenes.values()}
        if isinstance(given, Mapping) and not given.keys() & _OUTLINES:
            return dict(self._of_images(given.items(), kind))
        if isinstance(given, Sequence) or hasattr(given, "tolist"):
            if kind == "results" and len(given) != len(self.images):
                raise NotData(f"results of {len(given)} images, and truth of {len(self.images)}")
            return dict(self._of_images(enumerate(given), kind))
        wanted = "a path, COCO's data, a data frame, or arrays by image"
        raise NotData(f"the {kind} must be {wanted}, got {type(given).__name__}")

    def _tell(self, findings: Iterable[str]) -> None:
        self.findings |= dict.fromkeys(findings)

    def _tell_of(self, kind: Kind, findings: list[str]) -> None:
        if kind == "truth":
            self._tell(findings)
        else:
            self.told_of_results += findings

    def _of_images(self, given: Any, kind: Kind) -> Iterator[tuple[str, tuple[Region, ...] | None]]:
        seen: dict[str, str] = {}
        for key, regions in given:
            name = image_name(str(key))
            if name in seen:
                raise NotData(
                    f"the {kind} has the image {name!r} twice: {seen[name]!r} and {str(key)!r}; folders and "
                    "suffixes are not part of names"
                )
            seen[name] = str(key)
            place = f"{kind}, image {name!r}"
            size = None if self._reading.sizes is None else self._size(key, place)
            yield name, None if regions is None else self._outlines.regions(regions, place, size)

    def _size(self, key: Any, place: str) -> tuple[float, float]:
        try:
            width, height = map(float, self._reading.sizes[key])
        except (KeyError, IndexError, TypeError, ValueError) as fault:
            raise NotData(f"{place} has no width and height in sizes") from fault
        if not (0 < width < math.inf and 0 < height < math.inf):
            raise NotData(f"{place} needs a width and a height above 0, got {width:g}, {height:g}")
        return width, height


def _account_of(regions: ByImage) -> Account:
    return Account(sum(len(of or ()) for of in regions.values()), ())


def _of_rows(rows: Sequence[Mapping[str, Any]], kind: Kind) -> Archive:
    """Return a data frame with rows, read as the CSV file that it would be."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    name = f"{kind}, a data frame with its header in line 1"
    archive = read(io.BytesIO(stream.getvalue().encode()), kind=kind, format="csv", name=name)
    if archive.errors:
        raise NotData(str(archive.errors[0]))
    return archive
