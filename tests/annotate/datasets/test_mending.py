"""A corrected ground truth: a new version, its reason in the log, new scores; answers keep their version."""

import csv
import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.audit.models import Act, AuditEntry
from annotate.datasets.mending import TruthRefused, corrected_at, mend, version_at, version_of
from annotate.datasets.models import EarlierTruth, Image
from annotate.imports.plans import fingerprint
from annotate.judging import services as judging
from annotate.scoring.models import Score
from annotate.scoring.services import score_protocol
from protocols.core.regions import Region
from tests.support.factories import add_annotator, add_researcher, make_admin, make_study
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db

# On each image: the truth is 0-99; a finds it, b finds something else.
BOXES = {"a": [(0, 0, 99, 39)], "b": [(200, 0, 299, 39)]}
OTHER = Region.from_box(200, 0, 299, 39, text="missing")
ROW = {"reason": "A word is missing.", "version": "1"}


@pytest.fixture
def study():
    return make_study(["a", "b"], images=2, boxes=BOXES)


@pytest.fixture
def image(study):
    return study.images.in_order().first()


@pytest.fixture
def admin(client):
    person = make_admin()
    client.force_login(person)
    return person


def sent(image, *rows, **more):
    """Return what the page sends: the rows that it shows, changed, and new ones."""
    data = {"region-INITIAL_FORMS": len(image.truth_regions), "region-TOTAL_FORMS": len(rows)}
    for at, row in enumerate(rows):
        data |= {f"region-{at}-{name}": value for name, value in row.items()}
    return data | ROW | more


def address(image):
    return reverse("datasets:mend", args=[image.dataset.slug, image.name])


SHOWN = {"points": "0, 0, 99, 0, 99, 39, 0, 39", "text": ""}


def scores(dataset):
    newest = dataset.runs.latest_of_each_protocol()
    rows = Score.objects.filter(run__in=newest).order_by(
        "result__image__position", "result__method"
    )
    return [(score.recall, score.precision) for score in rows]


def test_a_missing_region_is_typed_in_and_the_scores_follow(client, study, image, admin):
    """With a second truth that b alone finds, both have R = 1 / 2 there and the other image stays."""
    run = score_protocol(dataset=study.dataset, slug="iou")
    assert scores(study.dataset) == [(1.0, 1.0), (0.0, 0.0)] * 2
    before = image.truth
    new = {"points": "200, 0, 299, 39", "text": "missing"}
    page = client.post(address(image), sent(image, SHOWN, new), follow=True)
    image = Image.objects.get(pk=image.pk)
    assert image.truth_regions == (*Image(truth=before).truth_regions, OTHER)
    assert scores(study.dataset) == [(0.5, 1.0), (0.5, 1.0), (1.0, 1.0), (0.0, 0.0)]
    # The runs before stay.
    newest = study.dataset.runs.latest_of_each_protocol().get()
    assert (newest.pk > run.pk, run.scores.count(), newest.name) == (True, 4, run.name)
    earlier = EarlierTruth.objects.get()
    assert (earlier.version, earlier.truth, earlier.person) == (1, before, admin)
    entry = AuditEntry.objects.get(act=Act.TRUTH_MENDED)
    assert (entry.actor, entry.what) == (admin, study.dataset.name)
    assert entry.details == {
        "image": image.name,
        "version": 2,
        "removed": 0,
        "added": 1,
        "reason": "A word is missing.",
    }
    assert "A word is missing." in page.text
    assert "Ground truth: 2 regions" in page.text
    old = client.get(page.redirect_chain[-1][0], {"version": 1}).text
    assert "This is version 1 of the ground truth" in old
    assert "Ground truth: 1 region," in old


