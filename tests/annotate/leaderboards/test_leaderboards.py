"""The leaderboard of a dataset: on its page, as files, by the API."""

import csv
import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.audit.models import AuditEntry
from annotate.figures.themes import Paper
from annotate.imports.immediate import FileToLoad, load_files
from annotate.leaderboards.figure import figure_of
from annotate.leaderboards.models import PublicBoard
from annotate.leaderboards.selectors import boards_of
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.services import score_protocol
from tests.support.factories import (
    make_admin,
    make_dataset,
    make_image,
    make_method,
    make_result,
)
from tests.support.pages import flat
from tests.support.worked import ranked_study

pytestmark = pytest.mark.django_db
WORDS = [(0, 0, 99, 39), (200, 0, 299, 39)]
HALVES = [(0, 0, 49, 39), (50, 0, 99, 39), (200, 0, 249, 39), (250, 0, 299, 39)]


@pytest.fixture
def dataset():
    """Twelve images; one method finds every word, one half of them, one splits every word."""
    dataset = make_dataset("street")
    methods = {name: make_method(dataset, name) for name in ("whole", "half", "split")}
    for at in range(12):
        image = make_image(dataset, f"img_{at}", truth=WORDS)
        make_result(image, methods["whole"], WORDS)
        make_result(image, methods["half"], WORDS[: 1 + (at % 6 == 0)])
        make_result(image, methods["split"], HALVES)
    return dataset


def page(dataset):
    return reverse("datasets:detail", args=[dataset.slug])


def test_before_any_score_the_page_says_what_to_do(admin, dataset):
    shown = admin.get(page(dataset))
    assert "boards" not in shown.context
    assert reverse("scoring:score", args=[dataset.slug]) in shown.text
    assert admin.post(page(dataset), {"n": "5", "name": "x"}).status_code == 422


def test_methods_are_in_the_order_of_the_official_figure(admin, dataset):
    run = score_protocol(dataset=dataset, slug="iou")
    rows = admin.get(page(dataset)).context["rows"]
    assert [row.method for row in rows] == ["whole", "half", "split"]
    assert [row.value for row in rows] == [
        pytest.approx(run.overall[row.method]["f_score"]) for row in rows
    ]
    assert [row.letters for row in rows] == ["a", "b", "c"]


def test_the_form_shows_the_protocol_that_orders_the_methods(admin, dataset):
    """Figures that are no quotients of sums have no tests: another protocol orders the methods."""
    runs = [score_protocol(dataset=dataset, slug=slug) for slug in ("iou", "deteval")]
    first, other = sorted(runs, key=lambda run: run.name)
    first.overall = {name: own | {"f_score": 0.123} for name, own in first.overall.items()}
    first.save()
    shown = admin.get(page(dataset))
    assert shown.context["boards"].by == other.name
    assert f'<option value="{other.name}" selected>' in flat(shown.text)


def test_equal_figures_share_a_place(admin, dataset):
    copy = make_method(dataset, "copy")
    for image in dataset.images.all():
        make_result(image, copy, WORDS)
    score_protocol(dataset=dataset, slug="iou")
    rows = admin.get(page(dataset)).context["rows"]
    assert [(row.place, row.method) for row in rows[:3]] == [(1, "copy"), (1, "whole"), (3, "half")]


def test_another_protocol_and_figure_order_it_by_choice(admin, dataset):
    for slug in ("iou", "deteval"):
        score_protocol(dataset=dataset, slug=slug)
    shown = admin.get(page(dataset), {"by": "DETEVAL", "figure": "recall"})
    boards = shown.context["boards"]
    assert (boards.by, boards.figure) == ("DETEVAL", "recall")
    values = [row.value for row in shown.context["rows"]]
    assert values == sorted(values, reverse=True)


def test_protocols_that_reverse_two_methods_are_named(admin, dataset):
    """DetEval accepts split words at .8 of their credit; IOU does not."""
    for slug in ("iou", "deteval"):
        score_protocol(dataset=dataset, slug=slug)
    shown = admin.get(page(dataset), {"figure": "recall"})
    assert shown.context["disagreements"] == (("half", "split", "IOU", "DETEVAL"),)
    assert "In the opposite order to: split" in shown.text


