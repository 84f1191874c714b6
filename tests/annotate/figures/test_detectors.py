"""Where the detectors stand: the page of a study and of a kept report, its tables, and its sums."""

import csv
import json

import pytest
from django.urls import reverse

from annotate.figures.kinds.strengths import detector_strengths
from annotate.reports.models import KeptReport
from annotate.reports.services import available_runs
from annotate.scoring.leaderboards import protocol_tallies
from annotate.scoring.models import ProtocolRun
from annotate.scoring.services import score_protocol
from rankings.agreement.report import Settings
from rankings.detectors.tallies import figures
from rankings.output.detector_tables import DETECTOR_TABLES
from tests.support.factories import make_admin, make_run, make_study
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.truths import rank_by, same_truth

pytestmark = pytest.mark.django_db
ABC = [["a"], ["b"], ["c"]]


def make_the_study():
    study = make_study(["a", "b", "c"], images=2)
    rank_by(3, study, same_truth(ABC))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Turned", {"a": 0.5, "b": 0.9, "c": 0.1})
    make_run(study, "Partial", {"a": 0.5, "b": 0.9})
    return study


made_study = made_once(make_the_study)


def keep(study):
    return keep_report(
        study=study, settings=Settings(), runs=available_runs(study), person=make_admin()
    )


def page(client, study, **query):
    return client.get(reverse("figures:detectors", args=[study.slug]), query)


def test_the_page_shows_both_orders_and_what_is_wrong(researcher, study):
    response = page(researcher, study)
    shown = response.context["standings"]
    assert shown.methods == ["a", "b", "c"]
    right, turned = shown.protocols
    assert right.standing["n_images"] == turned.standing["n_images"] == 2
    assert [place.place for place in right.places] == [1, 2, 3]
    assert [(place.place, place.is_other) for place in turned.places] == [
        (2, True),
        (1, True),
        (3, False),
    ]
    [pair] = turned.pairs
    assert (pair.pair["first"], pair.pair["second"]) == ("a", "b")
    # Two images, on both of which all say the same: 1 of 4 patterns is as good, none better.
    assert pair.pair["p_people"] == pair.pair["p_protocol"] == 0.125
    image = study.images.first()
    assert pair.images[0][1].startswith(
        reverse("evidence:compare", args=[study.slug, image.name]) + "?left="
    )
    assert "Partial (it has not scored c)" in response.text
    assert researcher.get(pair.images[0][1]).status_code == 200


SAID = (
    "By recall, there is no test of differences that are the same in every ranking: a before b, a before c "
    "and b before c (6 rankings of 2 images by 3 annotators)."
)


def test_page_report_and_kept_report_begin_with_what_people_prefer(researcher, study):
    kept = keep(study)
    reports = (
        reverse("reports:report", args=[study.slug]),
        reverse("reports:kept", args=[study.slug, kept.pk]),
    )
    for address in reports:
        assert SAID in researcher.get(address).text
    addresses = (
        reverse("figures:detectors", args=[study.slug]),
        reverse("figures:kept_detectors", args=[study.slug, kept.pk]),
        # The sentence of the figures comes with the question of the detectors.
        *(f"{address}?open=detectors" for address in reports),
    )
    for address in addresses:
        text = researcher.get(address).text
        assert SAID in text
        assert "the figures of Right put a first, too." in text
        # People's lead of a is the same everywhere, and so is that of b by the figures.
        assert "the figures of Turned put b first; image by image, too, they do not" in text


def test_a_report_kept_before_has_no_such_sentence(researcher, study):
    kept = keep(study)
    data = json.loads(kept.content)
    for own in data["detectors"]["criteria"].values():
        del own["preferences"]
    KeptReport.objects.filter(pk=kept.pk).update(content=json.dumps(data))
    for name in ("reports:kept", "figures:kept_detectors"):
        response = researcher.get(reverse(name, args=[study.slug, kept.pk]))
        assert response.status_code == 200
        assert response.context["preferred"] is None


