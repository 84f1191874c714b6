"""Studies at the edge of sense: every address of a study says what it can and cannot say, and none breaks."""

import io
import json
import zipfile

import pytest
from django.urls import reverse

from annotate.judging import services as judging
from annotate.reports.presentation import ShownAround
from annotate.reports.services import available_runs
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.services import score_protocol
from annotate.studies.exclusions import decide
from protocols.core.regions import encode_regions
from rankings.agreement.report import Settings
from tests.support.addresses import address_of, of_a_study
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_image,
    make_method,
    make_result,
    make_run,
    make_study,
)
from tests.support.kept import keep_report
from tests.support.pages import as_read, assert_for_people
from tests.support.truths import answer, rank_everything, same_truth
from tests.support.work import file_made

pytestmark = pytest.mark.django_db
AB, ABC = same_truth([["a"], ["b"]]), same_truth([["a"], ["b"], ["c"]])
TIED = same_truth([["a", "b", "c"]])


def ranked(n_annotators=3, truth=ABC, methods=("a", "b", "c"), **settings):
    study = make_study(list(methods), **settings)
    for _ in range(n_annotators):
        rank_everything(study, add_annotator(study), truth)
    return study


def with_runs(study, **runs):
    for name, scores in runs.items():
        make_run(study, name, scores)
    return study


RIGHT = {"a": 0.9, "b": 0.5, "c": 0.1}


def one_image():
    return with_runs(ranked(), Right=RIGHT, Wrong={"a": 0.1, "b": 0.5, "c": 0.9})


def one_annotator():
    return with_runs(ranked(1, images=2, min_annotators=1), Right=RIGHT)


def one_method_ranked():
    """A study needs two methods; the second has left, so one is ranked."""
    study = with_runs(ranked(methods=("a", "b", "c")), Right=RIGHT)
    for name in ("b", "c"):
        method = study.methods.get(name=name)
        study.methods.remove(method)
    return study


def one_result_of_each_image():
    """Images on which one method has a result cannot be compared; here they came afterwards."""
    study = with_runs(ranked(images=2), Right=RIGHT)
    image = make_image(study.dataset)
    make_result(image, study.methods.first())
    study.study_images.create(image=image)
    return study


def all_ties():
    return with_runs(ranked(truth=TIED, images=2), Right=RIGHT)


def images_without_results():
    study = make_study(["a", "b"])
    study.images.get().results.all().delete()
    return study


def method_added_later():
    """The rankings are older than the method that all protocols have scored."""
    study = ranked(1, truth=AB, methods=("a", "b"))
    method = make_method(study.dataset, "new")
    make_result(study.images.get(), method)
    study.methods.add(method)
    return with_runs(study, All={"a": 0.5, "b": 0.1, "new": 0.9})


def no_complete_image():
    study = with_runs(make_study(["a", "b", "c"], images=2), Right=RIGHT)
    judging.start(study=study, annotator=add_annotator(study))
    return study


def nobody():
    return make_study(["a", "b"], images=2)


def no_protocol():
    return ranked(images=2)


def scores_of_some_images():
    study = with_runs(ranked(images=3), Right=RIGHT, Partial=RIGHT)
    kept = study.images.in_order().first()
    Score.objects.filter(run__name="Partial").exclude(result__image=kept).delete()
    return study


def no_score_at_all():
    study = ranked(images=2)
    ProtocolRun.objects.create(
        dataset=study.dataset, name="Empty", version="1", origin=ProtocolRun.Origin.IMPORTED
    )
    return study


def constant_protocol():
    return with_runs(ranked(images=2), Right=RIGHT, Constant=dict.fromkeys("abc", 0.5))


def only_constant_protocols():
    return with_runs(ranked(images=2), **{f"C{n}": dict.fromkeys("abc", n / 2) for n in (0, 1, 2)})


def identical_protocols():
    return with_runs(ranked(images=3), One=RIGHT, Two=RIGHT, Three=RIGHT)