def test_files_hold_the_shown_numbers_and_their_origin(admin, dataset):
    score_protocol(dataset=dataset, slug="iou")
    address = reverse("leaderboards:file", args=[dataset.slug, "leaderboard", "csv"])
    rows = list(csv.DictReader(io.StringIO(admin.get(address).text)))
    assert [row["Method"] for row in rows] == ["whole", "half", "split"]
    assert float(rows[0]["IOU"]) == 1.0
    for extension in ("json", "md", "tex"):
        address = reverse("leaderboards:file", args=[dataset.slug, "leaderboard", extension])
        assert "street" in admin.get(address).text
    unknown = reverse("leaderboards:file", args=[dataset.slug, "disagreements", "csv"])
    assert admin.get(unknown, {"by": "nonsense"}).status_code == 404


def test_an_imported_run_has_means_over_images_and_only_its_methods(admin, dataset):
    run = ProtocolRun.objects.create(
        dataset=dataset, name="PAPER", version="1", origin=ProtocolRun.Origin.IMPORTED, n_scores=12
    )
    for at, result in enumerate(dataset.methods.get(name="half").results.order_by("pk")):
        Score.objects.create(run=run, result=result, recall=at / 11, precision=None)
    shown = admin.get(page(dataset), {"figure": "recall"})
    [row] = shown.context["rows"]
    assert (row.method, row.value) == ("half", pytest.approx(0.5))


def test_a_figure_that_is_no_sum_has_no_letters(admin, dataset):
    run = score_protocol(dataset=dataset, slug="iou")
    run.overall["half"]["f_score"] = 0.123
    run.save()
    shown = admin.get(page(dataset))
    assert {row.letters for row in shown.context["rows"]} == {""}
    assert "There are no intervals and no tests" in shown.text


def test_it_is_computed_once_for_each_run(admin, dataset):
    score_protocol(dataset=dataset, slug="iou")
    admin.get(page(dataset))
    Score.objects.all().delete()
    assert admin.get(page(dataset)).context["rows"][0].value == 1.0


@pytest.mark.parametrize("by", ["command", "table"])
def test_what_stores_scores_keeps_their_leaderboards(admin, dataset, by, tmp_path):
    if by == "command":
        call_command("score_protocol", dataset.slug, "iou", stdout=io.StringIO())
    else:
        table = tmp_path / "scores.csv"
        table.write_text("image,method,recall,precision\nimg_0,half,0.5,0.25\n")
        load_files([FileToLoad(table, "scores", title="PAPER")], dataset=dataset)
    Score.objects.all().delete()
    shown = admin.get(page(dataset), {"figure": "recall"})
    assert shown.context["rows"][0].value == (1.0 if by == "command" else 0.5)


def test_the_api_gives_the_same(admin, dataset):
    for slug in ("iou", "deteval"):
        score_protocol(dataset=dataset, slug=slug)
    address = reverse("api:leaderboard", args=[dataset.slug])
    sent = admin.get(address, {"figure": "recall", "by": "IOU"}).json()
    assert [row["method"] for row in sent["methods"]] == ["whole", "half", "split"]
    assert sent["methods"][0]["others"].keys() == {"DETEVAL"}
    assert sent["disagreements"] == [
        {"first": "half", "second": "split", "for_first": ["IOU"], "for_second": ["DETEVAL"]}
    ]
    assert admin.get(address, {"by": "nonsense"}).status_code == 404
    assert admin.get(address, {"figure": "nonsense"}).status_code == 422


def test_the_figure_is_a_file_of_the_shown_numbers(admin, dataset):
    score_protocol(dataset=dataset, slug="iou")
    address = reverse("leaderboards:figure", args=[dataset.slug, "svg"])
    shown = admin.get(page(dataset))
    assert address in shown.text
    assert "data-drawing" in shown.text
    drawing = admin.get(address, {"figure": "recall"})
    assert drawing["Content-Type"] == "image/svg+xml"
    assert all(name in drawing.text for name in ("whole", "half", "split"))
    assert admin.get(address, {"theme": "pink"}).status_code == 404


