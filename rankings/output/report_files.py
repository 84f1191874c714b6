"""A report as CSV, JSON, LaTeX and Markdown. Equal reports give equal bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Final

from text_rankings.base.counts import counted

from ..agreement.baselines import A_PERSON
from ..agreement.main_table import MEASURES, Measure, further_measures, row_from_json
from ..agreement.report import CriterionReport, Report
from ..agreement.settings import facts_of_settings
from ..rounding import in_decimals
from . import latex, table_files
from .escaping import latex_text, markdown_text
from .latex import BOLD, Look, em_of
from .skips import COLUMN, n_lost, skips_said
from .table import Column, Table, main_columns
from .verdict_tables import has_few_images

# The column that names the first of the protocols that order the methods of all images alike.
SAME: Final = "same_as"


def to_csv(
    report: Report, header: Mapping[str, str], analysis: Mapping[str, Any] | None = None
) -> str:
    """Return one row per criterion and protocol or baseline, numbers in full precision.

    The first line names the columns. If protocols order the methods of all images alike, which pages
    show as one row, the column ``same_as`` has the first of them.

    Parameters
    ----------
    report : Report
    header : mapping of str to str
        Only the signature and the number of rankings missing because pairs were skipped are used,
        in columns of their own if there are any. The JSON says where the numbers come from.
    analysis : mapping, optional
        "analysis" of :meth:`.Analysis.to_json`, for protocols that order all images alike.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("b",), ("a",))] * 3}}, scores)
    >>> to_csv(report, {}).splitlines()[1].split(",")[:6]
    ['recall', 'protocol', 'iou', '1', '1', '1.0']
    """
    counts = n_lost(header)
    more, skipped = ((), ()) if counts is None else ((COLUMN,), counts[:1])
    first = {
        (criterion, name): same[0]
        for criterion, alike in alike_in(analysis or {}).items()
        for same in alike
        for name in same
    }
    more = (SAME, *more) if first else more
    names = ("criterion", "kind", "protocol", *(measure.name for measure in MEASURES), *more)
    rows = (
        (
            criterion,
            kind,
            *row.cells,
            *([first.get((criterion, row.protocol))] if first else ()),
            *skipped,
        )
        for criterion, table in report.criteria.items()
        for kind, some in (("protocol", table.rows), ("baseline", table.baselines))
        for row in some
    )
    return table_files.to_csv(Table("", "", "", tuple(map(Column, names)), tuple(rows)), header)


def alike_in(analysis: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the groups of protocols that order the methods of all images alike, by criterion."""
    found = {name: around["comparisons"].get("equal", ()) for name, around in analysis.items()}
    return {name: [[*same] for same in alike] for name, alike in found.items() if alike}


def alike_said(alike: Sequence[Sequence[str]]) -> str:
    """Return a sentence that names such groups."""
    names = "; ".join(" = ".join(same) for same in alike)
    return f"Alike in the order of the methods on all images, and one protocol in tests: {names}."


def to_json(report: Report, header: Mapping[str, str]) -> str:
    """Return the whole report with its settings, counts, distances and where it comes from.

    Parameters
    ----------
    report : Report
    header : mapping of str to str

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> print(to_json(build_report({}, {}), {"study": "signs"}).splitlines()[2].strip())
    "study": "signs"
    """
    return table_files.json_text(header, report.to_json())


def to_latex(
    report: Report,
    header: Mapping[str, str],
    look: Look | None = None,
    analysis: Mapping[str, Any] | None = None,
) -> str:
    """Return the criteria as one table for a paper; comments above it give the provenance.

    Parameters
    ----------
    report : Report
    header : mapping of str to str
    look : Look, optional
        Layout and width of the table, and whether it shows intervals.
    analysis : mapping, optional
        "analysis" of :meth:`.Analysis.to_json`, for intervals, the baseline of a person, and protocols
        that order all images alike.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> to_latex(build_report({}, {}), {"study": "signs"}).splitlines()[0]
    '% study: signs'
    """
    return report_table(report, facts_of(report, header), look or Look(), analysis or {})


def to_markdown(
    report: Report, header: Mapping[str, str], analysis: Mapping[str, Any] | None = None
) -> str:
    """Return a Markdown table for each criterion, below a list of facts about their origin.

    Parameters
    ----------
    report : Report
    header : mapping of str to str
    analysis : mapping, optional
        As of :func:`to_csv`.

    Examples
    --------
    >>> from rankings.agreement.report import build_report
    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}}}
    >>> report = build_report({"recall": {"img_1": [(("b",), ("a",))] * 3}}, scores)
    >>> "| iou | 1 | 1 | 1.00 |" in to_markdown(report, {})
    True
    """
    lines, alike = table_files.markdown_facts(facts_of(report, header)), alike_in(analysis or {})
    for criterion, table in report.criteria.items():
        lines += ["", f"## {markdown_text(criterion).capitalize()}", ""]
        rows = [row.cells for row in table.rows]
        rows += [(f"{row.protocol} (baseline)", *row.cells[1:]) for row in table.baselines]
        if criterion in alike:
            lines += [markdown_text(alike_said(alike[criterion])), ""]
        lines += table_files.markdown_rows(Table("", "", "", main_columns(), tuple(rows)))
    return "\n".join(lines) + "\n"


