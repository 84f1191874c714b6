"""The flow of participants: people who came by entrances, as reports of trials show them."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from django.utils.translation import gettext as _

from annotate.recruiting.models import Outcome

from ..data import FigureData, Flow, noted_as_live
from ..figure import Cell, Figure, Row, Spec, without_drawing
from ..parts import drawn, finished, heads_of
from ..themes import Paper
from ..words import whole

NAME = "participants"
_LINE, _AROUND, _BETWEEN = 10.0, 5.0, 12.0
# Begin and end of the left and the right column, in parts of the width.
_LEFT, _RIGHT = (0.0, 0.46), (0.53, 1.0)
# A step, and the sentences about those who did not come to the next one.
Step = tuple[str, Sequence[str]]


def figure_of(data: FigureData) -> Figure:
    return noted_as_live(flow_of_participants(data.flow), data)


def flow_of_participants(flow: Flow) -> Figure:
    """Return boxes from those who asked to those whose answers count, all entrances together."""
    title = _("Flow of participants")
    columns = heads_of(NAME)
    if not flow.entrances:
        reason = _("The study has no entrance, so no one came by a link.")
        return without_drawing(NAME, title, columns, reason)
    rows: list[Row] = [
        (
            one.entrance.name,
            *(one.n_turned_away, one.n_began, one.n_finished, one.n_screened_out),
            *(one.by_outcome[Outcome.NO_CONSENT], one.n_timed_out, one.n_under_way),
            None if one.median_minutes is None else round(one.median_minutes, 1),
        )
        for one in flow.entrances
    ]
    steps = _steps(flow)
    return Figure(
        name=NAME,
        title=title,
        caption=_(
            "People who came by a link, by what became of them. Those who were not admitted may be counted "
            "more than once. Complete answers of people who did not finish count, too."
        ),
        summary=_("; ").join(line for step, others in steps for line in (step, *others)) + ".",
        columns=columns,
        rows=tuple(rows),
        notes=(),
        draw=partial(_boxes, steps=steps),
    )


def _steps(flow: Flow) -> list[Step]:
    away: Counter[str] = Counter()
    for one in flow.entrances:
        away.update(one.entrance.turned_away)
    agreed, completed = sum(one.n_began for one in flow.entrances), flow.n_finished
    stopped = {
        _("checks failed"): sum(one.n_screened_out for one in flow.entrances),
        _("consent taken back"): flow.n_of(Outcome.NO_CONSENT),
        _("too late"): flow.n_of(Outcome.LATE),
        _("time over"): sum(one.n_timed_out for one in flow.entrances),
        _("in progress"): sum(one.n_under_way for one in flow.entrances),
    }
    labels = dict(Outcome.choices)
    return [
        (
            _("Came by a link: {n}").format(n=whole(agreed + away.total())),
            _counted(_("Not admitted: {n}"), {str(labels[why]): n for why, n in away.items()}),
        ),
        (
            _("Agreed to take part: {n}").format(n=whole(agreed)),
            _counted(_("Did not finish: {n}"), stopped),
        ),
        (
            _("Finished: {n}").format(n=whole(completed)),
            [_("Left out of reports: {n}").format(n=whole(flow.n_left_out))],
        ),
        (_("Counted in reports: {n}").format(n=whole(flow.n_counted)), []),
    ]


def _counted(words: str, by_reason: dict[str, int]) -> list[str]:
    lines = [words.format(n=whole(sum(by_reason.values())))]
    return lines + [
        _("{name}: {reason}").format(name=reason, reason=whole(n))
        for reason, n in by_reason.items()
        if n
    ]


def _boxes(paper: Paper, steps: Sequence[Step]) -> Spec:
    """Return the steps below each other, and next to each arrow the people who did not come along."""
    boxes: list[dict[str, Cell]] = []
    texts: list[dict[str, Cell]] = []
    lines: list[dict[str, Cell]] = []
    left, right = ([paper.width_pt * at for at in side] for side in (_LEFT, _RIGHT))
    middle, y = sum(left) / 2, 0.0

    def box(side: list[float], top: float, words: Sequence[str]) -> float:
        bottom = top + _LINE * len(words) + 2 * _AROUND
        boxes.append({"x": side[0], "x2": side[1], "y": top, "y2": bottom})
        for at, line in enumerate(words):
            texts.append({"x": side[0] + 6, "y": top + _AROUND + _LINE * (at + 0.5), "text": line})
        return bottom

    for step, others in steps:
        bottom = box(left, y, [step])
        if others:
            end = box(right, bottom + _BETWEEN / 2, others)
            y, across = end + _BETWEEN / 2, (bottom + _BETWEEN / 2 + end) / 2
            lines.append({"x": middle, "x2": middle, "y": bottom, "y2": y})
            lines.append({"x": middle, "x2": right[0], "y": across, "y2": across})
    chart = drawn(
        NAME,
        paper,
        width=paper.width_pt,
        height=bottom,
        lines=lines,
        arrows=[
            {"x": line["x2"], "y": line["y2"], "shape": f"triangle-{'right' if at % 2 else 'down'}"}
            for at, line in enumerate(lines)
        ],
        boxes=boxes,
        texts=texts,
        limit=0.45 * paper.width_pt,
    )
    return finished(paper, chart, padding=1)
