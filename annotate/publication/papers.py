"""Parts of a report for a paper: tables, methods, references; as LaTeX, Markdown and CSV.

All of it is in English, even if the page around it is in another language.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from django.utils import translation

from annotate.figures.building import NO_FILES, can_write
from annotate.figures.parts import ENGLISH
from annotate.reports import exports
from rankings.agreement.main_table import MEASURES
from rankings.agreement.report import Report, report_from_json
from rankings.output import report_files
from rankings.output.escaping import latex_text
from rankings.output.latex import Look
from rankings.output.methods_text import (
    SOFTWARE,
    as_latex,
    as_markdown,
    cited,
    keys_of,
    methods_paragraph,
)
from rankings.output.signature import SIGNATURE
from rankings.output.skips import COLUMN, n_lost
from rankings.output.verification import programs, verification_tables

_PACKAGES: Final = ("rankings", "protocols")
# The README of the zip.
_README: Final = Path(__file__).with_name("explanation.md").read_text(encoding="utf-8")
_OF_PROOF: Final = ("| csv/rankings.csv", "| verify.py")
_NO_PROOF: Final = (
    "No program recomputes these tables: the report was kept before reports held rankings and scores, "
    "or it is too large to hold them."
)
_FIGURES: Final = "the figures as PDF, a folder for each criterion"
_COLUMNS: Final = {
    "criterion": "recall, precision or preference",
    "kind": "protocol, or baseline",
    "protocol": "name of the protocol or baseline",
}
_FURTHER: Final = {
    report_files.SAME: "the first of the protocols that order the methods of all images like this one",
    COLUMN: "rankings that are missing because pairs in them were skipped, of the whole study",
    SIGNATURE: "how the numbers were made: settings, annotators, images and version, in one line",
}


@dataclass(frozen=True)
class Chosen:
    """The content of paper.tex: a table by its slug, "report" for Best / Worst / Score, and a figure."""

    table: str = "report"
    figure: str = "nearness"
    criterion: str = "recall"
    has_supplement: bool = True


USUAL: Final = Chosen()


@dataclass(frozen=True)
class MethodsText:
    """The methods text, with its citations."""

    latex: str
    markdown: str
    bib: str


def methods_text(data: Mapping[str, Any]) -> MethodsText:
    """Return the methods text; ``data`` is the content of a kept report, or of one computed now."""
    with translation.override(ENGLISH):
        paragraph = methods_paragraph(data)
        chosen, stands_for = cited(keys_of(paragraph), _PACKAGES)
        chosen[SOFTWARE] = _software(data["header"]["software"])
        stands_for[SOFTWARE] = SOFTWARE
        return MethodsText(
            as_latex(paragraph, stands_for) + "\n",
            as_markdown(paragraph, stands_for) + "\n",
            "\n\n".join(chosen.values()) + "\n",
        )


def _software(name: str) -> str:
    title, _, version = name.rpartition(" ")
    return (
        f"@misc{{{SOFTWARE},\n  title = {{{{{latex_text(title)}}}}},\n"
        f"  key = {{{SOFTWARE}}},\n  note = {{Version {latex_text(version)}}}\n}}"
    )


def main_table(data: Mapping[str, Any], look: Look) -> str:
    with translation.override(ENGLISH):
        return report_files.to_latex(report_from_json(data), data["header"], look, data["analysis"])


def files(
    data: Mapping[str, Any], look: Look, figures: Mapping[str, str], chosen: Chosen = USUAL
) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of every text of the zip for a paper.

    ``figures`` has the captions of its figures by their files without extension.
    """
    report, header = report_from_json(data), data["header"]
    around, text = exports.tables_in(data), methods_text(data)
    facts = exports.facts_of(data, header)
    about_figures = _FIGURES if can_write() else f"none. {NO_FILES}"
    steps = verification_tables(data)
    readme = _README.format(study=header["study"], figures=about_figures)
    yield "README.md", readme if steps else _without_proof(readme)
    slugs = [table.slug for table in around]
    yield "paper.tex", _article(slugs, figures, chosen)
    if chosen.has_supplement:
        yield "supplement.tex", _supplement(slugs, figures, chosen)
    yield "table.tex", main_table(data, look)
    yield "methods.tex", text.latex
    yield "methods.md", text.markdown
    yield "references.bib", text.bib
    yield "csv/report.csv", report_files.to_csv(report, header, data["analysis"])
    for table in steps:
        yield f"csv/{table.slug}.csv", exports.TABLE_WRITERS["csv"](table, {})
    if steps:
        yield from programs()
    for table in around:
        for folder, extension in (("tables", "tex"), ("csv", "csv")):
            write = exports.TABLE_WRITERS[extension]
            counted = exports.with_skips(table, header, extension)
            yield f"{folder}/{table.slug}.{extension}", write(counted, facts)
    yield "metadata.json", _metadata(report, data)
    markdown = [
        exports.TABLE_WRITERS["md"](exports.with_skips(table, header, "md"), {}) for table in around
    ]
    yield (
        "report.md",
        "\n".join([report_files.to_markdown(report, header, data["analysis"]), *markdown]),
    )


