"""Scoring a dataset: stored whole, with what made it."""

import html
import json
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from shapely.errors import GEOSException

from annotate.datasets.models import Image, Result
from annotate.jobs.models import Job
from annotate.reports.provenance import described_runs
from annotate.reports.services import asked_now, study_report
from annotate.scoring import work
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.readiness import readiness
from annotate.scoring.services import NotScored, score_protocol
from protocols import registry
from protocols.core.regions import encode_regions
from protocols.signatures import read_signature, signature
from rankings.agreement.report import Settings
from tests.support.empty_sides import EMPTY
from tests.support.factories import (
    make_admin,
    make_dataset,
    make_image,
    make_method,
    make_result,
    make_study,
)
from tests.support.loads import load_dataset, load_results

pytestmark = pytest.mark.django_db

WORD, OTHER = (0, 0, 99, 39), (200, 0, 299, 39)


@pytest.fixture
def dataset():
    """One image with two words; a method that finds one, one that finds nothing, one not run."""
    dataset = make_dataset("street")
    image = make_image(dataset, "img_1", truth=[WORD, OTHER])
    make_result(image, make_method(dataset, "half"), [WORD])
    make_result(image, make_method(dataset, "empty"), [])
    make_method(dataset, "not-run")
    return dataset


def test_each_result_gets_its_score_and_each_method_the_official_figures(dataset):
    run = score_protocol(dataset=dataset, slug="iou")
    scores = {
        score.result.method.name: (score.recall, score.precision) for score in run.scores.all()
    }
    assert scores == {"half": (0.5, 1.0), "empty": (0.0, 0.0)}
    assert run.overall["half"]["recall"] == 0.5
    assert "not-run" not in run.overall


def test_a_run_names_protocol_parameters_and_version(dataset):
    run = score_protocol(dataset=dataset, slug="deteval")
    run.refresh_from_db()
    assert (run.protocol, run.name, run.origin) == ("deteval", "DETEVAL", "computed")
    assert run.parameters["min_area_recall"] == 0.8
    assert run.version


def test_every_door_tells_a_run_by_the_same_signature(admin):
    study = make_study(methods=2)
    dataset = study.dataset
    run = score_protocol(dataset=dataset, slug="iou:art")
    line = signature(registry.get("iou:art"), "unknown", "unknown", 1)
    assert run.signature == line
    assert [of["signature"] for of in described_runs([run])] == [line]
    [shown] = admin.get(reverse("api:runs", args=[dataset.slug])).json()["results"]
    assert shown["signature"] == line
    address = reverse("leaderboards:file", args=[dataset.slug, "leaderboard", "csv"])
    assert line in admin.get(address).text
    assert line in study_report(asked_now(study, Settings())).header["protocols"]


def test_a_signature_names_how_the_files_were_read():
    word = "0,0,99,0,99,39,0,39"
    loaded = load_dataset(name="Signs", truth={"gt_img_1.txt": f"{word},one\r\n"}).dataset
    load_results(loaded, {"east": {"res_img_1.txt": f"{word}\r\n"}})
    signed = read_signature(score_protocol(dataset=loaded, slug="iou").signature)
    assert (signed.truth, signed.results, signed.n_images) == ("quad", "quad", 1)


def test_other_parameters_make_a_protocol_of_another_name(dataset):
    run = score_protocol(dataset=dataset, slug="iou", parameters={"min_iou": 0.7})
    assert run.name == "IOU (min_iou 0.7)"


@pytest.mark.parametrize(
    ("slug", "parameters", "named"),
    [
        ("nothing", {}, "nothing"),
        ("iou", {"min_iou": 1.5}, "min_iou"),
        ("iou", {"typo": 1}, "typo"),
    ],
)
def test_what_cannot_be_run_is_refused_and_leaves_nothing(dataset, slug, parameters, named):
    with pytest.raises(NotScored, match=named):
        score_protocol(dataset=dataset, slug=slug, parameters=parameters)
    assert not ProtocolRun.objects.exists()


def test_a_run_that_fails_half_way_leaves_nothing(dataset):
    def fail(done, total):
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        score_protocol(dataset=dataset, slug="iou", progress=fail)
    assert not ProtocolRun.objects.exists()
    assert not Score.objects.exists()


def test_a_dataset_without_results_is_refused():
    with pytest.raises(NotScored, match="no results"):
        score_protocol(dataset=make_dataset(), slug="iou")


