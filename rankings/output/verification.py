"""The inputs of a report and its steps between, by which readers recompute a paper's tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..agreement.packed_tables import images_of_table, packed_text, unpacked_text
from ..agreement.report import RecallPrecision
from ..inference.clusters import Declared
from ..orders.buckets import Ranking
from .judge_tables import judge_steps
from .table import Data, Row, Table, listed, of_each, picked

# Inputs of more scores are not kept in a report.
MOST_KEPT: Final = 500_000
# The programs, which import each other and no package of ours.
_PROGRAMS: Final = Path(__file__).with_name("verify")


def kept_inputs(
    rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    declared: Declared,
) -> str | None:
    """Return rankings and scores as one text for a report; None above :data:`MOST_KEPT` scores.

    Parameters
    ----------
    rankings : criterion -> image -> annotator -> ranking
    scores : image -> protocol -> method -> (recall, precision)
    declared : Declared
        Groups and scenes; the text has numbers instead of their names.
    """
    of_images = (of_method for of in scores.values() for of_method in of.values())
    if sum(map(len, of_images)) > MOST_KEPT:
        return None
    annotators = sorted({name for of in rankings.values() for own in of.values() for name in own})
    inputs = {
        "rankings": rankings,
        "scores": scores,
        "groups": _numbered(declared.groups, annotators),
        "scenes": _numbered(declared.scenes, sorted(scores)),
    }
    return packed_text(inputs)


def _numbered(cluster_of: Mapping[str, str], names: Sequence[str]) -> dict[str, int]:
    """Return the number of each one's cluster; who has none is one by itself. Empty if none."""
    if not cluster_of:
        return {}
    own = {name: (name in cluster_of, cluster_of.get(name, name)) for name in names}
    numbers = {cluster: at for at, cluster in enumerate(dict.fromkeys(own.values()), 1)}
    return {name: numbers[cluster] for name, cluster in own.items()}


def verification_tables(data: Data) -> list[Table]:
    """Return rankings, scores and the steps to the tables of a report.

    Empty for a report without inputs: one that was kept before reports had them, or of more than
    :data:`MOST_KEPT` scores.
    """
    if not data.get("inputs"):
        return judge_steps(data)
    inputs = unpacked_text(data["inputs"])
    parts = ("image_variance", "annotator_variance", "rest_variance", "degrees_of_freedom")
    pairs = lambda around: picked(around["comparisons"]["pairs"], "first", "second", *parts)  # noqa: E731
    return [
        listed("rankings", _rankings(inputs)),
        listed("scores", _scores(inputs)),
        listed("consensus", _consensus(data)),
        listed("distances", _distances(data)),
        listed("components", of_each(data, pairs)),
        *judge_steps(data),
    ]


def programs() -> Iterator[tuple[str, str]]:
    """Yield name and text of verify.py and the files that it imports; they need numpy and scipy."""
    for path in sorted(_PROGRAMS.glob("*.py")):
        yield path.name, path.read_text(encoding="utf-8")


def _rankings(inputs: Mapping[str, Any]) -> Iterator[Row]:
    groups, scenes = inputs["groups"], inputs["scenes"]
    for criterion, of_image in inputs["rankings"].items():
        for image, of_annotator in of_image.items():
            for annotator, buckets in of_annotator.items():
                clusters = groups.get(annotator), scenes.get(image)
                yield image, annotator, criterion, _as_json(buckets), *clusters


def _scores(inputs: Mapping[str, Any]) -> Iterator[Row]:
    for image, of_protocol in inputs["scores"].items():
        for protocol, of_method in of_protocol.items():
            # A protocol without scores still counts.
            for method, score in (of_method or {"": (None, None)}).items():
                yield protocol, method, image, *score


def _consensus(data: Data) -> Iterator[Row]:
    for criterion, table in data["criteria"].items():
        for image, ranking in sorted(images_of_table(table)[0].items()):
            yield criterion, image, _as_json([sorted(bucket) for bucket in ranking])


def _distances(data: Data) -> Iterator[Row]:
    for criterion, table in data["criteria"].items():
        protocols = [row["protocol"] for row in table["rows"]]
        for image, of_image in sorted(images_of_table(table)[1].items()):
            for protocol in protocols:
                yield criterion, image, protocol, of_image[protocol]


def _as_json(buckets: Sequence[Sequence[str]]) -> str:
    return json.dumps(buckets, ensure_ascii=False)
