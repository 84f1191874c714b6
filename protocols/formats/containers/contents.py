"""Contents of one file: regions by image, their positions, and all faults."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Literal, Self

from protocols.core.regions import Region

from ..problems import PASSED_OVER, Problem, Problems
from .archives import Limits
from .files import Source

Kind = Literal["truth", "results"]
KINDS: Final[tuple[Kind, ...]] = ("truth", "results")
# Called with "done, total" after each entry; an exception ends the reading.
OnEntry = Callable[[int, int], None]
# A region is outside its image from here on; less is the rounding of rotated corners.
LEAST_OUTSIDE_PX: Final = 0.005
# The level of a unit whose format has none.
REGION: Final = "region"
# The transcription of an ignored region.
IGNORED_TEXT: Final = "###"
ByImage = Mapping[str, tuple[Region, ...]]


class LineFormat(StrEnum):
    """A format for the region on each line of a file."""

    LTRB = "ltrb"
    QUAD = "quad"
    POLYGON = "polygon"

    @property
    def n_numbers(self) -> int | None:
        """How many numbers a region has, or None if that varies."""
        return {"ltrb": 4, "quad": 8}.get(self.value)


class Tail(StrEnum):
    """Fields after the coordinates of a line."""

    TEXT = "text"
    SCRIPT = "script"
    DIFFICULT = "difficult"
    # A class, then 0 or 1.
    CLASS = "class-difficult"
    CONFIDENCE = "confidence"
    # The confidence is before the coordinates.
    FIRST = "confidence-first"


class Unit(StrEnum):
    """Coordinates that become pixels with the size of their image alone.

    SHARES are parts of the image's width and height; FROM_BELOW are pixels whose y is counted from
    the lower edge, as a negative number. DECIDED were read in the frame of a photograph that the file's own
    sides, or a person, named.
    """

    SHARES = "shares"
    FROM_BELOW = "from-below"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Units of a file that are not read as regions: why, how many, the place of the first, what they are."""

    reason: str
    n: int
    first: str = ""
    level: str = REGION


@dataclass(frozen=True, slots=True)
class Account:
    """Units of a file: as many as there are regions, and as were left out for each reason.

    ``read`` has the number of regions by level, such as word or line, where the format has levels.
    """

    regions: int
    left_out: tuple[LeftOut, ...]
    read: Mapping[str, int] = field(default_factory=dict)

    @property
    def units(self) -> int:
        return self.regions + sum(of.n for of in self.left_out)

    @property
    def levels(self) -> dict[str, int]:
        """The units by level; those of a format without levels are regions."""
        levels = Counter(self.read)
        levels[REGION] += self.regions - levels.total()
        for of in self.left_out:
            levels[of.level] += of.n
        return dict(+levels)

    def as_data(self) -> dict[str, Any]:
        """Return the account as it is written into JSON."""
        return {"units": self.units, "levels": self.levels, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Archive:
    """The contents of one file: the regions of each image in natural order, and all faults.

    ``line_format`` is the format in which the regions can be written as lines; for a format without
    lines, the narrowest that holds them all and is not a box of whole pixels (QUAD or POLYGON).
    ``regions`` by image are empty where the file holds several ``methods``; see ``by_method``.
    ``counts`` of problems by code include those that ``problems`` leaves out after the first thousand.
    ``format`` is a key of ``reading.FORMATS``. Where the file has them, by image: ``sizes`` in pixels;
    ``entries`` that contain its regions; ``lines`` of its regions, in their order; ``parents``, the
    lines and paragraphs of its regions by their ids; ``units`` of coordinates that are not pixels,
    to which ``reading.read`` converts them. ``reading`` is that of the lines, as in
    "x1,y1,…,x4,y4,transcription"; empty for other formats. ``encodings`` has
    a sample of the texts that are not UTF-8 in each possible encoding, the most probable first.
    ``formats`` are those of lines that fit a file whose format is asked for.
    ``left_out`` has the units of the file that are not regions, but those of lines; ``levels`` the number
    of its regions by level.
    ``categories`` and ``image_ids`` have the names of labels and of images by the ids of the file.
    """

    name: str
    line_format: LineFormat
    regions: ByImage
    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    format: str = ""
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    entries: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    methods: Mapping[str, ByImage] = field(default_factory=dict)
    reading: str = ""
    units: Mapping[str, Unit] = field(default_factory=dict)
    parents: Mapping[str, Mapping[str, Region]] = field(default_factory=dict)
    encodings: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    image_ids: Mapping[str, str] = field(default_factory=dict)
    formats: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)

    @property
    def account(self) -> Account:
        """The units of the file, without errors: a file that has some is not used."""
        skipped = [of for of in self.warnings if of.line is not None and of.action == PASSED_OVER]
        lines = [LeftOut("invalid", len(skipped), skipped[0].place)] if skipped else []
        return Account(self.n_regions, (*self.left_out, *lines), self.levels)

    @property
    def by_method(self) -> Mapping[str | None, ByImage]:
        """Regions by image of each method; one method without a name if the file names none."""
        named: dict[str | None, ByImage] = {}
        named.update(self.methods.items())
        return named or {None: self.regions}

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "warning")

    @property
    def questions(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "question")

    def collected(self) -> Problems:
        """Return the problems in a collection to which more can be added."""
        return Problems(self.name, list(self.problems), Counter(self.counts))

    def with_problems(self, problems: Problems) -> Self:
        """Return the archive with these problems in place of its own."""
        return replace(self, problems=tuple(problems.found), counts=dict(problems.counts))

    @property
    def n_skipped_lines(self) -> int:
        """Broken lines of ignored text that were left out."""
        return sum(of.line is not None and of.action == PASSED_OVER for of in self.warnings)

    @property
    def n_regions(self) -> int:
        return sum(len(of) for images in self.by_method.values() for of in images.values())

    @property
    def n_ignored(self) -> int:
        return sum(
            region.ignored
            for images in self.by_method.values()
            for regions in images.values()
            for region in regions
        )


# A reader: takes source, kind, name, limits and a callback for each entry.
Read = Callable[[Source, Kind, str | None, Limits, OnEntry | None], Archive]
