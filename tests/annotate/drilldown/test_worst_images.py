"""The images on which a method does worst, alone or against another."""

import pytest
from django.db import connection
from django.urls import reverse

from annotate.datasets.facts import fill_facts
from annotate.scoring.causes import explain
from annotate.scoring.models import Score
from annotate.scoring.services import score_protocol
from annotate.scoring.work import start
from protocols.core.regions import Region, encode_regions
from tests.support.factories import (
    make_admin,
    make_dataset,
    make_image,
    make_method,
    make_result,
)

pytestmark = pytest.mark.django_db


def words(n, left=0):
    return [(left + 200 * at, 0, left + 200 * at + 99, 39) for at in range(n)]


@pytest.fixture
def dataset():
    """On image i east finds i of six words, and west 6 - i and a false one; more has no words."""
    dataset = make_dataset("street")
    east, west = make_method(dataset, "east"), make_method(dataset, "west")
    for at in range(7):
        image = make_image(dataset, f"part/img_{at}", truth=words(6))
        make_result(image, east, words(at))
        make_result(image, west, [*words(6 - at), (5000, 0, 5099, 39)])
    return dataset


@pytest.fixture
def run(dataset):
    return score_protocol(dataset=dataset, slug="iou")


@pytest.fixture
def admin(client, run):
    client.force_login(make_admin())
    return client


def found(client, dataset, **asked):
    shown = client.get(reverse("scored:worst", args=[dataset.slug]), asked)
    return [(score.result.image.name, score.cost) for score, _ in shown.context["rows"]]


def test_images_are_in_the_order_of_what_one_method_loses_to_another(admin, dataset, run):
    asked = {"method": "east", "against": "west", "protocol": "IOU", "figure": "f_score"}
    of = {
        name: {
            score.result.image.name: score.f_score
            for score in run.scores.filter(result__method__name=name)
        }
        for name in ("east", "west")
    }
    losses = {image: of["west"][image] - of["east"][image] for image in of["east"]}
    expected = sorted(
        (image for image in losses if losses[image] > 0), key=losses.get, reverse=True
    )
    rows = found(admin, dataset, **asked)
    assert [image for image, _ in rows] == expected
    assert [loss for _, loss in rows] == pytest.approx([losses[image] for image in expected])


def test_alone_the_loss_is_the_credit_that_the_image_takes_from_the_data_set(admin, dataset):
    recall = found(admin, dataset, method="east", protocol="IOU", figure="recall")
    assert recall == [(f"part/img_{at}", 6 - at) for at in range(6)]
    precision = found(admin, dataset, method="west", protocol="IOU", figure="precision")
    assert [loss for _, loss in precision] == [1] * 7


def test_without_sums_the_loss_is_what_the_figure_of_the_image_lacks(admin, dataset, run):
    Score.objects.filter(run=run).update(
        recalled=None, n_truth=None, precise=None, n_detections=None
    )
    recall = found(admin, dataset, method="east", protocol="IOU", figure="recall")
    assert [loss for _, loss in recall] == pytest.approx([1 - at / 6 for at in range(6)])


def test_a_cause_lists_its_images_with_what_they_lose(admin, dataset, run):
    """East misses 6 - i words; west splits and misses others, and one detection is background."""
    explain(run)
    missed = found(admin, dataset, method="east", protocol="IOU", cause="missed")
    assert missed == [(f"part/img_{at}", 6 - at) for at in range(6)]
    false = found(admin, dataset, method="west", protocol="IOU", cause="background")
    assert false == [(f"part/img_{at}", 1) for at in range(7)]
    against = found(admin, dataset, method="east", against="west", protocol="IOU", cause="missed")
    # East misses 6 - i, west misses i.
    assert against == [(f"part/img_{at}", 6 - 2 * at) for at in range(3)]


def test_the_page_shows_what_each_cause_costs_the_data_set(admin, dataset, run):
    asked = {"method": "east", "protocol": "IOU"}
    address = reverse("scored:worst", args=[dataset.slug])
    explain(run)
    [(cost, query)] = admin.get(address, asked).context["costs"]
    # 21 of 42 words are missed.
    assert (cost.cause, cost.n_truth, cost.recall) == ("missed", 21, pytest.approx(0.5))
    assert "cause=missed" in query