def facts_of(report: Report, header: Mapping[str, str]) -> dict[str, str]:
    """Return the header, a report's settings, and the amount of data by criterion."""
    facts = {**header, **facts_of_settings(asdict(report.settings))}
    for criterion, table in report.criteria.items():
        facts[f"{criterion}, used"] = _used(table)
        if table.unproven:
            n_images = counted(len(table.unproven), "image")
            facts[f"{criterion}, consensus not proven to be the nearest"] = n_images
    return facts


def _used(table: CriterionReport) -> str:
    used = f"{counted(table.n_images, 'image')}, {counted(table.n_rankings, 'ranking')}"
    return f"{used}; {counted(len(table.left_out), 'image')} left out"


_INTERVAL: Final = r"95\,\%"
_DISTANCES: Final = {"edit": "ranking edit distance", "kemeny": "Kemeny distance"}


@dataclass(frozen=True, slots=True)
class _Row:
    """A protocol's or a baseline's numbers and, last, its interval by one criterion."""

    # As they are shown; the interval is "" where it is not known.
    texts: Sequence[str]
    # As LaTeX.
    cells: Sequence[str]


# name -> row
_Block = Mapping[str, _Row]


def report_table(
    report: Report, facts: Mapping[str, str], look: Look, analysis: Mapping[str, Any]
) -> str:
    r"""Return the criteria as one booktabs table in a float with caption and label.

    The best of each column of the protocols is bold, including equal ones, unless it is a zero that
    most have. The table is never wider than the page, or column, of an article: names that leave no
    room are broken. All facts are in comments, "dataset" and "annotators" also in the caption.
    ``analysis``, of the report's JSON and perhaps empty, has intervals and the baseline of a person.
    """
    blocks = {
        name: _block(table, analysis.get(name), look.intervals)
        for name, table in report.criteria.items()
    }
    ranked = dict.fromkeys(row.protocol for table in report.criteria.values() for row in table.rows)
    tabular = (_side if look.layout == "side" else _stacked)(blocks, [*ranked], look)
    alike = (
        f"By {latex_text(name)}: {latex_text(alike_said(groups))}"
        for name, groups in alike_in(analysis).items()
    )
    caption = " ".join([*_sentences(report, facts, look, blocks), *alike])
    label = latex.label_of(facts.get("study", ""), "protocols")
    return tabular.in_float(caption, label, facts, look.width)


def _block(table: CriterionReport, around: Mapping[str, Any] | None, intervals: bool) -> _Block:
    rows = [*table.rows, *table.baselines]
    limits: dict[str, Mapping[str, Any]] = {}
    if around:
        person = around["human_baseline"]
        if person["score"] is not None:
            rows.append(row_from_json({"protocol": A_PERSON, "score": person["score"]}))
        if intervals and not has_few_images(around):
            limits = {row["protocol"]: row for row in around["intervals"]["scores"]}
            limits[A_PERSON] = person
    texts = {
        name: [*numbers, _interval(limits.get(name, {}))]
        for name, *numbers in Table(
            "", "", "", main_columns(), tuple(row.cells for row in rows)
        ).shown
    }
    ranked = {row.protocol: texts[row.protocol] for row in table.rows}
    best = [
        _marked(measure, [own[at] for own in ranked.values()])
        for at, measure in enumerate(MEASURES)
    ]
    return {name: _row(own, best if name in ranked else ()) for name, own in texts.items()}


def _marked(measure: Measure, column: Sequence[str]) -> str:
    """Return the best number of a column; empty if it is a 0 that more than half of the column has."""
    known = [text for text in column if text != "–"]
    best = measure.best(known, key=float, default="")
    return "" if best == "0" and 2 * known.count(best) > len(known) else best


def _interval(limits: Mapping[str, Any]) -> str:
    if limits.get("low") is None:
        return ""
    return f"[{in_decimals(limits['low'], 2)}, {in_decimals(limits['high'], 2)}]"


def _row(texts: Sequence[str], best: Sequence[str]) -> _Row:
    *numbers, interval = texts
    cells = [
        rf"\textbf{{{text}}}" if text == of_column else latex_text(text)
        for text, of_column in zip_longest(numbers, best)
    ]
    # A bracket after the end of a row would belong to it.
    return _Row(texts, [*cells, interval and f"{{}}{interval}"])


