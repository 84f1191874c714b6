"""Answers that other tools collected: checked, loaded whole or not at all, and marked in every report."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotate.audit.models import Act, AuditEntry
from annotate.datasets.models import Dataset
from annotate.exchange.bundles.reading import import_study
from annotate.exchange.raw import write_zip
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.reports.inputs import named_rankings
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Study
from annotate.studies.services import set_state
from tests.support.factories import make_admin, make_run, make_study
from tests.support.pages import flat

pytestmark = pytest.mark.django_db

HEAD = "image,annotator,method_a,method_b,verdict,criterion,seconds"


@pytest.fixture
def dataset(client):
    """Three methods on four images, scored by two protocols; an admin is signed in."""
    study = make_study(["a", "b", "c"], images=4)
    make_run(study, "Forward", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    client.force_login(make_admin())
    return study.dataset


def lines(dataset, *rows, head=HEAD):
    names = list(dataset.images.in_order().values_list("name", flat=True))
    return "\n".join([head, *(names[at] + "," + row for at, row in rows)]) + "\n"


def sent(client, dataset, text, file="pairs.csv", **fields):
    given = {"name": "Arena", "criterion": "preference"} | fields
    given["file"] = SimpleUploadedFile(file, text.encode())
    return client.post(reverse("files:answers", args=[dataset.slug]), given)


# Ann orders all three methods of the first image; ann and ben compare a pair each on the second.
PAIRS = (
    (0, "ann,a,b,left,,2.5"),
    (0, "ann,c,b,right,,"),
    (1, "ann,a,b,tie,,-1"),
    (1, "ben,c,a,c,,4"),
)


def loaded(client, dataset, *rows, **fields):
    response = sent(client, dataset, lines(dataset, *rows), **fields)
    assert response.status_code == 302, response.context["form"].errors
    return Study.objects.get(name="Arena")


def test_pairs_become_a_closed_study_with_the_rankings_that_follow(client, dataset):
    study = loaded(client, dataset, *PAIRS)
    assert study.state == "closed"
    assert study.is_external
    names = list(study.images.order_by("position", "pk").values_list("name", flat=True))
    assert len(names) == 2
    found = named_rankings(study)
    assert found["preference"][names[0]] == {"annotator-1": (("a",), ("b",), ("c",))}
    assert not any(found["recall"].values())
    drawn = {one.annotator_id: one.drawn for one in study.assignments.all() if one.drawn}
    # Two of three methods at random: each pair has one chance in three.
    assert len(drawn) == 2
    assert [one["pairs"][0][2] for one in drawn.values()] == pytest.approx([1 / 3, 1 / 3])
    taken = Judgement.objects.filter(assignment__study=study).order_by("pk")
    assert list(taken.values_list("seconds_taken", flat=True)) == [2.5, None, None, 4]
    assert taken[0].verdicts == {"preference": "left"}
    assert not study.memberships.filter(person__is_active=True).exists()
    details = AuditEntry.objects.get(act=Act.STUDY_LOADED).details
    assert details["origin"] == "elsewhere"
    assert details["left_out"] == 0
    call_command("replay", "--check")


def test_several_criteria_of_a_pair_are_one_answer(client, dataset):
    rows = [
        (0, f"ann,a,b,{said},{by},") for said, by in (("left", "recall"), ("right", "precision"))
    ]
    study = loaded(client, dataset, *rows)
    [judgement] = Judgement.objects.filter(assignment__study=study)
    assert judgement.verdicts == {"recall": "left", "precision": "right"}


def test_rows_without_a_criterion_have_the_chosen_one(client, dataset):
    loaded(client, dataset, (0, "ann,a,b,left,,"), criterion="recall")
    assert Judgement.objects.get(assignment__study__name="Arena").verdicts == {"recall": "left"}


def test_the_table_of_an_arena_and_names_without_ending_are_read(client, dataset):
    image = dataset.images.in_order().first()
    head, name = "image,model_a,model_b,winner,mood", image.name.rpartition(".")[0] or image.name
    text = f"{head}\n{name}.png,a,b,model_a,good\n{image.name},b,c,tie (bothbad),\n"
    page = client.get(sent(client, dataset, text)["Location"])
    assert "columns that are not read: mood" in page.text
    assert Judgement.objects.filter(assignment__image=image).count() == 2


def test_pairwise_answers_of_label_studio_are_read(client, dataset):
    image = dataset.images.in_order().first().name
    answer = {"from_name": "pw", "type": "pairwise", "value": {"selected": "right"}}
    annotation = {"completed_by": 10, "lead_time": 4.3, "was_cancelled": False, "result": [answer]}
    cancelled = annotation | {"was_cancelled": True, "completed_by": {"id": 11}}
    data = {"image": image, "method_a": "a", "method_b": "b", "text1": "a.jpg"}
    tasks = [{"id": 1, "data": data, "annotations": [annotation, cancelled]}]
    response = sent(client, dataset, json.dumps(tasks), file="export.JSON")
    assert response.status_code == 422
    assert "1 answer is left out: skipped by the annotator" in response.text
    given = {"file": "export.JSON", "leave_out": "on"}
    assert sent(client, dataset, json.dumps(tasks), **given).status_code == 302
    [judgement] = Judgement.objects.filter(assignment__study__name="Arena")
    assert (judgement.verdicts, judgement.seconds_taken) == ({"preference": "right"}, 4.3)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((0, "ann,a,x,left,,"), "results x / "),
        ((0, "ann,a,b,better,,"), "expected left, right or equal"),
        ((0, "ann,a,a,left,,"), "needs two methods"),
        ((0, "ann,a,b,left,beauty,"), "criteria beauty"),
    ],
)
def test_a_row_that_does_not_fit_is_named_and_nothing_is_loaded(client, dataset, row, reason):
    response = sent(client, dataset, lines(dataset, (0, "ann,a,b,left,,"), row))
    assert response.status_code == 422
    assert reason in response.text
    assert not Study.objects.filter(name="Arena").exists()
    assert not Assignment.objects.exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("image,first,second\n", "has no column method_a"),
        (f"{HEAD}\n", "holds no answers"),
        (f"{HEAD}\nnowhere.jpg,ann,a,b,left,,\n", "images nowhere.jpg"),
    ],
)
def test_a_file_without_answers_of_the_data_set_is_refused(client, dataset, text, reason):
    response = sent(client, dataset, text)
    assert response.status_code == 422
    assert reason in response.text


def test_answers_without_a_ranking_are_listed_and_left_out_only_on_request(client, dataset):
    contradicted = (0, "ann,a,b,left,,"), (0, "ann,b,a,left,,"), (1, "ann,a,b,left,,")
    response = sent(client, dataset, lines(dataset, *contradicted))
    assert response.status_code == 422
    assert "contradict other answers" in response.text
    assert not Study.objects.filter(name="Arena").exists()
    study = loaded(client, dataset, *contradicted, leave_out="on")
    assert study.assignments.count() == 1


def test_a_name_that_is_taken_is_refused(client, dataset):
    loaded(client, dataset, *PAIRS)
    assert sent(client, dataset, lines(dataset, *PAIRS)).status_code == 422
    assert Study.objects.filter(name="Arena").count() == 1


def test_no_one_answers_in_it_here(client, dataset):
    study = loaded(client, dataset, *PAIRS)
    with pytest.raises(StudyRefused, match="collected elsewhere"):
        set_state(study=study, state="open")


def test_reports_say_that_the_answers_are_from_elsewhere(client, dataset):
    study = loaded(client, dataset, *PAIRS)
    page = client.get(reverse("reports:report", args=[study.slug]), {"open": "made"})
    assert page.status_code == 200
    assert "collected elsewhere" in page.text
    for kind in ("json", "md", "tex"):
        assert (
            "collected elsewhere"
            in client.get(reverse("reports:export", args=[study.slug, kind])).text
        ), kind
    methods = client.get(reverse("publication:paper", args=[study.slug])).text
    assert "without knowing whose they were" not in methods


@pytest.mark.parametrize(
    "name", ["studies:detail", "reports:images", "evidence:annotators", "exchange:raw"]
)
def test_every_page_of_the_study_shows(client, dataset, name):
    study = loaded(client, dataset, *PAIRS)
    assert client.get(reverse(name, args=[study.slug])).status_code == 200


def test_losses_and_strengths_come_from_the_pairs(client, dataset):
    study = loaded(client, dataset, *PAIRS)
    table = reverse("reports:export_table", args=[study.slug, "losses", "csv"])
    text = client.get(table).text
    # Forward agrees with ann on three pairs, ties none; the tie costs a half, and ben disagrees.
    assert "Forward" in text
    assert "preference" in text
    assert "recall," not in text


def test_exports_take_it_along(client, dataset, tmp_path):
    study = loaded(client, dataset, *PAIRS)
    with io.BytesIO() as stream:
        write_zip(study, stream)
        events = zipfile.ZipFile(stream).read("events.csv").decode()
    assert events.count("elsewhere") == Screen.objects.filter(assignment__study=study).count() == 4
    bundle = tmp_path / "bundle.zip"
    call_command("export_study", study.slug, out=bundle)
    before = named_rankings(study)
    Dataset.objects.update(name="other", slug="other")
    Study.objects.filter(pk=study.pk).update(name="other", slug="other")
    again = import_study(bundle).study
    assert again.is_external
    assert named_rankings(again) == before


# 0 is the first method, 1 the second, 2 neither.
NUMBERS = ((0, "ann,a,b,0,,"), (0, "ann,b,c,1.0,,"), (0, "ann,a,c,2,,"), (1, "ben,a,b,1,,"))


def test_numbers_are_verdicts_by_the_field_of_their_meaning(client, dataset):
    meaning = "0=left, 1=right, 2=equal"
    study = loaded(client, dataset, *NUMBERS, codes=meaning)
    taken = Judgement.objects.filter(assignment__study=study).order_by("pk")
    sides = [one.screen.left.method.name < one.screen.right.method.name for one in taken]
    preferred = [one.verdicts["preference"] for one in taken]
    mirrored = {"left": "right", "right": "left", "equal": "equal"}
    assert [
        verdict if is_as_given else mirrored[verdict]
        for verdict, is_as_given in zip(preferred, sides, strict=True)
    ] == ["left", "right", "equal", "right"]


@pytest.mark.parametrize("meaning", ["0=maybe", "0=left, 0=right", "=left", "0"])
def test_a_meaning_that_is_none_is_refused_next_to_its_field(client, dataset, meaning):
    response = sent(client, dataset, lines(dataset, *NUMBERS), codes=meaning)
    assert response.status_code == 422
    said = f"expected codes like 0=left, 1=right, 2=equal, got {meaning!r}"
    assert response.context["form"].errors == {"codes": [said]}
    page = flat(response.text)
    field = page[page.index('id="id_codes_error"') :]
    assert said.partition(", got")[0] in field[: field.index("</div>")]
    assert 'name="codes"' in field[: field.index("</div>")]
    assert not Study.objects.filter(name="Arena").exists()


def test_numbers_without_a_meaning_are_refused_with_the_way_to_tell(client, dataset):
    response = sent(client, dataset, lines(dataset, *NUMBERS))
    assert response.status_code == 422
    assert "a number" in str(response.context["form"].errors["file"])
