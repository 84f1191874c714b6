"""A complete study as a zip: its data, its log, and its report, for another site or an archive.

References use names (for people pseudonyms, or real names on request) and numbers, never keys.
Lists are split into parts so that writer and reader hold only one part in memory at a time.
"""

from pathlib import Path
from typing import Final

FORMAT: Final = "text-detection-rankings study bundle"
VERSION: Final = 1

MANIFEST: Final = "manifest.json"
DATASET: Final = "dataset.json"
STUDY: Final = "study.json"
REPORT: Final = "report.json"
README: Final = "README.md"
CHECKSUMS: Final = "checksums.sha256"
PHOTOGRAPHS: Final = "photographs/"
# Each in parts: images-0001.jsonl, images-0002.jsonl ...; one JSON object per line.
LISTS: Final = (
    "images",
    "truth",
    "methods",
    "results",
    "runs",
    "scores",
    "members",
    "exclusions",
    "assignments",
    "earlier_truths",
    "selections",
    "judges",
    "judge_answers",
)
SINGLE: Final = (DATASET, STUDY, REPORT, README, MANIFEST)
# A part is not larger than this unless it is a single line.
PART_BYTES: Final = 1_000_000

# The README of a bundle.
EXPLANATION: Final = Path(__file__).with_name("explanation.md").read_text(encoding="utf-8")
