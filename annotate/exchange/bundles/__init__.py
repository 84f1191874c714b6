"""A complete study as a zip: its data, its log, and its report, for another site or an archive.

References use names (for people pseudonyms, or real names on request) and numbers, never keys.
Lists are split into parts so that writer and reader hold only one part in memory at a time.
"""

from typing import Final

FORMAT: Final = "text-detection-rankings study bundle"
# Version 1 had no exclusions or pseudonym numbers, version 2 no re-check rule, version 3 no visits
# that ask about only some of the methods, version 4 no answers that two results look the same and
# no careful order, version 5 no notes and no counts of the places that were looked at, version 6
# no groups of members and no scenes of images.
VERSION: Final = 7
READABLE: Final = (1, 2, 3, 4, 5, 6, 7)

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
)
SINGLE: Final = (DATASET, STUDY, REPORT, README, MANIFEST)
# A part is not larger than this unless it is a single line.
PART_BYTES: Final = 1_000_000

EXPLANATION: Final = """\
# A study, complete

| file | holds |
| --- | --- |
| manifest.json | format, version, software, what is in it, and the moment (`as_of`) it stands for |
| dataset.json | name, address, formats, provenance and licence of the dataset |
| images-*.jsonl | images in order: name, size in pixels, SHA-256 and type of the photograph, scene |
| truth-*.jsonl | ground-truth regions of each image, in the same order |
| methods-*.jsonl | the methods |
| results-*.jsonl | what each method found on each image; no line: not evaluated there |
| runs-*.jsonl | runs of protocols, computed and imported, numbered from 1 |
| scores-*.jsonl | what each run gives each result; null is undefined |
| study.json | settings, methods that take part, images, people in order, their pseudonyms |
| members-*.jsonl | who takes part as what, and the group of annotators |
| exclusions-*.jsonl | whose rankings reports leave out or count again, why, and who decided |
| assignments-*.jsonl | an annotator's ranking of an image: items, screens, events, notes, rankings |
| photographs/ | photographs under their SHA-256, where they were asked for |
| report.json | the report with the usual settings, as the site exports it |
| checksums.sha256 | of every other file: `sha256sum --check checksums.sha256` |

The items of an assignment are lists of methods whose results look alike. `drawn` says which methods
an assignment asks where not all are asked, from which they were drawn, the probability of each pair of
them, and the runs whose disagreement weighed. Regions are polygons in
pixels, y down: x1, y1, x2, y2, ... Events are numbered from 1 in each assignment and never changed;
a withdrawal ends an earlier judgement or skip. `manage.py import_study` loads a bundle into a site
and recomputes every ranking from the events.
"""
