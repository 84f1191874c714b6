"""The order of criteria, images and people in everything that is computed, printed or written."""

from collections.abc import Mapping
from typing import TypeVar

from text_rankings.base.names import natural_order

from .log import CRITERIA

Of = TypeVar("Of")
# criterion -> image -> something
ByImage = Mapping[str, Mapping[str, Of]]


def in_order(by_criterion: ByImage[Of]) -> dict[str, dict[str, Of]]:
    """Return the same without a trace of the order of rows in a file.

    Recall, precision and preference come first, other criteria by name; img_2 comes before img_10.
    What belongs to people is sorted by their names.
    """
    return {
        criterion: {
            image: _by_name(by_criterion[criterion][image])
            for image in sorted(by_criterion[criterion], key=natural_order)
        }
        for criterion in sorted(by_criterion, key=_place)
    }


def _by_name(of_image: Of) -> Of:
    if isinstance(of_image, dict):
        return {name: of_image[name] for name in sorted(of_image)}  # type: ignore[return-value]
    return of_image


def _place(criterion: str) -> tuple[int, str]:
    known = list(CRITERIA)
    return (known.index(criterion) if criterion in known else len(known), criterion)
