"""Inspection of results that parse: fit to the ground truth, and common mistakes.

Nothing is corrected automatically: another reading that fits far better is a question.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from protocols.core.base import Field
from protocols.core.fitting import Held
from protocols.core.regions import Region, encode_regions
from protocols.formats.containers.contents import Archive, ByImage, LineFormat
from protocols.formats.problems import KEPT, MISREAD, Problem, Problems
from text_rankings.base.counts import counted

from .corrections import amended
from .fits import Fit, fit, sample, thinned
from .levels import words_against_lines
from .readings import (
    AS_READ,
    AS_WRITTEN,
    COLUMNS,
    DIAGONALS,
    EXCHANGED,
    NEXT,
    PREVIOUS,
    ROWS,
    SIDES,
    Notation,
    ReadingError,
    Sizes,
    words_of,
)
from .trials import Offer, is_better, n_crossing, offered, read_on

# Below this share of matched truths results hardly fit; from _SAME on they copy the truth.
_HARDLY: Final = 0.05
# Above this share, results fit.
FITS: Final = 0.5
_MIN_TRUTH: Final = 20
_SAME: Final = 0.9
_MIN_SAME: Final = 10
_MAX_DRAWN: Final = 200
_MIN_TURNED: Final = 20
_FIELDS: Final[Mapping[Field, str]] = {"label": "labels", "text": "texts"}


@dataclass
class Against:
    """The ground truth of the images that results are compared with: all, or a random sample."""

    truth: Mapping[str, Sequence[Region]] = field(default_factory=dict)
    # Number of the dataset's images.
    n_images: int = 0

    @classmethod
    def of(
        cls,
        images: Sequence[str],
        truth_of: Callable[[list[str]], Mapping[str, Sequence[Region]]],
        turned: Collection[str] = (),
    ) -> "Against":
        """Return the ground truth of a random sample; ``truth_of`` returns that of given images.

        Of ``turned`` images, with photographs that have an EXIF orientation, there are always some:
        their boxes may be in another frame than all others.
        """
        drawn = thinned(truth_of(sample(images)))
        more = [] if set(turned) & drawn.keys() else sample(list(turned), _MIN_TURNED)
        return cls(drawn | dict(truth_of(more)), len(images))

    @property
    def words(self) -> str:
        if len(self.truth) == self.n_images:
            return f"all {counted(self.n_images, 'image')}"
        return f"{len(self.truth)} of {self.n_images} images, drawn at random"


def as_data(of: Fit) -> dict[str, Any]:
    """Return a fit as stored in a report."""
    return {
        "recall": of.recall,
        "precision": of.precision,
        "touched": of.touched,
        "outside": of.n_outside,
        "detections": of.n_detections,
    }


@dataclass
class Noticed:
    """Results as they will be loaded, and the findings."""

    archive: Archive
    # By method; None if the file names no method.
    fits: dict[str | None, dict[str, Any]] = field(default_factory=dict)
    offer: Offer | None = None
    # An image that illustrates the offer: its name, and its regions in both readings.
    trial: dict[str, Any] | None = None
    # Whether results fit only with x and y exchanged, as they are read or would be.
    is_exchanged: bool = False
    # Whether they hardly fit, as read.
    fits_hardly: bool = False
    # Whether they are read in a named way that hardly fits, while another way fits.
    is_misread: bool = False

    def regions_of(self, image: str) -> Iterator[Region]:
        """Yield the regions of an image by all methods."""
        for results in self.archive.by_method.values():
            yield from results.get(image, ())

    @property
    def is_of_other_images(self) -> bool:
        """Whether names that do not fit are probably a shift of all numbers by one."""
        return self.offer is not None and self.offer.reading in (NEXT, PREVIOUS)


def look(
    archive: Archive,
    against: Against,
    images: Mapping[str, tuple[int, int] | None],
    reading: str,
    read_as: Callable[[str], Archive] | None,
) -> Noticed:
    """Return results in the user's reading, or as read with an offer of a better one.

    ``images`` has all images of the dataset, with width and height in pixels where they are known;
    ``read_as`` reads the file again in a format, None if there is no file.
    """
    sizes = {image: size for image, size in images.items() if size is not None}
    if any(of.code == "F1" for of in archive.questions):
        # How the regions fit is known when the format is.
        return Noticed(archive)
    if reading not in ("", AS_READ):
        return _read_as_said(archive, against, images, sizes, reading, read_as)
    noticed = Noticed(archive)
    fits = _fits(archive, against, sizes)
    noticed.fits = {method: as_data(of) for method, of in fits.items()}
    if not against.truth:
        return noticed
    method, results = _largest(archive)
    as_read = fits.get(method) or fit(against.truth, results, sizes)
    noticed.fits_hardly = _hardly(as_read)
    if read_as and archive.line_format == LineFormat.LTRB and _has_broken(archive):
        again = read_as(AS_WRITTEN[SIDES])
        noticed.offer = _as_written(SIDES, as_read, against, sizes, again)
        others = next(iter(again.by_method.values()))
    else:
        notation = Notation.of(archive)
        noticed.offer = offered(against.truth, results, sizes, images, as_read, notation)
        others = results
        if noticed.offer is not None:
            others = read_on(against.truth, results, sizes, images, noticed.offer.reading, notation)
        elif read_as and archive.line_format == LineFormat.QUAD and _fits_hardly(as_read):
            again = read_as(AS_WRITTEN[COLUMNS])
            noticed.offer = _as_written(COLUMNS, as_read, against, sizes, again)
            others = next(iter(again.by_method.values()))
    if noticed.offer is not None:
        noticed.trial = _trial(noticed.offer, against, results, others)
        if reading == "":
            noticed.archive = _without_explained(archive, noticed.offer)
        noticed.is_exchanged = noticed.offer.reading == EXCHANGED
        noticed.is_misread = reading == AS_READ and _is_misread(as_read, noticed.offer.fit)
    noticed.archive = _told(noticed, against, reading, as_read)
    truths = [region for of in against.truth.values() for region in of]
    found = [region for image in against.truth for region in results.get(image, ())]
    problems = noticed.archive.collected()
    for fault in (
        *one_sided_fields(archive.name, Held.of(truths, found)),
        *words_against_lines(archive, against.truth, results),
    ):
        problems.add(fault)
    noticed.archive = noticed.archive.with_problems(problems)
    return noticed


def _has_broken(archive: Archive) -> bool:
    """Return whether boxes were refused, whose right side is left of the left one."""
    return any(problem.code == "L4" for problem in archive.errors)


def _fits(archive: Archive, against: Against, sizes: Sizes) -> dict[str | None, Fit]:
    return {
        method: fit(against.truth, results, sizes)
        for method, results in archive.by_method.items()
        if against.truth and _can_be_compared(archive, against, results)
    }


def _can_be_compared(
    archive: Archive, against: Against, results: Mapping[str, Sequence[Region]]
) -> bool:
    """Return whether inspected images have results; empty ones count if the file has no errors."""
    if archive.errors:
        return any(results.get(image) for image in against.truth)
    return not against.truth.keys().isdisjoint(results)


def _read_as_said(
    archive: Archive,
    against: Against,
    images: Mapping[str, tuple[int, int] | None],
    sizes: Sizes,
    reading: str,
    read_as: Callable[[str], Archive] | None,
) -> Noticed:
    try:
        changed = amended(archive, reading, sizes=sizes, known=images)
    except ReadingError as refusal:
        problems = archive.collected()
        problems.error("F2", f"a file to be read {words_of(reading)}", str(refusal))
        return Noticed(archive.with_problems(problems))
    problems = changed.collected()
    fits = _fits(changed, against, sizes)
    method, results = _largest(changed)
    said = fits.get(method) or fit(against.truth, results, sizes)
    of_methods = {method: as_data(of) for method, of in fits.items()}
    noticed = Noticed(changed, of_methods, fits_hardly=bool(fits) and _hardly(said))
    if noticed.fits_hardly and (
        other := _other_than_said(archive, said, against, images, reading, read_as)
    ):
        _tell_other(noticed, problems, other, against, reading)
        return noticed
    told = next(map(_numbers, of_methods.values()), "")
    found = f"a file that is read {words_of(reading)}"
    if told:
        found = f"a file that is read {words_of(reading)}: {told}"
    problems.warning(
        "F2",
        found,
        "a file that needs no correction",
        action="read this way, as specified",
    )
    noticed.archive = changed.with_problems(problems)
    if reading == EXCHANGED and fits:
        noticed.is_exchanged = is_better(fit(against.truth, _largest(archive)[1], sizes), said)
    return noticed


def _other_than_said(
    archive: Archive,
    said: Fit,
    against: Against,
    images: Mapping[str, tuple[int, int] | None],
    reading: str,
    read_as: Callable[[str], Archive] | None,
) -> Offer | None:
    """Return another reading than the named one, which hardly fits, if that other one does."""
    sizes = {image: size for image, size in images.items() if size is not None}
    if reading in AS_WRITTEN:
        archive = read_as(archive.line_format.value) if read_as else archive
        if archive.errors:
            return None
    _, results = _largest(archive)
    as_read = fit(against.truth, results, sizes)
    best = Offer(AS_READ, said, as_read)
    if not _is_misread(said, as_read):
        tried = offered(against.truth, results, sizes, images, as_read, Notation.of(archive))
        best = best if tried is None else Offer(tried.reading, said, tried.fit)
    return best if _is_misread(said, best.fit) else None


def _tell_other(
    noticed: Noticed, problems: Problems, other: Offer, against: Against, reading: str
) -> None:
    found = (
        f"a file that is read {words_of(reading)}: "
        f"{_numbers(as_data(other.as_read))}; {words_of(other.reading)}: "
        f"{_numbers(as_data(other.fit))} (at IoU 0.5, on {against.words})"
    )
    problems.warning("F2", found, "results that fit", action=MISREAD)
    noticed.archive = noticed.archive.with_problems(problems)
    noticed.offer, noticed.is_misread = other, True
    noticed.is_exchanged = other.reading == EXCHANGED


def _largest(archive: Archive) -> tuple[str | None, ByImage]:
    """Return the method with the most regions, and its results."""
    return max(archive.by_method.items(), key=lambda of: sum(map(len, of[1].values())))


def _hardly(of: Fit) -> bool:
    return of.n_truth > 0 and min(of.recall or 0.0, of.precision or 0.0) < _HARDLY


def _is_misread(said: Fit, other: Fit) -> bool:
    """Return whether results hardly fit as they are read, while another reading fits."""
    return _hardly(said) and min(other.recall or 0.0, other.precision or 0.0) > FITS


def _as_written(
    reading: str, as_read: Fit, against: Against, sizes: Sizes, archive: Archive
) -> Offer | None:
    """Return the offer of a reading of the file's lines, or None if it does not fit clearly better."""
    if archive.errors:
        return None
    tried = fit(against.truth, next(iter(archive.by_method.values())), sizes)
    return Offer(reading, as_read, tried) if is_better(as_read, tried) else None