def _without_proof(readme: str) -> str:
    """Return the README of a report that holds no rankings and scores."""
    lines = [line for line in readme.splitlines() if not line.startswith(_OF_PROOF)]
    return "\n".join([*lines, "", _NO_PROOF, ""])


_HEAD: Final = (
    "\\documentclass{article}\n\\usepackage[margin=2.5cm]{geometry}\n"
    "\\usepackage{array,booktabs,graphicx,longtable,url}\n"
    "\\begin{document}\n"
)


def _article(slugs: Sequence[str], figures: Mapping[str, str], chosen: Chosen) -> str:
    """Return an article of the methods, the chosen table, the chosen figure and the references."""
    table = f"tables/{chosen.table}" if chosen.table in slugs else "table"
    figure = _figure_of(chosen)
    drawn = _drawn(figure, figures[figure]) if figure in figures else ""
    return (
        f"{_HEAD}\\section*{{Methods}}\n\\input{{methods}}\n\\input{{{table}}}\n{drawn}"
        "\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n"
    )


def _supplement(slugs: Sequence[str], figures: Mapping[str, str], chosen: Chosen) -> str:
    """Return a document of the tables and figures that the article does not have."""
    tables = [f"tables/{slug}" for slug in slugs if slug != chosen.table]
    if chosen.table in slugs:
        tables.insert(0, "table")
    body = "".join(f"\\input{{{name}}}\n\\clearpage\n" for name in tables)
    drawn = "\\clearpage\n".join(
        _drawn(file, caption) for file, caption in figures.items() if file != _figure_of(chosen)
    )
    return f"{_HEAD}{body}{drawn}\\end{{document}}\n"


def _figure_of(chosen: Chosen) -> str:
    return f"figures/{chosen.criterion}/{chosen.figure}"


def _drawn(file: str, caption: str) -> str:
    return (
        f"\\begin{{figure}}[htbp]\n\\centering\n\\includegraphics[width=\\linewidth]{{{file}}}\n"
        f"\\caption{{{latex_text(caption)}}}\n\\end{{figure}}\n"
    )


def _metadata(report: Report, data: Mapping[str, Any]) -> str:
    header = data["header"]
    signed = [SIGNATURE] if SIGNATURE in header else []
    said = {measure.name: measure.says for measure in MEASURES}
    same = [report_files.SAME] if report_files.alike_in(data["analysis"]) else []
    said |= {name: _FURTHER[name] for name in same + ([COLUMN] if n_lost(header) else []) + signed}
    described = {
        "csv/report.csv": {
            "title": "Best / Worst / Score",
            "note": "One row for each criterion and protocol or baseline. Empty: undefined.",
            "columns": _COLUMNS | said,
        }
    } | {
        f"csv/{table.slug}.csv": {
            "title": table.title,
            "note": table.note,
            "columns": [column.name for column in table.columns] + further,
        }
        for table, further in (
            *(
                (exports.with_skips(table, header, "csv"), signed)
                for table in exports.tables_in(data)
            ),
            *((table, []) for table in verification_tables(data)),
        )
    }
    content = {
        **header,
        "settings": asdict(report.settings),
        "criteria": [*report.criteria],
        "sentinels": data["sentinels"],
        "resamples": {
            name: own["intervals"]["n_resamples"] for name, own in data["analysis"].items()
        },
        "protocols computed": data["runs"],
        "used": report_files.facts_of(report, {}),
        "files": described,
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