def test_without_a_ranking_and_without_a_protocol_the_page_says_so(researcher, study):
    assert "No image counts yet." in page(researcher, study, min_annotators=4).text
    ProtocolRun.objects.all().delete()
    shown = page(researcher, study, criterion="preference")
    assert "No protocol has scored every method of this study yet" in shown.text
    assert shown.context["criterion"] == "preference"


def test_tables_are_files_of_the_study_and_of_a_kept_report(researcher, study):
    kept = keep(study)
    for table in DETECTOR_TABLES:
        live, stored = (
            researcher.get(address)
            for address in (
                reverse("reports:export_table", args=[study.slug, table, "csv"]),
                reverse("reports:kept_table", args=[study.slug, kept.pk, table, "csv"]),
            )
        )
        rows, kept_rows = (
            [row for row in csv.reader(text.splitlines()) if row and not row[0].startswith("# ")]
            for text in (live.text, stored.text)
        )
        assert len(rows) > 1
        assert rows == kept_rows
    response = researcher.get(reverse("figures:kept_detectors", args=[study.slug, kept.pk]))
    assert response.context["standings"].methods == ["a", "b", "c"]
    table = reverse("api:report_table", args=[study.slug, "standings", "json"])
    assert [row["Protocol"] for row in researcher.get(table).json()["rows"]][:2] == [
        "Right",
        "Turned",
    ]
    for name in ("strengths", "standings"):
        table = reverse("api:report_table", args=[study.slug, name, "json"])
        assert {row["Images"] for row in researcher.get(table).json()["rows"]} == {2}


def test_the_page_names_methods_with_too_few_images(researcher, study):
    run = ProtocolRun.objects.get(name="Right")
    run.scores.filter(result__method__name="a", result__image=study.images.first()).delete()
    response = page(researcher, study)
    [right] = [
        one
        for one in response.context["standings"].protocols
        if one.standing["protocol"] == "Right"
    ]
    assert [(one.place, one.is_other) for one in right.places] == [
        (None, False),
        (1, False),
        (2, False),
    ]
    assert "a: 1 of 2 images" in " ".join(response.text.split())


@pytest.mark.parametrize("slug", ["iou", "deteval", "evaltex", "icdar13", "no-ground-truth"])
def test_sums_give_the_official_figures(study, slug):
    run = score_protocol(dataset=study.dataset, slug=slug)
    tallies = protocol_tallies(study.images.all(), study.methods.all(), [run])
    totals = tallies.sums.sum(axis=0)[0]
    for criterion in ("recall", "precision"):
        found = dict(zip(tallies.methods, figures(totals, criterion, 1.0).tolist(), strict=True))
        assert found == pytest.approx(
            {method: figure[criterion] for method, figure in run.overall.items()}
        )


def test_queries_do_not_grow_with_what_is_read(study, django_assert_num_queries):
    runs = available_runs(study)
    with django_assert_num_queries(3):
        protocol_tallies(study.images.all(), study.methods.all(), runs)


PEOPLE = {
    "strengths": [
        {"method": "a", "strength": 0.5, "low": 0.1, "high": 0.9},
        {"method": "b", "strength": -0.5, "low": -0.9, "high": -0.1},
    ],
    "reason": None,
    "n_images": 2,
    "n_annotators": 3,
}


def test_the_figure_says_why_there_is_no_order():
    why = "no order over all images: no answer connects a; b"
    figure = detector_strengths(PEOPLE | {"strengths": [], "reason": why})
    assert figure.notes == ("No order over all images: no answer connects a; b.",)


def test_the_figure_has_the_numbers_of_the_table():
    figure = detector_strengths(PEOPLE)
    assert figure.rows == (("a", 0.5, 0.1, 0.9), ("b", -0.5, -0.9, -0.1))
    assert "a, 0.50" in figure.summary
    assert detector_strengths(PEOPLE | {"reason": "one image says nothing"}).notes == (
        "One image says nothing.",
    )