def test_causes_that_are_not_computed_are_computed_on_request(admin, dataset, run):
    address = reverse("scored:worst", args=[dataset.slug]) + "?method=east&protocol=IOU"
    assert "are not computed yet" in admin.get(address).text
    admin.post(address)
    assert admin.get(address).context["is_explained"]
    assert run.image_losses.exists()


def test_filters_select_images_by_their_ground_truth(admin, dataset, run):
    texts = {0: ("Éclair", (0, 0, 99, 19)), 1: ("東京", (0, 0, 99, 59))}
    for at, (text, box) in texts.items():
        image = dataset.images.get(name=f"part/img_{at}")
        image.truth = encode_regions([Region.from_box(*box, text=text)])
        image.save()
    turned = Region((0, 0, 50, 50, 40, 60, -10, 10))
    dataset.images.filter(name="part/img_2").update(truth=encode_regions([turned]))
    fill_facts(dataset)

    def names(**asked):
        return {name for name, _ in found(admin, dataset, method="east", figure="recall", **asked)}

    assert names(words="éCLAIR") == {"part/img_0"}
    assert names(script="cjk") == {"part/img_1"}
    assert names(turned="yes") == {"part/img_2"}
    assert "part/img_2" not in names(turned="no")
    assert names(height_to="20") == {"part/img_0", "part/img_2"}
    assert names(height_from="50") == {"part/img_1"}


def test_pages_continue_where_the_last_one_ended(admin, dataset, monkeypatch):
    monkeypatch.setattr("annotate.drilldown.images.views._WORST_PER_PAGE", 2)
    asked = {"method": "west", "protocol": "IOU", "figure": "precision"}
    address, seen = reverse("scored:worst", args=[dataset.slug]), []
    part = admin.get(address, asked).context["part"]
    assert part.before is None
    while part.after:
        seen.append([row.result.image.name for row in part.rows])
        part = admin.get(address, asked | {"after": part.after}).context["part"]
    seen.append([row.result.image.name for row in part.rows])
    # All losses are equal: the order of the images decides.
    assert [name for names in seen for name in names] == [f"part/img_{at}" for at in range(7)]
    back = admin.get(address, asked | {"before": part.before}).context["part"]
    assert [row.result.image.name for row in back.rows] == seen[-2]
    assert admin.get(address, asked | {"after": "x"}).context["part"].before is None


def test_the_first_protocol_is_that_of_the_leaderboard(admin, dataset):
    """By name, DETEVAL comes before IOU."""
    score_protocol(dataset=dataset, slug="deteval")
    shown = admin.get(reverse("scored:worst", args=[dataset.slug]))
    assert shown.context["question"].run.name == "IOU"


def test_a_method_that_a_protocol_left_out_is_not_said_to_lose_nothing(admin, dataset):
    """No method has confidences but the new one."""
    sure = make_method(dataset, "sure")
    for image in dataset.images.all():
        result = make_result(image, sure, words(6))
        result.regions = encode_regions(Region.from_box(*box, confidence=0.9) for box in words(6))
        result.save()
    score_protocol(dataset=dataset, slug="average-precision")
    asked = {"method": "east", "protocol": "Average precision"}
    shown = admin.get(reverse("scored:worst", args=[dataset.slug]), asked).text
    assert "Average precision has no scores of east" in shown
    assert "loses nothing" not in shown


def test_names_select_images(admin, dataset):
    assert [name for name, _ in found(admin, dataset, method="east", name="img_3")] == [
        "part/img_3"
    ]
    shown = admin.get(reverse("scored:worst", args=[dataset.slug]), {"name": "nothing"})
    assert "No image fits the filters." in shown.text


def test_an_image_leads_to_both_methods_and_on_to_the_next(admin, dataset):
    asked = {"method": "east", "against": "west", "protocol": "IOU", "figure": "recall"}
    names = [name for name, _ in found(admin, dataset, **asked)]
    page = admin.get(reverse("scored:worst", args=[dataset.slug]), asked)
    query = page.context["query_of_image"]
    address = reverse("scored:compare", args=[dataset.slug, names[1]])
    assert f"{address}?{query}".replace("&", "&amp;") in page.text
    shown = admin.get(f"{address}?{query}")
    assert [side.method.name for side in shown.context["sides"]] == ["east", "west"]
    assert shown.context["are_scored"]
    assert (shown.context["previous"], shown.context["following"]) == (names[0], names[2])
    assert reverse("scored:compare", args=[dataset.slug, names[2]]) in shown.text


