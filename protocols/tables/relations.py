"""Relations of neighbouring cells on the grids of tables ([G19]_)."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.errors import RegionError
from ..core.geometry import Indices

# Maximum numbers of grid positions and of neighbouring pairs of a table's cells.
MAX_POSITIONS: Final = 250_000
MAX_RELATIONS: Final = 2_000_000


def cell_relations(table: Indices, cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which cell precedes which on the grids of tables ([G19]_).

    Every cell occupies all positions of its rows and columns; a position without a cell is blank.
    Each cell of a position is related to each cell of the next position in the row that is not
    blank, and likewise down the column. Cells with identical rows and columns are not related to
    each other: neither a cell to itself nor two that share all their positions. ``table`` has the
    shape (n,): the table of each cell; ``cells`` has the shape (n, 4): first row, first column,
    last row and last column, inclusive, from 0. The answer has the shape (m, 3): direction (0 to
    the right, 1 down), from, to; each once, in ascending order. Raises RegionError if a table has
    more than MAX_POSITIONS positions or MAX_RELATIONS pairs of neighbours.
    """
    n_rows = cells[:, 2] - cells[:, 0] + 1
    n_columns = cells[:, 3] - cells[:, 1] + 1
    n_positions = n_rows * n_columns
    _check_size(np.bincount(table, n_positions), MAX_POSITIONS, "positions")
    # One entry for each position that a cell occupies: which cell, and its row and column there;
    # ``step`` counts the positions of a cell row by row.
    cell, step = _runs(n_positions)
    row = cells[cell, 0] + step // n_columns[cell]
    column = cells[cell, 1] + step % n_columns[cell]
    related = []
    for direction, (line, place) in enumerate(((row, column), (column, row))):
        before, after = _neighbours(table, line, place, cell)
        differ = (cells[before] != cells[after]).any(axis=1)
        # One number for each pair, to sort them and drop duplicates.
        pairs = np.unique(before[differ] * len(cells) + after[differ])
        both = np.divmod(pairs, max(len(cells), 1))
        related.append(np.column_stack((np.full(len(pairs), direction), *both)))
    return np.concatenate(related).astype(np.intp)


def _neighbours(
    table: Indices, line: Indices, place: Indices, cell: Indices
) -> tuple[Indices, Indices]:
    """Return the cells of each occupied position, paired with those of the next one in its line."""
    # Sorted by table, line, place in the line and cell: cells of one position are a run, and the
    # next run is the next occupied position of the line, if it is of the same table and line.
    order = np.lexsort((cell, place, line, table[cell]))
    keys = np.column_stack((table[cell], line, place))[order]
    cell = cell[order]
    starts = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)][: len(keys)])
    sizes = np.diff(np.r_[starts, len(keys)])
    first = np.flatnonzero((keys[starts[1:], :2] == keys[starts[:-1], :2]).all(axis=1))
    # Every cell of a run with every cell of the next run: pair number ``step`` of a pair of runs is
    # number step // width of the first with number step % width of the second.
    n_pairs = sizes[first] * sizes[first + 1]
    _check_size(np.bincount(keys[starts[first], 0], n_pairs), MAX_RELATIONS, "neighbours")
    pair, step = _runs(n_pairs)
    at = first[pair]
    width = sizes[at + 1]
    return cell[starts[at] + step // width], cell[starts[at + 1] + step % width]


def _runs(lengths: Indices) -> tuple[Indices, Indices]:
    """Return, for each element of runs of these lengths, its run and its number in the run."""
    run = np.repeat(np.arange(len(lengths)), lengths)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _check_size(sizes: NDArray[Any], limit: int, what: str) -> None:
    if len(sizes) and sizes.max() > limit:
        raise RegionError(
            f"the cells of a table have {sizes.max():.0f} {what} on its grid; at most {limit}"
        )
