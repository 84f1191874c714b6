"""Best / Worst / Score as a LaTeX table that goes into a paper as it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..agreement.baselines import A_PERSON
from ..agreement.report import CriterionReport, Report
from ..rounding import in_decimals
from . import latex
from .escaping import latex_text
from .latex import BOLD, Look, breakable, em_of
from .skips import skips_said
from .verdict_tables import has_few_images

_HEADS: Final = ("Best", "Worst", "Score")
_NOTHING: Final = "--"
_DISTANCES: Final = {"edit": "ranking edit distance", "kemeny": "Kemeny distance"}


@dataclass(frozen=True, slots=True)
class _Cells:
    """A protocol's or a baseline's cells by one criterion, as LaTeX."""

    numbers: tuple[str, str, str]
    # "" where it is not known.
    interval: str = ""


_EMPTY: Final = _Cells((_NOTHING, _NOTHING, _NOTHING))
# name -> cells
_Block = Mapping[str, _Cells]


def report_table(
    report: Report, facts: Mapping[str, str], look: Look, analysis: Mapping[str, Any]
) -> str:
    r"""Return the criteria as one booktabs table in a float with caption and label.

    The best Best, Worst and Score of the protocols are bold, all that look the same alike. The table is
    never wider than the page, or column, of an article: names that leave no room are broken.

    Parameters
    ----------
    report : Report
    facts : mapping of str to str
        Where it comes from: in comments above, and "dataset", "study" and "annotators" in the caption.
    look : Look
    analysis : mapping
        Of the report's JSON, or empty: it has the intervals, and the baseline of a person.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("a",), ("b",))] * 3}}, scores)
    >>> table = report_table(report, {}, Look(), {})
    >>> print(next(line for line in table.splitlines() if "iou" in line))
      iou & \textbf{1} & \textbf{1} & \textbf{0.00} \\
    """
    blocks = {
        name: _block(table, analysis.get(name), look.intervals)
        for name, table in report.criteria.items()
    }
    caption = " ".join(_sentences(report, facts, look, blocks))
    body = _side(report, blocks, look) if look.layout == "side" else _stacked(report, blocks, look)
    label = f"tab:{latex.label_of(facts.get('study', ''))}-protocols"
    return latex.as_float(body, caption=caption, label=label, width=look.width, facts=facts)


def _block(table: CriterionReport, around: Mapping[str, Any] | None, intervals: bool) -> _Block:
    limits: dict[str, str] = {}
    person: Mapping[str, Any] = {}
    if around:
        person = around["human_baseline"] if "human_baseline" in around else around["ceiling"]
        if intervals and not has_few_images(around):
            limits = {row["protocol"]: _interval(row) for row in around["intervals"]["scores"]}
            limits[A_PERSON] = _interval(person) if person.get("low") is not None else ""
    cells = {
        row.protocol: (
            _NOTHING if row.best is None else str(row.best),
            _NOTHING if row.worst is None else str(row.worst),
            _NOTHING if row.score is None else in_decimals(row.score, 2),
        )
        for row in (*table.rows, *table.baselines)
    }
    if person and person["score"] is not None:
        cells[A_PERSON] = (_NOTHING, _NOTHING, in_decimals(person["score"], 2))
    best = _best([cells[row.protocol] for row in table.rows])
    ranked = {row.protocol for row in table.rows}
    return {
        name: _Cells(_bold(texts, best) if name in ranked else texts, limits.get(name, ""))
        for name, texts in cells.items()
    }


def _interval(limits: Mapping[str, Any]) -> str:
    low, high = (in_decimals(limits[end], 2) for end in ("low", "high"))
    return f"{{}}[{low}, {high}]"


def _best(rows: Sequence[tuple[str, str, str]]) -> tuple[str, str, str]:
    """Return the best text of each column: many Best, few Worst, a small Score."""
    of_best, of_worst, of_score = (
        [row[at] for row in rows if row[at] != _NOTHING] for at in range(3)
    )
    return (
        max(of_best, key=int, default=""),
        min(of_worst, key=int, default=""),
        min(of_score, key=float, default=""),
    )


def _bold(texts: tuple[str, str, str], best: tuple[str, str, str]) -> tuple[str, str, str]:
    first, second, third = (
        rf"\textbf{{{text}}}" if text == of_column else text
        for text, of_column in zip(texts, best, strict=True)
    )
    return first, second, third


def _side(report: Report, blocks: Mapping[str, _Block], look: Look) -> list[str]:
    """Return the criteria side by side, protocols in the order of the first."""
    n = 1 if look.width == "column" else len(_HEADS)
    heads = _HEADS[-n:]
    names, baselines = _names(report, blocks)
    widths = [
        max(
            em_of(head if n > 1 else name.capitalize()),
            *(BOLD * em_of(_plain(cells.numbers[at - n])) for cells in block.values()),
            0.0,
        )
        for name, block in blocks.items()
        for at, head in enumerate(heads)
    ]
    interval = max(
        (em_of(_plain(cells.interval)) for block in blocks.values() for cells in block.values()),
        default=0.0,
    )
    # A line of intervals below each protocol spans its criterion's columns.
    for at in range(0, len(widths), n):
        lack = interval - latex.total_em(widths[at : at + n])
        widths[at] += max(lack, 0.0)
    column, of_name = _name_column([*names, *baselines], widths, look)
    spans = [(2 + at * n, 1 + (at + 1) * n) for at in range(len(blocks))]
    lines = [
        rf"\begin{{tabular}}{{@{{}}{column}{'r' * n * len(blocks)}@{{}}}}",
        r"\toprule",
        latex.row(
            [
                "",
                *(
                    rf"\multicolumn{{{n}}}{{{'c' if n > 1 else 'r'}}}{{{_title(name)}}}"
                    for name in blocks
                ),
            ]
        ),
    ]
    if n > 1:
        lines += ["".join(rf"\cmidrule(lr){{{first}-{last}}}" for first, last in spans)]
        lines += [latex.row(["Protocol", *(heads * len(blocks))])]
    for some, is_baseline in ((names, False), (baselines, True)):
        lines += [r"\midrule"] if some else []
        for name in some:
            cells = [block.get(name, _EMPTY) for block in blocks.values()]
            shown = rf"\emph{{{of_name(name)}}}" if is_baseline else of_name(name)
            lines.append(latex.row([shown, *(text for one in cells for text in one.numbers[-n:])]))
            if any(one.interval for one in cells):
                lines.append(
                    latex.row(
                        [
                            "",
                            *(
                                rf"\multicolumn{{{n}}}{{r}}{{\scriptsize {one.interval}}}"
                                for one in cells
                            ),
                        ]
                    )
                )
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _stacked(report: Report, blocks: Mapping[str, _Block], look: Look) -> list[str]:
    has_intervals = any(cells.interval for block in blocks.values() for cells in block.values())
    heads = [*_HEADS, *([r"95\,\%"] if has_intervals else [])]

    def texts(cells: _Cells) -> list[str]:
        return [*cells.numbers, *([cells.interval] if has_intervals else [])]

    every = [texts(cells) for block in blocks.values() for cells in block.values()]
    widths = [
        BOLD * max(em_of(_plain(text)) for text in column)
        for column in zip(heads, *every, strict=True)
    ]
    column, of_name = _name_column(
        [*(name for block in blocks.values() for name in block), *map(_title, blocks)], widths, look
    )
    lines = [
        rf"\begin{{tabular}}{{@{{}}{column}{'r' * len(heads)}@{{}}}}",
        r"\toprule",
        latex.row(["Protocol", *heads]),
    ]
    for criterion, block in blocks.items():
        lines += [
            r"\midrule",
            latex.row(
                [
                    rf"\multicolumn{{{len(heads) + 1}}}{{@{{}}l@{{}}}}{{\emph{{{_title(criterion)}}}}}"
                ]
            ),
        ]
        ranked = {one.protocol for one in report.criteria[criterion].rows}
        for name, cells in block.items():
            shown = of_name(name) if name in ranked else rf"\emph{{{of_name(name)}}}"
            lines.append(latex.row([shown, *texts(cells)]))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _names(report: Report, blocks: Mapping[str, _Block]) -> tuple[list[str], list[str]]:
    """Return the protocols and the baselines, in the order of the first criterion that has them."""
    ranked = dict.fromkeys(one.protocol for table in report.criteria.values() for one in table.rows)
    known = dict.fromkeys(name for block in blocks.values() for name in block)
    return list(ranked), [name for name in known if name not in ranked]


def _name_column(
    names: Sequence[str], widths: Sequence[float], look: Look
) -> tuple[str, Callable[[str], str]]:
    """Return the type of the names' column, and how names are written in it."""
    widest = max((em_of(name) for name in [*names, "Protocol"]), default=0.0)
    if latex.fits([widest, *widths], look.width):
        return "l", latex_text
    n_columns = len(widths) + 1
    room = latex.room_beside(widths, n_columns, look.width)
    return latex.rest_of_line(widths, n_columns), partial(breakable, room_em=room)