def missing_values():
    study = with_runs(ranked(images=2), Right=RIGHT, Gaps=RIGHT)
    gaps = Score.objects.filter(run__name="Gaps")
    gaps.filter(result__method__name="b").update(recall=None, f_score=None)
    gaps.filter(result__method__name="c").update(precision=None, f_score=None)
    return with_runs(study, Nothing={}, Some={"a": 0.5})


def always_left():
    """An annotator presses one key: the pairs contradict each other and are settled somehow."""
    study = with_runs(ranked(2, images=2, min_annotators=1, n_checks=3), Right=RIGHT)
    person = add_annotator(study)
    turn = judging.start(study=study, annotator=person).turn
    while turn is not None:
        turn = judging.record_judgement(
            screen_id=turn.screen.public_id,
            annotator=person,
            verdicts=dict.fromkeys(turn.open_criteria, "left"),
            seconds_taken=0.0,
        ).turn
    return study


def everybody_left_out():
    study = with_runs(ranked(images=2, min_annotators=1), Right=RIGHT)
    researcher = add_researcher(study)
    for person in {one.annotator for one in study.assignments.all()}:
        decide(study=study, person=person, is_excluded=True, reason="x", by=researcher)
    return study


def no_boxes():
    """Nothing to find and nothing found: a protocol's scores are undefined where it says so."""
    study = make_study(["a", "b"], images=1, boxes={"a": [], "b": [(0, 0, 9, 9)]})
    study.images.update(truth=encode_regions([]))
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    for slug in ("iou", "deteval", "evaltex"):
        score_protocol(dataset=study.dataset, slug=slug)
    study.min_annotators = 1
    study.save()
    return study


def all_skipped():
    study = with_runs(make_study(["a", "b", "c"], images=2, min_annotators=1), Right=RIGHT)
    for _ in range(2):
        person = add_annotator(study)
        turn = judging.start(study=study, annotator=person).turn
        while turn is not None:
            turn = judging.record_skip(
                screen_id=turn.screen.public_id, annotator=person, reason="broken"
            ).turn
    return study


def one_site():
    study = with_runs(ranked(images=3), Right=RIGHT, Wrong={"a": 0.1, "b": 0.5, "c": 0.9})
    study.memberships.update(group="Paris")
    return study


def as_many_scenes_as_images():
    study = with_runs(ranked(images=3), Right=RIGHT, Wrong={"a": 0.1, "b": 0.5, "c": 0.9})
    for image in study.images.all():
        image.scene = f"scene of {image}"
        image.save()
    return study


def one_who_did_nearly_all():
    """One person has ranked 19 images, another one and has begun a second: 95 % of the work."""
    study = make_study(["a", "b", "c"], images=21, min_annotators=1, max_annotators=1)
    with_runs(study, Right=RIGHT, Wrong={"a": 0.1, "b": 0.5, "c": 0.9})
    other = add_annotator(study)
    turn = judging.start(study=study, annotator=other).turn
    first = turn.assignment.pk
    while turn.assignment.pk == first:
        turn = answer(turn, other, ABC)
    rank_everything(study, add_annotator(study), ABC)
    return study


# From ten images on, pages have intervals and tests.
N_IMAGES = 12


def without_scores():
    return ranked(2, images=N_IMAGES, min_annotators=2)


def without_answers():
    study = with_runs(make_study(["a", "b", "c"], images=N_IMAGES), Right=RIGHT)
    add_annotator(study)
    return study


def with_every_protocol_left_out():
    """The only protocol needs what the results of one method lack, such as confidences."""
    study = without_scores()
    run = make_run(study, "Confident", {"a": 0.9, "b": 0.5})
    run.origin, run.protocol = run.Origin.COMPUTED, "average-precision"
    run.overall = {
        name: dict.fromkeys(("recall", "precision", "f_score"), RIGHT[name]) for name in "ab"
    }
    run.save()
    assert available_runs(study) == []
    return study


