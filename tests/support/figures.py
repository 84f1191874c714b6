"""Numbers of figures, and the papers they are drawn on."""

from annotate.figures.figure import Figure
from annotate.figures.kinds.distances import distance_distribution
from annotate.figures.papers import THEMES, WIDTHS_MM, Paper

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
    """Box plots of three protocols and a baseline over four images."""
    return distance_distribution(DISTANCES, ABC, baselines=["all tied"])
