"""Reading of files that a test writes."""

import io
import json

from protocols.core.regions import Region
from protocols.formats.problems import (
    Problem,
)
from protocols.formats.recognition.reading import read
from tests.support.archives import zip_bytes

BOX = Region.from_box(1, 2, 31, 6)


def opened(content, kind="truth", **more):
    if isinstance(content, dict):
        content = zip_bytes(content)
    elif isinstance(content, str):
        content = content.encode()
    return read(io.BytesIO(content), kind=kind, **{"name": "set.zip", **more})


def coco(data, kind="truth"):
    return opened(json.dumps(data), kind, format="coco-json")


def only(archive):
    [(image, [region])] = archive.regions.items()
    return image, region


def marked(problem: Problem) -> str:
    start, end = problem.span
    return problem.text[start:end]


def told(problem: Problem):
    return problem.severity, problem.code, problem.action
