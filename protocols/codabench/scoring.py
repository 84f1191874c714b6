"""Scores of one submission: the function that a host of competitions calls, and Codabench's program.

Participants see all that the program prints and writes. So a submission is accepted or refused
before the truth is opened, and nothing but rounded figures depends on the truth.
"""

import contextlib
import hashlib
import io
import json
import math
import sys
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from .. import registry
from ..core.base import ImageScore, Protocol, Scene
from ..core.errors import ProtocolError
from ..core.fitting import lacking_in_results
from ..core.regions import Region, decode_regions, encode_regions
from .settings import Column

TRUTH_FILE: Final = "truth.json"
SCORES_FILE: Final = "scores.json"
# The column of a phase whose truth is not on Codabench.
IMAGES_COLUMN: Final = "images"
# Codabench stores figures with ten digits before the point.
_TOO_LARGE: Final = 1e10
# Codabench adds a file of this name to each submission.
_ADDED: Final = frozenset({"metadata"})
# As many as a number has: it is not rounded.
FULL_DIGITS: Final = 17
_REFUSED, _FAILED = 2, 1
ByImage = Mapping[str, tuple[Region, ...]]


class SubmissionRefused(ProtocolError):
    """A submission that is not scored; one sentence about the submission alone."""


@dataclass(frozen=True, slots=True)
class TruthImage:
    """The ground truth of one image, with what some protocols read besides its regions."""

    regions: tuple[Region, ...]
    size: tuple[int | None, int | None] = (None, None)
    parents: Mapping[str, Region] = field(default_factory=dict)


def score(
    truth: Mapping[str, TruthImage], results: ByImage, columns: Sequence[Column], digits: int
) -> dict[str, float]:
    """Return the figure of each column, rounded; one that is undefined is left out.

    Parameters
    ----------
    truth : mapping of str to TruthImage
        The images that count; results of other images are skipped.
    results : mapping of str to tuple of Region
        An image without a file is left out.
    columns : sequence of Column
    digits : int
        Digits after the point.

    Examples
    --------
    >>> word = (Region.from_box(0, 0, 100, 40),)
    >>> column = Column("iou_f_score", "iou F-score", registry.get("iou"), "f_score")
    >>> score({"img_1": TruthImage(word)}, {"img_1": word}, [column], digits=4)
    {'iou_f_score': 1.0}
    """
    scores = image_scores(truth, results, columns)
    overall = {protocol: protocol.overall(of) for protocol, of in scores.items()}
    figures = {of.key: getattr(overall[of.protocol], of.figure) for of in columns}
    return {
        key: value if digits == FULL_DIGITS else round(value, digits)
        for key, value in figures.items()
        if value is not None and math.isfinite(value) and abs(value) < _TOO_LARGE
    }


def image_scores(
    truth: Mapping[str, TruthImage], results: ByImage, columns: Sequence[Column]
) -> dict[Protocol, list[ImageScore]]:
    """Return the scores of the images under each protocol, in the order of the truth."""
    scenes = [
        Scene(of.regions, results.get(name), name, of.size[0], of.size[1], of.parents)
        for name, of in truth.items()
    ]
    given = list(dict.fromkeys(column.protocol for column in columns))
    settled = [
        protocol.settled_for(region for of in truth.values() for region in of.regions)
        for protocol in given
    ]
    return dict(zip(given, registry.score_together(settled, scenes), strict=True))


def read_submission(source: Path, settings: Mapping[str, Any]) -> ByImage:
    """Return the regions of a submission, a folder or a zip, under the names of the dataset's images.

    Raises SubmissionRefused; the sentence depends on nothing but the submission and the settings.
    """
    from ..formats.containers.checking import with_known_names
    from ..formats.containers.folders import unfolded
    from ..formats.readers.layouts import rules_named
    from ..formats.readers.rrc import read_archive

    known, most = set(settings["images"]), settings["max_boxes"]
    rules = replace(rules_named(settings["format"]), tail=None, loading=True)
    packed = unfolded(source, without=_ADDED)
    archive = read_archive(packed, kind="results", name="submission", rules=rules)
    for problem in (*archive.errors, *archive.questions):
        raise SubmissionRefused(str(problem))
    archive = with_known_names(archive, known)[0]
    if not archive.regions:
        raise SubmissionRefused("The submission holds no result file, such as res_NAME.txt.")
    for name, regions in archive.regions.items():
        entry = archive.entries.get(name, name)
        if name not in known:
            raise SubmissionRefused(f"{entry}: the dataset has no image of this name.")
        if len(regions) > most:
            raise SubmissionRefused(f"{entry}: {len(regions)} boxes; at most {most} are accepted.")
    found = [region for regions in archive.regions.values() for region in regions]
    for column in columns_of(settings):
        if lack := lacking_in_results(column.protocol, found):
            raise SubmissionRefused(f"{column.protocol.slug} cannot score it: {lack}.")
    return archive.regions