def _without_explained(archive: Archive, offer: Offer) -> Archive:
    """Return the archive without the faults that the other reading explains."""
    explained = {SIDES: ("L4",)}.get(offer.reading, ("L7", "L5"))
    kept = [problem for problem in archive.problems if problem.code not in explained]
    counts = {code: n for code, n in archive.counts.items() if code not in explained}
    return replace(archive, problems=tuple(kept), counts=counts)


def _trial(
    offer: Offer,
    against: Against,
    results: Mapping[str, Sequence[Region]],
    others: Mapping[str, Sequence[Region]],
) -> dict[str, Any]:
    """Return the image on which the two readings differ most visibly."""

    def gain(image: str) -> tuple[int, int]:
        alone = {image: against.truth[image]}
        one = fit(alone, others, {})
        return one.n_matches - max(0, one.n_detections - 2 * one.n_truth), -one.n_truth

    differing = [of for of in against.truth if results.get(of) != others.get(of)]
    image = max(sample(differing or list(against.truth), 40), key=gain)
    return {
        "image": image,
        "reading": offer.reading,
        "as_read": encode_regions(tuple(results.get(image, ()))[:_MAX_DRAWN]),
        "read_so": encode_regions(tuple(others.get(image, ()))[:_MAX_DRAWN]),
        "said": [_numbers(as_data(offer.as_read)), _numbers(as_data(offer.fit))],
    }


