"""Values that the program of the MapText competitions gave, and how far ours are from them."""

import json
from collections.abc import Iterator

from protocols import registry
from protocols.core.base import ImageScore, OverallScore, Scene
from protocols.core.regions import Region
from tests.support.shared import shared_path

TASKS = {
    "det": "words",
    "detedges": "links",
    "detlink": "links",
    "detrec": "texts",
    "detrecedges": "texts-links",
    "detreclink": "texts-links",
}
_OWN_NAMES = {"fscore": "f_score"}
_INDICATORS = {
    *("tightness", "quality", "hmean", "char_accuracy", "char_quality"),
    *("edges_recall", "edges_precision", "edges_fscore"),
}


def reference() -> dict:
    return json.loads(shared_path("reference", "maptext.json").read_text(encoding="utf-8"))


def scene_of(given: dict) -> Scene:
    found = given["result"]
    detections = None if found is None else _regions(found, is_truth=False)
    return Scene(_regions(given["truth"], is_truth=True), detections, given.get("name", ""))


def _regions(groups: list, *, is_truth: bool) -> tuple[Region, ...]:
    return tuple(
        Region(
            tuple(float(value) for vertex in word["vertices"] for value in vertex),
            word["text"],
            ignored=is_truth and (word["illegible"] or word["truncated"]),
            parent=str(number),
        )
        for number, group in enumerate(groups)
        for word in group
    )


def has_empty_groups(given: dict) -> bool:
    return [] in given["truth"] or [] in (given["result"] or [])


def deviation(score: ImageScore | OverallScore, expected: dict) -> float:
    """Return the largest difference from the program's figures, of which all must be there."""
    # For single images the program's hmean is that of the first task.
    told = {name: value for name, value in expected.items() if name != "image_hmean"}
    own = score.indicators.keys() & _INDICATORS
    assert own | {"recall", "precision", "fscore"} == told.keys()
    return max(abs(_figure(score, name) - value) for name, value in told.items())


def _figure(score: ImageScore | OverallScore, name: str) -> float:
    if name in score.indicators:
        return score.indicators[name]
    return getattr(score, _OWN_NAMES.get(name, name))


def protocol_of(rules: str, task: str):
    """Return the protocol of a key of the reference, such as "2025, IoU > 0.75, without tightness"."""
    _, above, rest = rules.partition("IoU > ")
    parameters = {"task": TASKS[task], "rules": rules[:4], "use_tightness": "without" not in rules}
    if above:
        parameters["min_iou"] = float(rest.partition(",")[0])
    return registry.get("maptext", parameters)


def deviations_of_scenes() -> Iterator[tuple[str, float]]:
    """Yield, for each figure of each scene, where it is and how far ours is from it.

    Regions cannot hold a group without words, which 2024 counts in tasks with links.
    """
    for given in reference()["scenes"]:
        for rules in ("2025", "2025_without_tightness", "2024"):
            for task, expected in given.get(rules, {}).items():
                if task.endswith("link") and has_empty_groups(given):
                    continue
                protocol = protocol_of(rules, task)
                [score] = protocol.score([scene_of(given)])
                alone = protocol.overall([score])
                yield (
                    f"{given['name']}, {rules}, {task}",
                    max(deviation(score, expected), deviation(alone, expected)),
                )


def deviations_together() -> Iterator[tuple[str, float]]:
    """Yield the same for all scenes together, but those of 2024 with groups without words."""
    scenes = list(map(scene_of, reference()["scenes"]))
    for rules, tasks in reference()["together"].items():
        for task, expected in tasks.items():
            if not task.endswith("link"):
                protocol = protocol_of(rules, task)
                overall = protocol.overall(protocol.score(scenes))
                yield f"{rules}, {task}", deviation(overall, expected)
