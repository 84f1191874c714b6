"""The images of a report's table as one short text, for reports of many images."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..orders.buckets import Ranking, bucket_of
from ..orders.packed import rankings_of

# The keys of a table's data that have an entry for each image.
OF_IMAGES = ("consensus", "distances")


def packed_table(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return :meth:`.CriterionReport.to_json` with its images packed in one text, "images".

    The text is compressed JSON in Base64: names of images, methods and protocols, then for each
    image the bucket number of every method (-1 if it is not ranked) and the distance of every
    protocol. It takes a fifth of the space or less, and a reader of other parts skips it.
    """
    consensus, distances = (table[name] for name in OF_IMAGES)
    methods = sorted(
        {name for ranking in consensus.values() for bucket in ranking for name in bucket}
    )
    protocols = list(next(iter(distances.values()), ()))
    content = {
        "images": list(consensus),
        "methods": methods,
        "places": [
            [places.get(method, -1) for method in methods]
            for places in map(bucket_of, consensus.values())
        ],
        "protocols": protocols,
        "distances": [[distances[image][name] for name in protocols] for image in consensus],
    }
    others = {name: value for name, value in table.items() if name not in OF_IMAGES}
    return {**others, "images": packed_text(content)}


def packed_text(content: Mapping[str, Any]) -> str:
    """Return JSON-able content as one text: compressed JSON in Base64."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode())).decode()


def unpacked_text(text: str) -> dict[str, Any]:
    """Return the content of :func:`packed_text`."""
    content: dict[str, Any] = json.loads(zlib.decompress(b64decode(text)))
    return content


def images_of_table(
    table: Mapping[str, Any],
) -> tuple[dict[str, Ranking], Mapping[str, Mapping[str, float]]]:
    """Return the consensus and the distances of each image from a table's data, packed or not."""
    if "images" not in table:
        consensus = {image: tuple(map(tuple, of)) for image, of in table["consensus"].items()}
        return consensus, table["distances"]
    content = unpacked_text(table["images"])
    images, methods, protocols = content["images"], content["methods"], content["protocols"]
    rankings = map(_ranking, content["places"], [methods] * len(images))
    rows = (dict(zip(protocols, row, strict=True)) for row in content["distances"])
    return dict(zip(images, rankings, strict=True)), dict(zip(images, rows, strict=True))


def _ranking(places: Sequence[int], methods: Sequence[str]) -> Ranking:
    ranked = [at for at, place in enumerate(places) if place >= 0]
    [ranking] = rankings_of(
        np.array([[places[at] for at in ranked]]), [[methods[at] for at in ranked]]
    )
    return ranking
