"""Ground truth that cannot be right as it is read, a sign of the wrong format, or holds nothing."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from protocols.core.regions import Region
from protocols.formats.containers.contents import Archive, Kind, LineFormat
from protocols.formats.problems import KEPT, Problem, Problems, quoted
from protocols.formats.readers.fitting_lines import are_left_over
from protocols.formats.readers.layouts import Survey, decide
from text_rankings.base.counts import counted

from .fits import outside
from .readings import EXCHANGED, Regions, Sizes, read_so

# Fewer regions may be so by chance.
_MIN_REGIONS: Final = 5
# A box of the last pixel included is a pixel high if its lines are equal.
_FLAT_PX: Final = 1.0
# Expected where another format explains a fault.
OTHER_FORMAT: Final = "another format"


def impossible(archive: Archive, kind: Kind = "truth") -> list[Problem]:
    """Return an error if all texts begin with coordinates (L1), or all regions of a truth are flat (L4).

    A format that was named may fit lines that are of another one: the first two corners of a
    quadrilateral are read as a flat box, the other two as the beginning of its text.
    """
    problems = Problems(archive.name)
    regions = list(chain.from_iterable(archive.regions.values()))
    if archive.errors or archive.questions or len(regions) < _MIN_REGIONS:
        return []
    expected = f"{OTHER_FORMAT}, in which regions and texts can be right"
    if slug := _format_of(archive, regions, kind):
        expected = f"{OTHER_FORMAT}: {slug} fits the lines"
    texts = [region.text for region in regions]
    if are_left_over(texts, kind):
        given = [text for text in texts if text]
        problems.error(
            "L1",
            (
                f"{counted(len(given), 'text')} that all begin with numbers, such as "
                f"{quoted(given[0])}"
            ),
            expected,
        )
    if kind == "truth" and all(map(_is_flat, regions)):
        problems.error(
            "L4",
            (
                f"{counted(len(regions), 'region')} that are all flat, such as "
                f"{_box(archive.regions)}"
            ),
            expected,
        )
    return problems.found


def _format_of(archive: Archive, regions: Sequence[Region], kind: Kind) -> str:
    """Return the format of lines that were read as boxes; empty if it is in doubt, or a box's."""
    if archive.format not in ("ltrb", "ltwh"):
        return ""
    survey = Survey()
    survey.add(enumerate((_as_line(region, archive.format) for region in regions), 1), kind)
    decision = decide(survey, kind)
    is_box = decision.layout.line_format == LineFormat.LTRB
    return "" if is_box or decision.readings else decision.layout.slug


def _as_line(region: Region, format: str) -> str:
    left, top, right, bottom = region.box
    if format == "ltwh":
        right, bottom = right - left, bottom - top
    return f"{left:g},{top:g},{right:g},{bottom:g},{region.text or ''}"


def without_regions(archive: Archive) -> list[Problem]:
    """Return a warning (F5) if no image of a ground truth has a region: nothing can be found there."""
    problems = Problems(archive.name)
    if archive.regions and not archive.methods and not archive.errors and not archive.n_regions:
        problems.warning(
            "F5",
            f"no region in the ground truth of {counted(len(archive.regions), 'image')}",
            "regions on some of them",
            action=KEPT,
        )
    return problems.found


def tell_exchanged(
    problems: Problems, truth: Regions, sizes: Sizes, files: Sequence[str], *, is_said: bool
) -> bool:
    """Report ground truth that all results of a load fit only with x and y exchanged (F11).

    ``problems`` are those of the ground truth, ``files`` names the results; ``is_said`` tells
    whether a person named that reading for all. The photographs decide which side is wrong: that
    which leaves them. Where they do not tell, several files do not share a mistake by chance.
    """
    others = read_so(truth, EXCHANGED, sizes=sizes, known=truth)
    as_read, exchanged = (outside(truth, of, sizes) for of in (truth, others))
    is_wrong = len(files) > 1 and not is_said
    if as_read is not None and exchanged is not None and as_read != exchanged:
        is_wrong = as_read > exchanged
    if is_wrong:
        problems.error(
            "F11",
            (f"ground truth that all results fit only with x and y exchanged ({', '.join(files)})"),
            "x before y in the ground truth; correct this file, not the results",
        )
    return is_wrong


def _is_flat(region: Region) -> bool:
    left, top, right, bottom = region.box
    return min(right - left, bottom - top) <= _FLAT_PX


def _box(regions: Mapping[str, Sequence[Region]]) -> str:
    image, region = next((image, of[0]) for image, of in regions.items() if of)
    left, top, right, bottom = (f"{value:g}" for value in region.box)
    return "{box} of {image}".format(box=f"{left}, {top}, {right}, {bottom}", image=quoted(image))