def test_an_absent_file_and_an_empty_one_may_score_differently():
    """ICDAR13 on an image without truth: an empty file scores 1, no file 0 (its special cases)."""
    dataset = make_dataset()
    image = make_image(dataset)
    make_result(image, make_method(dataset, "empty"), [])
    absent = make_result(image, make_method(dataset, "absent"), [])
    absent.had_file = False
    absent.save()
    run = score_protocol(dataset=dataset, slug="icdar13")
    recall = {score.result.method.name: score.recall for score in run.scores.all()}
    assert recall == {"empty": 1.0, "absent": 0.0}


def test_the_command_scores_and_says_how_long_it_took(dataset, capsys):
    call_command("score_protocol", "street", "iou", "icdar13")
    out = capsys.readouterr().out
    assert "IOU: 2 results in" in out
    assert "Results scored: 2 of 2" in out
    assert ProtocolRun.objects.count() == 2


def test_the_command_scores_a_protocol_that_is_named_twice_once(dataset):
    parameters = json.dumps({"matching": "best"})
    call_command("score_protocol", "street", "iou", "iou", "iou:art", "--parameters", parameters)
    assert ProtocolRun.objects.count() == 1


def test_the_page_scores_a_protocol_that_is_chosen_twice_once(admin, dataset):
    url = reverse("scoring:score", args=["street"])
    chosen = {"protocols": ["iou", "iou", "iou:art"], "parameters": '{"matching": "best"}'}
    admin.post(url, chosen)
    assert ProtocolRun.objects.count() == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nowhere", "iou"], "nowhere"),
        (["street", "nothing"], "nothing"),
        (["street", "iou", "--parameters", "{"], "--parameters"),
        (["street", "iou", "--parameters", "[1]"], "--parameters"),
        (["street", "iou", "--parameters", json.dumps({"min_iou": "x"})], "min_iou"),
    ],
)
def test_the_command_refuses_in_one_sentence(dataset, arguments, named):
    with pytest.raises(CommandError, match=named):
        call_command("score_protocol", *arguments)
    assert not ProtocolRun.objects.exists()


def test_an_admin_scores_from_the_page(admin, dataset, monkeypatch):
    url = reverse("scoring:score", args=["street"])
    response = admin.post(url, {"protocols": ["iou", "deteval"]}, follow=True)
    assert response.redirect_chain[-1][0] == reverse("datasets:detail", args=["street"])
    assert ProtocolRun.objects.count() == 2
    assert admin.post(url, {}).status_code == 422
    assert admin.post(url, {"protocols": ["nothing"]}).status_code == 422
    # Several that wait are followed in the list of all work.
    waiting = Job(state=Job.State.WAITING)
    monkeypatch.setattr("annotate.scoring.work.start", lambda **_: waiting)
    response = admin.post(url, {"protocols": ["iou", "deteval"]})
    assert response.url == reverse("jobs:work")


def test_a_variant_is_scored_from_the_page_under_a_name_of_its_own(admin, dataset):
    url = reverse("scoring:score", args=["street"])
    chosen = {
        "protocols": ["iou", "count"],
        "weight": "area",
        "empty_precision": "one",
        "parameters": "",
    }
    admin.post(url, chosen)
    assert set(ProtocolRun.objects.values_list("name", flat=True)) == {
        "IOU (weight area, empty_precision one)",
        "Sentinel: count",
    }
    run = ProtocolRun.objects.get(protocol="iou")
    assert run.scores.get(result__method__name="empty").precision == 1.0


def test_a_published_variant_is_chosen_beside_its_protocol(admin, dataset):
    url = reverse("scoring:score", args=["street"])
    page = admin.get(url).text
    assert "IOU: ArT and LSVT" in page
    assert "IoU in toolkits (PaddleOCR)" in page
    admin.post(url, {"protocols": ["iou", "iou:art", "iou-toolkits"], "parameters": ""})
    assert set(ProtocolRun.objects.values_list("name", "protocol")) == {
        ("IoU in toolkits (PaddleOCR)", "iou-toolkits"),
        ("IOU", "iou"),
        ("IOU (matching best)", "iou"),
    }


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"parameters": "{"}, "not JSON"),
        ({"parameters": "[1]"}, "JSON object"),
        ({"parameters": '{"min_iou": 7}'}, "min_iou must be a number in [0, 1], got 7."),
        ({"parameters": '{"bins": 7}'}, "iou has no parameter"),
        ({"weight": "luck"}, "Select a valid choice"),
    ],
)
def test_a_wrong_parameter_on_the_page_is_said_and_nothing_is_scored(
    admin, dataset, changed, named
):
    response = admin.post(
        reverse("scoring:score", args=["street"]), {"protocols": ["iou"]} | changed
    )
    assert response.status_code == 422
    assert named in html.unescape(response.text)
    assert not ProtocolRun.objects.exists()


