"""Files by which readers recompute a paper's tables without this software."""

from collections.abc import Iterator
from pathlib import Path

from ..agreement.packed_tables import images_of_table
from .table import CRITERION, PROTOCOL, Column, Data, Row, Table, count, number

_DISTANCE = number("Distance", None)


def verification_tables(data: Data) -> list[Table]:
    """Return the distances from which verify.py recomputes the tables of a report.

    Empty for reports that did not keep their distances to single annotators: those with more than
    :data:`.personal_distances.MOST_KEPT`.
    """
    analyses = data["analysis"]
    if not any(around["personal"]["images"] for around in analyses.values()):
        return []
    return [
        Table(
            "verify-consensus",
            "Distances to the consensus",
            "Each protocol's distance to the consensus of each image, for verify.py.",
            (CRITERION, Column("Image"), PROTOCOL, _DISTANCE),
            tuple(_to_consensus(data)),
        ),
        Table(
            "verify-annotators",
            "Losses for annotators",
            "Of 100 pairs, how many each protocol orders differently from each annotator, for verify.py.",
            (
                *(CRITERION, Column("Image"), count("Annotator"), PROTOCOL, _DISTANCE),
                *(count("Group"), count("Scene")),
            ),
            tuple(_to_annotators(data)),
        ),
    ]


def program() -> str:
    """Return the text of verify.py, which needs numpy and scipy alone."""
    return Path(__file__).with_name("verify.py").read_text(encoding="utf-8")


def _to_consensus(data: Data) -> Iterator[Row]:
    for criterion, table in data["criteria"].items():
        protocols = [row["protocol"] for row in table["rows"]]
        for image, of_image in sorted(images_of_table(table)[1].items()):
            for protocol in protocols:
                yield criterion, image, protocol, of_image[protocol]


def _to_annotators(data: Data) -> Iterator[Row]:
    for criterion, around in data["analysis"].items():
        kept = around["personal"]
        protocols = kept.get("protocols", around["comparisons"]["protocols"])
        none = [None] * len(kept["images"])
        clusters = [kept[name] or none for name in ("groups", "scenes")]
        of_rankings = zip(
            kept["images"], kept["annotators"], kept["distances"], *clusters, strict=True
        )
        for image, annotator, distances, group, scene in of_rankings:
            for protocol, distance in zip(protocols, distances, strict=True):
                yield criterion, image, annotator, protocol, distance, group, scene
