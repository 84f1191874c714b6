"""The whole chain on real data: ICDAR 2015 with photographs and eight methods' result sets."""

import pytest
from django.contrib.auth.models import User

from annotate.datasets.models import Image, Result
from annotate.judging import services as judging
from annotate.reports.services import asked_now, study_report
from annotate.scoring.models import Score
from annotate.scoring.services import score_protocol
from annotate.studies.services import add_member, create_study
from protocols import registry
from protocols.core.base import Scene
from protocols.formats.readers.rrc import read_archive
from rankings.agreement.report import Settings
from rankings.consensus.mean_rank import mean_rank
from rankings.orders.edit_distance import edit_distance
from rankings.orders.from_scores import f_beta, ranking_from_scores
from tests.support.judge import JUDGES, quality
from tests.support.loads import load_dataset, load_results
from tests.support.shared import shared_path

pytestmark = pytest.mark.django_db

METHODS = (
    "pixellink",
    "east-argman",
    "east-resnet50",
    "east-paddle",
    "craft-torch",
    "craft-td-early",
    "craft-td-late",
    "fcn-blocks",
)
# The seven of the paper, and a sentinel.
SLUGS = (
    *("iou", "deteval", "icdar13"),
    *("evaltex", "evaltex-no-split", "evaltex-emd", "evaltex-emd-no-split"),
    "count",
)
# Every image is loaded and scored; these are ranked, which keeps the test short.
RANKED = [f"img_{number}" for number in range(25, 501, 25)]


@pytest.fixture
def dataset():
    folder = shared_path("data", "icdar2015")
    loaded = load_dataset(
        name="ICDAR 2015", truth=folder / "gt.zip", images=folder / "images"
    ).dataset
    by_method = {method: folder / f"{method}.zip" for method in METHODS}
    load_results(loaded, by_method, missing="empty")
    return loaded


def rank(study, judge):
    """Let a simulated annotator rank every image of the study."""
    annotator = User.objects.create_user(judge.name)
    add_member(study=study, username=judge.name, role="annotator")
    qualities = {
        result.pk: quality(result.image.truth_regions, result.detections)
        for result in Result.objects.filter(image__in=study.images.all()).select_related("image")
    }
    turn = judging.start(study=study, annotator=annotator).turn
    while turn is not None:
        screen = turn.screen
        verdicts = {
            criterion: judge.verdict(
                qualities[screen.left_id],
                qualities[screen.right_id],
                criterion,
                f"{turn.assignment.image.name}/{screen.left_id}/{screen.right_id}",
            )
            for criterion in turn.open_criteria
        }
        turn = judging.record_judgement(
            screen_id=screen.public_id, annotator=annotator, verdicts=verdicts
        ).turn


def scores_from_the_zips():
    """Recall and precision by the pure packages alone: {image: {protocol: {method: (R, P)}}}.

    Only of the ranked images, as no score of these protocols depends on another image.
    """
    folder = shared_path("data", "icdar2015")
    regions_of = read_archive(folder / "gt.zip", kind="truth").regions
    truth = {image: regions_of[image] for image in RANKED}
    scores = {image: {} for image in truth}
    for protocol in map(registry.get, SLUGS):
        for method in METHODS:
            detections = read_archive(folder / f"{method}.zip", kind="results").regions
            scenes = [Scene(regions, detections.get(image)) for image, regions in truth.items()]
            for image, score in zip(truth, protocol.score(scenes), strict=True):
                of_protocol = scores[image].setdefault(protocol.name, {})
                of_protocol[method] = (score.recall, score.precision)
    return scores


def test_a_real_data_set_is_loaded_scored_ranked_and_reported(dataset):
    assert Image.objects.exclude(sha256="").count() == 500
    assert Result.objects.count() == 8 * 500
    for slug in SLUGS:
        score_protocol(dataset=dataset, slug=slug)
    assert Score.objects.count() == len(SLUGS) * 8 * 500
    reference_f = dataset.runs.get(name="IOU").overall["pixellink"]["f_score"]
    assert reference_f == pytest.approx(0.822701916080524, abs=1e-12)

    study = create_study(
        name="Real",
        dataset=dataset,
        methods=list(dataset.methods.all()),
        images=list(dataset.images.filter(name__in=RANKED)),
        state="open",
        seed=1,
    )
    for judge in JUDGES:
        rank(study, judge)
    built = study_report(asked_now(study, Settings()))
    assert (built.n_images, built.n_rankings, built.n_annotators) == (20, 60, 3)

    name_of = dict(dataset.methods.values_list("pk", "name"))
    scores = scores_from_the_zips()
    for criterion, table in built.report.criteria.items():
        assert (table.n_images, table.left_out) == (20, ())
        total = dict.fromkeys((registry.PROTOCOLS[slug].name for slug in SLUGS), 0.0)
        for image in RANKED:
            consensus = mean_rank(
                [
                    tuple(tuple(name_of[m] for m in bucket) for bucket in rankings[criterion])
                    for rankings in study.assignments.filter(image__name=image).values_list(
                        "rankings", flat=True
                    )
                ]
            )
            for protocol in total:
                values = {
                    method: {"recall": r, "precision": p, "preference": f_beta(r, p)}[criterion]
                    for method, (r, p) in scores[image][protocol].items()
                }
                total[protocol] += edit_distance(ranking_from_scores(values), consensus).distance
        assert {row.protocol: row.score for row in table.rows} == {
            protocol: distance / 20 for protocol, distance in total.items()
        }
