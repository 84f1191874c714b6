"""Unequal sets of images: the images that methods share, and what may be said of the others.

A method that was not evaluated on an image is not a method that found nothing there. Its figures are
of other images than those of its rivals, and such figures are never ranked together.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

# An interval or a test of fewer images says more about the images than about the methods.
FEW_IMAGES: Final = 10

Name = TypeVar("Name", bound=Hashable)
Image = TypeVar("Image", bound=Hashable)


def may_have_interval(n_images: int) -> bool:
    """Return whether a figure of that many images may have an interval, or a test."""
    return n_images >= FEW_IMAGES


@dataclass(frozen=True, slots=True)
class ImageSets(Generic[Name, Image]):
    """The images of several methods.

    ``images`` are those of any method, ``shared`` those of all, in the same order; ``n_of`` counts
    each method's own, and ``lacking`` has the missing images of each method that misses any.
    """

    images: tuple[Image, ...]
    shared: tuple[Image, ...]
    n_of: Mapping[Name, int]
    lacking: Mapping[Name, tuple[Image, ...]]

    @property
    def differ(self) -> bool:
        return bool(self.lacking)

    def is_whole(self, method: Name) -> bool:
        """Return whether a method has every image, so that it may be ranked with the others."""
        return method not in self.lacking


def image_sets(
    evaluated: Mapping[Name, Collection[Image]], order: Iterable[Image] | None = None
) -> ImageSets[Name, Image]:
    """Compare the sets of images on which methods were evaluated.

    ``order`` has the images in the order of the result, at least those of the methods; without it,
    they are in the order in which the methods name them. An image that no method has is in no set:
    methods that all miss it are comparable.

    >>> sets = image_sets({"full": ["img_1", "img_2"], "part": ["img_1"]})
    >>> sets.shared, sets.n_of["part"], sets.lacking, sets.differ
    (('img_1',), 1, {'part': ('img_2',)}, True)
    """
    own = {method: frozenset(images) for method, images in evaluated.items()}
    known = frozenset[Image]().union(*own.values())
    named = dict.fromkeys(image for images in evaluated.values() for image in images)
    images = tuple(image for image in (named if order is None else order) if image in known)
    lacking = {
        method: tuple(image for image in images if image not in of_method)
        for method, of_method in own.items()
        if len(of_method) < len(known)
    }
    shared = tuple(image for image in images if all(image in of for of in own.values()))
    return ImageSets(images, shared, {method: len(of) for method, of in own.items()}, lacking)