def test_only_what_fits_is_offered_and_the_rest_is_listed_with_its_reason(admin, dataset):
    url = reverse("scoring:score", args=["street"])
    page = admin.get(url).text
    assert 'value="iou"' in page
    for told in (
        "PopEval: the ground truth has no transcriptions",
        "Average precision: the results have no confidences",
        "Table structure (cTDaR): the ground truth has no table cells",
    ):
        assert told in page
    for slug in ("popeval", "average-precision", "table-structure"):
        assert f'value="{slug}"' not in page
    response = admin.post(url, {"protocols": ["iou", "popeval"]})
    assert response.status_code == 422
    assert not ProtocolRun.objects.exists()


def test_all_that_fit_are_scored_by_one_button(admin, dataset):
    ready = readiness(dataset)
    admin.post(reverse("scoring:score", args=["street"]), {"all": "1"})
    assert set(ProtocolRun.objects.values_list("protocol", flat=True)) == set(ready.fitting)
    assert {"iou", "deteval", "count"} <= set(ready.fitting)
    assert not set(ready.fitting) & {unfit.slug for unfit in ready.unfit}


def test_one_of_each_kind_is_proposed(admin, dataset):
    ready = readiness(dataset)
    proposed = {"iou", "tiou", "deteval", "icdar13", "evaltex", "no-ground-truth", "count"}
    assert proposed <= set(ready.proposed) < set(ready.fitting)
    assert {"evaltex-emd", "deteval-wolf", "total-area"} <= set(ready.fitting) - set(ready.proposed)
    page = admin.get(reverse("datasets:detail", args=["street"])).text
    assert 'name="proposed"' in page
    admin.post(reverse("scoring:score", args=["street"]), {"proposed": "1"})
    assert set(ProtocolRun.objects.values_list("protocol", flat=True)) == set(ready.proposed)


def test_a_dataset_is_ready_only_for_what_it_holds(admin, dataset):
    """Neither photographs nor texts nor confidences nor cells: scores alone."""
    assert [(use.name, bool(use.lacks)) for use in readiness(dataset).uses] == [
        ("ranking by people", True),
        ("scores of detection", False),
        ("average precision", True),
        ("end to end, with what was read", True),
        ("tables and their cells", True),
    ]
    assert readiness(make_dataset("empty")).uses[0].lacks == (
        "no method has results; people compare two"
    )
    page = admin.get(reverse("datasets:detail", args=["street"])).text
    assert "no image has a photograph; people would see boxes alone" in page


def test_methods_vote_together_where_they_have_results():
    """Two methods agree on one image; the third was run on the other image alone."""
    dataset = make_dataset("votes")
    first, second = make_image(dataset, "img_1"), make_image(dataset, "img_2")
    one, two, three = (make_method(dataset, name) for name in ("one", "two", "three"))
    make_result(first, one, [WORD])
    make_result(first, two, [WORD])
    make_result(second, two, [WORD])
    make_result(second, three, [OTHER])
    run = score_protocol(dataset=dataset, slug="no-ground-truth")
    precision = {
        (score.result.method.name, score.result.image.name): score.precision
        for score in run.scores.all()
    }
    # Of two methods and two virtual ones, three mark the word both find, two a word only one finds.
    assert precision["one", "img_1"] == pytest.approx(3 / 4)
    assert precision["two", "img_2"] == pytest.approx(2 / 4)
    assert set(run.overall) == {"one", "two", "three"}


def test_one_method_alone_cannot_vote(dataset):
    dataset.methods.get(name="empty").results.all().delete()
    with pytest.raises(NotScored, match="several methods"):
        score_protocol(dataset=dataset, slug="no-ground-truth")


@pytest.mark.parametrize("fault", [GEOSException("TopologyException"), OverflowError("too large")])
def test_regions_that_geometry_gives_up_on_are_refused_and_leave_nothing(
    dataset, monkeypatch, fault
):
    def gives_up(self, scenes):
        raise fault

    monkeypatch.setattr(registry.PROTOCOLS["iou"], "score", gives_up)
    with pytest.raises(NotScored, match="too large compared with"):
        score_protocol(dataset=dataset, slug="iou")
    assert not ProtocolRun.objects.exists()


