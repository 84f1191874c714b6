"""The frame of a ground truth's boxes on photographs with an EXIF orientation.

Results are compared with the ground truth (``trials``). The ground truth itself is decided by what leaves
the image and by the sides that its file states, else a person is asked.
"""

from collections.abc import Sequence
from typing import Any, Final

from protocols.core.regions import Region, encode_regions
from protocols.formats.containers.contents import Archive, Unit
from protocols.formats.containers.frames import PictureSize, orientation_of
from text_rankings.base.counts import counted, some_of

from .corrections import amended
from .readings import AS_READ, FRAMES, STORED, UPRIGHT, ReadingError, Sizes, words_of

DECIDED: Final = "as their coordinates or the sides in the file show"
# Corners on the border may be rounded outwards.
_BORDER_PX: Final = 1.0
_MAX_DRAWN: Final = 200
Trial = dict[str, Any]


def truth_upright(
    archive: Archive, sizes: Sizes, reading: str = ""
) -> tuple[Archive, Trial | None]:
    """Return ground truth in the upright frame, or with a question, and a picture of both readings.

    ``sizes`` are those of the photographs; ``reading`` is the answer to the question.

    Examples
    --------
    >>> from protocols.formats.containers.contents import LineFormat
    >>> sizes = {"img_1": PictureSize.of_stored(400, 200, 6)}
    >>> regions = {"img_1": (Region.from_box(210, 100, 330, 140),)}
    >>> archive, trial = truth_upright(Archive("gt.zip", LineFormat.QUAD, regions, (), {}), sizes)
    >>> archive.regions["img_1"][0].box, trial
    ((60, 210, 100, 330), None)
    """
    images = [
        image
        for image, regions in archive.regions.items()
        if regions and orientation_of(sizes.get(image)) > 1
    ]
    if not images and reading in ("", AS_READ, *FRAMES):
        return archive, None
    undecided = [image for image in images if archive.units.get(image) != Unit.DECIDED]
    is_below = any(archive.units.get(image) == Unit.FROM_BELOW for image in undecided)
    other = UPRIGHT if is_below else STORED
    if reading:
        told = "as specified"
    elif not undecided:
        return archive, None
    else:
        frames = {of for image in undecided for of in _frames_told(archive, image, sizes[image])}
        if len(frames) != 1:
            return _asked(archive, sizes, other, images)
        [frame] = frames
        reading = STORED if frame == STORED else AS_READ
        told = DECIDED
    try:
        changed = amended(archive, reading, sizes=sizes, known=archive.regions)
    except ReadingError as refusal:
        problems = archive.collected()
        problems.error("F2", f"a file to be read {words_of(reading)}", str(refusal))
        return archive.with_problems(problems), None
    problems = changed.collected()
    words = UPRIGHT if reading == AS_READ and other == STORED else reading
    problems.warning(
        "F8" if told == DECIDED else "F2",
        (
            f"boxes on {_photographs(images)} with an EXIF orientation, read "
            f"{words_of(words)}, {told}"
        ),
        "photographs that are stored upright",
    )
    return changed.with_problems(problems), None


def _frames_told(archive: Archive, image: str, size: tuple[int, int]) -> set[str]:
    """Return the frames in which an image's boxes must be; none if both are possible."""
    if not isinstance(size, PictureSize) or size.stored == size or image in archive.units:
        return set()
    frames = {STORED: size.stored, UPRIGHT: tuple(size)}
    told = {frame for frame, sides in frames.items() if archive.sizes.get(image) == sides}
    fitting = {
        frame for frame, sides in frames.items() if _reach_within(archive.regions[image], sides)
    }
    return told | fitting if len(fitting) == 1 else told


def _reach_within(regions: Sequence[Region], sides: tuple[int, ...]) -> bool:
    reach = [max(of.box[2] for of in regions), max(of.box[3] for of in regions)]
    return all(end <= side + _BORDER_PX for end, side in zip(reach, sides, strict=True))


def _asked(
    archive: Archive, sizes: Sizes, other: str, images: Sequence[str]
) -> tuple[Archive, Trial]:
    problems = archive.collected()
    problems.question(
        "F2",
        (
            f"boxes on {_photographs(images)} with an EXIF orientation ({some_of(images)}), which may be "
            "on the upright photographs or on those as stored"
        ),
        "your choice of how to read the file",
    )
    image = max(images, key=lambda of: min(len(archive.regions[of]), _MAX_DRAWN))
    others = amended(archive, other, sizes=sizes, known=archive.regions).regions
    words = [UPRIGHT, STORED] if other == STORED else [STORED, UPRIGHT]
    return archive.with_problems(problems), {
        "image": image,
        "reading": other,
        "as_read": encode_regions(archive.regions[image][:_MAX_DRAWN]),
        "read_so": encode_regions(others[image][:_MAX_DRAWN]),
        "said": [words_of(of) for of in words],
    }


def _photographs(images: Sequence[str]) -> str:
    return counted(len(images), "photograph")
