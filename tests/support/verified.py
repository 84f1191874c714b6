"""The files of a paper's zip that verify.py reads, and its output."""

import json
import random
import sys
from functools import cache
from pathlib import Path

from rankings.agreement.packed_tables import unpacked_text
from rankings.agreement.report import Settings
from rankings.analysis.analysis import analyse
from rankings.inference.clusters import Declared
from rankings.orders.from_scores import ranking_from_scores
from rankings.output import verification
from rankings.output.latex import Look
from rankings.output.signature import TABLES_VERSION, report_signature
from rankings.output.verification import kept_inputs

PROGRAMS = Path(verification.__file__).with_name("verify")


@cache
def program():
    """verify.py as a module; in the zip the files that it imports are in the same folder."""
    sys.path.insert(0, str(PROGRAMS))
    try:
        import verify
    finally:
        sys.path.remove(str(PROGRAMS))
    return verify


def kept(rankings, scores, settings=None, sentinels=(), declared=None, **more):
    """The data of a report as the site keeps them, but for their origin."""
    settings, declared = settings or Settings(), declared or Declared()
    others = ["mean-rank" if settings.consensus == "kemeny" else "kemeny"]
    found = analyse(
        *(rankings, scores, settings),
        sentinels=sentinels,
        declared=declared,
        other_consensuses=others,
        **more,
    )
    inputs = kept_inputs(rankings, scores, declared)
    data = {**found.to_json(), "inputs": inputs, "sentinels": [*sentinels]}
    return json.loads(json.dumps(data))


def written(folder, files):
    """Write files, and return their folder."""
    for name, text in files:
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, encoding="utf-8")
    return folder


def said(folder, capsys):
    """Return the output of the program for a folder."""
    code = program().main(folder)
    out = capsys.readouterr().out
    assert (code == 0) == ("Everything agrees." in out)
    return out


def drawn_study(seed):
    """Rankings, scores, settings, sentinels and clusters of a small study: near protocols, odd people.

    People may leave images and methods out, protocols may be equal or have no score, a name may
    start like a formula.
    """
    rng = random.Random(seed)
    methods = ["a", "b", "c", "img_7", "=e"][: rng.choice([1, 2, 3, 3, 4, 5])]
    images = [f"i{at}" for at in range(rng.choice([1, 2, 4, 11, 13]))]
    people = [f"p{at}" for at in range(rng.choice([1, 2, 3, 5, 10]))]
    protocols = [f"q{at}" for at in range(rng.choice([1, 2, 3, 6]))]
    steps, most = rng.choice([1, 2, 1000]), rng.choice([1, 2, 4])
    are_odd = rng.random() < 0.3
    seen = {
        (image, name): [m for m in methods if not are_odd or rng.random() < 0.95] or methods
        for image in images
        for name in people
        if rng.random() < 0.85
    }
    rankings = {
        criterion: {
            image: {
                name: ranking_from_scores({m: rng.randrange(most) for m in own}, None)
                for (of, name), own in seen.items()
                if of == image
            }
            for image in images
        }
        for criterion in ("precision", "preference", "recall")
    }

    def value():
        return None if rng.random() < 0.002 else rng.randrange(steps + 1) / steps

    scores = {
        image: {name: {m: (value(), value()) for m in methods} for name in protocols}
        for image in images
    }
    if rng.random() < 0.3:
        for of in scores.values():
            of[protocols[-1]] = of[protocols[0]]
    groups = {name: f"g{at % 2}" for at, name in enumerate(people) if rng.random() < 0.8}
    scenes = {name: f"s{at // 2}" for at, name in enumerate(images) if rng.random() < 0.8}
    settings = Settings(
        decimals=rng.choice([4, 4, 2, None]),
        distance=rng.choice(["edit", "edit", "kemeny"]),
        consensus=rng.choice(["mean-rank", "mean-rank", "kemeny"]),
        beta=rng.choice([1.0, 0.5, 2.0]),
        min_annotators=rng.choice([1, 2, 3]),
    )
    declared = Declared(*(of if rng.random() < 0.3 else {} for of in (groups, scenes)))
    return rankings, scores, settings, protocols[-1:] if rng.random() < 0.3 else [], declared


def paper_of(data, look=None):
    """Return the texts of a paper's zip, by their names; the header has what verify.py counts."""
    from annotate.publication import papers

    rankings = unpacked_text(data["inputs"])["rankings"]
    asked = {(image, name) for of in rankings.values() for image, own in of.items() for name in own}
    header = {
        "study": "Signs & walls_1",
        "dataset": "Signs",
        "date": "2026-11-29",
        "software": "text-detection-rankings 0.1.0",
        "version of the tables": TABLES_VERSION,
        "methods": "east, fcn",
        "protocols": "IOU: iou|v:0.1.0",
        "annotators": str(len({name for _, name in asked})),
        "complete rankings": str(len(asked)),
        "images of the study": str(len(unpacked_text(data["inputs"])["scores"])),
    }
    header["signature"] = report_signature(data["settings"], header)
    return dict(papers.files({**data, "header": header, "runs": []}, look or Look(), {}))
