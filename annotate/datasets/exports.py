"""Export of ground truth and result sets to files that load back to the same regions."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, Final, cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from django.utils.translation import gettext as _

from annotate.errors import Refusal
from protocols.core.regions import Region, decode_regions
from protocols.formats.containers.contents import Kind, LineFormat
from protocols.formats.writing.regions import NotWritable, write_coco, write_rrc_zip

from .models import Dataset, ImageQuerySet, Method, Result, image_storage
from .photographs import CONTENT_TYPES

# Fields that a line cannot hold.
_BEYOND_LINES: Final = frozenset(("label", "id", "parent", "cell", "pixels", "ignored_as"))
_N_LOOKED_AT: Final = 20
# Larger files are written to disk.
_IN_MEMORY_BYTES: Final = 8 * 1024 * 1024


class NotExported(Refusal):
    """Refusal to export regions that a format cannot hold; another format can."""


@dataclass(frozen=True, slots=True)
class BeyondLines:
    """Content of a dataset that lines cannot hold: ground truth, and results by method."""

    truth: bool
    methods: frozenset[int]


def beyond_lines(dataset: Dataset) -> BeyondLines:
    """Return which data hold labels, ids and the like, judging by the dataset's first images."""
    images = dict(dataset.images.in_order().values_list("pk", "truth")[:_N_LOOKED_AT])
    results = Result.objects.filter(image__in=list(images)).values_list("method", "regions")
    return BeyondLines(
        truth=any(map(_is_beyond, images.values())),
        methods=frozenset(method for method, regions in results if _is_beyond(regions)),
    )


def _is_beyond(encoded: Mapping[str, Any]) -> bool:
    return any(not _BEYOND_LINES.isdisjoint(region) for region in encoded["regions"])


def truth_file(dataset: Dataset, extension: str, images: ImageQuerySet | None = None) -> BinaryIO:
    """Return the ground truth of images, or of all, as a zip of lines or as COCO JSON.

    Raises NotExported.
    """
    images = dataset.images.in_order() if images is None else images
    regions = {image.name: image.truth_regions for image in images.iterator(chunk_size=500)}
    return _written(dataset, regions, "truth", extension)


def results_file(method: Method, extension: str) -> BinaryIO:
    """Return the results of a method as a zip of lines or as COCO JSON. Raises NotExported.

    An image that was loaded without a file has none in the zip.
    """
    dataset = method.dataset
    results = method.results.order_by("image__position", "image__pk")
    if extension == "zip":
        results = results.filter(had_file=True)
    rows = results.values_list("image__name", "regions")
    regions = {name: decode_regions(of) for name, of in rows.iterator(chunk_size=500)}
    return _written(dataset, regions, "results", extension, method.name)


def write_photographs(
    dataset: Dataset, stream: IO[bytes], tell: Callable[[int, int, str], None]
) -> None:
    """Write the photographs of a dataset as a zip, each under the name of its image.

    Raises NotExported if one is missing in the storage.
    """
    images, storage = dataset.images.in_order().exclude(sha256=""), image_storage()
    endings = {of: name.lower() for name, of in reversed(CONTENT_TYPES.items())}
    n_images = images.count()
    with ZipFile(stream, "w", ZIP_STORED) as archive:
        for done, image in enumerate(images.iterator(chunk_size=500), 1):
            tell(done, n_images, _("Writing photographs"))
            entry = ZipInfo(f"{image.name}.{endings[image.content_type]}")
            try:
                with storage.open(image.stored_name) as file:
                    archive.writestr(entry, file.read())
            except FileNotFoundError as missing:
                raise NotExported(
                    _("The photograph of {image} is missing in the site's storage.").format(
                        image=image.name
                    )
                ) from missing


def _written(
    dataset: Dataset,
    regions: Mapping[str, Sequence[Region]],
    kind: Kind,
    extension: str,
    method: str | None = None,
) -> BinaryIO:
    stream = cast(BinaryIO, tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES))  # noqa: SIM115 - handed on
    try:
        if extension == "json":
            sizes = {
                name: (width, height)
                for name, width, height in dataset.images.values_list("name", "width", "height")
                if width
            }
            write_coco(stream, regions, kind=kind, sizes=sizes, method=method)  # type: ignore[arg-type]  # width and height are set together
        else:
            _write_lines(stream, dataset, regions, kind)
    except NotWritable as refusal:
        stream.close()
        raise NotExported(
            _("These regions cannot be written in this format: {refusal}.").format(
                refusal=str(refusal)
            )
        ) from refusal
    stream.seek(0)
    return stream


def _write_lines(
    stream: BinaryIO, dataset: Dataset, regions: Mapping[str, Sequence[Region]], kind: Kind
) -> None:
    """Write lines in the dataset's own format, or the next that can hold all shapes."""
    formats = list(LineFormat)[list(LineFormat).index(LineFormat(dataset.line_format)) :]
    for at, line_format in enumerate(formats, 1):
        try:
            write_rrc_zip(stream, regions, kind=kind, line_format=line_format)
        except NotWritable:
            if at == len(formats):
                raise
            stream.seek(0)
            stream.truncate()
        else:
            return
