"""A small study whose annotators disagree, and whose protocols do, too."""

from annotate.scoring.services import score_protocol
from annotate.studies.models import Study
from tests.support.factories import add_annotator, make_run, make_study
from tests.support.truths import rank_everything, same_truth


def two_who_differ() -> Study:
    """Make a study of two annotators; by IOU, b has one hit and one miss, c nothing."""
    boxes = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 99, 39), (200, 0, 299, 39)], "c": []}
    study = make_study(["a", "b", "c"], images=3, boxes=boxes)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    rank_everything(study, add_annotator(study), same_truth([["a"], ["c"], ["b"]]))
    score_protocol(dataset=study.dataset, slug="iou")
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study
