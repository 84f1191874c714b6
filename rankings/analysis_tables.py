"""The tables around Best / Worst / Score: an analysis as rows that can be shown or saved.

They are made from the analysis as JSON, so that a stored one gives the same tables.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .sensitivity import DECIMALS
from .table_parts import CRITERION, PROTOCOL, Cell, Column, Data, Table, count, number, of_each
from .tables import latex_text, markdown_text, one_line, without_formula
from .verdict_tables import differences, intervals

_TIES_APART: Final = 0.05


def tables_of(data: Data) -> list[Table]:
    """Return every table that has a row."""
    return [table for table in (make(data) for make in _TABLES) if table.rows]


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
            *(CRITERION, PROTOCOL, number("Kemeny distance"), number("tau-b", 3)),
            *(count("Images without tau-b"), number("Pairs agreed", 3)),
            number("Discordance", 3),
        ),
        of_each(data, rows),
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
            *(CRITERION, PROTOCOL),
            *(
                number("not rounded" if places is None else f"{places} decimals")
                for places in DECIMALS
            ),
        ),
        of_each(data, rows),
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
            *(CRITERION, PROTOCOL, number("Epsilon", 4), number("Accuracy at 0", 3)),
            *(number("Accuracy", 3), number("Accuracy, cross-validated", 3), number("Score")),
            number("Score, cross-validated"),
        ),
        of_each(data, rows),
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
            *(CRITERION, PROTOCOL, number("Beta"), number("Score")),
            number("Score, cross-validated"),
        ),
        of_each(data, rows),
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
            *(CRITERION, Column("Changed"), Column("Order"), number("tau-b", 3)),
            *(Column("Same order"), count("Images")),
        ),
        of_each(data, rows),
    )


def _agreement(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        agreement = around["agreement"]
        # Older analyses call it a ceiling.
        person = around["human_baseline"] if "human_baseline" in around else around["ceiling"]
        yield ("Kendall's W, mean over images (1: the same order)", agreement["kendall_w"])
        yield ("Krippendorff's alpha, ordinal (1: the same order)", agreement["alpha"])
        yield ("Edit distance between two annotators, mean", agreement["edit_distance"])
        yield ("Kemeny distance between two annotators, mean", agreement["kemeny_distance"])
        yield ("Human baseline: an annotator to the others' consensus, mean", person["score"])
        if person.get("low") is not None:
            yield ("Human baseline: low end of its 95 % interval over images", person["low"])
            yield ("Human baseline: high end of its 95 % interval over images", person["high"])
        yield ("Friedman test of all protocols, annotators fixed: p", around["friedman"]["p_value"])
        yield (
            "Critical difference of average ranks, annotators fixed (Nemenyi, 5 %)",
            around["critical_difference"]["critical_difference"],
        )

    return Table(
        "agreement",
        "How far annotators agree",
        "The human baseline is how near a person comes to the consensus of the others. It is no limit: "
        "a protocol that orders methods as people do on the average may be below it.",
        (CRITERION, Column("Measure"), number("Value", 3)),
        of_each(data, rows),
    )


def _ties(data: Data) -> Table:
    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        if "ties" not in around:
            return
        shares = around["ties"]
        yield from (("annotator", *share) for share in shares["annotators"].items())
        yield ("consensus", "", shares["consensus"])
        yield from (("protocol", *share) for share in shares["protocols"].items())

    return Table(
        "ties",
        "How many pairs are tied",
        "Share of the pairs of methods of an image that are tied, mean over images. "
        + _tie_warning(data),
        (CRITERION, Column("Of"), Column("Name"), number("Tied pairs", 3)),
        of_each(data, rows),
    )


def _tie_warning(data: Data) -> str:
    apart = []
    for criterion, around in data["analysis"].items():
        shares = around.get("ties", {"annotators": {}, "consensus": None})
        people = [share for share in shares["annotators"].values() if share is not None]
        if people and abs(sum(people) / len(people) - shares["consensus"]) > _TIES_APART:
            apart.append(criterion)
    if not apart:
        return ""
    return (
        f"By {' and '.join(apart)} the consensus and single annotators differ by more than "
        f"{100 * _TIES_APART:.0f} points: Scores do not compare with a study's of more or fewer "
        "annotators."
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
        (CRITERION, Column("Annotator"), count("Images"), number("Distance")),
        of_each(data, rows),
    )


def _criteria(data: Data) -> Table:
    return Table(
        "criteria",
        "Criterion against criterion",
        "Mean distance between the consensus rankings of two criteria, and as a share of the "
        "number of pairs of methods.",
        (
            *(Column("First"), Column("Second"), number("Distance"), number("Share", 3)),
            count("Images"),
        ),
        tuple(
            (pair["first"], pair["second"], pair["distance"], pair["share"], pair["n_images"])
            for pair in data["between_criteria"]
        ),
    )


_TABLES: Final = (
    *(intervals, differences, _sensitivity, _agreement, _ties, _annotators, _criteria),
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