BARE = (without_scores, without_answers, with_every_protocol_left_out)
STUDIES = (
    *(one_image, all_skipped, one_site, as_many_scenes_as_images, one_who_did_nearly_all),
    *(one_annotator, one_method_ranked, one_result_of_each_image, all_ties),
    *(images_without_results, method_added_later, no_complete_image, nobody, no_protocol),
    *(scores_of_some_images, no_score_at_all, constant_protocol, only_constant_protocols),
    *(identical_protocols, missing_values, always_left, everybody_left_out, no_boxes),
)


@pytest.fixture(
    scope="module",
    params=[*BARE, *(pytest.param(build, marks=pytest.mark.release) for build in STUDIES)],
    ids=lambda build: build.__name__,
)
def odd(request, module_data):
    """A study, a kept report of it, an admin who may open all its pages, and its kind."""
    study, admin = request.param(), make_admin()
    kept = keep_report(
        study=study, settings=Settings(min_annotators=1), runs=available_runs(study), person=admin
    )
    return study, kept, admin, request.param


@pytest.fixture
def signed_in(client, odd):
    client.force_login(odd[2])
    return client


# Files that exist only if a table has a row, a figure a drawing, or a judge a task.
PARTIAL = (
    *("reports:export_table", "reports:kept_table", "questions:table"),
    *("figures:figure", "figures:kept_figure", "leaderboards:file", "leaderboards:figure"),
    "judges:sent",
)


def pages_with_settings(study, kept):
    """Yield the names of pages, and settings that address_of does not give."""
    every = (
        {},
        {"min_annotators": 1, "distance": "kemeny", "decimals": "none"},
        {"min_annotators": 1, "consensus": "kemeny", "beta": 0.01},
        {"min_annotators": 100},
    )
    for settings in every:
        yield "reports:report", {**settings, "criterion": "preference", "open": "all"}
        for name in ("evidence:image", "reports:images", "evidence:disagreement"):
            yield name, settings
    yield "planning:plan", {"people": 1, "images": 2}
    yield "figures:figures", {"criterion": "recall", "min_annotators": 1}
    yield "figures:kept_figures", {"criterion": "preference"}
    yield "evidence:annotators", {"annotator": "annotator-1"}
    yield "evidence:image", {"annotator": "annotator-1"}
    for criterion in ("recall", "precision", "preference"):
        yield "evidence:image", {"criterion": criterion}
    for protocol in ("IOU", "Some", ""):
        yield "evidence:compare", {"protocol": protocol}
    for run in available_runs(study):
        yield "evidence:disagreement", {"protocol": run.name}
    yield "reports:kept", {"open": "all"}


# No annotator has that name in these, or has not ranked the last image.
NO_FIRST_ANNOTATOR = (nobody, one_who_did_nearly_all)


def test_every_page_says_what_it_can(signed_in, odd):
    study, kept, _, build = odd
    last = study.images.in_order().last()
    for name, query in pages_with_settings(study, kept):
        of_image = {"image": last.name} if name.startswith("evidence:") else {}
        url = address_of(name, study, pk=kept.pk, other=kept.pk, **of_image)
        response = signed_in.get(url, query)
        if "annotator" in query and response.status_code == 404:
            begun = study.assignments.filter(image=last)
            assert build in NO_FIRST_ANNOTATOR or not begun.exists(), url
            continue
        assert response.status_code == 200, (url, query)
        assert_for_people(as_read(response.text), (url, query))


def test_every_address_answers(signed_in, odd):
    study, kept, _, _ = odd
    n_pages = 0
    for name, path in of_a_study(study, kept):
        response = signed_in.get(path, {"min_annotators": 1} if name == "reports:export" else {})
        if response.status_code == 405:
            continue
        if name in PARTIAL and response.status_code in (404, 409):
            continue
        assert response.status_code == 200, path
        text = response.getvalue().decode() if response.streaming else response.content.decode()
        n_pages += 1
        if response["Content-Type"] == "application/json":
            json.loads(text, parse_constant=_refused)
        else:
            assert_for_people(as_read(text), path)
    assert n_pages > 50


