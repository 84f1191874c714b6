"""Pairs of a ranking, and wrong pairs of the rankings, by kind of people and way to rank."""

from typing import Final

from ..elicitation.strategies import WAYS, Way, pairs_of_ranking
from ..output.table import Column, Row, Table, number

# Screens of ten results ranked by three criteria, and percent of wrong pairs, by insertion with two
# re-checks, the careful order on an annotator's first image, and every pair once:
# docs/validation/elicitation.md.
BY_KIND: Final = {
    "no wrong answers": ((25.3, 0.0), (31.4, 0.0), (45.0, 0.0)),
    "5 % wrong, each time": ((26.5, 5.8), (36.5, 1.9), (45.0, 1.3)),
    "10 % wrong, each time": ((27.3, 13.6), (40.8, 5.0), (45.0, 3.3)),
    "20 % wrong, each time": ((27.3, 24.0), (44.3, 13.0), (45.0, 9.8)),
    "5 % wrong, by pair": ((26.3, 6.6), (35.3, 5.5), (45.0, 1.3)),
    "10 % wrong, by pair": ((26.8, 14.2), (37.4, 12.4), (45.0, 3.3)),
    "unsure on near pairs": ((27.6, 10.0), (42.0, 5.7), (45.0, 5.4)),
    "15 % left": ((28.7, 9.6), (40.5, 7.0), (45.0, 5.4)),
    "15 % key before": ((26.9, 8.6), (37.1, 3.6), (45.0, 3.8)),
}
_TEN: Final = 10
_NOTE: Final = (
    "Simulated people who rank by three criteria: by binary insertion with two re-checks, in the careful "
    "order on their first image, and comparing every pair once. Wrong: percent of wrong pairs in "
    "rankings of ten results. Wrong answers are drawn each time a pair is shown, or belong to the pair and "
    "come again; 15 % of answers are “left”, or the key of the answer before. It does not show which kind "
    "your annotators are."
)
_COLUMNS: Final = (
    Column("People"),
    *(
        number(f"{way}: {name}", 1)
        for way in ("Insertion", "Careful", "Every pair")
        for name in ("pairs", "wrong")
    ),
)


def kinds_table(n_methods: int) -> Table:
    """Return pairs and wrong pairs of a ranking of so many methods by kind of people.

    Pairs are scaled from ten results as :func:`.pairs_of_ranking`
    grows, careful ones to at most every pair; wrong pairs are those of ten results.
    """
    scale = pairs_of_ranking(n_methods) / pairs_of_ranking(_TEN)
    most = pairs_of_ranking(n_methods, way="every-pair")

    def pairs(way: Way, of_ten: float) -> float:
        if way == "every-pair":
            return most
        return min(of_ten * scale, most) if way == "careful" else of_ten * scale

    rows: list[Row] = []
    for kind, ways in BY_KIND.items():
        cells: list[float] = []
        for way, (of_ten, wrong) in zip(WAYS, ways, strict=True):
            cells += [pairs(way, of_ten), wrong]
        rows.append((kind, *cells))
    return Table("kinds", "Pairs of a ranking by kind of people", _NOTE, _COLUMNS, tuple(rows))


def of_repeated_mistakes(n_methods: int, seconds: float) -> str:
    """Return what every pair once costs and brings where mistakes belong to the pair, as a sentence."""
    by_pair = [ways for kind, ways in BY_KIND.items() if kind.endswith("by pair")]
    careful, every = (sorted(ways[at][1] for ways in by_pair) for at in (1, 2))
    n = pairs_of_ranking(n_methods, way="every-pair")
    return (
        "Most mistakes there come again when a pair is shown again, so asking again corrects little. "
        f"Asking every pair once takes {n:g} pairs and {n * seconds / 60:.1f} minutes a ranking; where "
        f"5 to 10 % of answers are wrong it leaves {every[0]:g} to {every[-1]:g} % of the pairs of ten "
        f"results wrong, the careful order {careful[0]:g} to {careful[-1]:g} %."
    )