def test_what_does_not_exist_is_refused(admin, dataset):
    worst = reverse("scored:worst", args=[dataset.slug])
    for asked in ({"method": "north"}, {"protocol": "NONE"}, {"figure": "size"}, {"against": "x"}):
        assert admin.get(worst, asked).status_code == 422
    unknown = reverse("scored:compare", args=[dataset.slug, "part/img_99"])
    assert admin.get(unknown).status_code == 404


def test_without_scores_the_page_says_what_to_do(client):
    client.force_login(make_admin())
    dataset = make_dataset("empty")
    shown = client.get(reverse("scored:worst", args=[dataset.slug]))
    assert "No protocol has scored these results yet." in shown.text
    make_image(dataset, "img_1", truth=words(1))
    shown = client.get(reverse("scored:compare", args=[dataset.slug, "img_1"]))
    assert "No method has a result on this image" in shown.text


def test_the_number_of_queries_does_not_grow_with_the_images(
    admin, dataset, django_assert_max_num_queries
):
    address, asked = reverse("scored:worst", args=[dataset.slug]), {"method": "east"}
    # Twelve are of the two entries that are kept: six to keep each, with its one query.
    with django_assert_max_num_queries(24):
        admin.get(address, asked)
    with django_assert_max_num_queries(12) as queries:
        admin.get(address, asked)
    assert not any('FROM "annotate_score"' in query["sql"] for query in queries)


def test_kept_figures_are_read_again_by_another_version_and_take_no_room_of_limits(
    admin, dataset, settings
):
    before = found(admin, dataset, method="east")
    Score.objects.update(f_score=0.5)
    assert found(admin, dataset, method="east") == before
    settings.PROGRAM = "another"
    assert [cost for _, cost in found(admin, dataset, method="east")] == [0.5] * 7
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM shared_cache WHERE cache_key LIKE '%worst-%'")
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize("again", [False, True])
def test_the_first_question_after_a_job_reads_no_score(
    admin, dataset, run, again, django_assert_max_num_queries
):
    address = reverse("scored:worst", args=[dataset.slug])
    if again:
        admin.post(address)
    else:
        start(dataset=dataset, slug="iou", parameters={}, person=make_admin())
    with django_assert_max_num_queries(99) as queries:
        shown = [admin.get(address), admin.get(address, {"method": "east", "against": "west"})]
    assert all(page.context["rows"] for page in shown)
    assert not any('FROM "annotate_score"' in query["sql"] for query in queries)


@pytest.fixture
def part(dataset):
    """A method that was evaluated on two of the seven images, and found all words there."""
    method = make_method(dataset, "part")
    for image in dataset.images.order_by("pk")[:2]:
        make_result(image, method, words(6))
    run = score_protocol(dataset=dataset, slug="iou")
    explain(run)
    return method


def test_a_method_is_said_to_lose_nothing_only_where_it_was_evaluated(admin, dataset, part):
    address = reverse("scored:worst", args=[dataset.slug])
    asked = {"method": "part", "protocol": "IOU", "figure": "f_score"}
    shown = admin.get(address, asked)
    assert "part was evaluated on 2 of 7 images; nothing is known about the others." in shown.text
    assert "part loses nothing on any of the 2 images on which it was evaluated." in shown.text
    both = admin.get(address, asked | {"against": "west"})
    assert "Both methods were evaluated on 2 of 7 images" in both.text
    assert "on any of the 2 images on which both were evaluated" in both.text
    # Of the images that a filter leaves, it has none.
    elsewhere = admin.get(address, asked | {"name": "img_6"})
    assert "part was not evaluated on any of these images." in elsewhere.text
    assert "loses nothing" not in elsewhere.text


def test_images_that_the_other_method_lacks_are_no_loss_to_it(admin, dataset, part):
    """East loses words everywhere; only on two images is it known that "part" does not."""
    asked = {"method": "east", "against": "part", "protocol": "IOU", "figure": "f_score"}
    images = [name for name, _ in found(admin, dataset, **asked)]
    assert sorted(images) == ["part/img_0", "part/img_1"]
    by_cause = found(admin, dataset, cause="missed", **asked)
    assert sorted(name for name, _ in by_cause) == ["part/img_0", "part/img_1"]
    # Alone it has them all but the last, on which it finds every word.
    alone = found(admin, dataset, cause="missed", method="east", protocol="IOU", figure="f_score")
    assert len(alone) == 6