def test_every_table_of_a_kept_report_says_what_it_can(signed_in, odd):
    """Each as one file with all decimals and one as it is shown: CSV and LaTeX, or JSON and Markdown."""
    study, kept, _, build = odd
    page = signed_in.get(reverse("reports:kept", args=[study.slug, kept.pk]), {"open": "all"})
    shown = [one for question in page.context["questions"] for one in question.shown]
    tables = [one.table.slug for one in shown if isinstance(one, ShownAround)]
    for at, table in enumerate(tables, (*BARE, *STUDIES).index(build)):
        for extension in ("csv", "tex") if at % 2 else ("json", "md"):
            url = reverse("reports:kept_table", args=[study.slug, kept.pk, table, extension])
            response = signed_in.get(url)
            assert response.status_code == 200, url
            if extension == "json":
                json.loads(response.content, parse_constant=_refused)
            else:
                assert_for_people(response.text, url)


def test_the_api_says_what_it_can(signed_in, odd):
    study = odd[0]
    plan = reverse("api:plan", args=[study.dataset.slug])
    addresses = [
        (reverse("api:standings", args=[study.slug]), {}),
        (plan, {"study": study.slug}),
        (plan, {"people": 1, "images": 2}),
        *(
            (reverse("api:report_table", args=[study.slug, table, "json"]), {"min_annotators": 1})
            for table in ("verdicts", "person", "differences")
        ),
    ]
    for url, query in addresses:
        response = signed_in.get(url, query)
        # A study without a complete ranking is no pilot, and one without a test has no such tables.
        no_pilot = "study" in query and not study.assignments.filter(state="complete").exists()
        may_miss = {404} if no_pilot else {200, 404} if "min_annotators" in query else {200}
        assert response.status_code in may_miss, url
        json.loads(response.content, parse_constant=_refused)


def _refused(constant):
    raise AssertionError(f"{constant} is not JSON")


# Pages without content until a protocol has scored; each says how to get there.
NEEDS_A_PROTOCOL = (
    *("reports:report", "questions:questions", "evidence:disagreement", "evidence:image"),
    *("figures:figures", "figures:detectors"),
)


@pytest.mark.parametrize("odd", BARE, indirect=True, ids=lambda build: build.__name__)
@pytest.mark.parametrize("name", NEEDS_A_PROTOCOL)
def test_pages_that_need_a_protocol_say_how_to_get_one(signed_in, odd, name):
    study, _, _, build = odd
    text = as_read(signed_in.get(address_of(name, study)).text)
    needed = "No protocol has scored every method of this study yet: score protocols"
    assert (needed in text) == (build is not without_answers)
    if build is without_answers and name not in ("evidence:image", "questions:questions"):
        assert "0 of 3 annotators" in text or "No image counts yet" in text


# The figures of the others are drawn as SVG; the other files are made of the same drawing.
AS_EVERY_FILE = (*BARE, nobody, no_complete_image, missing_values)


@pytest.mark.release
def test_files_made_in_the_background_are_made(signed_in, odd):
    study, kept, _, build = odd
    bundle = file_made(signed_in, reverse("exchange:bundle", args=[study.slug]))
    with zipfile.ZipFile(io.BytesIO(bundle.getvalue())) as archive:
        assert archive.testzip() is None
        json.loads(archive.read("report.json"), parse_constant=_refused)
    if build in AS_EVERY_FILE:
        for name, *more in (("figures:all_figures",), ("figures:all_kept_figures", kept.pk)):
            made = file_made(signed_in, reverse(name, args=[study.slug, *more]))
            assert made.status_code == 200
            made.getvalue()
