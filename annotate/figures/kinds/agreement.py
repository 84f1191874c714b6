"""A heat map of the mean distance between annotators."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.languages import in_decimals
from rankings.orders.buckets import methods_of
from rankings.orders.distances import kemeny_distances
from rankings.orders.edit_distance import edit_distances, places_of

from ..data import FigureData, noted_as_live
from ..figure import Figure, without_drawing
from ..numbers import Matrix, Rankings
from ..parts import matrix_of_cells
from ..words import DISTANCE_NAMES, SHORT_DISTANCE_NAMES, capital, listed, titled, whole

# (row, column) of the matrix, row < column -> mean distance
_Pairs = Mapping[tuple[int, int], float]


def figure_of(data: FigureData) -> Figure:
    annotators = list(data.of_annotator)
    means = mean_distances(data.of_annotator, data.settings.distance)
    figure = annotator_agreement(
        [
            [means.get((row, column), means.get((column, row))) for column in annotators]
            for row in annotators
        ],
        annotators,
        distance=data.settings.distance,
        criterion=data.criterion,
        constant=[
            name
            for name, rankings in data.of_annotator.items()
            if all(len(ranking) == 1 for ranking in rankings.values())
        ],
    )
    return noted_as_live(figure, data)


def annotator_agreement(
    means: Matrix,
    annotators: Sequence[str],
    *,
    distance: str = "edit",
    criterion: str = "recall",
    constant: Sequence[str] = (),
) -> Figure:
    """Return a heat map of the mean distance between annotators.

    A mean is None if two share no image, and on the diagonal; rankings of ``constant`` annotators
    tie everything.
    """
    title = titled(_("Agreement between annotators"), criterion)
    columns = (_("Annotator"), *annotators)
    pairs = list(combinations(range(len(annotators)), 2))
    known = {
        (row, column): mean for row, column in pairs if (mean := means[row][column]) is not None
    }
    missing = _missing(annotators, known)
    if missing:
        return without_drawing("agreement", title, columns, missing)
    return Figure(
        name="agreement",
        title=title,
        caption=(
            _(
                "Mean {distance} between the rankings by {criterion} of two annotators over the images "
                "that both have ranked; 0 is full agreement. A1 is annotator-1 of the raw data."
            ).format(distance=DISTANCE_NAMES[distance], criterion=_(criterion))
        ),
        summary=_summary(annotators, known),
        columns=columns,
        rows=tuple((name, *row) for name, row in zip(annotators, means, strict=True)),
        notes=tuple(_notes(known, len(pairs), constant)),
        draw=partial(
            matrix_of_cells,
            names=annotators,
            matrix=means,
            top=max(known.values()) or 1.0,
            digits=1,
            legend=capital(_("mean {distance}").format(distance=SHORT_DISTANCE_NAMES[distance])),
        ),
    )


def _missing(annotators: Sequence[str], known: _Pairs) -> str:
    if not annotators:
        return _("No annotator has ranked an image completely yet.")
    if len(annotators) == 1:
        return _("One annotator has ranked images so far; agreement needs two.")
    return "" if known else _("No two annotators have ranked the same image yet.")


def _summary(annotators: Sequence[str], known: _Pairs) -> str:
    far = max(known, key=lambda pair: known[pair])
    near = min(known, key=lambda pair: known[pair])
    return _(
        "Heat map of {n} annotators. Nearest: {near}, {least}; farthest: {far}, {most}."
    ).format(
        n=len(annotators),
        near=listed([annotators[at] for at in near]),
        least=in_decimals(known[near], 2),
        far=listed([annotators[at] for at in far]),
        most=in_decimals(known[far], 2),
    )


def _notes(known: _Pairs, n_pairs: int, constant: Sequence[str]) -> list[str]:
    notes = []
    if len(known) < n_pairs:
        n = n_pairs - len(known)
        notes.append(
            ngettext(
                "{n} pair of annotators without a common image has a dash.",
                "{n} pairs of annotators without a common image have a dash.",
                n,
            ).format(n=whole(n))
        )
    if constant:
        notes.append(_("Ties everything on every image: {names}.").format(names=listed(constant)))
    distances = set(known.values())
    if distances == {0}:
        notes.append(_("All annotators agree on every common image."))
    elif len(distances) == 1:
        notes.append(_("All pairs are equally far apart."))
    return notes


def mean_distances(of_annotator: Rankings, distance: str) -> dict[tuple[str, str], float | None]:
    """Return each pair of annotators' mean distance over common images; None if there are none.

    Rankings of different methods are not compared: a method may have joined in between.
    """
    totals = dict.fromkeys(combinations(of_annotator, 2), 0.0)
    n_images = dict.fromkeys(totals, 0)
    images = dict.fromkeys(image for rankings in of_annotator.values() for image in rankings)
    measure = edit_distances if distance == "edit" else kemeny_distances
    for image in images:
        # methods -> annotators, in order, who ranked exactly these methods on the image
        annotators_by_methods: dict[frozenset[str], list[str]] = {}
        for name, rankings in of_annotator.items():
            if image in rankings:
                annotators_by_methods.setdefault(methods_of(rankings[image]), []).append(name)
        for names in annotators_by_methods.values():
            pairs = list(combinations(range(len(names)), 2))
            if not pairs:
                continue
            # A row of places for each annotator; one call measures all pairs of rows.
            places = places_of([of_annotator[name][image] for name in names])
            firsts, seconds = (list(ends) for ends in zip(*pairs, strict=True))
            distances = measure(places[firsts], places[seconds])
            for (first, second), value in zip(pairs, distances, strict=True):
                pair = (names[first], names[second])
                totals[pair] += float(value)
                n_images[pair] += 1
    return {
        pair: total / n_images[pair] if n_images[pair] else None for pair, total in totals.items()
    }