def _title(criterion: str) -> str:
    return latex_text(criterion.capitalize())


def _plain(text: str) -> str:
    return text.replace(r"\textbf{", "").replace("{", "").replace("}", "").replace("\\,\\", " ")


def _sentences(
    report: Report, facts: Mapping[str, str], look: Look, blocks: Mapping[str, _Block]
) -> Iterator[str]:
    where = f" on {latex_text(facts['dataset'])}" if "dataset" in facts else ""
    who = f", {facts['annotators']} annotators" if "annotators" in facts else ""
    n_images = {name: table.n_images for name, table in report.criteria.items()}
    if len(set(n_images.values())) == 1:
        counts = f"{next(iter(n_images.values()))} images"
    else:
        counts = ", ".join(f"{latex_text(name)}: {n} images" for name, n in n_images.items())
    yield f"Evaluation protocols against people's rankings{where} ({counts}{who})."
    distance = _DISTANCES[report.settings.distance]
    has_all = look.layout == "stacked" or look.width == "page"
    if has_all:
        yield (
            r"\emph{Best} and \emph{Worst} count the images on which a protocol is nearest to and "
            "farthest from people, ties included;"
        )
    yield (
        rf"\emph{{Score}} is the mean {distance} to people's consensus, lower is better. "
        "The best of each column is bold."
    )
    if any(cells.interval for block in blocks.values() for cells in block.values()):
        yield (
            r"In brackets: 95\,\% percentile bootstrap intervals over the images, with these annotators."
        )
    if skipped := skips_said(facts):
        yield latex_text(skipped)
    if look.layout == "side" and len(blocks) > 1:
        yield f"Protocols in the order of the Score by {latex_text(next(iter(blocks)))}."
