"""LaTeX tables: rows between rules, in a float or over pages, and columns that fit the page.

Widths are in em of the table's font; ``gap_pt`` is half the gap between two columns, in points.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from ..errors import RankingError
from .escaping import beyond_pdflatex, latex_text, one_line

Layout = Literal["side", "stacked"]
Width = Literal["page", "column"]
LAYOUTS: Final = ("side", "stacked")
WIDTHS: Final = ("page", "column")
# Writes plain text as LaTeX.
Writer = Callable[[str], str]

# Least widths in articles, in em: of text in one column, and of one of two columns.
_LEAST_EM: Final[Mapping[Width, float]] = {"page": 40.0, "column": 27.0}
# Half the space between columns, in points; an em of a small table has 8.5.
GAP_PT: Final = 3
NARROW_GAP_PT: Final = 2
_POINTS_OF_EM: Final = 8.5
# Widths of characters in em, which are the same for all sizes of a font.
_WIDTHS: Final = {
    0.28: "il.,;:!'[]",
    0.34: "fj- ",
    0.4: "rst()I",
    0.45: "cez",
    0.51: "0123456789/–?|`",
    0.54: "aog",
    0.58: "bdhnpukqvxySJ",
    0.63: "L{}_Z",
    0.69: "EFP\\",
    0.75: "wBCRT",
    0.79: "ADGHKNOQUVXY+=<>&@#$^~*",
    0.84: "m%",
    1.03: "MW—",
}
_EM_OF: Final = {char: width for width, chars in _WIDTHS.items() for char in chars}
BOLD: Final = 1.16
# Words are broken as if there were at least this much room.
_LEAST_ROOM_EM: Final = 3.0


@dataclass(frozen=True, slots=True)
class Look:
    """The layout of the tables of the criteria: "side" by side, or "stacked" one below the other.

    As wide as the "page", across both columns of a paper, or one "column", where only Scores fit
    side by side; with each Score's 95 % interval, where it is known, or without.
    """

    layout: Layout = "side"
    width: Width = "page"
    intervals: bool = False

    def __post_init__(self) -> None:
        for name, allowed in (("layout", LAYOUTS), ("width", WIDTHS)):
            if getattr(self, name) not in allowed:
                raise RankingError(f"{name} must be {' or '.join(allowed)}")


@dataclass(frozen=True, slots=True)
class Tabular:
    """A booktabs table without its caption: the types of its columns, and lines of LaTeX."""

    types: str
    head: Sequence[str]
    # Lines of LaTeX; each section is below a rule.
    sections: Sequence[Sequence[str]]
    gap_pt: int = GAP_PT

    @property
    def body(self) -> list[str]:
        """The lines of the sections, each with its rule."""
        return [line for section in self.sections for line in (r"\midrule", *section)]

    def in_float(
        self, caption: str, label: str, facts: Mapping[str, str], width: Width = "page"
    ) -> str:
        """Return the table in a float, with its caption above it and its origin in comments.

        Caption and label are LaTeX, the facts plain text.
        """
        name = "table*" if width == "page" else "table"
        lines = [
            r"\centering",
            # Articles leave nothing below a caption, which they expect below a figure.
            r"\setlength{\belowcaptionskip}{6pt}",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            *self._small,
            rf"\begin{{tabular}}{{@{{}}{self.types}@{{}}}}",
            *(r"\toprule", *self.head, *self.body, r"\bottomrule"),
            r"\end{tabular}",
        ]
        lines = [rf"\begin{{{name}}}[tbp]", *(f"  {line}" for line in lines), rf"\end{{{name}}}"]
        return "\n".join([*_comments(facts, lines, "array,booktabs"), *lines, ""])

    def over_pages(self, caption: str, label: str, facts: Mapping[str, str]) -> str:
        """Return the table over several pages, for text in one column; see :meth:`in_float`."""
        first_rule, *rows = self.body
        head = [r"\toprule", *self.head, first_rule]
        lines = [
            *(r"\begingroup", *self._small),
            rf"\begin{{longtable}}{{@{{}}{self.types}@{{}}}}",
            rf"\caption{{{caption}}}\label{{{label}}}\\",
            *(*head, r"\endfirsthead"),
            *(*head, r"\endhead", r"\bottomrule", r"\endfoot"),
            *rows,
            *(r"\end{longtable}", r"\endgroup"),
        ]
        needs = _comments(facts, lines, "array,booktabs,longtable")
        return "\n".join([*needs, "% needs text of one column", *lines, ""])

    @property
    def _small(self) -> tuple[str, str]:
        return r"\footnotesize", rf"\setlength{{\tabcolsep}}{{{self.gap_pt}pt}}"


def _comments(facts: Mapping[str, str], lines: Sequence[str], packages: str) -> list[str]:
    """Return the comments above a table: where it comes from, and what it needs."""
    strangers = beyond_pdflatex("".join(lines))
    return [
        *(f"% {name}: {one_line(value)}" for name, value in facts.items()),
        rf"% needs \usepackage{{{packages}}}",
        *([f"% needs LuaLaTeX or XeLaTeX and a font with {strangers}"] if strangers else []),
    ]


def row(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    return " & ".join(cells) + r" \\"


def span(n_columns: int, type_: str, text: str) -> str:
    """Return a cell across several columns; the text is LaTeX, and ``type_`` a column's type."""
    return rf"\multicolumn{{{n_columns}}}{{{type_}}}{{{text}}}"


