"""Data for figures, and the papers they are drawn on."""

import re

from annotate.figures.figure import Figure
from annotate.figures.kinds.distances import distance_distribution
from annotate.figures.themes import THEMES, WIDTHS_MM, Paper

DISTANCES = {
    "one": {"A": 0.0, "B": 1.0, "C": 1.0, "all tied": 2.0},
    "two": {"A": 1.0, "B": 0.0, "C": 3.0, "all tied": 2.0},
    "three": {"A": 0.0, "B": 0.0, "C": 2.0, "all tied": 2.0},
    "four": {"A": 0.5, "B": 2.0, "C": 4.0, "all tied": 2.0},
}
ABC = ["A", "B", "C"]
PAPERS = [Paper(theme, width) for theme in THEMES for width in WIDTHS_MM]
FACTS = {"study": "Street <signs> & Ümläute", "date": "2026-03-04", "software": "rankings 0.1"}


def a_figure() -> Figure:
    """Return box plots of three protocols and a baseline over four images."""
    return distance_distribution(DISTANCES, ABC, baselines=["all tied"])


def put_together(drawings, theme="light"):
    """Return the specifications by size, as static/js/figures/page.js fills them."""
    parts = []

    def filled(part):
        if isinstance(part, str) and re.fullmatch(r"#\w{6}\|#\w{6}", part):
            return part.split("|")[theme == "dark"]
        if isinstance(part, list):
            return [filled(one) for one in part]
        if isinstance(part, dict):
            return (
                parts[part["part"]] if "part" in part else {k: filled(v) for k, v in part.items()}
            )
        return part

    for part in drawings:
        parts.append(filled(part))
    return parts[-1]


def components(images, taste, rest, low=None, high=None):
    """Return components of variance in the format of an analysis, all with the same limits."""
    total = images + taste + rest
    return [
        {
            "source": source,
            "variance": variance,
            "share": variance / total if total else None,
            "low": low,
            "high": high,
        }
        for source, variance in (("images", images), ("taste", taste), ("rest", rest))
    ]


def cut(by, least, most, scores, n_images=12, half=0.5):
    """Return a part of the images in the format of an analysis; no interval if half is None."""
    return {
        "by": by,
        "unit": "px",
        "least": least,
        "most": most,
        "n_images": n_images,
        "scores": [
            {
                "protocol": name,
                "score": score,
                "low": None if half is None else score - half,
                "high": None if half is None else score + half,
            }
            for name, score in scores.items()
        ],
    }
