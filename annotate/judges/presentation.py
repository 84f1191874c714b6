"""Tables of the pages about judges."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.judging.models import CRITERION_NAMES
from annotate.tables import Cell, Column, Table, number

from .models import Judge, JudgeAnswer, PicturesSent


def judge_table(rows: Sequence[tuple[Judge, Mapping[str, Any]]]) -> Table | None:
    """Return the settings and the answers of each judge; None without one."""
    columns = [
        *(Column(_("Program")), Column(_("Model as answered")), Column(_("Pairs asked"))),
        *(Column(label.capitalize(), True) for label in JudgeAnswer.Outcome.labels),
        *(Column(_("Tokens"), True), Column(_("Cost"), True), Column(_("Answers"))),
    ]
    shown = [
        [
            Cell(judge.name, is_heading=True, small=_marks(judge)),
            Cell(", ".join(" ".join(of).strip() for of in counts["answered_as"]) or "–"),
            Cell(f"{judge.pairs}, {judge.get_orders_display()}"),
            *(number(counts["outcomes"].get(name, 0)) for name in JudgeAnswer.Outcome.values),
            number(counts["tokens_in"] + counts["tokens_out"]),
            number(counts["cost"], 2),
            Cell(_("as CSV"), reverse("api:judge_answers", args=[judge.pk]) + "?as=csv"),
        ]
        for judge, counts in rows
    ]
    return Table(columns, shown, label=_("Programs")) if rows else None


def _marks(judge: Judge) -> str:
    marks = [
        _("sees the ground truth") if judge.sees_truth else "",
        _("tuned on images") if judge.tuned_on else "",
        _("closed") if judge.closed else "",
    ]
    return ", ".join(filter(None, marks))


def comparison_tables(compared: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return a table and the sentences of each criterion with answers."""
    return [
        {
            "criterion": CRITERION_NAMES[criterion],
            "table": _compared(rows, str(CRITERION_NAMES[criterion])),
            "sentences": [(row["judge"], row["sentence"]) for row in rows],
            "n_judges": len(rows),
        }
        for criterion, rows in compared.items()
    ]


def _compared(rows: Sequence[Mapping[str, Any]], label: str) -> Table:
    columns = [
        Column(_("Program")),
        *(Column(words, True) for words in (_("Difference"), _("From"), _("To"), _("Margin"))),
        *(Column(words, True) for words in (_("Missing verdicts"), _("At best"), _("At worst"))),
        *(Column(words, True) for words in (_("Contradictions"), _("First place"))),
        *(Column(words, True) for words in (_("Circular triples"), "rho", "omega (.2)")),
    ]
    shown = [
        [
            Cell(row["judge"], is_heading=True),
            *(number(row[name], 1) for name in ("difference", "low", "high")),
            number(100 * row["margin"], 1),
            number(row["n_missing"]),
            *(number(row[name], 1) for name in ("at_best", "at_worst")),
            *(_percent(row[name]) for name in ("contradictions", "first_place")),
            number(row["n_circular"]),
            *(number(value, 2) for value in (row["rho"], row["omega"].get("0.2"))),
        ]
        for row in rows
    ]
    return Table(columns, shown, label=label)


def _percent(share: float | None) -> Cell:
    return number(None if share is None else 100 * share, unit=" %")


def sent_table(rows: Iterable[PicturesSent]) -> Table | None:
    """Return how many pictures were fetched, by day; None if none was."""
    shown = [
        [
            Cell(row.day.isoformat()),
            Cell(row.judge.name),
            Cell(row.token or _("browser")),
            number(row.n_pictures),
            number(row.n_bytes),
        ]
        for row in rows
    ]
    columns = [
        *(Column(words) for words in (_("Day"), _("Program"), _("Token"))),
        *(Column(words, True) for words in (_("Pictures"), _("Bytes"))),
    ]
    return Table(columns, shown, label=_("Pictures sent")) if shown else None
