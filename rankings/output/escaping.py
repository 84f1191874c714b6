"""Escaping of untrusted texts for CSV, LaTeX and Markdown."""

import re
from typing import Final

_APART: Final = "\u2060"
_LIGATURES: Final = re.compile(r"([-,'])(?=\1)")
_LATEX_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # A shorthand character in some languages, otherwise a closing quote.
        '"': r"{\char34}",
        "`": r"\textasciigrave{}",
        # At the start of a row they would be read as part of the end of the previous row.
        "[": "{[}",
        "*": "{*}",
        # Inserted between two characters that would become one sign.
        _APART: "{}",
        "\u2013": "--",
        "—": "---",
        "\u2011": "-",
        "\u2018": "`",
        "\u2019": "'",
        "“": "``",
        "”": "''",
        "…": r"\ldots{}",
        "·": r"\textperiodcentered{}",
        "\u00d7": r"\ensuremath{\times}",
        "±": r"\ensuremath{\pm}",
        "≤": r"\ensuremath{\leq}",
        "≥": r"\ensuremath{\geq}",
        "\u2212": r"\ensuremath{-}",
        "→": r"\ensuremath{\rightarrow}",
        "≈": r"\ensuremath{\approx}",
        "°": r"\ensuremath{^\circ}",
        "µ": r"\ensuremath{\mu}",
        "\u03b1": r"\ensuremath{\alpha}",
        "β": r"\ensuremath{\beta}",
        "ε": r"\ensuremath{\varepsilon}",
        "τ": r"\ensuremath{\tau}",
    }
)
# Characters beyond ASCII that pdfLaTeX knows without another font.
_LATEX_LETTERS: Final = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĂăĀāĆćČčĎďĒēĚěĞğĪīİıŁłŃńŇňŌōŐőŒœŔŕŘřŚśŞşŠšŢţŤťŪūŮůŰűŸŹźŻżŽž"
)
_MARKDOWN_SPECIAL: Final = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#~$&"})
# A spreadsheet evaluates a cell that starts with one of these; some accept full-width forms, too.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def one_line(text: str) -> str:
    """Return a text without line ends, control characters and marks that change its direction."""
    return "".join(filter(str.isprintable, " ".join(text.split())))


def without_formula(text: str) -> str:
    """Return a text, with an apostrophe before it if a spreadsheet would evaluate it."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def latex_text(text: str) -> str:
    """Return text escaped for LaTeX, on one line."""
    return _LIGATURES.sub(rf"\1{_APART}", one_line(text)).translate(_LATEX_SPECIAL)


def beyond_pdflatex(text: str) -> str:
    """Return the letters of LaTeX source that pdfLaTeX does not know, each once."""
    return "".join(sorted({char for char in text if ord(char) > 126} - _LATEX_LETTERS))


def markdown_text(text: str) -> str:
    """Return text escaped for Markdown, on one line."""
    return one_line(text).translate(_MARKDOWN_SPECIAL)
