"""Tables and their documents, written by hand."""

import json

from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.table_structure import TableStructure
from tests.support.shared import shared_path

BOUND = 1e-9
THRESHOLDS = (0.6, 0.7, 0.8, 0.9)
VARIANTS = ("page", "tool")
RUNS = tuple(f"trackA/{name}" for name in ("tight", "loose", "rotated")) + tuple(
    f"trackB/{name}" for name in ("tight", "loose", "struct")
)
TABLE = Region.from_box(0, 0, 100, 100, id="0")
SQUARE = '<Coords points="0,0 0,9 9,9 9,0"/>'


def reference():
    return json.loads(shared_path("reference", "ctdar.json").read_text())


def counts(score, thresholds=THRESHOLDS):
    figures = score.indicators
    return [
        [figures[f"n_correct_at_{at}"], figures["n_truth"], figures["n_detections"]]
        for at in thresholds
    ]


def scored(protocol, truth, detections):
    [score] = protocol.score([Scene(tuple(truth), detections and tuple(detections))])
    return score


def upright(height, width=100.0):
    """Return a box at the origin; the IoU of two is their smaller height over the larger one."""
    return Region.from_box(0, 0, width, height)


def document(*tables):
    inside = "".join(f"<table>{table}</table>" for table in tables)
    return f'<document filename="a.jpg">{inside}</document>'.encode()


def cell(attributes='start-row="0" start-col="0"', inside=SQUARE):
    return f"<cell {attributes}>{inside}</cell>"


def table_of(*grids, id="0", left=0.0):
    """Return a table with its cells, each 10 pixels wide and high at its place on the grid."""
    cells = [
        Region.from_box(
            left + 10 * first_column,
            10 * first_row,
            left + 10 * last_column + 10,
            10 * last_row + 10,
            cell=(first_row, first_column, last_row, last_column),
            parent=id,
        )
        for first_row, first_column, last_row, last_column in grids
    ]
    return [Region.from_box(left, 0, left + 100, 100, id=id), *cells]


def n_relations(*grids):
    table = table_of(*grids)
    return scored(TableStructure(), table, table).indicators["n_truth"]


GRID = [(row, column, row, column) for row in range(3) for column in range(3)]
