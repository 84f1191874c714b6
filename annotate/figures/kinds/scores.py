"""Each protocol's scores against the rank that people gave."""

from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt

from rankings.from_scores import f_beta
from rankings.orders import Ranking, doubled_ranks

from ..data import FigureData, noted_as_live
from ..figure import Cell, Figure, without_drawing
from ..numbers import quantile
from ..papers import Paper
from ..parts import config
from ..words import capital, counted, listed, missing_images, one_image

_SCORE_NAMES: Final = {"recall": "recall R", "precision": "precision P", "preference": "F-score"}


def figure_of(data: FigureData) -> Figure:
    def value(recall: float | None, precision: float | None) -> float | None:
        if data.criterion == "recall":
            return recall
        if data.criterion == "precision":
            return precision
        if recall is None or precision is None:
            return None
        return f_beta(recall, precision, data.settings.beta)

    scores = {
        image: {
            protocol: {method: value(*score) for method, score in of_method.items()}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in data.scores.items()
    }
    figure = score_by_rank(
        scores,
        data.table.consensus,
        data.protocols,
        criterion=data.criterion,
        left_out=data.table.left_out,
    )
    return noted_as_live(figure, data)


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
    missing = missing_images(consensus, protocols, left_out)
    if missing:
        return without_drawing(empty, missing)
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
        return without_drawing(empty, "No protocol has a score on the images that count.")
    place = {protocol: at for at, protocol in enumerate(protocols)}
    rows = tuple(
        (
            protocol,
            rank,
            len(values),
            *(quantile(sorted(values), share) for share in (0, 0.25, 0.5, 0.75, 1)),
        )
        for (protocol, rank), values in sorted(
            found.items(), key=lambda item: (place[item[0][0]], item[0][1])
        )
    )
    notes = list(one_image(consensus))
    if n_without:
        notes.append(f"{counted(n_without, 'score')} missing and not shown.")
    if all(len(ranking) == 1 for ranking in consensus.values()):
        notes.append("People tied all methods on every image: there is one rank to show.")
    constant = [name for name in protocols if _is_constant(found, name)]
    if constant:
        notes.append(f"The same score for everything: {listed(constant)}.")
    n_methods = max(sum(map(len, ranking)) for ranking in consensus.values())
    return Figure(
        name="scores",
        title=title,
        caption=(
            f"The {_SCORE_NAMES.get(criterion, 'score')} that each protocol gives against the rank "
            f"that people gave by {criterion} (1 is best; ties share the mean of their places), "
            f"over {counted(len(consensus), 'image')}. Dot: median; thick line: the middle half; "
            "thin line: smallest to largest. A protocol that agrees with people falls from left "
            "to right."
        ),
        summary=(
            f"{counted(len(protocols), 'panel')}, one for each protocol: the score, from 0 to 1, "
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
            y_title=capital(_SCORE_NAMES.get(criterion, "score")) if at % n_columns == 0 else None,
            x_title="Consensus rank" if at + n_columns >= len(protocols) else None,
        )
        for at, protocol in enumerate(protocols)
    ]
    return alt.concat(*panels, columns=n_columns, spacing=12).configure(**config(paper))


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