def test_the_figure_has_the_numbers_of_the_board(dataset):
    run = score_protocol(dataset=dataset, slug="iou")
    figure = figure_of(boards_of([run], "f_score"))
    assert [row[0] for row in figure.rows] == ["whole", "half", "split"]
    assert [row[4] for row in figure.rows] == [
        run.overall[row[0]]["f_score"] for row in figure.rows
    ]
    assert figure.draw(Paper())["layer"][1]["mark"]["type"] == "point"


def test_the_order_of_people_is_next_to_that_of_the_protocols(admin):
    study = ranked_study("good", "middle", "bad")
    if not study.dataset.runs.filter(name="IOU").exists():
        score_protocol(dataset=study.dataset, slug="iou")
    before = admin.get(page(study.dataset))
    assert before.context["people"] == []
    assert "Keep a report of a study" in before.text
    admin.post(reverse("reports:kept_reports", args=[study.slug]))
    report = study.kept_reports.get()
    order = report.data["detectors"]["criteria"]["preference"]["order"]
    place = {
        name: 1 + sum(map(len, order[:at])) for at, names in enumerate(order) for name in names
    }
    shown = admin.get(page(study.dataset))
    assert {row.method: row.people for row in shown.context["rows"]} == {
        row.method: [place[row.method]] for row in shown.context["rows"]
    }
    assert f"People: {study.name}" in shown.text


def test_a_leaderboard_is_public_by_choice_and_until_it_is_withdrawn(client, admin, dataset):
    score_protocol(dataset=dataset, slug="iou")
    publish = reverse("leaderboards:publish", args=[dataset.slug])
    admin.post(publish, {"do": "publish"})
    admin.post(publish, {"do": "publish"})
    board = PublicBoard.objects.get()
    address = reverse("boards:page", args=[board.address])
    assert address in admin.get(page(dataset)).text
    acts = AuditEntry.objects.filter(what="street").values_list("act", flat=True)
    assert list(acts).count("board_published") == 1
    client.logout()
    shown = client.get(address)
    assert [row.method for row in shown.context["rows"]] == ["whole", "half", "split"]
    assert "/worst/" not in shown.text
    assert "/data/" not in shown.text
    assert shown["X-Robots-Tag"] == "noindex, nofollow"
    file = client.get(reverse("boards:file", args=[board.address, "csv"]))
    assert file.text.splitlines()[0].startswith("Method,Images,Place,Letters,IOU")
    client.force_login(make_admin())
    client.post(publish, {"do": "withdraw"})
    assert client.get(address).status_code == 404


def test_the_worst_images_of_ticked_methods_are_kept_as_a_selection(admin, dataset):
    """half misses a word of all images but img_0 and img_6; split finds no word of any."""
    score_protocol(dataset=dataset, slug="iou")
    shown = admin.get(page(dataset)).text
    assert shown.count('form="keep"') == 3
    sent = {"method": ["half", "whole"], "n": "100", "name": "hard ones"}
    answer = admin.post(page(dataset), sent, follow=True)
    assert "“hard ones” holds 10 images." in answer.text
    kept = dataset.selections.get()
    assert {*kept.images.values_list("name", flat=True)} == {
        f"img_{at}" for at in range(12) if at % 6
    }
    assert kept.origin == "Where each of half, whole loses most by IOU: 100 images"
    by_recall = f"{page(dataset)}?figure=recall"
    admin.post(by_recall, {"method": "split", "n": "1", "name": "one"})
    assert dataset.selections.get(name="one").images.get().name == "img_0"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "Tick at least one method in the table."),
        ({"method": "other"}, "Select a valid choice"),
        ({"method": "whole"}, "Choose at least one image."),
        ({"method": "half", "name": ""}, "This field is required."),
    ],
)
def test_what_cannot_be_kept_is_refused_below_the_table(admin, dataset, sent, said):
    score_protocol(dataset=dataset, slug="iou")
    answer = admin.post(page(dataset), {"n": "5", "name": "x"} | sent)
    assert answer.status_code == 422
    assert said in answer.text
    assert not dataset.selections.exists()