def test_outline_text_and_ignored_are_changed_and_regions_deleted(client, study, image, admin):
    first = Region.from_box(0.123456789012, 0, 99, 39, text="on\u00e9", label="word", id="w1")
    second, third = (Region.from_box(0, y, 50, y + 20, text=str(y)) for y in (50, 80))
    mend(image=image, regions=[first, second, third], version=1, reason="more", person=None)
    image = Image.objects.get(pk=image.pk)
    rows = [
        {
            "points": "0.123456789, 0, 99, 0, 99, 39, 0.123456789, 39",
            "text": "one",
            "ignored": "on",
        },
        {"points": "0 50 60 50 60 75", "text": "50"},
        {"points": "0, 80, 50, 80, 50, 100, 0, 100", "text": "80", "removed": "on"},
    ]
    assert client.post(address(image), sent(image, *rows, version="2")).status_code == 302
    mended = Image.objects.get(pk=image.pk).truth_regions
    # Coordinates that were not typed keep all their digits, and other fields stay.
    assert mended == (
        Region(first.points, text="one", label="word", id="w1", ignored=True),
        Region((0, 50, 60, 50, 60, 75), text="50"),
    )
    assert list(EarlierTruth.objects.values_list("version", flat=True)) == [1, 2]


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ([SHOWN, {"points": "1, 2, 3"}], {}, "x and y of three corners"),
        ([SHOWN, {"points": "1, 2, x, 4"}], {}, "x and y of three corners"),
        ([SHOWN, {"points": "nan, 2, 3, 4"}], {}, "x and y of three corners"),
        ([SHOWN, {"points": "5, 5, 5, 9"}], {}, "The region has no area."),
        ([SHOWN | {"text": "x"}], {"reason": ""}, "Say why; the log keeps it."),
        ([SHOWN | {"text": "x"}], {"reason": "  "}, "Say why; the log keeps it."),
        ([SHOWN], {}, "Nothing was changed."),
        ([SHOWN | {"text": "x"}], {"version": "2"}, "was corrected meanwhile"),
    ],
)
def test_what_cannot_be_is_refused_next_to_what_was_typed(client, image, admin, rows, more, said):
    response = client.post(address(image), sent(image, *rows, **more))
    assert (response.status_code, said in response.text) == (422, True)
    assert not EarlierTruth.objects.exists()


def test_people_without_the_right_have_no_such_page(researcher, study, image):
    assert researcher.get(address(image)).status_code == 404
    assert researcher.post(address(image), sent(image, SHOWN | {"text": "x"})).status_code == 404
    viewer = researcher.get(reverse("datasets:viewer", args=[study.dataset.slug, image.name]))
    assert address(image) not in viewer.text


def test_answers_say_the_version_that_their_pair_was_drawn_on(client, study, image, admin):
    annotator = add_annotator(study)
    seen = judging.start(study=study, annotator=annotator).turn.screen
    image = seen.assignment.image
    mend(image=image, regions=[OTHER], version=1, reason="wrong", person=admin)
    later = add_annotator(study)
    for person in (annotator, later):
        turn = judging.start(study=study, annotator=person).turn
        while turn is not None:
            asked = {"screen_id": turn.screen.public_id, "annotator": person}
            verdicts = dict.fromkeys(("recall", "precision", "preference"), "left")
            turn = judging.record_judgement(**asked, verdicts=verdicts).turn
    content = client.get(reverse("exchange:raw_file", args=[study.slug, "events.csv"])).getvalue()
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    versions = {(row["annotator"], row["image"]): row["truth_version"] for row in rows}
    other = study.images.exclude(pk=image.pk).get()
    assert versions == {
        ("annotator-1", image.name): "1",
        ("annotator-1", other.name): "1",
        ("annotator-2", image.name): "2",
        ("annotator-2", other.name): "1",
    }
    page = reverse("evidence:image", args=[study.slug, image.name])
    assert "wrong" in client.get(page).text
    first = client.get(page, {"annotator": "annotator-1"}).text
    assert "(ground truth: version 1 of 2)" in first
    assert "version 1 of 2" not in client.get(page, {"annotator": "annotator-2"}).text
    compared = client.get(reverse("evidence:compare", args=[study.slug, image.name])).text
    assert compared.count("(ground truth: version 1 of 2)") == 1


