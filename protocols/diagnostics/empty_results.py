"""Results without boxes on most images with text: the sign of a detector that stopped early."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from protocols.core.regions import Region
from protocols.formats.containers.checking import Meaning
from protocols.formats.problems import KEPT, Problems

# One image without boxes is not a pattern.
_MIN_EMPTY = 2


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
    """Warn if a method has no boxes on more than half of the images with text.

    All images are counted, not a sample. Images whose ground truth has no counted region are left
    out: an empty result is correct there.

    Parameters
    ----------
    problems : Problems
        Receives the warning, code "F5", with the number and percentage of such images.
    results : mapping of str to sequence of Region
        Results of one method, by image.
    with_text : collection of str
        The images whose ground truth has a region that counts.
    absent : "empty", "not-evaluated" or None
        Meaning of an image without results; "empty" counts as one without boxes.
    """
    known = [image for image in with_text if absent == "empty" or image in results]
    n_empty = sum(not results.get(image) for image in known)
    if n_empty < _MIN_EMPTY or 2 * n_empty <= len(known):
        return
    problems.warning(
        "F5",
        "no boxes on {n} of {total} images whose ground truth has text ({share} %)",
        "boxes on most of them; a detector that stopped early leaves such files",
        action=KEPT,
        n=n_empty,
        total=len(known),
        share=round(100 * n_empty / len(known)),
    )