class TestLeftOut:
    """Three methods on two images: with confidences, without, and without any box."""

    @pytest.fixture
    def mixed(self):
        dataset = make_dataset("mixed")
        methods = {name: make_method(dataset, name) for name in ("sure", "plain", "silent")}
        for name in ("img_1", "img_2"):
            image = make_image(dataset, name, truth=[WORD, OTHER])
            make_result(image, methods["plain"], [WORD])
            make_result(image, methods["silent"], [])
            result = make_result(image, methods["sure"], [WORD])
            with_confidence = [replace(region, confidence=0.9) for region in result.detections]
            result.regions = encode_regions(with_confidence)
            result.save()
        return dataset

    def test_a_method_without_confidences_has_no_average_precision(self, mixed):
        run = score_protocol(dataset=mixed, slug="average-precision")
        assert run.overall.keys() == {"sure", "silent"}
        assert run.n_scores == run.scores.count() == 4
        assert score_protocol(dataset=mixed, slug="iou").overall.keys() == {
            *("sure", "plain", "silent")
        }

    def test_the_job_names_it(self, mixed):
        person = make_admin()
        job = work.start(dataset=mixed, slug="average-precision", parameters={}, person=person)
        job.refresh_from_db()
        assert job.outcome.endswith("Left out, because the protocol's inputs are missing: plain.")

    def test_the_page_of_the_data_set_does_not_name_one_that_found_nothing(self, mixed):
        """``silent`` needs no confidence, and is scored with 0."""
        [use] = [use for use in readiness(mixed).uses if use.name == "average precision"]
        assert "silent" not in use.without
        Result.objects.exclude(method__name="silent").delete()
        run = score_protocol(dataset=mixed, slug="average-precision")
        assert run.overall["silent"]["recall"] == 0.0

    def test_the_page_of_the_data_set_names_it_before(self, admin, mixed):
        [use] = [use for use in readiness(mixed).uses if use.name == "average precision"]
        assert (use.lacks, use.without) == ("", "without plain: the results have no confidences")
        assert use.without in admin.get(reverse("datasets:detail", args=["mixed"])).text


@pytest.mark.parametrize("slug", [slug for slug in EMPTY if slug != "table-structure"])
def test_a_method_that_finds_nothing_has_the_score_that_each_protocol_defines(slug):
    """One image with a word, one without; the file of each is empty."""
    dataset = make_dataset("street")
    method = make_method(dataset, "silent")
    for name, truth in (("img_1", [WORD]), ("img_2", [])):
        image = make_image(dataset, name, truth=truth)
        regions = [replace(region, text="word") for region in image.truth_regions]
        Image.objects.filter(pk=image.pk).update(truth=encode_regions(regions))
        make_result(image, method, [])
    run = score_protocol(dataset=dataset, slug=slug)
    for name, case in (("img_1", "nothing found"), ("img_2", "nothing and nothing")):
        score = run.scores.get(result__image__name=name)
        figures = (score.recall, score.precision, score.f_score)
        assert figures == pytest.approx(EMPTY[slug][case] or (0, 0, 0), abs=1e-12)


def test_labels_that_the_ground_truth_has_not_are_said_and_do_not_count(dataset):
    """Figures of the slot error rate with a category on each box, and the sentence of the job."""
    before = score_protocol(dataset=dataset, slug="slot-error").overall["half"]
    result = Result.objects.get(method__name="half")
    result.regions = encode_regions(replace(one, label="text") for one in result.detections)
    result.save()
    job = work.start(dataset=dataset, slug="slot-error", parameters={}, person=make_admin())
    job.refresh_from_db()
    assert job.outcome.endswith(
        "half: labels on 0 of 2 truths and 1 of 1 detections; they count only where the ground truth "
        "has them."
    )
    after = ProtocolRun.objects.get(pk=job.made["run"]).overall["half"]
    assert after == before == {"recall": 0.5, "precision": 1.0, "f_score": pytest.approx(2 / 3)}


@pytest.mark.parametrize("slug", ["iou", "no-ground-truth"])
def test_an_image_whose_regions_are_a_pile_is_refused_before_it_is_compared(slug):
    pile = [(0, 0, 50, 20)] * 150
    dataset = make_dataset("pile")
    image = make_image(dataset, "img_7", truth=pile)
    for name in ("one", "other"):
        make_result(image, make_method(dataset, name), pile)
    with pytest.raises(NotScored, match="'img_7' overlap or cross each other so often"):
        score_protocol(dataset=dataset, slug=slug)
    assert not ProtocolRun.objects.exists()
