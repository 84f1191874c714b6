"""A diagram of average ranks, with bars over protocols that do not differ significantly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from django.utils.translation import gettext as _

from annotate.languages import in_decimals, numeral
from rankings.inference.resampling import distance_table
from rankings.inference.significance import CriticalDifference, friedman_test
from rankings.inference.significance import critical_difference as nemenyi_test
from rankings.rounding import p_in_words

from ..data import FigureData
from ..figure import Figure, Spec, without_drawing
from ..parts import drawn, finished, heads_of
from ..themes import Paper, text_width_pt
from ..words import counted_images, listed, missing_images, titled

# Points from the top of the drawing to the bar of the critical difference and to the axis.
_LIMIT_Y: Final = 8
_AXIS_Y: Final = 34.0
# Points between the bars of groups, and between the names.
_LANE: Final = 5.0
_LINE: Final = 12.0


def figure_of(data: FigureData) -> Figure:
    table = distance_table(data.table.distances, data.protocols)
    return critical_difference(
        nemenyi_test(table, data.protocols),
        criterion=data.criterion,
        p_value=friedman_test(table, data.protocols).p_value,
        left_out=data.table.left_out,
    )


def critical_difference(
    tested: CriticalDifference,
    *,
    criterion: str = "recall",
    p_value: float | None = None,
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return a critical-difference diagram: average ranks, with bars over groups of protocols."""
    title = titled(_("Average ranks of the protocols"), criterion)
    protocols = [name for name, _ in tested.average_ranks]
    missing = missing_images(range(tested.n_images), protocols, left_out)
    limit = tested.critical_difference
    if missing or limit is None:
        reason = missing or _("There is only one protocol, so it cannot be ranked.")
        return without_drawing(
            "critical-difference", title, heads_of("critical-difference"), reason
        )
    ranks = {name: rank for name, rank in tested.average_ranks if rank is not None}
    # Bars only if a test of all protocols together finds that they differ.
    is_rejected = p_value is not None and p_value <= tested.alpha
    groups = tested.groups if is_rejected else ()
    return Figure(
        name="critical-difference",
        title=title,
        caption=(
            _(
                "Average rank of each protocol's distance over {images} (1 is nearest to "
                "people). {bars} CD is Nemenyi's critical difference at level {level}. The "
                "annotators are taken as fixed: the test does not generalise to others."
            ).format(
                images=counted_images(tested.n_images),
                bars=_bars(p_value, is_rejected),
                level=numeral(f"{tested.alpha:g}"),
            )
        ),
        summary=_summary(ranks, groups, p_value, is_rejected),
        columns=heads_of("critical-difference"),
        rows=tuple(
            (name, rank, _groups_with(name, groups) if is_rejected else _("not tested"))
            for name, rank in ranks.items()
        ),
        notes=tuple(_notes(ranks, limit, tested.alpha, p_value)),
        draw=partial(_drawing, ranks=ranks, groups=groups, limit=limit),
    )


def _groups_with(name: str, groups: Sequence[Sequence[str]]) -> str:
    numbers = [
        _("group {number}").format(number=number)
        for number, group in enumerate(groups, 1)
        if name in group
    ]
    return ", ".join(numbers) or _("no group")


def _bars(p_value: float | None, is_rejected: bool) -> str:
    if is_rejected:
        return _("Bars join protocols that Nemenyi's test does not tell apart.")
    if p_value is None:
        return _("There are no bars, as there is no test.")
    return _("There are no bars: Friedman's test does not say that the protocols differ at all.")


def _summary(
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    p_value: float | None,
    is_rejected: bool,
) -> str:
    names = list(ranks)
    first, last = names[0], names[-1]
    told = _("; ").join(
        _("not significantly different: {names}").format(names=listed(group)) for group in groups
    )
    if p_value is None:
        told = _("not tested")
    elif not is_rejected:
        told = _("Friedman's test does not say that they differ")
    return _(
        "Critical-difference diagram of {n} protocols, from {first} ({best}) to {last} ({worst}); "
        "{told}."
    ).format(
        n=len(ranks),
        first=first,
        best=in_decimals(ranks[first], 2),
        last=last,
        worst=in_decimals(ranks[last], 2),
        told=told or _("all differ significantly"),
    )


def _notes(
    ranks: Mapping[str, float], limit: float, alpha: float, p_value: float | None
) -> list[str]:
    notes = [
        _("The critical difference is {limit} at level {level}.").format(
            limit=in_decimals(limit, 2), level=numeral(f"{alpha:g}")
        )
    ]
    if p_value is None:
        notes.append(_("Friedman's test cannot be made with these distances."))
    else:
        notes.append(
            _("Friedman's test that all protocols are alike: {p}.").format(
                p=numeral(p_in_words(p_value))
            )
        )
    if limit >= len(ranks) - 1:
        notes.append(_("With so few images no difference of ranks can be significant."))
    if len(set(ranks.values())) == 1:
        notes.append(_("All protocols have the same average rank."))
    return notes


