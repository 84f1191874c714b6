"""A matrix of the shares of images on which one protocol is nearer to people than another."""

from collections.abc import Sequence
from functools import partial

from django.utils.translation import gettext as _

from ..data import FigureData
from ..figure import Figure, without_drawing
from ..numbers import Distances, mean
from ..parts import matrix_of_cells
from ..words import counted_images, identical, missing_images, one_image, percent, titled


def figure_of(data: FigureData) -> Figure:
    return win_matrix(
        data.table.distances,
        data.protocols,
        criterion=data.criterion,
        left_out=data.table.left_out,
    )


def win_matrix(
    distances: Distances,
    protocols: Sequence[str],
    *,
    criterion: str = "recall",
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return a matrix of how often each protocol is nearer to people than each other one."""
    title = titled(_("Which protocol is nearer to people"), criterion)
    columns = (_("Protocol"), *protocols)
    missing = missing_images(distances, protocols, left_out)
    if not missing and len(protocols) < 2:
        missing = _("There is only one protocol, so there is nothing to compare it with.")
    if missing:
        return without_drawing("wins", title, columns, missing)
    shares = win_shares(distances, protocols)
    return Figure(
        name="wins",
        title=title,
        caption=(
            _(
                "Share of {images} on which the protocol of the row is nearer to the consensus by "
                "{criterion} than that of the column; a tie counts half. Columns are numbered as the "
                "rows are."
            ).format(images=counted_images(len(distances)), criterion=_(criterion))
        ),
        summary=_summary(protocols, shares),
        columns=columns,
        rows=tuple((name, *row) for name, row in zip(protocols, shares, strict=True)),
        notes=(*one_image(distances), *identical(distances, protocols)),
        draw=partial(
            matrix_of_cells,
            names=protocols,
            matrix=shares,
            top=1.0,
            digits=2,
            legend=_("Share of images"),
        ),
    )


def win_shares(distances: Distances, protocols: Sequence[str]) -> list[list[float | None]]:
    """Return the share of images on which the row is nearer than the column; a tie counts half.

    None on the diagonal, and everywhere if there are no images.
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


def _summary(protocols: Sequence[str], shares: Sequence[Sequence[float | None]]) -> str:
    means = {
        name: mean([share for share in row if share is not None])
        for name, row in zip(protocols, shares, strict=True)
    }
    best = max(protocols, key=lambda name: means[name])
    return _(
        "Matrix of {n} by {n} shares. {best} is nearer than the others most often, on {share} of the "
        "images on average."
    ).format(n=len(protocols), best=best, share=percent(means[best]))
