"""Downloads of a competition's organiser on Codabench, as its source writes them."""

import csv
import io
from pathlib import Path

from protocols.codabench.settings import settings_of
from protocols.codabench.writing import write_bundle
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.archives import zip_bytes

OWNERS = ("anna", "b.team", "x_PhaseId9_y", "zoe")
BOARD = "Leaderboard - Final(2)"
WORD = (Region.from_box(0, 0, 9, 9),)
PHASE = {"name": "Final", "start": "2027-03-01 09:00 UTC", "end": "2027-03-02 09:00 UTC"}
SETTINGS = {
    "title": "Signs",
    "overview": "Find words.\n",
    "terms": "None.\n",
    "format": "ltrb",
    "docker_image": "example/scoring:1",
    "protocols": ["iou"],
    "phases": [PHASE],
}


def name_of(number, owner, phase=2):
    return f"{number}_{owner}_PhaseId{phase}_2027-03-01_59-58_results.zip"


def submission(right, *images):
    """The zip of a submission with one box an image, its right side at this x."""
    return zip_bytes({f"res_{image}.txt": f"0,0,{right},9\n" for image in images or ("img_1",)})


BULK = {
    name_of(9, "anna", phase=1): submission(1),
    name_of(11, "anna"): submission(9, "img_1", "img_2"),
    name_of(12, "anna"): submission(3),
    name_of(13, "b.team"): submission(4),
    name_of(14, "x_PhaseId9_y"): b"no zip",
    name_of(15, "zoe"): submission(5),
    "failed.txt": "nothing",
    "notes/readme.md": "nothing",
}


def entry(method, score):
    return {"fact_sheet_answers": {"method": method}, "2 images(1)-iou F-score": score}


RESULTS = {
    BOARD: {
        "anna-11": entry("EAST", "0.9"),
        "b.team-13": entry("FCN", ""),
        "zoe-15": entry("fcn", "0.5"),
        "gone-77": entry("Lost", "0.1"),
    },
}


def as_csv(entries):
    """Rows of a leaderboard as Codabench writes them, answers twice and as Python text."""
    text = io.StringIO()
    columns = list(next(iter(entries.values())))
    rows = csv.DictWriter(text, fieldnames=["Username", "fact_sheet_answers", *columns])
    rows.writeheader()
    rows.writerows({"Username": key, **entry} for key, entry in entries.items())
    return text.getvalue()


def bundle_file(path: Path, **settings) -> Path:
    """Write the bundle of a competition on img_1 and img_2."""
    truth = [Scene(WORD, None, name) for name in ("img_1", "img_2")]
    checked = settings_of(SETTINGS | settings, [scene.name for scene in truth])
    with path.open("wb") as stream:
        write_bundle(stream, checked, truth)
    return path
