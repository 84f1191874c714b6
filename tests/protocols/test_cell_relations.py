"""Relations of cells on a grid, by hand and against plain loops."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.table_structure import TableStructure
from tests.support.tables import THRESHOLDS, VARIANTS, counts, n_relations, scored, table_of


def test_a_header_over_three_columns_has_three_relations_down_and_none_across():
    below = [(1, column, 1, column) for column in range(3)]
    assert n_relations((0, 0, 0, 2), *below) == 3 + 2


def test_blank_positions_are_skipped_however_many():
    assert n_relations((0, 0, 0, 0), (0, 4, 0, 4), (3, 0, 3, 0)) == 2


def test_doubled_cells_are_related_to_every_neighbour_but_not_to_each_other():
    assert n_relations((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 0, 1), (0, 2, 0, 2)) == 4
    assert n_relations((0, 0, 0, 1), (0, 0, 0, 1)) == 0


def test_cells_that_overlap_in_part_are_related():
    # Wide on columns 0 and 1, narrow on 0: narrow before wide. Nothing else.
    assert n_relations((0, 0, 0, 1), (0, 0, 0, 0)) == 1


grids = st.lists(
    st.builds(
        lambda row, column, down, right: (row, column, row + down, column + right),
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 2),
        st.integers(0, 2),
    ),
    max_size=7,
)


def slow_relations(cells):
    """Plain loops with the rules as written, among them those for doubled cells."""
    standing = {}
    for number, (first_row, first_column, last_row, last_column) in enumerate(cells):
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                standing.setdefault((row, column), []).append(number)
    related = set()
    for row, column in standing:
        for name, down, right in (("right", 0, 1), ("below", 1, 0)):
            for step in range(1, 7):
                following = standing.get((row + down * step, column + right * step))
                if following is None:
                    continue
                here = standing[row, column]
                doubled = step == 1 and len(here) > 1 and len(following) > 1
                related |= {
                    (a, b, name)
                    for a in here
                    for b in following
                    if a != b and not (doubled and cells[a] == cells[b])
                }
                break
    return related


@given(cells=grids)
def test_relations_are_those_of_plain_loops(cells):
    assert n_relations(*cells) == len(slow_relations(cells))


@given(truth=grids, detections=grids, variant=st.sampled_from(VARIANTS))
def test_what_is_found_is_what_plain_loops_find(truth, detections, variant):
    ours, theirs = table_of(*truth), table_of(*detections)
    score = scored(TableStructure(variant=variant), ours, theirs)
    n_found = []
    for at in THRESHOLDS:
        pairs = [
            (area, i, j)
            for i, a in enumerate(truth)
            for j, b in enumerate(detections)
            if (area := grid_iou(a, b)) >= at
        ]
        mapped = {}
        if variant == "page":
            for _, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
                if i not in mapped and j not in mapped.values():
                    mapped[i] = j
        else:
            for _, i, j in pairs:
                mapped.setdefault(i, j)
        moved = {(mapped.get(a), mapped.get(b), name) for a, b, name in slow_relations(truth)}
        n_found.append(len(moved & slow_relations(detections)))
    assert [n_correct for n_correct, _, _ in counts(score)] == n_found
    assert sum(match.recall_credit for match in score.matches) == pytest.approx(
        score.tally.recalled
    )
    ours_named = [index for match in score.matches for index in match.truth]
    left = [u.index for u in score.unmatched if u.side == "truth"]
    assert sorted(ours_named + left) == list(range(len(ours)))


def grid_iou(a, b):
    rows = min(a[2], b[2]) - max(a[0], b[0]) + 1
    columns = min(a[3], b[3]) - max(a[1], b[1]) + 1
    shared = max(rows, 0) * max(columns, 0)
    areas = [(last - top + 1) * (right - left + 1) for top, left, last, right in (a, b)]
    return shared / (sum(areas) - shared)