def _side(blocks: Mapping[str, _Block], ranked: Sequence[str], look: Look) -> latex.Tabular:
    """Return the criteria side by side, protocols in the order of the first."""
    # In one column there is room for Scores alone.
    columns = [
        at
        for at, measure in enumerate(MEASURES)
        if look.width != "column" or measure.name == "score"
    ]
    n = len(columns)
    missing = _Row(["–"] * len(MEASURES) + [""], ["--"] * len(MEASURES) + [""])
    interval = max(
        (em_of(row.texts[-1]) for of in blocks.values() for row in of.values()), default=0
    )
    widths: list[float] = []
    for criterion, block in blocks.items():
        own = [
            em_of(MEASURES[at].heading) if n > 1 else em_of(criterion.capitalize())
            for at in columns
        ]
        for row in block.values():
            own = [
                max(wide, BOLD * em_of(row.texts[at]))
                for wide, at in zip(own, columns, strict=True)
            ]
        # A line of intervals below each protocol spans its criterion's columns.
        own[0] += max(interval - latex.total_em(own), 0)
        widths += own
    baselines = dict.fromkeys(name for of in blocks.values() for name in of if name not in ranked)
    type_, write = _names([*ranked, *baselines], widths, look)

    def lines(name: str) -> Iterator[str]:
        rows = [block.get(name, missing) for block in blocks.values()]
        shown = rf"\emph{{{write(name)}}}" if name in baselines else write(name)
        yield latex.row([shown, *(row.cells[at] for row in rows for at in columns)])
        if any(row.texts[-1] for row in rows):
            limits = [latex.span(n, "r", rf"\scriptsize {row.cells[-1]}") for row in rows]
            yield latex.row(["", *limits])

    titles = [latex.span(n, "c" if n > 1 else "r", _title(name)) for name in blocks]
    head = [latex.row(["", *titles])]
    if n > 1:
        starts = range(2, 2 + len(widths), n)
        head += ["".join(rf"\cmidrule(lr){{{start}-{start + n - 1}}}" for start in starts)]
        head += [
            latex.row(["Protocol", *([measure.heading for measure in MEASURES] * len(blocks))])
        ]
    sections = [[line for name in names for line in lines(name)] for names in (ranked, baselines)]
    types = f"{type_}{'r' * len(widths)}"
    return latex.Tabular(types, head, [section for section in sections if section])


def _stacked(blocks: Mapping[str, _Block], ranked: Sequence[str], look: Look) -> latex.Tabular:
    """Return the criteria one below the other."""
    rows = [row for block in blocks.values() for row in block.values()]
    heads = [measure.heading for measure in MEASURES]
    heads += [_INTERVAL] if any(row.texts[-1] for row in rows) else []
    widths = [
        BOLD * max(map(em_of, (head, *(row.texts[at] for row in rows))))
        for at, head in enumerate(heads)
    ]
    names = [name for block in blocks.values() for name in block]
    type_, write = _names([*names, *map(_title, blocks)], widths, look)
    sections = []
    for criterion, block in blocks.items():
        lines = [latex.heading(criterion, 1 + len(heads))]
        for name, row in block.items():
            shown = write(name) if name in ranked else rf"\emph{{{write(name)}}}"
            lines.append(latex.row([shown, *row.cells[: len(heads)]]))
        sections.append(lines)
    types = f"{type_}{'r' * len(heads)}"
    return latex.Tabular(types, [latex.row(["Protocol", *heads])], sections)


def _names(names: Sequence[str], widths: Sequence[float], look: Look) -> tuple[str, latex.Writer]:
    """Return the type of the names' column, and how names are written in it."""
    if latex.fits([max(map(em_of, (*names, "Protocol"))), *widths], look.width):
        return "l", latex_text
    return latex.rest_of_line(widths, len(widths) + 1, look.width)


def _title(criterion: str) -> str:
    return latex_text(criterion.capitalize())


def _sentences(
    report: Report, facts: Mapping[str, str], look: Look, blocks: Mapping[str, _Block]
) -> Iterator[str]:
    where = f" on {latex_text(facts['dataset'])}" if "dataset" in facts else ""
    who = f", {counted(facts['annotators'], 'annotator')}" if "annotators" in facts else ""
    n_images = {name: table.n_images for name, table in report.criteria.items()}
    if len(set(n_images.values())) == 1:
        counts = counted(next(iter(n_images.values())), "image")
    else:
        counts = ", ".join(
            f"{latex_text(name)}: {counted(n, 'image')}" for name, n in n_images.items()
        )
    yield f"Evaluation protocols against people's rankings{where} ({counts}{who})."
    if look.layout == "stacked" or look.width == "page":
        yield (
            r"\emph{Best} and \emph{Worst} count the images on which a protocol is nearest to and "
            "farthest from people, ties included;"
        )
    yield (
        rf"\emph{{Score}} is the mean {_DISTANCES[report.settings.distance]} to people's consensus, "
        "lower is better. The best of each column is bold, unless it is a zero that most have."
    )
    for measure in further_measures():
        yield latex_text(f"{measure.heading}: {measure.says}.")
    if any(row.texts[-1] for block in blocks.values() for row in block.values()):
        yield (
            r"In brackets: 95\,\% percentile bootstrap intervals over the images, with these annotators."
        )
    if skipped := skips_said(facts):
        yield latex_text(skipped)
    if look.layout == "side" and len(blocks) > 1:
        yield f"Protocols in the order of the Score by {latex_text(next(iter(blocks)))}."
