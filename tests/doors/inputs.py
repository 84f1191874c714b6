"""Inputs of the doors: their form, and the two words that most of them have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# An outline as a box (left, top, right, bottom) or as its points, a text, and whether it is ignored. An
# outline of None is not worked out.
Word = tuple[tuple[float, ...] | None, str | None, bool]
Words = Mapping[str, Sequence[Word]]

# Two words of an image of 800 x 400 px; all their shares of its sides are short decimal fractions.
SIZE = (800, 400)
CARE, STOP = (40, 40, 120, 60), (200, 100, 300, 140)
CORNERS = [[40, 40], [120, 40], [120, 60], [40, 60]]
STOP_CORNERS = [[200, 100], [300, 100], [300, 140], [200, 140]]
BOTH = {"img_1": [(CARE, "CARE", False), (STOP, "STOP", False)]}
FIRST = {"img_1": [(CARE, "CARE", False)]}
HEADER = "image,left,top,right,bottom,text\n"
TRUTH = ("gt.csv", f"{HEADER}img_1,40,40,120,60,CARE\nimg_1,200,100,300,140,STOP\n")
RESULTS = ("east.csv", f"{HEADER}img_1,40,40,120,60,CARE\n")


@dataclass(frozen=True)
class Input:
    """Files, and what every door must make of them.

    ``truth``, ``results`` and ``photographs`` are a file name and its content: bytes, a text, the
    entries of a zip, or anything else, which is written as JSON. ``expected_truth`` and
    ``expected_results`` are their words by image, ``figures`` recall and precision of IOU. ``said`` are
    parts of sentences that every door shows, ``codes`` all codes that the site shows, ``refused`` parts
    of the sentence with which every door refuses the load. ``formats`` and ``readings`` are named by
    side.
    """

    truth: tuple[str, object] = TRUTH
    results: tuple[str, object] = RESULTS
    expected_truth: Words = field(default_factory=lambda: BOTH)
    expected_results: Words = field(default_factory=lambda: FIRST)
    # None: not worked out.
    figures: tuple[float, float] | None = (0.5, 1.0)
    method: str = "east"
    said: tuple[str, ...] = ()
    codes: frozenset[str] = frozenset()
    refused: tuple[str, ...] = ()
    photographs: tuple[str, object] | None = None
    formats: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    # The meaning of an image without a file of results, which the site asks for.
    missing: str = ""


def without_texts(words: Words) -> Words:
    return {image: [(of[0], None, of[2]) for of in own] for image, own in words.items()}
