"""A report's figures, drawn by Altair from plain numbers; each keeps the numbers as a table.

No figure is drawn of what is not there: then it says in words what is missing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import altair as alt

from rankings.orders import Ranking, doubled_ranks
from rankings.significance import CriticalDifference

from .papers import Paper, text_width_pt

Cell = str | int | float | date | None
# image -> protocol or baseline -> distance to the consensus
Distances = Mapping[str, Mapping[str, float]]
Matrix = Sequence[Sequence[float | None]]

_DISTANCE_NAMES: Final = {"edit": "ranking edit distance", "kemeny": "Kemeny distance"}
_SHORT_NAMES: Final = {"edit": "edit distance", "kemeny": "Kemeny distance"}
_SCORE_NAMES: Final = {"recall": "recall R", "precision": "precision P", "preference": "F-score"}
_MARKS: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_DASHES: Final = ([1, 0], [5, 2], [1.5, 1.5], [7, 2, 1.5, 2], [3, 1.5], [9, 3], [4, 1.5, 1, 1.5])
_A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Figure:
    """What is shown, the numbers behind it, and how to draw it.

    Attributes
    ----------
    caption : str
        What the marks mean, as a paper would say it.
    summary : str
        What a reader sees, for one who does not see it.
    notes : tuple of str
        What the figure cannot show, or what should be known before it is trusted.
    draw : callable or None
        None: there is nothing to draw, and the notes say why.
    """

    name: str
    title: str
    caption: str
    summary: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]
    draw: Callable[[Paper], alt.TopLevelMixin] | None

    @property
    def is_empty(self) -> bool:
        return self.draw is None


def distance_distribution(
    distances: Distances,
    protocols: Sequence[str],
    *,
    baselines: Sequence[str] = (),
    distance: str = "edit",
    criterion: str = "recall",
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return box plots of each protocol's distances over the images, the nearest first."""
    title = f"Distances to the consensus by {criterion}"
    columns = ("Protocol", "Images", "Smallest", "Quarter", "Median", "Three quarters", "Largest")
    empty = Figure("distances", title, "", "", (*columns, "Mean"), (), (), None)
    missing = _missing_images(distances, protocols, left_out)
    if missing:
        return _without_drawing(empty, missing)
    of_protocol = {
        name: sorted(row[name] for row in distances.values()) for name in (*protocols, *baselines)
    }
    order = sorted(protocols, key=lambda name: (_mean(of_protocol[name]), name))
    rows = tuple(
        (
            name,
            len(of_protocol[name]),
            *(_quantile(of_protocol[name], share) for share in (0, 0.25, 0.5, 0.75, 1)),
            _mean(of_protocol[name]),
        )
        for name in (*order, *baselines)
    )
    notes = [*_one_image(distances), *_identical(distances, order)]
    n_images = len(distances)
    return Figure(
        name="distances",
        title=title,
        caption=(
            f"The {_DISTANCE_NAMES[distance]} of each protocol's ranking to the consensus by "
            f"{criterion}, over {_counted(n_images, 'image')}; lower is nearer to people. Box: the "
            "middle half; line: smallest to largest; bar: median; diamond: mean."
            + (" Paler rows are baselines." if baselines else "")
        ),
        summary=(
            f"Box plot of {_counted(len(order), 'protocol')}. Nearest to people on average: "
            f"{order[0]}, {_mean(of_protocol[order[0]]):.2f}; farthest: {order[-1]}, "
            f"{_mean(of_protocol[order[-1]]):.2f}."
        ),
        columns=empty.columns,
        rows=rows,
        notes=tuple(notes),
        draw=lambda paper: _boxes(paper, rows, set(baselines), distance),
    )


def _boxes(
    paper: Paper, rows: Sequence[tuple[Cell, ...]], baselines: set[str], distance: str
) -> alt.TopLevelMixin:
    keys = ("protocol", "n", "smallest", "q1", "median", "q3", "largest", "mean")
    values = [dict(zip(keys, row, strict=True)) | {"baseline": row[0] in baselines} for row in rows]
    labels = _label_width(paper, [str(row[0]) for row in rows])
    largest = max(value["largest"] for value in values)
    colours = paper.theme
    fill = alt.condition("datum.baseline", alt.value(colours.sunken), alt.value(colours.pale))
    edge = alt.condition("datum.baseline", alt.value(colours.soft), alt.value(colours.mark))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("protocol:N", sort=None, title=None, axis=_names_axis(labels))
    )
    title = f"{_capital(_SHORT_NAMES[distance])} to the consensus"
    x = alt.X(
        "smallest:Q",
        title=title,
        scale=alt.Scale(domain=[0, largest or 1], nice=True, zero=True),
        axis=alt.Axis(tickCount=6, grid=True),
    )
    return _fitted(
        paper,
        alt.layer(
            base.mark_rule(strokeWidth=1).encode(x=x, x2="largest:Q", color=edge),
            base.mark_bar(height=8, strokeWidth=0.75).encode(
                x=alt.X("q1:Q"), x2="q3:Q", fill=fill, stroke=edge
            ),
            base.mark_tick(thickness=2, size=10, color=colours.ink).encode(x="median:Q"),
            base.mark_point(
                shape="diamond", size=22, filled=True, fill=colours.ground, stroke=colours.ink
            ).encode(x="mean:Q"),
        ),
        height_pt=15 * len(rows) + 34,
    )