def heading(name: str, n_columns: int) -> str:
    """Return a row with the name of the section below it, across all columns of the table."""
    return row([span(n_columns, "@{}l@{}", rf"\emph{{{latex_text(name.capitalize())}}}")])


def em_of(text: str) -> float:
    """Return a text's width in ems of Computer Modern; bold is BOLD times that, Times less."""
    return sum(_EM_OF.get(char) or (0.8 if ord(char) < 0x17F else 1.05) for char in text)


def total_em(widths: Sequence[float], gap_pt: int = GAP_PT) -> float:
    """Return the width of columns with the gaps between them, none outside."""
    return sum(widths) + 2 * gap_pt / _POINTS_OF_EM * (len(widths) - 1)


def fits(widths: Sequence[float], width: Width, gap_pt: int = GAP_PT) -> bool:
    """Return whether the columns fit the page, or the column of a page with two."""
    return total_em(widths, gap_pt) <= _LEAST_EM[width]


def rest_of_line(
    widths: Sequence[float],
    n_columns: int,
    width: Width,
    gap_pt: int = GAP_PT,
    share: float = 1.0,
) -> tuple[str, Writer]:
    r"""Return the type and the writer of a column that takes a share, in (0, 1], of a line's rest.

    ``widths`` are those of the other columns; the gaps between all columns take room, too.
    """
    others = f"{sum(widths) + 0.1:.1f}em - {2 * (n_columns - 1)}" + r"\tabcolsep"
    factor = "" if share == 1 else f"{share:.3f}"
    type_ = rf">{{\raggedright\arraybackslash}}p{{{factor}\dimexpr\linewidth - {others}\relax}}"
    taken = total_em([*widths, *([0.0] * (n_columns - len(widths)))], gap_pt)
    room = max(_LEAST_EM[width] - taken, _LEAST_ROOM_EM)
    return type_, partial(breakable, room_em=room * share)


def breakable(text: str, room_em: float) -> str:
    r"""Return a text as LaTeX that allows breaks within words that are wider than the room.

    TeX cannot hyphenate names of methods and parameters; a break in them is the last resort.
    Spaces and line ends are one space.
    """
    at_once = max(int(room_em / 1.05), 1)
    pieces = re.compile(rf"[A-Za-z0-9]{{1,{at_once}}}|.")
    return " ".join(
        r"\penalty500 ".join(map(latex_text, pieces.findall(word)))
        if em_of(word) > room_em
        else latex_text(word)
        for word in one_line(text).split(" ")
    )


def label_of(study: str, table: str) -> str:
    """Return the label of a study's table; all but ASCII letters and digits become hyphens."""
    name = re.sub(r"[^a-z0-9]+", "-", one_line(study).lower()).strip("-") or "table"
    return f"tab:{name}-{table}"