def _told(noticed: Noticed, against: Against, reading: str, as_read: Fit) -> Archive:
    archive, offer = noticed.archive, noticed.offer
    problems = archive.collected()
    if offer is not None:
        as_it_is = _numbers(as_data(offer.as_read))
        better = _numbers(as_data(offer.fit))
        found = (
            f"as read: {as_it_is}; {words_of(offer.reading)}: {better} (at IoU 0.5, "
            f"on {against.words})"
        )
        if offer.reading in (ROWS, DIAGONALS):
            drawn = [of for image in against.truth for of in noticed.regions_of(image)]
            found = (
                f"{n_crossing(drawn)} of {counted(len(drawn), 'region')} that cross "
                f"themselves; {found}"
            )
        if reading == AS_READ:
            problems.warning(
                "F2",
                found,
                "results that fit",
                action=MISREAD if noticed.is_misread else "read as they are, as specified",
            )
        else:
            problems.question("F2", found, "your choice of how to read the file")
    elif _fits_hardly(as_read):
        found = f"{_numbers(as_data(as_read))} (at IoU 0.5, on {against.words})"
        wanted = "results that fit the ground truth; no usual mistake explains why these do not"
        problems.warning("F3", found, wanted, action=KEPT)
    if as_read.n_same >= max(_MIN_SAME, _SAME * as_read.n_all_truth):
        found = (
            f"{as_read.n_same} of {counted(as_read.n_all_truth, 'region')} of the "
            "ground truth with the same coordinates"
        )
        problems.warning("F4", found, "what a method found", action=KEPT)
    return archive.with_problems(problems)


