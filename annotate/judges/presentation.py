"""Tables of the pages about judges."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.judging.models import CRITERION_NAMES
from annotate.studies.models import Study
from annotate.tables import Cell, Column, Table, number

from .behind import PairBehind, parts_sent, task_of
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


def shown_comparison(found: Mapping[str, Any], criterion: str) -> dict[str, Any] | None:
    """Return what programs and protocols have in common with people by one criterion.

    ``found`` is that of comparison.compared(). None if there is nothing to compare.
    """
    judges, protocols = (found[of].get(criterion, []) for of in ("judges", "protocols"))
    if not judges and not protocols:
        return None
    label = str(CRITERION_NAMES[criterion])
    return {
        "criterion": label,
        "sentences": [(row["judge"], row["sentence"]) for row in judges],
        "of_protocols": _of_protocols(protocols),
        "n_judges": len(judges),
        "n_protocols": len(protocols),
        "table": _comparison_table(judges, protocols, label),
        "programs": _programs(found["counts"], judges, label) if judges else None,
        "against": _against(judges, label) if any(row["against"] for row in judges) else None,
        "unfinished": [(name, 100 * share) for name, share in found["unfinished"].items()],
    }


def _of_protocols(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return which protocols may stand in for a person, or why nothing is stated."""
    stated = [row for row in rows if row["may_stand_in"] is not None]
    if not rows:
        return ""
    if not stated:
        return " ".join([_("Nothing is stated about protocols."), *rows[0]["missing"]])
    names = ", ".join(row["protocol"] for row in stated if row["may_stand_in"])
    return _("Protocols that may stand in for a person: {names}.").format(names=names or "–")


def _comparison_table(
    judges: Sequence[Mapping[str, Any]], protocols: Sequence[Mapping[str, Any]], label: str
) -> Table:
    columns = [
        *_columns([_("Program or protocol")], [_("Difference"), _("From"), _("To"), _("Margin")]),
        *_columns([_("May stand in")], ["rho", "omega (.2)"]),
    ]
    rows = [(row["judge"], _("program"), row) for row in judges]
    rows += [(row["protocol"], _("protocol"), row) for row in protocols]
    rows.sort(key=lambda one: (one[2]["difference"] is None, one[2]["difference"] or 0))
    stated = {True: _("yes"), False: _("no"), None: "–"}
    shown = [
        [
            Cell(name, is_heading=True, small=kind),
            *(number(row[key], 1) for key in ("difference", "low", "high")),
            number(100 * row["margin"], 1),
            Cell(stated[row["may_stand_in"]]),
            *(number(value, 2) for value in (row["rho"], row["omega"].get("0.2"))),
        ]
        for name, kind, row in rows
    ]
    return Table(columns, shown, label=label)


def _programs(counts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], label: str) -> Table:
    numbers = [
        *(_("Missing verdicts"), _("At best"), _("At worst"), _("Contradictions")),
        *(_("First place"), _("Stability"), _("Circular triples")),
        *(_("Tokens"), _("Cost"), _("Seconds")),
    ]
    shown = []
    for row in rows:
        counted = counts[row["judge"]]
        shown.append(
            [
                Cell(row["judge"], is_heading=True),
                number(row["n_missing"]),
                *(number(row[name], 1) for name in ("at_best", "at_worst")),
                *(_percent(row[name]) for name in ("contradictions", "first_place", "stability")),
                number(row["n_circular"]),
                number(counted["tokens_in"] + counted["tokens_out"]),
                number(counted["cost"], 2),
                number(counted["seconds"]),
            ]
        )
    return Table(_columns([_("Program")], numbers), shown, label=label)


def _against(rows: Sequence[Mapping[str, Any]], label: str) -> Table:
    numbers = [_("Difference"), _("From"), _("To"), _("Adjusted p")]
    shown = [
        [
            Cell(row["judge"], is_heading=True),
            Cell(pair["protocol"]),
            *(number(pair[key], 1) for key in ("difference", "low", "high")),
            number(pair["adjusted_p_value"], 3),
        ]
        for row in rows
        for pair in row["against"]
    ]
    return Table(_columns([_("Program"), _("Protocol")], numbers), shown, label=label)


def _columns(texts: Sequence[str], numbers: Sequence[str]) -> list[Column]:
    """Return the heads of columns with words, then of columns with numbers."""
    return [*map(Column, texts), *(Column(words, True) for words in numbers)]


def people_table(pair: PairBehind) -> Table:
    """Return how many people prefer either method, or neither, by each criterion."""
    one, other = pair.one.method.name, pair.other.method.name
    columns = [
        Column(_("People"), sorts=False),
        *(Column(words, True, sorts=False) for words in (one, _("equal"), other)),
    ]
    rows = [
        [Cell(str(CRITERION_NAMES[name]), is_heading=True), *map(number, counts)]
        for name, counts in pair.people.items()
    ]
    return Table(columns, rows)


def answers_shown(study: Study, pair: PairBehind) -> list[dict[str, Any]]:
    """Return the answers of judges to a pair, with the verdicts as methods and the pictures."""
    name_of = {one.pk: one.method.name for one in (pair.one, pair.other)}
    shown = []
    for answer in pair.answers:
        sides = {"left": name_of[answer.left_id], "right": name_of[answer.right_id]}
        said = {
            str(CRITERION_NAMES[name]): sides.get(verdict, _("equal"))
            for name, verdict in answer.verdicts.items()
        }
        named = [study.slug, answer.judge_id, task_of(answer)]
        pictures = [
            (part, reverse("judges:sent", args=[*named, part])) for part in parts_sent(answer)
        ]
        shown.append({"answer": answer, **sides, "said": said.items(), "pictures": pictures})
    return shown


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
    columns = _columns([_("Day"), _("Program"), _("Token")], [_("Pictures"), _("Bytes")])
    return Table(columns, shown, label=_("Pictures sent")) if shown else None
