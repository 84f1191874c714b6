"""Checking tables of scores against the images and results that they are of."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from protocols.formats.problems import Nearest, Problems
from protocols.formats.readers.scores import ScoreRow, ScoreTable, Unit, read_scores

from .known import Known
from .reports import Checked
from .staging import Given, Rows

# By the user's answer, the unit of scores in files with scores above 1; None: not answered, ask.
_UNITS: Final[Mapping[bool | None, Unit | None]] = {True: "per cent", False: "fraction", None: None}


def check_scores(given: Given, known: Known, rows: Rows) -> Checked:
    """Read scores. The rows are method, image, recall, precision, grouped by method."""
    table = read_scores(given.path, name=given.file.name, unit=_UNITS[given.file.per_cent])
    problems = Problems(table.name, list(table.problems), Counter(p.code for p in table.problems))
    nearest_image, nearest_method = Nearest(known.images), Nearest(known.evaluated)
    for row in table.rows:
        _check_score(row, known, nearest_image, nearest_method, problems)
    n_missing = _n_unscored(table, known)
    if n_missing and table.rows and not problems.has_errors:
        told = ngettext("no score for {n} result", "no score for {n} results", n_missing).format(
            n=n_missing
        )
        problems.warning("S3", told, _("one for each"), action=_("left undefined"))
    is_asked = any(problem.severity == "question" for problem in problems.found)
    if not table.rows and not problems.has_errors and not is_asked:
        problems.error("S3", _("no score"), _("at least one line below the header"))
    ordered = sorted(table.rows, key=lambda row: row.method)
    rows.write((row.method, row.image, row.recall, row.precision) for row in ordered)
    counts = {"scores": len(table.rows), "missing": n_missing}
    return Checked(rows, problems, counts)


def _check_score(
    row: ScoreRow, known: Known, images: Nearest, methods: Nearest, problems: Problems
) -> None:
    if row.image not in known.images:
        expected = _("an image of the dataset{hint}").format(hint=images.hint(row.image))
        problems.error(
            "S1", _("the image “{image}”").format(image=row.image), expected, line=row.line
        )
    elif row.method not in known.evaluated:
        expected = _("a method of the dataset{hint}").format(hint=methods.hint(row.method))
        problems.error(
            "S1", _("the method “{method}”").format(method=row.method), expected, line=row.line
        )
    else:
        evaluated = known.evaluated[row.method]
        if evaluated is not None and row.image not in evaluated:
            found = _("a score of {method} on {image}, where it was not evaluated").format(
                method=row.method, image=row.image
            )
            problems.error("S1", found, _("scores of results that are loaded"), line=row.line)


def _n_unscored(table: ScoreTable, known: Known) -> int:
    """Count the results without a score."""
    n_results = sum(
        len(known.images) if images is None else len(images) for images in known.evaluated.values()
    )
    n_scored = sum(
        row.method in known.evaluated
        and row.image in known.images
        and ((images := known.evaluated[row.method]) is None or row.image in images)
        for row in table.rows
    )
    return n_results - n_scored
