"""COCO's own figures of a file of results, as JSON."""

import argparse
import json
from typing import Any


def add_command(commands: Any) -> None:
    """Add the command ``coco``."""
    command = commands.add_parser(
        "coco", help="AP, AP50, AR ... as COCO's own program computes them"
    )
    command.add_argument("--truth", required=True, metavar="ANNOTATIONS.json")
    command.add_argument("--results", required=True, metavar="RESULTS.json")
    command.add_argument("--masks", action="store_true", help="compare pixels in place of boxes")
    command.add_argument("--together", action="store_true", help="categories do not count")
    command.add_argument(
        "--max-detections",
        type=int,
        nargs="+",
        default=[1, 10, 100],
        metavar="N",
        help="per image and category; the largest is used for AP",
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from ..coco_files import loaded
    from ..coco_summary import summarize
    from ..signatures import signature_of_figures

    truth = loaded(options.truth)
    figures = summarize(
        truth,
        options.results,
        masks=options.masks,
        max_detections=options.max_detections,
        by_category=not options.together,
    )
    settings = {
        "masks": options.masks,
        "together": options.together,
        "max_detections": ",".join(map(str, sorted(options.max_detections))),
    }
    signed = signature_of_figures("coco", settings, "coco", "coco", len(truth["images"]))
    print(json.dumps({"signature": signed, **figures}))