def test_versions_are_counted_by_their_times(image):
    assert (version_of(image), corrected_at([image.pk])) == (1, {})
    first = mend(image=image, regions=[OTHER], version=1, reason="a", person=None)
    second = mend(image=image, regions=[], version=2, reason="b", person=None)
    times = corrected_at([image.pk])[image.pk]
    assert times == [first.created, second.created]
    assert [version_at(times, at) for at in times] == [2, 3]
    assert version_of(image) == 3
    with pytest.raises(TruthRefused, match="meanwhile"):
        mend(image=image, regions=[OTHER], version=2, reason="c", person=None)


def test_loads_that_were_checked_before_are_checked_again(study, image):
    before = fingerprint(study.dataset)
    mend(image=image, regions=[OTHER], version=1, reason="a", person=None)
    assert fingerprint(study.dataset) != before


def test_the_study_file_names_the_corrected_truth(study, image, tmp_path):
    mend(image=image, regions=[OTHER], version=1, reason="a", person=None)
    call_command("export_study", study.slug, "--as-file", "--out", str(tmp_path / "s.toml"))
    assert f'truth = "{study.dataset.slug}-ground-truth.json"' in (tmp_path / "s.toml").read_text()


def test_a_long_list_is_corrected_in_parts(client, image, admin):
    regions = [Region.from_box(0, y, 9, y + 5) for y in range(450)]
    mend(image=image, regions=regions, version=1, reason="many", person=None)
    page = client.get(address(image), {"first": 400})
    assert page.text.count("data-row=") == 50 + 4
    rows = [{"points": form["points"], "text": ""} for form in page.context["forms"].initial]
    rows[0]["removed"] = "on"
    data = sent(image, *rows, version="2") | {"region-INITIAL_FORMS": 50}
    assert client.post(f"{address(image)}?first=400", data).status_code == 302
    assert Image.objects.get(pk=image.pk).truth_regions == (*regions[:400], *regions[401:])


def sent_to_api(image, regions, **more):
    client = signed_in(make_admin())
    sent = {"regions": regions, "version": 1, "reason": "A word is missing."} | more
    return client.put(f"/api/v1/images/{image.pk}/truth", sent, format="json")


def test_the_api_corrects_as_the_page_does(study, image):
    score_protocol(dataset=study.dataset, slug="iou")
    client = signed_in(add_researcher(study))
    shown = client.get(f"/api/v1/images/{image.pk}").json()
    assert shown["truth_version"] == 1
    new = {"points": [200, 0, 299, 0, 299, 39, 200, 39], "text": "missing"}
    answer = sent_to_api(image, [*shown["truth"], new])
    assert [job["state"] for job in answer.json()] == ["done"]
    assert scores(study.dataset) == [(0.5, 1.0), (0.5, 1.0), (1.0, 1.0), (0.0, 0.0)]
    shown = client.get(f"/api/v1/images/{image.pk}").json()
    assert (shown["truth_version"], len(shown["truth"]), shown["truth"][1]) == (2, 2, new)


def test_masks_stay_that_the_api_cannot_send(image):
    masked = Region.from_box(
        0, 0, 10, 5, ignored=True, ignored_as="illegible", pixels=((0, 2, 9), (1, 3, 7))
    )
    mend(image=image, regions=[masked, OTHER], version=1, reason="x", person=None)
    regions = [{"points": list(region.points), "ignored": True} for region in (masked, OTHER)]
    assert sent_to_api(image, regions, version=2).status_code == 200
    after = Image.objects.get(pk=image.pk).truth_regions
    assert after == (masked, Region(OTHER.points, ignored=True))


@pytest.mark.parametrize(
    ("regions", "more", "said"),
    [
        ([{"points": [5, 5, 5, 9, 5, 7]}], {}, "The region has no area."),
        ([], {"version": 2}, "was corrected meanwhile"),
        ([], {"reason": ""}, "may not be blank"),
        ([{"points": [5, 5, 6]}], {}, "at least 6"),
    ],
)
def test_the_api_refuses_what_the_page_refuses(image, regions, more, said):
    answer = sent_to_api(image, regions, **more)
    assert (answer.status_code, said in answer.content.decode()) == (422, True)
    assert not EarlierTruth.objects.exists()
