"""Names with characters that are not shown: direction, zero width, control."""

HIDDEN = ["EAST\u202e2", "EA\u200bST", "EAST\x1b2"]
