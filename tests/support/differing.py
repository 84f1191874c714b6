"""A small study whose people differ, and its protocols too."""

from annotate.scoring.services import score_protocol
from annotate.studies.models import Study
from tests.support.factories import add_annotator, make_run, make_study
from tests.support.truths import rank_everything, same_truth


def two_who_differ() -> Study:
    """Two annotators on three images, and two protocols. IOU by b: one hit and one miss, c: nothing found."""
    boxes = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 99, 39), (200, 0, 299, 39)], "c": []}
    study = make_study(["a", "b", "c"], images=3, boxes=boxes)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    rank_everything(study, add_annotator(study), same_truth([["a"], ["c"], ["b"]]))
    score_protocol(dataset=study.dataset, slug="iou")
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study