def score_by_rank(
    scores: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    consensus: Mapping[str, Ranking],
    protocols: Sequence[str],
    *,
    criterion: str = "recall",
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return each protocol's scores against the place that people gave.

    Parameters
    ----------
    scores : image -> protocol -> method -> score
    consensus : image -> ranking
        The images that count; one image alone shows that image.
    """
    title = f"Scores against the consensus by {criterion}"
    columns = ("Protocol", "Rank", "Results", "Smallest", "Quarter", "Median")
    empty = Figure("scores", title, "", "", (*columns, "Three quarters", "Largest"), (), (), None)
    missing = _missing_images(consensus, protocols, left_out)
    if missing:
        return _without_drawing(empty, missing)
    found: dict[tuple[str, float], list[float]] = {}
    n_without = 0
    for image, ranking in consensus.items():
        for method, doubled in doubled_ranks(ranking).items():
            for protocol in protocols:
                score = scores.get(image, {}).get(protocol, {}).get(method)
                if score is None or score != score:
                    n_without += 1
                else:
                    found.setdefault((protocol, doubled / 2), []).append(score)
    if not found:
        return _without_drawing(empty, "No protocol has a score on the images that count.")
    place = {protocol: at for at, protocol in enumerate(protocols)}
    rows = tuple(
        (
            protocol,
            rank,
            len(values),
            *(_quantile(sorted(values), share) for share in (0, 0.25, 0.5, 0.75, 1)),
        )
        for (protocol, rank), values in sorted(
            found.items(), key=lambda item: (place[item[0][0]], item[0][1])
        )
    )
    notes = list(_one_image(consensus))
    if n_without:
        notes.append(f"{_counted(n_without, 'score')} missing and not shown.")
    if all(len(ranking) == 1 for ranking in consensus.values()):
        notes.append("People tied all methods on every image: there is one rank to show.")
    constant = [name for name in protocols if _is_constant(found, name)]
    if constant:
        notes.append(f"The same score for everything: {_listed(constant)}.")
    n_methods = max(sum(map(len, ranking)) for ranking in consensus.values())
    return Figure(
        name="scores",
        title=title,
        caption=(
            f"The {_SCORE_NAMES.get(criterion, 'score')} that each protocol gives against the rank "
            f"that people gave by {criterion} (1 is best; ties share the mean of their places), "
            f"over {_counted(len(consensus), 'image')}. Dot: median; thick line: the middle half; "
            "thin line: smallest to largest. A protocol that agrees with people falls from left "
            "to right."
        ),
        summary=(
            f"{_counted(len(protocols), 'panel')}, one for each protocol: the score, from 0 to 1, "
            f"for ranks 1 to {n_methods}."
        ),
        columns=empty.columns,
        rows=rows,
        notes=tuple(notes),
        draw=lambda paper: _panels(paper, rows, protocols, n_methods, criterion),
    )


def _is_constant(found: Mapping[tuple[str, float], Sequence[float]], protocol: str) -> bool:
    values = [value for (name, _), of in found.items() if name == protocol for value in of]
    return len(values) > 1 and len(set(values)) == 1


def _panels(
    paper: Paper,
    rows: Sequence[tuple[Cell, ...]],
    protocols: Sequence[str],
    n_methods: int,
    criterion: str,
) -> alt.TopLevelMixin:
    keys = ("protocol", "rank", "n", "smallest", "q1", "median", "q3", "largest")
    n_columns = min(len(protocols), 4 if paper.is_wide else 2)
    # The axis and its title on the left, then the gaps between the panels.
    width = (paper.width_pt - 36 - 12 * (n_columns - 1)) / n_columns
    panels = [
        _panel(
            paper,
            [dict(zip(keys, row, strict=True)) for row in rows if row[0] == protocol],
            protocol,
            n_methods,
            width,
            y_title=_capital(_SCORE_NAMES.get(criterion, "score")) if at % n_columns == 0 else None,
            x_title="Consensus rank" if at + n_columns >= len(protocols) else None,
        )
        for at, protocol in enumerate(protocols)
    ]
    return alt.concat(*panels, columns=n_columns, spacing=12).configure(**_config(paper))


def _panel(
    paper: Paper,
    values: Sequence[Mapping[str, Cell]],
    title: str,
    n_methods: int,
    width: float,
    *,
    x_title: str | None,
    y_title: str | None,
) -> alt.TopLevelMixin:
    """Return one protocol's panel; without a title for its axis it has no labels there either."""
    colours = paper.theme
    step = max(1, -(-n_methods // 10))
    x = alt.X(
        "rank:Q",
        title=x_title,
        scale=alt.Scale(domain=[0.5, max(n_methods, 2) + 0.5], nice=False, zero=False),
        axis=alt.Axis(values=list(range(1, n_methods + 1, step)), grid=False, format="d"),
    )
    axis = alt.Axis(
        values=[0, 0.5, 1], format=".1f", labels=y_title is not None, labelOverlap=False
    )

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title=y_title, scale=alt.Scale(domain=[0, 1]), axis=axis)

    base = alt.Chart().encode(x=x)
    return alt.layer(
        base.mark_rule(strokeWidth=0.75, color=colours.soft).encode(
            y=y("smallest"), y2="largest:Q"
        ),
        base.mark_rule(strokeWidth=2.5, color=colours.middle).encode(y=y("q1"), y2="q3:Q"),
        base.mark_line(strokeWidth=0.75, color=colours.mark).encode(y=y("median")),
        base.mark_point(size=12, filled=True, opacity=1, color=colours.ink).encode(y=y("median")),
        # As a mark: a chart's title would stand higher where the axis has labels.
        alt.Chart(alt.Data(values=[{}]))
        .mark_text(align="center", baseline="bottom", fontSize=7.5, limit=width)
        .encode(
            x=alt.value(width / 2),
            y=alt.value(-5),
            text=alt.value(title),
            color=alt.value(colours.ink),
        ),
        data=alt.Data(values=list(values)),
    ).properties(width=width, height=78)


def win_shares(distances: Distances, protocols: Sequence[str]) -> list[list[float | None]]:
    """Return the share of images on which the row is nearer than the column; a tie is half.

    None on the diagonal, and everywhere without an image.
    """
    n = len(distances)
    return [
        [
            None
            if row == column or not n
            else sum(
                1.0 if of[row] < of[column] else 0.5 if of[row] == of[column] else 0.0
                for of in distances.values()
            )
            / n
            for column in protocols
        ]
        for row in protocols
    ]


def win_matrix(
    distances: Distances,
    protocols: Sequence[str],
    *,
    criterion: str = "recall",
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return how often each protocol is nearer to people than each other one."""
    title = f"Which protocol is nearer to people by {criterion}"
    columns = ("Protocol", *protocols)
    empty = Figure("wins", title, "", "", columns, (), (), None)
    missing = _missing_images(distances, protocols, left_out)
    if missing:
        return _without_drawing(empty, missing)
    if len(protocols) < 2:
        return _without_drawing(empty, "One protocol has no other to be compared with.")
    shares = win_shares(distances, protocols)
    means = {
        name: _mean([share for share in row if share is not None])
        for name, row in zip(protocols, shares, strict=True)
    }
    best = max(protocols, key=lambda name: means[name])
    return Figure(
        name="wins",
        title=title,
        caption=(
            f"Share of {_counted(len(distances), 'image')} on which the protocol of the row is "
            f"nearer to the consensus by {criterion} than that of the column; a tie counts half. "
            "Columns are numbered as the rows are."
        ),
        summary=(
            f"Matrix of {len(protocols)} by {len(protocols)} shares. {best} is nearer than the "
            f"others most often, on {means[best]:.0%} of the images on average."
        ),
        columns=columns,
        rows=tuple((name, *row) for name, row in zip(protocols, shares, strict=True)),
        notes=(*_one_image(distances), *_identical(distances, protocols)),
        draw=lambda paper: _matrix(
            paper, protocols, shares, top=1.0, digits=2, legend="Share of images"
        ),
    )


def annotator_agreement(
    means: Matrix,
    annotators: Sequence[str],
    *,
    distance: str = "edit",
    criterion: str = "recall",
    constant: Sequence[str] = (),
) -> Figure:
    """Return a heat map of the mean distance between annotators.

    Parameters
    ----------
    means : sequence of rows
        None where two annotators share no image, and on the diagonal.
    constant : sequence of str
        Annotators whose rankings tie everything.
    """
    title = f"Agreement between annotators by {criterion}"
    columns = ("Annotator", *annotators)
    empty = Figure("agreement", title, "", "", columns, (), (), None)
    if not annotators:
        return _without_drawing(empty, "No annotator has ranked an image completely yet.")
    if len(annotators) == 1:
        return _without_drawing(
            empty, "One annotator has ranked images so far; agreement needs two."
        )
    pairs = {
        (row, column): means[row][column]
        for row in range(len(annotators))
        for column in range(row + 1, len(annotators))
    }
    known = {pair: mean for pair, mean in pairs.items() if mean is not None}
    if not known:
        return _without_drawing(empty, "No two annotators have ranked the same image yet.")
    notes = []
    if len(known) < len(pairs):
        notes.append(
            f"{_counted(len(pairs) - len(known), 'pair')} of annotators without a common image "
            "have a dash."
        )
    if constant:
        notes.append(f"Ties everything on every image: {_listed(constant)}.")
    if len(set(known.values())) == 1:
        only = next(iter(known.values()))
        notes.append(
            "All annotators agree on every common image."
            if only == 0
            else "All pairs are equally far apart."
        )
    far = max(known, key=lambda pair: known[pair])
    near = min(known, key=lambda pair: known[pair])
    return Figure(
        name="agreement",
        title=title,
        caption=(
            f"Mean {_DISTANCE_NAMES[distance]} between the rankings by {criterion} of two "
            "annotators over the images that both have ranked; 0 is full agreement. A1 is "
            "annotator-1 of the raw data."
        ),
        summary=(
            f"Heat map of {len(annotators)} annotators. Nearest: {annotators[near[0]]} and "
            f"{annotators[near[1]]}, {known[near]:.2f}; farthest: {annotators[far[0]]} and "
            f"{annotators[far[1]]}, {known[far]:.2f}."
        ),
        columns=columns,
        rows=tuple((name, *row) for name, row in zip(annotators, means, strict=True)),
        notes=tuple(notes),
        draw=lambda paper: _matrix(
            paper,
            annotators,
            means,
            top=max(known.values()) or 1.0,
            digits=1,
            legend=f"Mean {_SHORT_NAMES[distance]}",
        ),
    )


def _matrix(
    paper: Paper, names: Sequence[str], matrix: Matrix, *, top: float, digits: int, legend: str
) -> alt.TopLevelMixin:
    """Return a square of shaded cells; numbers stand in them where they fit, else there is a key."""
    # Long names would have to be turned to stand above columns: there they are numbered.
    is_short = max(map(len, names)) <= 3
    heads = list(names) if is_short else [str(at) for at in range(1, len(names) + 1)]
    numbered = (
        heads if is_short else [f"{at}  {name}" for at, name in zip(heads, names, strict=True)]
    )
    labels = _label_width(paper, numbered)
    size = min(26.0, (paper.width_pt - labels - 10) / len(names))
    has_numbers = size >= 15
    values = [
        {
            "row": numbered[at],
            "column": heads[to],
            "value": value,
            "text": "–" if value is None else f"{value:.{digits}f}",
            "ink": paper.theme.ink_on(0.0 if value is None else value / top),
        }
        for at, row in enumerate(matrix)
        for to, value in enumerate(row)
    ]
    side = size * len(names)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "column:N",
            sort=heads,
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=0,
                labelFontSize=min(7.0, 0.62 * size),
                domain=False,
                ticks=False,
                grid=False,
            ),
        ),
        y=alt.Y("row:N", sort=numbered, title=None, axis=_names_axis(labels)),
    )
    key = alt.Legend(
        orient="bottom",
        title=legend,
        direction="horizontal",
        gradientLength=min(side, 90),
        gradientThickness=6,
        tickCount=3,
    )
    cells = base.mark_rect(stroke=paper.theme.ground, strokeWidth=1).encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(domain=[0, top], range=list(paper.theme.ramp), interpolate="rgb"),
            legend=None if has_numbers else key,
        )
    )
    # Without a value a cell has the colour of no share.
    blank = base.mark_rect(fill=paper.theme.sunken, stroke=paper.theme.ground).transform_filter(
        "!isValid(datum.value)"
    )
    layers = [cells.transform_filter("isValid(datum.value)"), blank]
    if has_numbers:
        layers.append(
            base.mark_text(fontSize=6.5).encode(text="text:N", color=alt.Color("ink:N", scale=None))
        )
    return (
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(width=side, height=side)
        .configure(**_config(paper))
    )


def beta_curves(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    best: Mapping[str, tuple[float, float]],
    *,
    distance: str = "edit",
    n_images: int,
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return each protocol's mean distance to the preference consensus as beta grows.

    Parameters
    ----------
    curves : protocol -> (beta, mean distance), betas ascending
    best : protocol -> (beta, mean distance) of its optimum
    """
    title = "Recall or precision: the F‑score's beta against preference"
    columns = ("Beta", *curves)
    empty = Figure("beta", title, "", "", columns, (), (), None)
    missing = _missing_images(range(n_images), tuple(curves), left_out)
    if missing:
        return _without_drawing(empty, missing)
    betas = [beta for beta, _ in next(iter(curves.values()))]
    rows: list[tuple[Cell, ...]] = [
        (beta, *(curve[at][1] for curve in curves.values())) for at, beta in enumerate(betas)
    ]
    notes = ["One image: its curve says nothing about others."] if n_images == 1 else []
    flat = [name for name, curve in curves.items() if len({value for _, value in curve}) == 1]
    if flat:
        notes.append(f"Beta changes nothing for {_listed(flat)}.")
    notes += [
        f"The same curve: {_listed(group)}."
        for group in _groups({name: tuple(curve) for name, curve in curves.items()})
    ]
    order = sorted(best, key=lambda name: (best[name][1], name))
    return Figure(
        name="beta",
        title=title,
        caption=(
            f"Mean {_DISTANCE_NAMES[distance]} between the preference consensus and the ranking by "
            f"F-score, over {_counted(n_images, 'image')}, as beta weighs recall more (right) or "
            "precision more (left). Mark: each protocol's best beta."
        ),
        summary=f"{_counted(len(curves), 'line')}. Best beta: "
        + "; ".join(f"{name} {best[name][0]:.2f} ({best[name][1]:.2f})" for name in order)
        + ".",
        columns=columns,
        rows=tuple(rows),
        notes=tuple(notes),
        draw=lambda paper: _curves(paper, curves, best, distance),
    )


def _curves(
    paper: Paper,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    best: Mapping[str, tuple[float, float]],
    distance: str,
) -> alt.TopLevelMixin:
    names = list(curves)
    labels = _label_width(paper, names)
    width = paper.width_pt - labels - 50
    height = max(120.0 if paper.is_wide else 100.0, 9.0 * len(names))
    every = [value for curve in curves.values() for _, value in curve]
    space = 0.05 * (max(every) - min(every)) or 0.5
    low, high = max(0.0, min(every) - space), max(every) + space
    last = {name: curve[-1][1] for name, curve in curves.items()}
    label_at = _spread(last, low, high, 8.5 * (high - low) / height)
    style = {name: _style(paper, at) for at, name in enumerate(names)}
    lines = [
        {"protocol": name, "beta": beta, "distance": value}
        for name, curve in curves.items()
        for beta, value in curve
    ]
    ends = [
        {"protocol": name, "beta": best[name][0], "distance": best[name][1], "end": last[name]}
        | {"label": label_at[name]}
        for name in names
    ]
    colour = alt.Color(
        "protocol:N",
        legend=None,
        scale=alt.Scale(domain=names, range=[style[name][0] for name in names]),
    )
    dash = alt.StrokeDash(
        "protocol:N",
        legend=None,
        scale=alt.Scale(domain=names, range=[style[name][1] for name in names]),
    )
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    lowest, highest = lines[0]["beta"], max(line["beta"] for line in lines)
    x = alt.X(
        "beta:Q",
        title="Beta (log scale)",
        scale=alt.Scale(type="log", base=2, domain=[lowest, highest], nice=False),
        axis=alt.Axis(
            values=[1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8],
            labelExpr="datum.value < 1 ? '1/' + format(1 / datum.value, 'd')"
            " : format(datum.value, 'd')",
        ),
    )
    y = alt.Y(
        "distance:Q",
        title=f"Mean {_SHORT_NAMES[distance]}",
        scale=scale,
        axis=alt.Axis(tickCount=5),
    )
    ending = alt.Chart(alt.Data(values=ends))
    return (
        alt.layer(
            alt.Chart(alt.Data(values=lines))
            .mark_line(strokeWidth=1.25)
            .encode(x=x, y=y, color=colour, strokeDash=dash),
            ending.mark_point(size=28, filled=True, opacity=1).encode(
                x=x,
                y=y,
                color=colour,
                shape=alt.Shape(
                    "protocol:N",
                    legend=None,
                    scale=alt.Scale(domain=names, range=[style[name][2] for name in names]),
                ),
            ),
            ending.mark_rule(strokeWidth=0.75).encode(
                x=alt.value(width + 1),
                x2=alt.value(width + 13),
                y=alt.Y("end:Q", scale=scale),
                y2="label:Q",
                color=colour,
                strokeDash=dash,
            ),
            ending.mark_text(
                align="left", baseline="middle", limit=labels, color=paper.theme.ink
            ).encode(x=alt.value(width + 16), y=alt.Y("label:Q", scale=scale), text="protocol:N"),
        )
        .properties(width=width, height=height)
        .configure(**_config(paper))
    )


def _style(paper: Paper, at: int) -> tuple[str, list[float], str]:
    """Return colour, dash and mark of the line number ``at``: they differ in grey, too."""
    lines = paper.theme.lines
    return lines[at % len(lines)], _DASHES[at % len(_DASHES)], _MARKS[at % len(_MARKS)]


def _spread(wanted: Mapping[str, float], low: float, high: float, gap: float) -> dict[str, float]:
    """Return places near the wanted ones, within [low, high] and a gap apart as far as that goes."""
    order = sorted(wanted, key=lambda name: (wanted[name], name))
    places: list[float] = []
    for name in order:
        places.append(max(wanted[name], places[-1] + gap if places else low))
    ceiling = high
    for at in reversed(range(len(places))):
        places[at] = min(places[at], ceiling)
        ceiling = places[at] - gap
    return dict(zip(order, places, strict=True))


def critical_difference(
    found: CriticalDifference,
    *,
    criterion: str = "recall",
    p_value: float | None = None,
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return a critical-difference diagram: average ranks, and bars over what is not told apart."""
    title = f"Average ranks of the protocols by {criterion}"
    columns = ("Protocol", "Average rank", "Not told apart in")
    empty = Figure("critical-difference", title, "", "", columns, (), (), None)
    protocols = [name for name, _ in found.average_ranks]
    missing = _missing_images(range(found.n_images), protocols, left_out)
    if missing:
        return _without_drawing(empty, missing)
    limit = found.critical_difference
    if limit is None:
        return _without_drawing(empty, "One protocol has no rank among others.")
    ranks = {name: rank for name, rank in found.average_ranks if rank is not None}
    rows = tuple(
        (
            name,
            rank,
            ", ".join(f"group {at}" for at, group in enumerate(found.groups, 1) if name in group)
            or "no group",
        )
        for name, rank in ranks.items()
    )
    notes = [f"The critical difference is {limit:.2f} at level {found.alpha:g}."]
    if p_value is None:
        notes.append("Friedman's test cannot be made of these distances.")
    else:
        notes.append(f"Friedman's test that all protocols are alike: {_p_text(p_value)}.")
    if limit >= len(protocols) - 1:
        notes.append("With so few images no difference of ranks could be told from chance.")
    if len(set(ranks.values())) == 1:
        notes.append("All protocols have the same average rank.")
    first, last = protocols[0], protocols[-1]
    return Figure(
        name="critical-difference",
        title=title,
        caption=(
            f"Average rank of each protocol's distance over {_counted(found.n_images, 'image')} "
            f"(1 is nearest to people). Bars join protocols that Nemenyi's test does not tell "
            f"apart; CD is its critical difference at level {found.alpha:g}."
        ),
        summary=(
            f"Critical-difference diagram of {len(protocols)} protocols, from {first} "
            f"({ranks[first]:.2f}) to {last} ({ranks[last]:.2f}); "
            + (
                "; ".join(f"not told apart: {_listed(group)}" for group in found.groups)
                or "all are told apart"
            )
            + "."
        ),
        columns=columns,
        rows=rows,
        notes=tuple(notes),
        draw=lambda paper: _ranks(paper, ranks, found.groups, limit),
    )


def _ranks(
    paper: Paper, ranks: Mapping[str, float], groups: Sequence[Sequence[str]], limit: float
) -> alt.TopLevelMixin:
    """Return the diagram in points: its lines belong to no axis that Vega-Lite has."""
    n = len(ranks)
    colours = paper.theme
    longest = max(map(text_width_pt, ranks)) + 8
    margin = min(longest, 0.34 * paper.width_pt)
    unit = (paper.width_pt - 2 * margin - 8) / (n - 1)
    place = {name: margin + 4 + (rank - 1) * unit for name, rank in ranks.items()}
    axis_y, lane = 34.0, 5.0
    first_y = axis_y + 10 + lane * len(groups)
    lines: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []

    def line(x: float, y: float, x2: float, y2: float, width: float, colour: str) -> None:
        lines.append({"x": x, "y": y, "x2": x2, "y2": y2, "width": width, "colour": colour})

    def text(x: float, y: float, words: str, align: str, colour: str = colours.ink) -> None:
        texts.append({"x": x, "y": y, "text": words, "align": align, "colour": colour})

    line(margin + 4, axis_y, paper.width_pt - margin - 4, axis_y, 1, colours.ink)
    step = max(1, round(14 / unit))
    for rank in range(1, n + 1):
        x = margin + 4 + (rank - 1) * unit
        line(x, axis_y - 4, x, axis_y, 1, colours.ink)
        if (rank - 1) % step == 0:
            text(x, axis_y - 9, str(rank), "center")
    drawn = min(limit, n - 1)
    start, end = margin + 4, margin + 4 + drawn * unit
    line(start, 8, end, 8, 1, colours.soft)
    line(start, 5, start, 11, 1, colours.soft)
    if drawn == limit:
        line(end, 5, end, 11, 1, colours.soft)
    text(end + 4, 8, f"CD = {limit:.2f}", "left", colours.soft)
    for at, group in enumerate(groups):
        y = axis_y + 6 + lane * at
        ends = [place[name] for name in group]
        line(min(ends) - 2, y, max(ends) + 2, y, 3, colours.mark)
    half = (n + 1) // 2
    for at, name in enumerate(ranks):
        is_left = at < half
        y = first_y + 12 * (at if is_left else n - 1 - at)
        edge = margin if is_left else paper.width_pt - margin
        line(place[name], axis_y, place[name], y, 0.75, colours.ink)
        line(place[name], y, edge, y, 0.75, colours.ink)
        text(edge + (-3 if is_left else 3), y, name, "right" if is_left else "left")
        texts[-1] |= {"limit": margin - 4}
    height = first_y + 12 * (half - 1) + 8
    canvas_x = alt.Scale(domain=[0, paper.width_pt], range=[0, paper.width_pt], nice=False)
    canvas_y = alt.Scale(domain=[0, height], range=[0, height], nice=False)
    drawn_lines = (
        alt.Chart(alt.Data(values=lines))
        .mark_rule(strokeCap="butt", opacity=1)
        .encode(
            x=alt.X("x:Q", axis=None, scale=canvas_x),
            x2="x2:Q",
            y=alt.Y("y:Q", axis=None, scale=canvas_y),
            y2="y2:Q",
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
            color=alt.Color("colour:N", scale=None),
        )
    )
    words = [
        alt.Chart(alt.Data(values=[one for one in texts if one["align"] == align]))
        .mark_text(align=align, baseline="middle", limit=margin if align == "right" else 0)
        .encode(
            x=alt.X("x:Q", axis=None, scale=canvas_x),
            y=alt.Y("y:Q", axis=None, scale=canvas_y),
            text="text:N",
            color=alt.Color("colour:N", scale=None),
        )
        for align in ("left", "center", "right")
    ]
    return (
        alt.layer(drawn_lines, *words)
        .properties(width=paper.width_pt, height=height)
        .configure(**_config(paper, padding=0))
    )


def progress_over_time(days: Sequence[tuple[date, int]]) -> Figure:
    """Return how many rankings were completed on each day; days without any are left out."""
    title = "Complete rankings per day"
    columns = ("Day", "Complete rankings", "In total")
    empty = Figure("progress", title, "", "", columns, (), (), None)
    if not days:
        return _without_drawing(empty, "No image has been ranked completely yet.")
    order = sorted(days)
    rows = []
    total = 0
    for day, n in order:
        total += n
        rows.append((day, n, total))
    busiest = max(order, key=lambda item: item[1])
    notes = ("All on one day.",) if len(order) == 1 else ()
    return Figure(
        name="progress",
        title=title,
        caption="Rankings completed on each day (UTC), over all images and annotators.",
        summary=(
            f"Bar chart of {_counted(len(order), 'day')} from {order[0][0]} to {order[-1][0]}: "
            f"{_counted(total, 'complete ranking')}, most on {busiest[0]} ({busiest[1]})."
        ),
        columns=columns,
        rows=tuple(rows),
        notes=notes,
        draw=lambda paper: _days(paper, order),
    )


def _days(paper: Paper, days: Sequence[tuple[date, int]]) -> alt.TopLevelMixin:
    first, last = days[0][0], days[-1][0]
    # A few days alone would be bars as broad as the page.
    short = max(0, 7 - ((last - first).days + 1))
    start, end = first - (short // 2) * _A_DAY, last + (short - short // 2 + 1) * _A_DAY
    n_days = (end - start).days
    inset = 0.12 if n_days <= 60 else 0.0
    values = [
        {
            "day": f"{day:%Y-%m-%d}",
            "rankings": n,
            "start": _milliseconds(day) + inset * 86_400_000,
            "end": _milliseconds(day) + (1 - inset) * 86_400_000,
        }
        for day, n in days
    ]
    most = max(n for _, n in days)
    middles = [_milliseconds(day) + 43_200_000 for day, _ in days] if len(days) == 1 else None
    x = alt.X(
        "start:T",
        title=None,
        scale=alt.Scale(type="utc", domain=[_milliseconds(start), _milliseconds(end)]),
        axis=alt.Axis(
            format="%-d %b %Y" if n_days > 300 or middles else "%-d %b",
            grid=False,
            labelOverlap=True,
            **({"values": middles} if middles else {"tickCount": min(n_days, 6)}),
        ),
    )
    bars = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(color=paper.theme.mark)
        .encode(
            x=x,
            x2="end:T",
            y=alt.Y(
                "rankings:Q",
                title="Complete rankings",
                scale=alt.Scale(domain=[0, most], nice=True),
                axis=alt.Axis(tickMinStep=1, tickCount=4, format="d"),
            ),
            y2=alt.datum(0),
        )
    )
    return _fitted(paper, bars, height_pt=130 if paper.is_wide else 110)


def _milliseconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86_400_000


def in_words(figure: Figure, paper: Paper) -> alt.TopLevelMixin:
    """Return a drawing that says what the figure cannot show."""
    n_letters = int(paper.width_pt / 4.2)
    lines: list[str] = []
    for word in " ".join(figure.notes).split():
        if lines and len(lines[-1]) + 1 + len(word) <= n_letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return (
        alt.Chart(alt.Data(values=[{}]))
        .mark_text(align="left", baseline="top", lineHeight=11, color=paper.theme.ink)
        .encode(text=alt.value(lines), x=alt.value(0), y=alt.value(0))
        .properties(width=paper.width_pt - 12, height=11 * len(lines))
        .configure(**_config(paper, padding=6))
    )


def drawing(figure: Figure, paper: Paper) -> alt.TopLevelMixin:
    return in_words(figure, paper) if figure.draw is None else figure.draw(paper)


def _fitted(paper: Paper, chart: Any, *, height_pt: float) -> alt.TopLevelMixin:
    """Return the chart with axes and labels inside the width of the paper."""
    return chart.properties(
        width=paper.width_pt,
        height=height_pt,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
    ).configure(**_config(paper))


def _config(paper: Paper, padding: float = 3) -> dict[str, Any]:
    colours = paper.theme
    words = {"labelFont": paper.font, "titleFont": paper.font, "titleFontWeight": "normal"}
    sizes = {"labelFontSize": 7, "titleFontSize": 7.5}
    return {
        "font": paper.font,
        "padding": padding,
        # The file paints the ground, also where a drawing is narrower than its paper.
        "background": "transparent",
        "view": alt.ViewConfig(stroke=None),
        # See-through marks differ in print, and make a PDF of parts in no fixed order.
        "mark": alt.MarkConfig(opacity=1),
        "axis": alt.AxisConfig(
            **words,
            **sizes,
            labelColor=colours.ink,
            titleColor=colours.ink,
            titlePadding=5,
            domainColor=colours.edge,
            domainWidth=0.75,
            tickColor=colours.edge,
            tickWidth=0.75,
            tickSize=3,
            gridColor=colours.line,
            gridWidth=0.5,
            labelPadding=2,
            labelFlush=False,
        ),
        "legend": alt.LegendConfig(
            **words, **sizes, labelColor=colours.ink, titleColor=colours.ink, titlePadding=3
        ),
        "text": alt.MarkConfig(font=paper.font, fontSize=7, fontWeight="normal"),
    }


def _names_axis(limit_pt: float) -> alt.Axis:
    return alt.Axis(
        labelLimit=limit_pt, minExtent=0, domain=False, ticks=False, grid=False, labelPadding=4
    )


def _label_width(paper: Paper, names: Sequence[str]) -> float:
    return min(max(map(text_width_pt, names)) + 4, 0.4 * paper.width_pt)


def _without_drawing(figure: Figure, reason: str) -> Figure:
    return Figure(figure.name, figure.title, "", reason, figure.columns, (), (reason,), None)


def _missing_images(
    images: Mapping[str, Any] | Sequence[Any],
    protocols: Sequence[str],
    left_out: Sequence[tuple[str, str]],
) -> str:
    if not protocols:
        return "No protocol has scored this dataset yet."
    if len(images):
        return ""
    if not left_out:
        return "The study has no image that counts."
    image, reason = left_out[0]
    more = f", and {_counted(len(left_out) - 1, 'other image')}" if len(left_out) > 1 else ""
    return f"No image counts yet; left out: {image} ({reason}){more}."


def _one_image(images: Mapping[str, Any]) -> list[str]:
    return ["One image: it says nothing about others."] if len(images) == 1 else []


def _identical(distances: Distances, protocols: Sequence[str]) -> list[str]:
    columns = {name: tuple(row[name] for row in distances.values()) for name in protocols}
    return [
        f"Equally far from people on every image: {_listed(group)}." for group in _groups(columns)
    ]


def _groups(values: Mapping[str, Any]) -> list[list[str]]:
    """Return the names that share a value with another, together."""
    found: dict[Any, list[str]] = {}
    for name, value in values.items():
        found.setdefault(value, []).append(name)
    return [names for names in found.values() if len(names) > 1]


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation between the two nearest values."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _p_text(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