def columns_of(settings: Mapping[str, Any]) -> list[Column]:
    """Return the columns that the program's settings hold."""
    return [
        Column(of["key"], "", registry.get(of["protocol"], of["parameters"]), of["figure"])
        for of in settings["columns"]
    ]


def columns_as_data(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Return columns as ``columns_of`` reads them."""
    return [
        {
            "key": of.key,
            "protocol": of.protocol.slug,
            "parameters": of.protocol.parameters(),
            "figure": of.figure,
        }
        for of in columns
    ]


def truth_as_json(truth: Mapping[str, TruthImage]) -> str:
    """Return ground truth as the program reads it; nothing is lost."""
    encoded = {
        name: {
            "regions": encode_regions(of.regions),
            "size": of.size,
            "parents": encode_regions(of.parents.values()),
            "ids": list(of.parents),
        }
        for name, of in truth.items()
    }
    return json.dumps(encoded, ensure_ascii=False, separators=(",", ":"))


def _truth_of_json(text: str) -> dict[str, TruthImage]:
    return {
        name: TruthImage(
            decode_regions(of["regions"]),
            tuple(of["size"]),
            dict(zip(of["ids"], decode_regions(of["parents"]), strict=True)),
        )
        for name, of in json.loads(text).items()
    }


def main(arguments: Sequence[str], settings: Mapping[str, Any]) -> int:
    """Score or check ``input/res`` as Codabench asks, or check a zip; return the exit code."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            said = _run(arguments, settings)
    except SubmissionRefused as refusal:
        print(" ".join(str(refusal).split()), file=sys.stderr)
        return _REFUSED
    except Exception as fault:
        # Where it happened, for organisers; not what, which may depend on the truth.
        [*_, last] = traceback.extract_tb(fault.__traceback__)
        place = f"{type(fault).__name__} {Path(last.filename).name} {last.lineno}"
        code = hashlib.sha256(place.encode()).hexdigest()[:8]
        print(f"The submission could not be scored; tell the organisers: {code}", file=sys.stderr)
        return _FAILED
    print(said)
    return 0


def _run(arguments: Sequence[str], settings: Mapping[str, Any]) -> str:
    if len(arguments) == 1:
        return f"Checked {len(read_submission(Path(arguments[0]), settings))} images."
    source, out = map(Path, arguments)
    results = read_submission(source / "res", settings)
    reference = source / "ref" / TRUTH_FILE
    if not reference.exists():
        n = len(results.keys() & set(settings["here"]))
        (out / SCORES_FILE).write_text(json.dumps({IMAGES_COLUMN: n}), encoding="utf-8")
        return f"Checked {n} images."
    truth, columns = _truth_of_json(reference.read_text(encoding="utf-8")), columns_of(settings)
    figures = score(truth, results, columns, settings["digits"])
    if columns[0].key not in figures:
        raise SubmissionRefused(f"{columns[0].key} is not defined for this submission.")
    if reference.with_name("details").exists():
        page = _details(truth, results, columns, settings["digits"])
        (out / "detailed_results.html").write_text(page, encoding="utf-8")
    (out / SCORES_FILE).write_text(json.dumps(figures), encoding="utf-8")
    return f"Scored {len(truth)} images."


def _details(
    truth: Mapping[str, TruthImage], results: ByImage, columns: Sequence[Column], digits: int
) -> str:
    """Return a page with the figures of each image, for phases whose truth is public."""
    import html

    names = ("recall", "precision", "f_score")
    rows = [["image", *(f"{of.slug} {name}" for of in _protocols(columns) for name in names)]]
    by_protocol = image_scores(truth, results, columns)
    for at, image in enumerate(truth):
        values = [getattr(of[at], name) for of in by_protocol.values() for name in names]
        rows.append([image, *("" if of is None else f"{round(of, digits):g}" for of in values)])
    cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    return f"<!doctype html><meta charset=utf-8><table><tr>{'<tr>'.join(cells)}</table>"


def _protocols(columns: Sequence[Column]) -> list[Protocol]:
    return list(dict.fromkeys(column.protocol for column in columns))
