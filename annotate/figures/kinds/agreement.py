"""A heat map of the mean distance between annotators."""

from collections.abc import Sequence
from itertools import combinations

from rankings.distances import kemeny_distances
from rankings.edit_distance import edit_distances, places_of
from rankings.orders import methods_of

from ..data import FigureData, noted_as_live
from ..figure import Figure, without_drawing
from ..numbers import Matrix, Rankings
from ..parts import matrix_of_cells
from ..words import DISTANCE_NAMES, SHORT_DISTANCE_NAMES, counted, listed


def figure_of(data: FigureData) -> Figure:
    annotators = list(data.of_annotator)
    found = mean_distances(data.of_annotator, data.settings.distance)
    means = [
        [found.get((row, column), found.get((column, row))) for column in annotators]
        for row in annotators
    ]
    figure = annotator_agreement(
        means,
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
        return without_drawing(empty, "No annotator has ranked an image completely yet.")
    if len(annotators) == 1:
        return without_drawing(
            empty, "One annotator has ranked images so far; agreement needs two."
        )
    pairs = {
        (row, column): means[row][column]
        for row in range(len(annotators))
        for column in range(row + 1, len(annotators))
    }
    known = {pair: mean for pair, mean in pairs.items() if mean is not None}
    if not known:
        return without_drawing(empty, "No two annotators have ranked the same image yet.")
    notes = []
    if len(known) < len(pairs):
        notes.append(
            f"{counted(len(pairs) - len(known), 'pair')} of annotators without a common image "
            "have a dash."
        )
    if constant:
        notes.append(f"Ties everything on every image: {listed(constant)}.")
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
            f"Mean {DISTANCE_NAMES[distance]} between the rankings by {criterion} of two "
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
        draw=lambda paper: matrix_of_cells(
            paper,
            annotators,
            means,
            top=max(known.values()) or 1.0,
            digits=1,
            legend=f"Mean {SHORT_DISTANCE_NAMES[distance]}",
        ),
    )


def mean_distances(of_annotator: Rankings, distance: str) -> dict[tuple[str, str], float | None]:
    """Return the mean distance of each two annotators over the images both ranked; None without.

    Two rankings of different methods are not compared: a method may have joined in between.
    """
    sums = {pair: [0.0, 0] for pair in combinations(of_annotator, 2)}
    images = dict.fromkeys(image for rankings in of_annotator.values() for image in rankings)
    measure = edit_distances if distance == "edit" else kemeny_distances
    for image in images:
        alike: dict[frozenset[str], list[str]] = {}
        for name, rankings in of_annotator.items():
            if image in rankings:
                alike.setdefault(methods_of(rankings[image]), []).append(name)
        for names in alike.values():
            pairs = list(combinations(range(len(names)), 2))
            if not pairs:
                continue
            places = places_of([of_annotator[name][image] for name in names])
            firsts, seconds = (list(ends) for ends in zip(*pairs, strict=True))
            found = measure(places[firsts], places[seconds])
            for (first, second), value in zip(pairs, found, strict=True):
                entry = sums[names[first], names[second]]
                entry[0] += float(value)
                entry[1] += 1
    return {pair: total / n if n else None for pair, (total, n) in sums.items()}
