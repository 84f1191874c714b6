"""Results without boxes on many images with text: the sign of a detector that stopped early."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from protocols.core.regions import Region
from protocols.formats.containers.checking import Meaning, outside_images
from protocols.formats.containers.contents import Archive
from protocols.formats.problems import KEPT, Problems

# One image without boxes is not a pattern.
_MIN_EMPTY = 2
# One in so many images with text: a detector that works misses all text of fewer.
_LEAST = 5


def look_over(
    problems: Problems,
    archive: Archive,
    with_text: Collection[str],
    photographs: Mapping[str, tuple[int, int]],
    absent: Meaning | None,
) -> None:
    """Warn of regions outside their photographs (L6), and of empty results of each method (F5)."""
    problems.merge(outside_images(archive, photographs))
    for by_image in archive.by_method.values():
        warn_of_empty_results(problems, by_image, with_text, absent)


def images_with_text(truths: Iterable[tuple[str, Sequence[Region]]]) -> frozenset[str]:
    """Return the images with at least one region that counts."""
    return frozenset(
        name for name, regions in truths if any(not region.ignored for region in regions)
    )


def warn_of_empty_results(
    problems: Problems,
    results: Mapping[str, Sequence[Region]],
    with_text: Collection[str],
    absent: Meaning | None = None,
) -> None:
    """Warn if a method has no boxes on a fifth or more of the images with text.

    All images are counted, not a sample. Images whose ground truth has no counted region are left
    out: an empty result is correct there. The warning, F5, has the number and percentage of such
    images; those are among ``with_text``, the images whose ground truth has a region that counts.
    An image without results counts as one without boxes if ``absent`` is "empty".
    """
    known = [image for image in with_text if absent == "empty" or image in results]
    n_empty = sum(not results.get(image) for image in known)
    if n_empty < _MIN_EMPTY or _LEAST * n_empty < len(known):
        return
    share = round(100 * n_empty / len(known))
    problems.warning(
        "F5",
        f"no boxes on {n_empty} of {len(known)} images whose ground truth has text ({share} %)",
        "boxes on most of them; a detector that stopped early leaves such files",
        action=KEPT,
    )