def one_sided_fields(name: str, held: Held) -> list[Problem]:
    """Return warnings (F10) on labels and texts of one side, and confidences of some detections.

    ``name`` is that of the results.
    """
    problems = Problems(name)
    for of, words in _FIELDS.items():
        of_truths, of_found = held.of_truths[of], held.of_found[of]
        if held.truths and of_found and not of_truths:
            found = f"{words} that the ground truth does not have"
        elif held.found and of_truths and not of_found and of == "label":
            found = f"no {words}, which the ground truth has"
        else:
            continue
        wanted = f"{words} on both sides, or on neither"
        problems.warning("F10", found, wanted, action=KEPT)
    if 0 < held.of_found["confidence"] < held.found:
        found = f"confidences on {held.of_found['confidence']} of {held.found} detections"
        problems.warning("F10", found, "confidences on all of them, or on none", action=KEPT)
    return problems.found


def _fits_hardly(of: Fit) -> bool:
    is_told = of.n_truth >= _MIN_TRUTH and of.n_detections > 0
    return is_told and of.n_matches < _HARDLY * of.n_truth


def _numbers(of: Mapping[str, Any]) -> str:
    recall, precision = (
        "undefined" if of[name] is None else f"{of[name]:.2f}" for name in ("recall", "precision")
    )
    return f"recall {recall}, precision {precision}"
