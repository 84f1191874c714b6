"""Scores of one submission: the function that a host of competitions calls, and Codabench's program.

Participants see all that the program prints and writes. So a submission is accepted or refused
before the truth is opened, and nothing but rounded figures depends on the truth.
"""

import contextlib
import hashlib
import html
import io
import json
import math
import sys
import traceback
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from .. import registry
from ..core.base import ImageScore, Protocol, Scene
from ..core.errors import ProtocolError
from ..core.fitting import lacking_in_results
from ..core.regions import Region, decode_regions, encode_regions
from .settings import Column, Settings

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


def score(
    truth: Sequence[Scene], results: ByImage, columns: Sequence[Column], digits: int
) -> dict[str, float]:
    """Return the figure of each column, rounded; one that is undefined is left out.

    Parameters
    ----------
    truth : sequence of Scene
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
    >>> score([Scene(word, None, "img_1")], {"img_1": word}, [column], digits=4)
    {'iou_f_score': 1.0}
    """
    scores = _image_scores(truth, results, dict.fromkeys(of.protocol for of in columns))
    overall = {protocol: protocol.overall(of) for protocol, of in scores.items()}
    figures = {of.key: getattr(overall[of.protocol], of.figure) for of in columns}
    return {
        key: value if digits == FULL_DIGITS else round(value, digits)
        for key, value in figures.items()
        if value is not None and math.isfinite(value) and abs(value) < _TOO_LARGE
    }


def _image_scores(
    truth: Sequence[Scene], results: ByImage, protocols: Iterable[Protocol]
) -> dict[Protocol, list[ImageScore]]:
    scenes = [replace(scene, detections=results.get(scene.name)) for scene in truth]
    regions = [region for scene in truth for region in scene.truth]
    settled = [protocol.settled_for(regions) for protocol in protocols]
    return dict(zip(protocols, registry.score_together(settled, scenes), strict=True))


def read_submission(source: Path, settings: Settings) -> ByImage:
    """Return the regions of a submission, a folder or a zip, under the names of the dataset's images.

    Raises SubmissionRefused; the sentence depends on nothing but the submission and the settings.
    """
    from ..formats.containers.checking import with_known_names
    from ..formats.containers.folders import unfolded
    from ..formats.readers.layouts import rules_named
    from ..formats.readers.rrc import read_archive

    known, most = set(settings.given["all_images"]), settings.given["max_boxes"]
    rules = replace(rules_named(settings.given["format"]), tail=None)
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
    for protocol in settings.protocols:
        if lack := lacking_in_results(protocol, found):
            raise SubmissionRefused(f"{protocol.slug} cannot score it: {lack}.")
    return archive.regions


def truth_as_json(truth: Sequence[Scene]) -> str:
    """Return ground truth as ``truth_of_json`` reads it; nothing is lost but detections."""
    encoded = []
    for of in truth:
        above = encode_regions(of.parents.values())
        regions = encode_regions(of.truth)
        encoded.append([of.name, of.width, of.height, list(of.parents), above, regions])
    return json.dumps(encoded, ensure_ascii=False, separators=(",", ":"))


def truth_of_json(text: str | bytes) -> list[Scene]:
    """Return the ground truth that ``truth_as_json`` wrote."""
    scenes = []
    for name, width, height, ids, above, regions in json.loads(text):
        parents = dict(zip(ids, decode_regions(above), strict=True))
        scenes.append(Scene(decode_regions(regions), None, name, width, height, parents))
    return scenes


def main(arguments: Sequence[str], given: Mapping[str, Any]) -> int:
    """Score or check ``input/res`` as Codabench asks, or check a zip; return the exit code."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            said = _run([Path(of) for of in arguments], Settings.kept(given))
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


def _run(arguments: Sequence[Path], settings: Settings) -> str:
    if len(arguments) == 1:
        return f"Checked {len(read_submission(arguments[0], settings))} images."
    source, out = arguments
    results = read_submission(source / "res", settings)
    reference = source / "ref" / TRUTH_FILE
    if not reference.exists():
        n = len(results.keys() & set(settings.given["counted"]))
        (out / SCORES_FILE).write_text(json.dumps({IMAGES_COLUMN: n}), encoding="utf-8")
        return f"Checked {n} images."
    truth, digits = truth_of_json(reference.read_bytes()), settings.given["digits"]
    figures = score(truth, results, settings.columns, digits)
    if (primary := settings.columns[0].key) not in figures:
        raise SubmissionRefused(f"{primary} is not defined for this submission.")
    if reference.with_name("details").exists():
        page = _details(truth, results, settings)
        (out / "detailed_results.html").write_text(page, encoding="utf-8")
    (out / SCORES_FILE).write_text(json.dumps(figures), encoding="utf-8")
    return f"Scored {len(truth)} images."


def _details(truth: Sequence[Scene], results: ByImage, settings: Settings) -> str:
    """Return a page with the figures of each image, for phases whose truth is public."""
    names = ("recall", "precision", "f_score")
    by_protocol = _image_scores(truth, results, settings.protocols)
    rows = [["image", *(f"{of.slug} {name}" for of in by_protocol for name in names)]]
    for scene, *scores in zip(truth, *by_protocol.values(), strict=True):
        values = [getattr(of, name) for of in scores for name in names]
        figures = ["" if of is None else str(round(of, settings.given["digits"])) for of in values]
        rows.append([scene.name, *figures])
    cells = ["".join(f"<td>{html.escape(cell)}" for cell in row) for row in rows]
    return f"<!doctype html><meta charset=utf-8><table><tr>{'<tr>'.join(cells)}</table>"
