"""The answered study of the demo, read from its archive without a database."""

import json
import zipfile
from pathlib import Path

ARCHIVE = Path(__file__).parents[2] / "annotate" / "demo" / "demo.zip"


def demo_study():
    """The complete assignments, rankings by criterion, scores, and the names of the sentinels."""
    with zipfile.ZipFile(ARCHIVE) as archive:

        def lines(start):
            names = sorted(name for name in archive.namelist() if name.startswith(start))
            return [json.loads(line) for name in names for line in archive.read(name).splitlines()]

        runs = [run["name"] for run in lines("runs-")]
        scores = {}
        for row in lines("scores-"):
            of_image = scores.setdefault(row["image"], {})
            of_protocol = of_image.setdefault(runs[row["run"] - 1], {})
            of_protocol[row["method"]] = (row["recall"], row["precision"])
        done = [row for row in lines("assignments-") if row["state"] == "complete"]
    rankings = {criterion: {} for criterion in ("recall", "precision", "preference")}
    for row in done:
        for criterion, of in rankings.items():
            buckets = tuple(map(tuple, row["rankings"][criterion]))
            of.setdefault(row["image"], {})[row["annotator"]] = buckets
    return done, rankings, scores, [name for name in runs if name.startswith("Sentinel")]
