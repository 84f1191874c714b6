"""Small copies of photographs for lists of images, made at the first request."""

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

from django.db.models import Model, OuterRef, QuerySet, Subquery
from PIL import Image as Picture

from .drawing import drawn
from .models import Dataset, Image, image_storage, stored_path

# Pixels of the longer side: twice the size in a list, for high-resolution screens.
SIDE: Final = 400
FOLDER: Final = "thumbnails"
CONTENT_TYPE: Final = "image/jpeg"
_WHITE: Final = (255, 255, 255)
Row = TypeVar("Row", bound=Model)


def thumbnail(sha256: str) -> bytes:
    """Return a small JPEG of a stored photograph. Raises FileNotFoundError if that is missing."""
    name = f"{FOLDER}/{sha256[:2]}/{sha256}"
    return kept(name, lambda: _made(stored_path(sha256)))


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """Return a file of the storage of images, made if there is none; it counts as used now."""
    path = Path(image_storage().path(name))
    try:
        content = path.read_bytes()
        path.touch()
    except FileNotFoundError:
        content = make()
    else:
        return content
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{uuid4().hex}.part")
    part.write_bytes(content)
    part.replace(path)
    return content


def _made(photograph: Path) -> bytes:
    out = io.BytesIO()
    reduced(photograph, (SIDE, SIDE)).save(out, "JPEG", quality=80, optimize=True)
    return out.getvalue()


def reduced(photograph: Path, size: tuple[int, int]) -> Picture.Image:
    """Return a stored photograph on white, within this size, without metadata; never enlarged."""
    with Picture.open(photograph) as picture:
        # JPEGs are decoded directly at a reduced size.
        picture.draft("RGB", size)
        # Grey values of 16 bits would be clipped at 255.
        shown = picture.point(lambda of: of / 256) if picture.mode.startswith("I") else picture
        shown.thumbnail(size)
        flat = Picture.new("RGB", shown.size, _WHITE)
        whole = shown.convert("RGBA")
        flat.paste(whole, mask=whole)
    return flat


def sweep() -> int:
    """Delete orphaned thumbnails and return how many."""
    folder = Path(image_storage().path(FOLDER))
    left = [path for path in folder.glob("*/*") if not stored_path(path.name).is_file()]
    for path in left:
        path.unlink(missing_ok=True)
    return len(left)


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small image: its photograph or, if there is none, the boxes of its ground truth."""

    sha256: str
    width: int
    height: int
    polygons: tuple[str, ...]


def thumbnail_of(image: Image, convention: str) -> Thumbnail:
    width, height = image.size_to_draw([])
    polygons = () if image.sha256 else tuple(drawn(image.truth_regions, convention))
    return Thumbnail(image.sha256, width, height, polygons)


# Number of sample images of a dataset or a study.
N_ON_COVER: Final = 3


def covers(first: Mapping[int, Iterable[int]]) -> dict[int, list[Thumbnail]]:
    """Return the thumbnails of each row; ``first`` gives the keys of its images."""
    keys = {key for images in first.values() for key in images}
    images = Image.objects.select_related("dataset").in_bulk(keys)
    return {
        row: [thumbnail_of(images[key], images[key].dataset.box_convention) for key in of_row]
        for row, of_row in first.items()
    }


def first_images(rows: QuerySet[Row], images: QuerySet[Any], key: str) -> dict[int, list[int]]:
    """Return the keys of each row's first images; ``images`` are those of ``OuterRef("pk")``."""
    places = {f"cover_{at}": Subquery(images.values(key)[at : at + 1]) for at in range(N_ON_COVER)}
    return {
        row.pop("pk"): [image for image in row.values() if image is not None]
        for row in rows.order_by().values("pk", **places)
    }


def covers_of_datasets(datasets: QuerySet[Dataset]) -> dict[int, list[Thumbnail]]:
    images = Image.objects.filter(dataset=OuterRef("pk")).order_by("position", "pk")
    return covers(first_images(datasets, images, "pk"))