@dataclass
class _Canvas:
    """Lines and texts at positions in points, y down from the top."""

    lines: list[dict[str, str | float]] = field(default_factory=list)
    texts: list[dict[str, str | float]] = field(default_factory=list)

    def line(self, x: float, y: float, x2: float, y2: float, width: float, colour: str) -> None:
        self.lines.append({"x": x, "y": y, "x2": x2, "y2": y2, "width": width, "colour": colour})

    def text(self, x: float, y: float, words: str, align: str, colour: str) -> None:
        self.texts.append({"x": x, "y": y, "text": words, "align": align, "colour": colour})


def _drawing(
    paper: Paper, ranks: Mapping[str, float], groups: Sequence[Sequence[str]], limit: float
) -> Spec:
    """Return the diagram, laid out in points because its lines fit no Vega-Lite axis."""
    # Names are left and right of the axis, which runs from rank 1 to the number of protocols.
    margin = min(max(map(text_width_pt, ranks)) + 8, 0.37 * paper.width_pt)
    unit = (paper.width_pt - 2 * margin - 8) / (len(ranks) - 1)
    place = {name: margin + 4 + (rank - 1) * unit for name, rank in ranks.items()}
    first_y = _AXIS_Y + 10 + _LANE * len(groups)
    canvas = _Canvas()
    _draw_axis(canvas, paper, len(ranks), margin, unit)
    _draw_limit(canvas, paper, limit, len(ranks), margin + 4, unit)
    for at, group in enumerate(groups):
        y = _AXIS_Y + 6 + _LANE * at
        ends = [place[name] for name in group]
        canvas.line(min(ends) - 2, y, max(ends) + 2, y, 3, paper.theme.mark)
    _draw_names(canvas, paper, place, margin, first_y)
    height = first_y + _LINE * ((len(ranks) + 1) // 2 - 1) + 8
    chart = drawn(
        "critical-difference",
        paper,
        width=paper.width_pt,
        height=height,
        lines=canvas.lines,
        # Texts that reach beyond the edge end in an ellipsis.
        limit=margin - 4,
        # A mark has one alignment, so each alignment has a layer of its own.
        **{
            align: [text for text in canvas.texts if text["align"] == align]
            for align in ("left", "center", "right")
        },
    )
    return finished(paper, chart, padding=0)


def _draw_axis(canvas: _Canvas, paper: Paper, n: int, margin: float, unit: float) -> None:
    ink = paper.theme.ink
    canvas.line(margin + 4, _AXIS_Y, paper.width_pt - margin - 4, _AXIS_Y, 1, ink)
    # At least 14 points between two numbers.
    step = max(1, round(14 / unit))
    for rank in range(1, n + 1):
        x = margin + 4 + (rank - 1) * unit
        canvas.line(x, _AXIS_Y - 4, x, _AXIS_Y, 1, ink)
        if (rank - 1) % step == 0:
            canvas.text(x, _AXIS_Y - 9, str(rank), "center", ink)


def _draw_limit(
    canvas: _Canvas, paper: Paper, limit: float, n: int, start: float, unit: float
) -> None:
    """Draw the critical difference above the axis; if longer than the axis, it has no end mark."""
    soft = paper.theme.soft
    drawn = min(limit, n - 1)
    end = start + drawn * unit
    canvas.line(start, _LIMIT_Y, end, _LIMIT_Y, 1, soft)
    canvas.line(start, _LIMIT_Y - 3, start, _LIMIT_Y + 3, 1, soft)
    if drawn == limit:
        canvas.line(end, _LIMIT_Y - 3, end, _LIMIT_Y + 3, 1, soft)
    canvas.text(
        end + 4, _LIMIT_Y, _("CD = {limit}").format(limit=in_decimals(limit, 2)), "left", soft
    )


def _draw_names(
    canvas: _Canvas, paper: Paper, place: Mapping[str, float], margin: float, first_y: float
) -> None:
    """Draw a line from each place on the axis to its name; the better half is on the left."""
    ink = paper.theme.ink
    half = (len(place) + 1) // 2
    for at, (name, x) in enumerate(place.items()):
        is_left = at < half
        y = first_y + _LINE * (at if is_left else len(place) - 1 - at)
        edge = margin if is_left else paper.width_pt - margin
        canvas.line(x, _AXIS_Y, x, y, 0.75, ink)
        canvas.line(x, y, edge, y, 0.75, ink)
        canvas.text(edge + (-3 if is_left else 3), y, name, "right" if is_left else "left", ink)
