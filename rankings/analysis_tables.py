"""The tables around Best / Worst / Score: an analysis as rows that can be shown or saved.

They are made from the analysis as JSON, so that a stored one gives the same tables.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .sensitivity import DECIMALS
from .tables import latex_text, markdown_text, one_line, without_formula

Cell = str | float | int | bool | None
# The data that to_json of an Analysis returns.
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; ``digits`` None for text and counts, else decimals shown."""

    name: str
    is_number: bool = False
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a note for its reader."""

    slug: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def shown(self) -> list[list[tuple[str, bool]]]:
        """Every cell as it is shown, and whether it is a number."""
        return [
            [
                (_shown(cell, column), column.is_number)
                for cell, column in zip(row, self.columns, strict=True)
            ]
            for row in self.rows
        ]


def _number(name: str, digits: int | None = 2) -> Column:
    return Column(name, True, digits)


def _count(name: str) -> Column:
    return Column(name, True)


_CRITERION: Final = Column("Criterion")
_PROTOCOL: Final = Column("Protocol")
# A p-value never is 0.
_P_VALUES: Final = ("p", "p, Wilcoxon and Holm")


def tables_of(data: Data) -> list[Table]:
    """Return every table that has a row."""
    return [table for table in (make(data) for make in _TABLES) if table.rows]


def _of_each(
    data: Data, rows: Callable[[Mapping[str, Any]], Iterator[tuple[Cell, ...]]]
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (criterion, *row)
        for criterion, around in data["analysis"].items()
        # Without an image there is nothing to say.
        if around["intervals"]["n_images"]
        for row in rows(around)
    )


def _intervals(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        two_way = {row["protocol"]: row for row in around["two_way"]["scores"]}
        for interval in around["intervals"]["scores"]:
            wide = two_way[interval["protocol"]]
            yield (
                *(interval["protocol"], interval["score"], interval["low"], interval["high"]),
                *(wide["low"], wide["high"], around["clusters"][interval["protocol"]]),
            )

    return Table(
        "intervals",
        "How sure each Score is",
        f"95 % percentile intervals from {_resamples(data)} bootstrap resamples: of the images, and "
        "of the images and the annotators together. No two protocols of one cluster are told apart "
        "at 5 % by the paired permutation test.",
        (
            *(_CRITERION, _PROTOCOL, _number("Score"), _number("Low"), _number("High")),
            *(_number("Low, annotators too"), _number("High, annotators too"), _count("Cluster")),
        ),
        _of_each(data, rows),
    )


def _resamples(data: Data) -> str:
    counts = {around["intervals"]["n_resamples"] for around in data["analysis"].values()}
    return ", ".join(f"{count:,}" for count in sorted(counts)) or "no"


def _differences(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        tested = around["permutations"]
        place = {name: at for at, name in enumerate(tested["protocols"])}
        holm = {
            (test["first"], test["second"]): test["holm_p_value"] for test in around["wilcoxon"]
        }
        for difference in around["intervals"]["differences"]:
            pair = (difference["first"], difference["second"])
            p_value = tested["p_values"][place[pair[0]]][place[pair[1]]]
            yield (
                *(*pair, difference["value"], difference["low"], difference["high"], p_value),
                holm.get(pair, holm.get((pair[1], pair[0]))),
            )

    return Table(
        "differences",
        "Every two protocols",
        "The Score of the first minus that of the second (below 0: the first is nearer to people) "
        "with its 95 % interval over images; p-values of the paired permutation test, uncorrected, "
        "and of Wilcoxon's signed-rank test, Holm-corrected over all pairs.",
        (
            *(_CRITERION, Column("First"), Column("Second"), _number("Difference")),
            *(_number("Low"), _number("High"), _number("p", 3), _number("p, Wilcoxon and Holm", 3)),
        ),
        _of_each(data, rows),
    )


def _measures(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for measured in around["measures"]:
            yield (
                *(
                    measured["protocol"],
                    measured["kemeny_distance"],
                    measured["tau_b"],
                    measured["n_without_tau_b"],
                ),
                *(measured["pairwise_accuracy"], measured["discordance"]),
            )

    return Table(
        "measures",
        "Other measures",
        "Means over the images. Kemeny distance: lower is better, neutral towards ties. Kendall's "
        "tau-b: 1 is the same order; undefined on an image where either side ties everything. "
        "Pairs agreed: share of pairs of methods on which protocol and people say the same, ties "
        "included. Discordance: the same in disagreement, weighted by the protocol's margin.",
        (
            *(_CRITERION, _PROTOCOL, _number("Kemeny distance"), _number("tau-b", 3)),
            *(_count("Images without tau-b"), _number("Pairs agreed", 3)),
            _number("Discordance", 3),
        ),
        _of_each(data, rows),
    )


def _rounding(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for rounding in around["rounding"]:
            yield (rounding["protocol"], *rounding["scores"])

    return Table(
        "rounding",
        "Score by rounding",
        "The Score when the protocol's values are rounded to so many decimals before they are "
        "ranked: fewer decimals make more ties.",
        (
            *(_CRITERION, _PROTOCOL),
            *(
                _number("not rounded" if places is None else f"{places} decimals")
                for places in DECIMALS
            ),
        ),
        _of_each(data, rows),
    )


def _calibration(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for calibration in around["calibration"]:
            yield tuple(
                calibration[name]
                for name in (
                    *("protocol", "epsilon", "accuracy_at_0", "accuracy"),
                    *("cross_validated_accuracy", "score", "cross_validated_score"),
                )
            )

    return Table(
        "calibration",
        "Which differences people see",
        "Values that differ by no more than epsilon count as tied; the epsilon with the highest "
        "pairwise accuracy is chosen. Cross-validated: every image judged with the epsilon of "
        "images outside its fold, which is the honest number.",
        (
            *(_CRITERION, _PROTOCOL, _number("Epsilon", 4), _number("Accuracy at 0", 3)),
            *(_number("Accuracy", 3), _number("Accuracy, cross-validated", 3), _number("Score")),
            _number("Score, cross-validated"),
        ),
        _of_each(data, rows),
    )


def _betas(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for search in around["betas"]:
            yield (
                search["protocol"],
                search["beta"],
                search["score"],
                search["cross_validated_score"],
            )

    return Table(
        "beta",
        "The beta people prefer",
        "The beta with which a protocol's F-score is nearest to the rankings by preference: above "
        "1 recall weighs more. Cross-validated as above.",
        (
            *(_CRITERION, _PROTOCOL, _number("Beta"), _number("Score")),
            _number("Score, cross-validated"),
        ),
        _of_each(data, rows),
    )


def _sensitivity(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for variant in around["sensitivity"]:
            order = variant["order"]
            text = " > ".join(" = ".join(bucket) for bucket in order) if order else None
            yield (
                variant["name"],
                text,
                variant["tau_b"],
                variant["same_order"],
                variant["n_images"],
            )

    return Table(
        "sensitivity",
        "Does the order of the protocols hold?",
        "The protocols by Score when one thing is changed, nearest to people first, and tau-b "
        "between that order and the one reported.",
        (
            *(_CRITERION, Column("Changed"), Column("Order"), _number("tau-b", 3)),
            *(Column("Same order"), _count("Images")),
        ),
        _of_each(data, rows),
    )


def _agreement(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        agreement, ceiling = around["agreement"], around["ceiling"]
        yield ("Kendall's W, mean over images (1: the same order)", agreement["kendall_w"])
        yield ("Krippendorff's alpha, ordinal (1: the same order)", agreement["alpha"])
        yield ("Edit distance between two annotators, mean", agreement["edit_distance"])
        yield ("Kemeny distance between two annotators, mean", agreement["kemeny_distance"])
        yield ("Human ceiling: an annotator to the others' consensus, mean", ceiling["score"])
        yield ("Friedman test of all protocols: p", around["friedman"]["p_value"])
        yield (
            "Critical difference of average ranks (Nemenyi, 5 %)",
            around["critical_difference"]["critical_difference"],
        )

    return Table(
        "agreement",
        "How far annotators agree",
        "The human ceiling is how near a person comes to the consensus of the others; a protocol "
        "much below it follows these annotators more closely than they follow each other.",
        (_CRITERION, Column("Measure"), _number("Value", 3)),
        _of_each(data, rows),
    )


def _annotators(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for name, annotator in around["annotators"].items():
            yield (name, annotator["n_images"], annotator["distance"])

    return Table(
        "annotators",
        "Each annotator and the others",
        "Mean distance of an annotator's rankings to the consensus of all others, over the images "
        "with at least two rankings.",
        (_CRITERION, Column("Annotator"), _count("Images"), _number("Distance")),
        _of_each(data, rows),
    )


def _criteria(data: Data) -> Table:
    return Table(
        "criteria",
        "Criterion against criterion",
        "Mean distance between the consensus rankings of two criteria, and as a share of the "
        "number of pairs of methods.",
        (
            *(Column("First"), Column("Second"), _number("Distance"), _number("Share", 3)),
            _count("Images"),
        ),
        tuple(
            (pair["first"], pair["second"], pair["distance"], pair["share"], pair["n_images"])
            for pair in data["between_criteria"]
        ),
    )


_TABLES: Final = (
    *(_intervals, _differences, _sensitivity, _agreement, _annotators, _criteria),
    *(_measures, _rounding, _calibration, _betas),
)


def to_csv(table: Table, header: Mapping[str, str]) -> str:
    """Return the table in full precision under where it comes from, in lines that start ``# ``."""
    stream = io.StringIO()
    for name, value in header.items():
        stream.write(f"# {name}: {one_line(value)}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(column.name for column in table.columns)
    for row in table.rows:
        writer.writerow([_full(cell) for cell in row])
    return stream.getvalue()


def to_json(table: Table, header: Mapping[str, str]) -> str:
    """Return the table as a list of rows by the columns' names, in full precision."""
    names = [column.name for column in table.columns]
    content = {
        "header": dict(header),
        "table": table.title,
        "note": table.note,
        "rows": [dict(zip(names, row, strict=True)) for row in table.rows],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_latex(table: Table, header: Mapping[str, str]) -> str:
    """Return a booktabs table; where it comes from and what it says stand above it in comments."""
    kinds = "".join("r" if column.is_number else "l" for column in table.columns)
    lines = [f"% {name}: {one_line(value)}" for name, value in header.items()]
    lines += [f"% {table.title}: {table.note}", r"% needs \usepackage{booktabs}"]
    lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [_latex_row([column.name for column in table.columns]), r"\midrule"]
    lines += [_latex_row([text for text, _ in row]) for row in table.shown]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def to_markdown(table: Table, header: Mapping[str, str]) -> str:
    """Return the table under a list of where it comes from."""
    lines = [f"- {markdown_text(name)}: {markdown_text(value)}" for name, value in header.items()]
    lines += ["", f"## {markdown_text(table.title)}", "", markdown_text(table.note), ""]
    lines.append(_markdown_row([markdown_text(column.name) for column in table.columns]))
    lines.append(_markdown_row(["---:" if column.is_number else "---" for column in table.columns]))
    lines += [_markdown_row([markdown_text(text) for text, _ in row]) for row in table.shown]
    return "\n".join(lines) + "\n"


def _latex_row(texts: Sequence[str]) -> str:
    return " & ".join(latex_text(text).replace("–", "--") for text in texts) + r" \\"


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _full(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return without_formula(cell) if isinstance(cell, str) else repr(cell)


def _shown(cell: Cell, column: Column) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    smallest = 10**-column.digits
    if column.name in _P_VALUES and cell < smallest:
        return f"< {smallest:.3f}"
    # No minus before a zero.
    return f"{round(cell, column.digits) + 0.0:.{column.digits}f}"
