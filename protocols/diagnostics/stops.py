"""Results compared with their ground truth, and loads in which one side cannot be right as read."""

from collections.abc import Iterable
from typing import Literal

from protocols.core.errors import ProtocolError
from protocols.formats.problems import Problems

from .inspection import Noticed
from .readings import Regions, Sizes
from .truths import tell_exchanged


class Misread(ProtocolError, ValueError):
    """A load that cannot be right as it is read; the message says how to read it otherwise."""


def wrong_side(
    truth: Problems | None,
    regions: Regions,
    sizes: Sizes,
    results: Iterable[Noticed],
    *,
    is_said: bool,
) -> Literal["truth", "results"] | None:
    """Return the side of a load that cannot be right as read, or None.

    The ground truth, if all results fit it only with x and y exchanged (``tell_exchanged``, which
    adds to the problems ``truth``). The results, if each of them fits below 0.05 by IOU while
    another reading fits one of them above 0.5. ``results`` are asked for until one decides that
    neither is wrong; ``is_said`` tells whether a person named their reading.
    """
    names = []
    are_exchanged = fit_hardly = True
    are_misread = False
    for of in results:
        names.append(of.archive.name)
        are_exchanged &= of.is_exchanged
        fit_hardly &= of.fits_hardly
        are_misread |= of.is_misread
        if not are_exchanged and not fit_hardly:
            return None
    if not names:
        return None
    if (
        truth is not None
        and are_exchanged
        and tell_exchanged(truth, regions, sizes, names, is_said=is_said)
    ):
        return "truth"
    return "results" if fit_hardly and are_misread else None
