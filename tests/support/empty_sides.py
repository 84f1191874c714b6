"""Scores of each protocol if a side is empty; a new protocol needs a line in ``EMPTY``."""

from tests.support.scenes import FAR, IGNORED, ON_IGNORED, WORD

# Recall, precision and F-score; "nothing" is no truth, "ignored" only ignored truth.
HALF_EMPTY = {"nothing found": (0, 0, 0), "only wrong": (0, 0, 0)}
LIKE_IOU = {
    "nothing and nothing": (1, 1, 1),
    "nothing, no file": (1, 1, 1),
    "nothing, something found": (1, 0, 0),
    "ignored, nothing found": (1, 1, 1),
    "ignored, found there": (1, 1, 1),
    "ignored, found elsewhere": (1, 0, 0),
    **HALF_EMPTY,
}
PUBLISHED_AREAS = {
    "nothing and nothing": (1, 1, 0),
    "nothing, no file": (0, 0, 0),
    "nothing, something found": (1, 0, 0),
    "ignored, nothing found": (0, 0, 0),
    "ignored, found there": (1, 0, 0),
    "ignored, found elsewhere": (1, 0, 0),
    **HALF_EMPTY,
}
EMD = 2 * 0.01 / 1.01
ALWAYS_ZERO = dict.fromkeys(LIKE_IOU, (0, 0, 0))
COUNTED = {
    name: (0, 0, 0)
    if "nothing found" in name or "and nothing" in name or "no file" in name
    else None
    for name in LIKE_IOU
}
EMPTY = {
    "iou": LIKE_IOU,
    "average-precision": LIKE_IOU,
    "tiou": LIKE_IOU,
    "end-to-end": LIKE_IOU,
    "iou-toolkits": LIKE_IOU,
    "panoptic-quality": {**LIKE_IOU, "nothing found": (0, 1, 0)},
    "tedeval": LIKE_IOU,
    "popeval": LIKE_IOU,
    "deteval": PUBLISHED_AREAS,
    "icdar13": PUBLISHED_AREAS,
    "deteval-wolf": {
        **LIKE_IOU,
        "nothing, something found": (0, 0, 0),
        "ignored, found there": (0, 0, 0),
        "ignored, found elsewhere": (0, 0, 0),
    },
    "deteval-total-text": ALWAYS_ZERO,
    "maptext": ALWAYS_ZERO,
    "cleval": ALWAYS_ZERO,
    "cleval-end-to-end": ALWAYS_ZERO,
    "evaltex": LIKE_IOU,
    "evaltex-no-split": LIKE_IOU,
    "evaltex-emd": {
        **LIKE_IOU,
        "nothing, something found": (1, 0.01, EMD),
        "ignored, found elsewhere": (1, 0.01, EMD),
        "nothing found": (0.01, 1, EMD),
        "only wrong": (0.01, 0.01, 0.01),
    },
    "table-detection": {
        **LIKE_IOU,
        "nothing, something found": (0, 0, 0),
        "ignored, found elsewhere": (0, 0, 0),
    },
    # Words have no cells, so there are no relations to find.
    "table-structure": dict.fromkeys(LIKE_IOU, (1, 1, 1)),
    "slot-error": {
        **LIKE_IOU,
        "nothing, something found": (0, 0, 0),
        "ignored, found elsewhere": (0, 0, 0),
    },
    "count": COUNTED,
    "total-area": COUNTED,
    "mean-size": COUNTED,
}
EMPTY["evaltex-emd-no-split"] = EMPTY["evaltex-emd"]
SIDES = {
    "nothing and nothing": ((), ()),
    "nothing, no file": ((), None),
    "nothing, something found": ((), (FAR,)),
    "ignored, nothing found": ((IGNORED,), ()),
    "ignored, found there": ((IGNORED,), (ON_IGNORED,)),
    "ignored, found elsewhere": ((IGNORED,), (FAR,)),
    "nothing found": ((WORD,), ()),
    "only wrong": ((WORD,), (FAR,)),
}
