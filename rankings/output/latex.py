"""Parts of LaTeX tables: widths of texts, columns that fit the page, the float around a table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ..errors import RankingError
from .escaping import beyond_pdflatex, latex_text, one_line

Layout = Literal["side", "stacked"]
Width = Literal["page", "column"]
LAYOUTS: Final = ("side", "stacked")
WIDTHS: Final = ("page", "column")

# Of a table's size, what every article has: the text of one column, and a column of two.
LEAST_EM: Final[Mapping[Width, float]] = {"page": 40.0, "column": 27.0}
# Half the space between columns, in points; an em of a small table has 8.5.
GAP_PT: Final = 3
NARROW_GAP_PT: Final = 2
_POINTS_OF_EM: Final = 8.5
# In em, which sizes of a font share.
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
# Into less, nothing is set.
_LEAST_ROOM_EM: Final = 3.0


@dataclass(frozen=True, slots=True)
class Look:
    """The layout of the tables of the criteria.

    Attributes
    ----------
    layout : "side" or "stacked"
        The criteria side by side, or one below the other.
    width : "page" or "column"
        Of a paper with two columns, both or one. Side by side in one column, there is room for Scores alone.
    intervals : bool
        Whether each Score's 95 % interval is shown, where it is known.
    """

    layout: Layout = "side"
    width: Width = "page"
    intervals: bool = False

    def __post_init__(self) -> None:
        for name, allowed in (("layout", LAYOUTS), ("width", WIDTHS)):
            if getattr(self, name) not in allowed:
                raise RankingError(f"{name} must be {' or '.join(allowed)}")


def em_of(text: str) -> float:
    """Return how wide a text is in the em of Computer Modern; bold is wider by BOLD, Times narrower.

    Examples
    --------
    >>> round(em_of("fi"), 2)  # 0.34 and 0.28
    0.62
    """
    return sum(_EM_OF.get(char) or (0.8 if ord(char) < 0x17F else 1.05) for char in text)


def breakable(text: str, room_em: float) -> str:
    r"""Return a text as LaTeX whose words are broken where one of them is wider than there is room.

    Names of methods and parameters have no hyphens that TeX knows; a break in them is the last resort.

    Parameters
    ----------
    text : str
        Plain; spaces and line ends are one space.
    room_em : float
        In em of the table's font.

    Examples
    --------
    >>> print(breakable("IoU c", 1.0))
    I\penalty500 o\penalty500 U c
    """
    at_once = max(int(room_em / 1.05), 1)
    pieces = re.compile(rf"[A-Za-z0-9]{{1,{at_once}}}|.")
    return " ".join(
        r"\penalty500 ".join(map(latex_text, pieces.findall(word)))
        if em_of(word) > room_em
        else latex_text(word)
        for word in one_line(text).split(" ")
    )


def total_em(widths: Sequence[float], gap_pt: int = GAP_PT) -> float:
    """Return the width of columns with the gaps between them, none outside.

    Parameters
    ----------
    widths : sequence of float
        In em.
    gap_pt : int
        Half the gap between two columns, in points; an em has 8.5.

    Examples
    --------
    >>> round(total_em([1.0, 2.0]), 2)
    3.71
    """
    return sum(widths) + 2 * gap_pt / _POINTS_OF_EM * (len(widths) - 1)


def fits(widths: Sequence[float], width: Width) -> bool:
    """Return whether the columns fit the page.

    Parameters
    ----------
    widths : sequence of float
        In em.
    width : "page" or "column"
        Which have 40 and 27 em at least.

    Examples
    --------
    >>> fits([20.0, 19.0], "page"), fits([20.0, 19.5], "page")  # with a gap of 0.71
    (True, False)
    """
    return total_em(widths) <= LEAST_EM[width]


def room_beside(
    widths: Sequence[float], n_columns: int, width: Width, gap_pt: int = GAP_PT
) -> float:
    """Return what other columns leave of the narrowest page, or column, that there is.

    Parameters
    ----------
    widths : sequence of float
        Of the other columns, in em.
    n_columns : int
        All columns, whose gaps take room too.
    width : "page" or "column"
    gap_pt : int
        Half the gap between two columns, in points.

    Returns
    -------
    float
        In em; 3 at least.

    Examples
    --------
    >>> round(room_beside([10.0], 2, "page"), 2)  # 40 - 10 - 0.71
    29.29
    """
    others = [*widths, *([0.0] * (n_columns - len(widths)))]
    return max(LEAST_EM[width] - total_em(others, gap_pt), _LEAST_ROOM_EM)


def rest_of_line(widths: Sequence[float], n_columns: int, share: float = 1.0) -> str:
    r"""Return a column's type that takes a share of what others leave of the line.

    Parameters
    ----------
    widths : sequence of float
        Of the other columns, in em.
    n_columns : int
        All columns of the table.
    share : float
        In (0, 1].

    Examples
    --------
    >>> print(rest_of_line([10.0], 2))
    >{\raggedright\arraybackslash}p{\dimexpr\linewidth - 10.1em - 2\tabcolsep\relax}
    """
    others = f"{sum(widths) + 0.1:.1f}em - {2 * (n_columns - 1)}" + r"\tabcolsep"
    factor = "" if share == 1 else f"{share:.3f}"
    return rf">{{\raggedright\arraybackslash}}p{{{factor}\dimexpr\linewidth - {others}\relax}}"


def label_of(text: str) -> str:
    """Return a text as part of a label: ASCII letters, digits and hyphens.

    Examples
    --------
    >>> label_of("Three detectors, 2018")
    'three-detectors-2018'
    """
    return re.sub(r"[^a-z0-9]+", "-", one_line(text).lower()).strip("-") or "table"


def as_float(
    body: Sequence[str],
    *,
    caption: str,
    label: str,
    width: Width,
    facts: Mapping[str, str],
    gap_pt: int = GAP_PT,
) -> str:
    r"""Return a tabular in its float, caption above, and in comments where it comes from.

    Parameters
    ----------
    body : sequence of str
        The lines of the tabular.
    caption, label : str
        As LaTeX.
    width : "page" or "column"
    facts : mapping of str to str
        Where it comes from, as plain text.
    gap_pt : int
        Half the gap between two columns, in points.

    Examples
    --------
    >>> text = as_float([], caption="Scores", label="tab:s", width="column", facts={"study": "signs"})
    >>> print("\n".join(text.splitlines()[:3]))
    % study: signs
    % needs \usepackage{array,booktabs}
    \begin{table}[tbp]
    """
    name = "table*" if width == "page" else "table"
    lines = [
        rf"\begin{{{name}}}[tbp]",
        r"  \centering",
        # Articles leave nothing below a caption, which they expect below a figure.
        r"  \setlength{\belowcaptionskip}{6pt}",
        rf"  \caption{{{caption}}}",
        rf"  \label{{{label}}}",
        *(f"  {line}" for line in small(gap_pt)),
        *(f"  {line}" for line in body),
        rf"\end{{{name}}}",
    ]
    return "\n".join([*comments(facts, lines, "array,booktabs"), *lines]) + "\n"


def small(gap_pt: int = GAP_PT) -> tuple[str, str]:
    r"""Return what sets a table small, its columns near each other.

    Examples
    --------
    >>> print(*small(2))
    \footnotesize \setlength{\tabcolsep}{2pt}
    """
    return r"\footnotesize", rf"\setlength{{\tabcolsep}}{{{gap_pt}pt}}"


def comments(facts: Mapping[str, str], lines: Sequence[str], packages: str) -> list[str]:
    r"""Return the comments above a table: where it comes from, and what it needs.

    Parameters
    ----------
    facts : mapping of str to str
    lines : sequence of str
        Of the table, looked at for characters that pdfLaTeX has not.
    packages : str
        With commas between them.

    Examples
    --------
    >>> print("\n".join(comments({"study": "signs"}, [], "booktabs")))
    % study: signs
    % needs \usepackage{booktabs}
    """
    strangers = beyond_pdflatex("".join(lines))
    return [
        *(f"% {name}: {one_line(value)}" for name, value in facts.items()),
        rf"% needs \usepackage{{{packages}}}",
        *([f"% needs LuaLaTeX or XeLaTeX and a font with {strangers}"] if strangers else []),
    ]


def row(cells: Sequence[str]) -> str:
    r"""Return a row of a table.

    Examples
    --------
    >>> print(row(['a', '1']))
    a & 1 \\
    """
    return " & ".join(cells) + r" \\"
