"""Each protocol's scores against the rank that people gave."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rankings.agreement.report import values_of
from rankings.orders.buckets import Ranking, doubled_ranks

from ..data import FigureData, noted_as_live
from ..figure import Figure, Spec, without_drawing
from ..numbers import five_numbers
from ..parts import drawn, finished, heads_of
from ..themes import Paper
from ..words import capital, counted_images, listed, missing_images, one_image, titled, whole

_SCORE_NAMES: Final = {
    "recall": gettext_lazy("recall R"),
    "precision": gettext_lazy("precision P"),
    "preference": gettext_lazy("F-score"),
}
# image -> protocol -> method -> score
_Scores = Mapping[str, Mapping[str, Mapping[str, float | None]]]
# (protocol, rank) -> scores of the methods that people gave this rank, over all images
_ByRank = Mapping[tuple[str, float], Sequence[float]]


class _AtRank(NamedTuple):
    """A protocol's scores of the results that people gave one rank."""

    protocol: str
    rank: float
    n: int
    smallest: float
    q1: float
    median: float
    q3: float
    largest: float


def figure_of(data: FigureData) -> Figure:
    figure = score_by_rank(
        values_of(data.criterion, data.scores, data.settings),
        data.table.consensus,
        data.protocols,
        criterion=data.criterion,
        left_out=data.table.left_out,
    )
    return noted_as_live(figure, data)


def score_by_rank(
    scores: _Scores,
    consensus: Mapping[str, Ranking],
    protocols: Sequence[str],
    *,
    criterion: str = "recall",
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return a panel for each protocol: its scores against the rank that people gave.

    ``consensus`` has the images that count; with a single one, the figure shows that image.
    """
    title = titled(_("Scores against the consensus"), criterion)
    missing = missing_images(consensus, protocols, left_out)
    if missing:
        return without_drawing("scores", title, heads_of("scores"), missing)
    by_rank, n_missing = _gathered(scores, consensus, protocols)
    if not by_rank:
        reason = _("No protocol has a score on the images that count.")
        return without_drawing("scores", title, heads_of("scores"), reason)
    rows = [
        _AtRank(
            protocol, rank, len(by_rank[protocol, rank]), *five_numbers(by_rank[protocol, rank])
        )
        for protocol in protocols
        for rank in sorted(rank for name, rank in by_rank if name == protocol)
    ]
    n_methods = max(sum(map(len, ranking)) for ranking in consensus.values())
    score_name = str(_SCORE_NAMES.get(criterion, _("score")))
    return Figure(
        name="scores",
        title=title,
        caption=_caption(score_name, criterion, len(consensus)),
        summary=(
            ngettext(
                "{n} panel, one for each protocol: the score, from 0 to 1, for ranks 1 to {last}.",
                "{n} panels, one for each protocol: the score, from 0 to 1, for ranks 1 to {last}.",
                len(protocols),
            ).format(n=len(protocols), last=n_methods)
        ),
        columns=heads_of("scores"),
        rows=tuple(tuple(row) for row in rows),
        notes=tuple(_notes(by_rank, n_missing, consensus, protocols)),
        draw=partial(
            _panels,
            rows=rows,
            protocols=protocols,
            n_methods=n_methods,
            y_title=capital(score_name),
        ),
    )


def _gathered(
    scores: _Scores, consensus: Mapping[str, Ranking], protocols: Sequence[str]
) -> tuple[_ByRank, int]:
    """Return the scores by protocol and rank, and the number of missing scores."""
    by_rank: dict[tuple[str, float], list[float]] = {}
    n_missing = 0
    for image, ranking in consensus.items():
        for method, doubled in doubled_ranks(ranking).items():
            for protocol in protocols:
                score = scores.get(image, {}).get(protocol, {}).get(method)
                if score is None or score != score:
                    n_missing += 1
                else:
                    by_rank.setdefault((protocol, doubled / 2), []).append(score)
    return by_rank, n_missing


def _caption(score_name: str, criterion: str, n_images: int) -> str:
    return _(
        "The {score} that each protocol gives against the rank that people gave by {criterion} (1 is "
        "best; ties share the mean of their places), over {images}. Dot: median; thick line: the "
        "middle half; thin line: smallest to largest. A protocol that agrees with people falls from "
        "left to right."
    ).format(score=score_name, criterion=_(criterion), images=counted_images(n_images))


def _notes(
    by_rank: _ByRank, n_missing: int, consensus: Mapping[str, Ranking], protocols: Sequence[str]
) -> list[str]:
    notes = one_image(consensus)
    if n_missing:
        notes.append(
            ngettext(
                "{n} score missing and not shown.", "{n} scores missing and not shown.", n_missing
            ).format(n=whole(n_missing))
        )
    if all(len(ranking) == 1 for ranking in consensus.values()):
        notes.append(_("People tied all methods on every image: there is only one rank to show."))
    constant = [name for name in protocols if _is_constant(by_rank, name)]
    if constant:
        notes.append(_("The same score for everything: {names}.").format(names=listed(constant)))
    return notes


def _is_constant(by_rank: _ByRank, protocol: str) -> bool:
    values = [
        value for (name, _), scores in by_rank.items() if name == protocol for value in scores
    ]
    return len(values) > 1 and len(set(values)) == 1


def _panels(
    paper: Paper,
    rows: Sequence[_AtRank],
    protocols: Sequence[str],
    n_methods: int,
    y_title: str,
) -> Spec:
    n_columns = min(len(protocols), 4 if paper.is_wide else 2)
    # The axis and its title on the left, then the gaps between the panels.
    width = (paper.width_pt - 36 - 12 * (n_columns - 1)) / n_columns
    panels = [
        _panel(
            paper,
            [row for row in rows if row.protocol == protocol],
            protocol,
            n_methods,
            width,
            y_title=y_title if at % n_columns == 0 else None,
            x_title=_("Consensus rank") if at + n_columns >= len(protocols) else None,
        )
        for at, protocol in enumerate(protocols)
    ]
    return finished(paper, {"concat": panels, "columns": n_columns, "spacing": 12})


def _panel(
    paper: Paper,
    rows: Sequence[_AtRank],
    title: str,
    n_methods: int,
    width: float,
    *,
    x_title: str | None,
    y_title: str | None,
) -> Spec:
    """Return one protocol's panel; without an axis title, the axis has no labels either."""
    step = max(1, -(-n_methods // 10))
    # The title is a mark: that of a chart would move up if the axis has labels.
    return drawn(
        "scores",
        paper,
        rows=[row._asdict() for row in rows],
        width=width,
        title=title,
        middle=width / 2,
        limit=width + 10,
        x_title=x_title,
        y_title=y_title,
        has_labels=y_title is not None,
        last=max(n_methods, 2) + 0.5,
        ranks=list(range(1, n_methods + 1, step)),
    )
