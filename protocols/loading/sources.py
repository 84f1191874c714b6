"""Ground truth and results of the commands and of the facade, read from files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from ..core.base import Protocol, Scene
from ..core.errors import ProtocolError
from ..core.regions import Region
from ..diagnostics.inspection import Noticed
from ..diagnostics.readings import AS_READ, AS_WRITTEN, FRAMES
from ..diagnostics.truths import OTHER_FORMAT
from ..formats.containers.contents import Archive, Kind
from ..formats.containers.folders import unfolded
from ..formats.containers.frames import turned_images
from ..formats.recognition.reading import FORMATS, named_formats
from ..signatures import Signature, SignatureError, signature
from .findings import Answer, findings_of, require_possible
from .looking import Truth, look_alone, look_at_results, opened
from .photographs import known_pictures, photographs, state_of, tell_unused, with_answers


class BatchError(ProtocolError):
    """A file that cannot be scored; the message names it."""


@dataclass(frozen=True, slots=True)
class Formats:
    """Formats of ground truth and results: keys of ``FORMATS``.

    A format of None is detected from all lines, in doubt of those of results like the ground truth's.
    ``drop_broken_ignored`` leaves lines of ignored text out of the ground truth that are invalid.
    ``images`` is a zip or folder of photographs, for their sizes. The readings are those of
    ``diagnostics.readings``, as files are offered. Options are named as those of the facade, or else
    of the shell.
    """

    truth: str | None = None
    results: str | None = None
    drop_broken_ignored: bool = False
    images: str | None = None
    truth_reading: str = ""
    results_reading: str = ""
    is_of_facade: bool = False

    def option(self, name: str, value: str) -> str:
        """Return how a person passes an option here, such as ``--truth-reading stored``."""
        if self.is_of_facade:
            choices = value.replace(" or ", '" or "')
            return f'{name.replace("-", "_")}="{choices}"'
        return f"--{name} {value}"


NOT_NAMED: Final = Formats()
_DROPPED: Final = "without-broken-ignored"
_WITH_IMAGES: Final = "photographs"


def formats_of(signed: Signature, images: str | None) -> Formats:
    """Return the formats and readings of a signature; raise SignatureError for those of no files."""
    read_as = {"truth": signed.truth.split("+"), "results": signed.results.split("+")}
    options: dict[str, Any] = {"images": images}
    for kind, (format, *readings) in read_as.items():
        of_truth = {_DROPPED, _WITH_IMAGES} if kind == "truth" else set()
        if format not in FORMATS:
            raise SignatureError(
                f"the signature has {kind}:{'+'.join(read_as[kind])}, and {format!r} is no format of "
                f"files; formats: {', '.join(FORMATS)}"
            )
        others = [reading for reading in readings if reading not in of_truth]
        if len(others) > 1:
            raise SignatureError(f"the signature has several readings of {kind}: {others}")
        options |= {kind: format, f"{kind}_reading": "".join(others)}
    if (_WITH_IMAGES in read_as["truth"]) != (images is not None):
        are_used = "no photographs; leave out" if images else "photographs; name them with"
        raise SignatureError(f"the signature is of scores with {are_used} --images")
    return Formats(**options, drop_broken_ignored=_DROPPED in read_as["truth"])


def reading_of(archive: Archive, formats: Formats, kind: Kind) -> str:
    """Return how a file was read, for signatures: its format, and the options that were given."""
    options = [archive.format, getattr(formats, f"{kind}_reading")]
    if kind == "truth":
        options += [_DROPPED if formats.drop_broken_ignored else ""]
        options += [_WITH_IMAGES if formats.images else ""]
    return "+".join(filter(None, options))


def signed_files(protocol: Protocol, truth: str, results: str, formats: Formats) -> str:
    """Return the signature of the scores of a result set; the protocol is settled."""
    of_truth = looked_truth(truth, formats)[0].archive
    of_results = looked_results(results, truth, formats).archive
    read_as = reading_of(of_truth, formats, "truth"), reading_of(of_results, formats, "results")
    return signature(protocol, *read_as, len(of_truth.regions))


def looked_file(path: str, kind: Kind, formats: Formats = NOT_NAMED) -> Noticed:
    """Return a file of one side alone, with its findings.

    Its format is guessed if ``formats`` does not name it. Raises BatchError if the file cannot be
    read, or can be read in two ways and its format is not named.
    """
    if kind == "truth":
        return looked_truth(path, formats)[0]
    noticed = look_alone(_opened(path, kind, formats), kind=kind)
    _checked_archive(noticed.archive, path, kind, formats)
    return noticed


def looked_truth(path: str, formats: Formats = NOT_NAMED) -> tuple[Noticed, Truth]:
    """Return ground truth in the upright frame with its findings, and as results are compared with it.

    Raises as ``looked_file``.
    """
    state = tuple(state_of(of) for of in (path, formats.images) if of is not None)
    return _looked_truth(path, state, replace(formats, results=None, results_reading=""))


@lru_cache(maxsize=32)
def _looked_truth(path: str, _: object, formats: Formats) -> tuple[Noticed, Truth]:
    drops, images, reading = formats.drop_broken_ignored, formats.images, formats.truth_reading
    read_it = partial(_opened, path, "truth", formats, sizes=partial(_sizes, images))
    archive = read_it(drop_broken_ignored=drops)
    known = known_pictures(path, images)
    noticed = look_alone(archive, known, reading)
    option = partial(formats.option, "truth-reading")
    noticed.archive = with_answers(noticed, known, images is not None, reading, option)
    try:
        _checked_archive(noticed.archive, path, "truth", formats)
    except BatchError as refusal:
        if drops or not archive.errors or read_it(drop_broken_ignored=True).errors:
            raise
        named = "drop_broken_ignored=True" if formats.is_of_facade else "--drop-broken-ignored"
        said = f"{refusal} Such lines of ignored text are left out with {named}."
        raise BatchError(said) from refusal
    return noticed, Truth.of(noticed.archive, {**noticed.archive.sizes, **known}, known)


def _sizes(images: str | None) -> Mapping[str, tuple[int, int]]:
    return photographs(images) if images else {}


def looked_results(path: str, truth: str, formats: Formats = NOT_NAMED) -> Noticed:
    """Return a result set with its findings; in doubt, its lines are read like those of the ground truth.

    Raises BatchError if a file cannot be read, the results can be read in two ways and no format is
    named, or an image is not in the ground truth. Other names that fit exactly one image each become those
    of the images, with a warning (N2); another (N4) counts the images without a file, which is read
    as a file without regions.
    """
    state = tuple(state_of(of) for of in (path, truth, formats.images) if of is not None)
    return _looked_results(path, state, truth, formats)


@lru_cache(maxsize=32)
def _looked_results(path: str, _: object, truth: str, formats: Formats) -> Noticed:
    _, known = looked_truth(truth, formats)
    read_it = partial(_opened, path, "results", sizes=lambda: known.sizes)
    noticed = look_at_results(
        *(read_it(formats, shape=known.shape), known, _said(formats), "empty"),
        source=unfolded(path),
        read_as=lambda format: read_it(Formats(results=format)),
    )
    _checked_archive(noticed.archive, path, "results", formats)
    if formats.results_reading in FRAMES and not turned_images(known.sizes):
        problems = noticed.archive.collected()
        tell_unused(problems, formats.results_reading)
        noticed.archive = noticed.archive.with_problems(problems)
    return noticed


def _said(formats: Formats) -> str:
    """Return the reading of results that a person named, by itself or by a format."""
    said = (of for of, format in AS_WRITTEN.items() if format == formats.results)
    return formats.results_reading or next(said, "")


def _checked_archive(archive: Archive, path: str, kind: Kind, formats: Formats) -> Archive:
    name = f"{kind}-format"
    if archive.errors:
        error = archive.errors[0]
        if not error.expected.startswith(OTHER_FORMAT):
            raise BatchError(str(error))
        [slug] = named_formats(error.expected) or ["…"]
        raise BatchError(f"{error} Name it: {formats.option(name, slug)}.")
    if archive.questions:
        question = archive.questions[0]
        if question.code == "F7":
            raise BatchError(f"{question} Convert it first: text-protocols convert --encoding …")
        option = formats.option(name, " or ".join(named_formats(question.expected)))
        raise BatchError(f"{question} Name it: {option}.")
    if archive.methods:
        raise BatchError(f"{Path(path).name} holds several methods; score takes a file for each")
    return archive


def _opened(path: str, kind: Kind, formats: Formats, **options: Any) -> Archive:
    if not path:
        # Path("") is the current folder.
        raise BatchError(f"the path of the {kind} is empty; expected a file or a folder")
    return opened(path, kind, getattr(formats, kind), name=Path(path).name, **options)


def findings_about(path: str, truth: str, formats: Formats = NOT_NAMED) -> list[str]:
    """Return what every door says of a result set: what was left out, and how it fits the truth."""
    noticed = looked_results(path, truth, formats)
    return findings_of(noticed, results_answer(noticed, formats), _said(formats))


def accounts(truth: str, results: Iterable[str], formats: Formats) -> dict[str, dict[str, Any]]:
    """Return the account of each file by its path, as JSON: units, regions, and units left out."""
    found = {truth: looked_truth(truth, formats)[0].archive.account}
    found |= {path: looked_results(path, truth, formats).archive.account for path in results}
    return {path: account.as_data() for path, account in found.items()}


def results_answer(noticed: Noticed, formats: Formats) -> Answer:
    """Return how a person passes another reading of a result set."""

    def answer(reading: str) -> str:
        if reading in AS_WRITTEN:
            return formats.option("results-format", AS_WRITTEN[reading])
        if reading == AS_READ and not formats.results_reading:
            return formats.option("results-format", noticed.archive.line_format.value)
        return formats.option("results-reading", reading)

    return answer


def require_fit(paths: Iterable[str], truth: str, formats: Formats = NOT_NAMED) -> None:
    """Raise Misread if ground truth and results cannot be right as read; raises as ``looked_results``.

    Results are read until one fits.
    """
    of_truth, known = looked_truth(truth, formats)
    noticed = (looked_results(path, truth, formats) for path in paths)
    require_possible(
        of_truth.archive.name,
        known,
        ((of, results_answer(of, formats)) for of in noticed),
        is_said=bool(formats.results_reading),
        answer=truth_answer(formats),
    )


def truth_answer(formats: Formats) -> Answer:
    """Return how a person passes another reading of the ground truth."""

    def answer(reading: str) -> str:
        is_undone = formats.truth_reading == reading
        return formats.option("truth-reading", AS_READ if is_undone else reading)

    return answer


def regions_of_truth(path: str, formats: Formats = NOT_NAMED) -> Mapping[str, tuple[Region, ...]]:
    """Return the regions of ground truth by image; raises BatchError if it has no images."""
    regions = looked_truth(path, formats)[0].archive.regions
    if not regions:
        raise BatchError(f"{Path(path).name} has no images, so that nothing can be scored")
    return regions


def read_scenes(truth: str, results: str | None, formats: Formats = NOT_NAMED) -> list[Scene]:
    """Return the scenes of a result set.

    Parameters
    ----------
    truth : str
        A path.
    results : str or None
        A path; without it the scenes have ground truth only.
    formats : Formats

    Raises
    ------
    BatchError
        If a file cannot be read, or has results for an image without ground truth.

    Examples
    --------
    >>> [scene] = read_scenes("gt.zip", "east.zip")
    >>> scene.name, len(scene.truth), len(scene.detections)
    ('img_1', 2, 1)
    """
    archive, regions = looked_truth(truth, formats)[0].archive, regions_of_truth(truth, formats)
    detections = looked_results(results, truth, formats).archive.regions if results else {}
    scenes = []
    for image, of_image in regions.items():
        width, height = archive.sizes.get(image, (None, None))
        parents = archive.parents.get(image, {})
        scenes.append(Scene(of_image, detections.get(image), image, width, height, parents))
    return scenes
