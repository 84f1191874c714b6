"""The report page, its exports and the command."""

import csv
import io
import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.judging import services as judging
from annotate.reports import services
from annotate.scoring.models import ProtocolRun, Score
from rankings.agreement.main_table import MEASURES
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.made_once import made_once
from tests.support.rankings import of_the_paper
from tests.support.truths import answer, same_truth
from tests.support.worked import ranked_study

pytestmark = pytest.mark.django_db

ABC = [["a"], ["b"], ["c"]]


made_study = made_once(ranked_study)


def table(text):
    body = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        (row["criterion"], row["protocol"]): row
        for row in csv.DictReader(io.StringIO("\n".join(body)))
    }


def test_the_tables_count_best_and_worst_and_average_the_distance(researcher, study):
    """Reversing three strict places takes three swaps; all tied to a > b > c two splits; a random
    order has half of the three pairs the wrong way round.
    """
    response = researcher.get(reverse("reports:report", args=[study.slug]))
    for criterion in (shown.table for shown in response.context["tables"]):
        assert [(row.protocol, *of_the_paper(row)) for row in criterion.rows] == [
            ("Right", 2, 0, 0.0),
            ("Reversed", 0, 2, 3.0),
        ]
        assert {row.protocol: row.score for row in criterion.baselines} == {
            "all tied": 1.0,
            "random order": 1.5,
        }
        assert (criterion.n_images, criterion.n_rankings) == (2, 6)


def test_each_number_can_be_opened_to_the_images_behind_it(researcher, study):
    response = researcher.get(reverse("reports:report", args=[study.slug]))
    for shown in response.context["tables"]:
        assert shown.images == [
            (name, "a > b > c", [0.0, 3.0, 1.0, 1.5])
            for name in study.images.in_order().values_list("name", flat=True)
        ]


def test_the_csv_has_the_numbers_of_the_page_and_names_the_json_that_says_where_they_come_from(
    researcher, study
):
    url = reverse("reports:export", args=[study.slug, "csv"])
    response = researcher.get(url, {"decimals": "2"})
    assert float(table(response.text)["recall", "Reversed"]["score"]) == 3.0
    names = [measure.name for measure in MEASURES]
    assert response.text.startswith(",".join(["criterion,kind,protocol", *names, "signature\n"]))
    assert response["Content-Disposition"].startswith("attachment;")
    address, rel = response["Link"].split("; ")
    assert rel == 'rel="describedby"'
    described = researcher.get(address.strip("<>")).json()
    assert described["header"]["dataset"] == study.dataset.name
    assert described["settings"]["decimals"] == 2


def test_every_format_can_be_downloaded_and_those_for_people_say_where_they_come_from(
    researcher, study
):
    facts = (study.name, study.dataset.name, "decimals", "min", "text-detection-rankings")
    for extension in ("csv", "json", "tex", "md"):
        text = researcher.get(reverse("reports:export", args=[study.slug, extension])).text
        assert "Reversed" in text
        for fact in facts if extension in ("tex", "md") else ():
            assert fact in text.replace("\\", "")


def test_the_json_is_json_with_settings_and_distances_of_each_image(researcher, study):
    data = json.loads(researcher.get(reverse("reports:export", args=[study.slug, "json"])).content)
    assert data["settings"]["decimals"] == 4
    distances = data["criteria"]["precision"]["distances"]
    assert {image: row["Reversed"] for image, row in distances.items()} == dict.fromkeys(
        study.images.values_list("name", flat=True), 3.0
    )


def test_settings_stand_in_the_address(researcher, study):
    url = reverse("reports:report", args=[study.slug])
    response = researcher.get(url, {"distance": "kemeny", "protocol": "Reversed"})
    for criterion in (shown.table for shown in response.context["tables"]):
        assert [(row.protocol, row.score) for row in criterion.rows] == [("Reversed", 3.0)]
        # Kemeny: half a point for each of the three pairs that only one side ties.
        assert {row.protocol: row.score for row in criterion.baselines}["all tied"] == 1.5


def test_images_with_too_few_rankings_are_left_out_with_the_reason(researcher, study):
    response = researcher.get(reverse("reports:report", args=[study.slug]), {"min_annotators": "4"})
    criterion = response.context["tables"][0].table
    assert criterion.n_images == 0
    assert len(criterion.left_out) == 2
    assert "3 of 4" in response.text


def test_a_method_without_a_score_leaves_the_image_out_and_is_named(researcher, study):
    image = study.images.first()
    Score.objects.filter(run__name="Right", result__image=image, result__method__name="b").delete()
    response = researcher.get(reverse("reports:report", args=[study.slug]))
    criterion = response.context["tables"][0].table
    [(left_out, reason)] = criterion.left_out
    assert left_out == image.name
    assert "Right" in reason
    assert "b" in reason.split("Right")[1]
    assert criterion.n_images == 1


def test_a_report_before_any_work_says_so(client):
    study = make_study(["a", "b"])
    client.force_login(add_researcher(study))
    response = client.get(reverse("reports:report", args=[study.slug]))
    assert response.status_code == 200
    assert "No protocol has scored" in response.text
    assert "No image counts yet" in response.text
    criterion = response.context["tables"][0].table
    assert criterion.left_out == ((study.images.get().name, "0 of 3 annotators"),)
    # As a word: tokens of forms are letters drawn at random.
    assert not re.search(r"\bnan\b", response.text, re.IGNORECASE)


def test_the_newest_run_of_a_protocol_takes_part(researcher, study):
    make_run(study, "Reversed", {"a": 0.9, "b": 0.5, "c": 0.1})
    response = researcher.get(reverse("reports:report", args=[study.slug]))
    criterion = response.context["tables"][0].table
    assert {row.protocol: row.score for row in criterion.rows} == {"Right": 0.0, "Reversed": 0.0}


def test_a_protocol_that_could_not_score_a_method_is_left_out_by_name(researcher, study):
    run = make_run(study, "Average precision", {"a": 0.9, "b": 0.5})
    run.origin, run.overall = ProtocolRun.Origin.COMPUTED, {"a": {}, "b": {}}
    run.save()
    response = researcher.get(reverse("reports:report", args=[study.slug]))
    said = "Protocols left out: Average precision (no scores for c)."
    assert said in response.text
    assert said in researcher.get(reverse("figures:detectors", args=[study.slug])).text
    table = response.context["tables"][0].table
    assert ([row.protocol for row in table.rows], table.n_images) == (["Right", "Reversed"], 2)
    exported = researcher.get(reverse("reports:export", args=[study.slug, "json"])).json()
    assert exported["header"]["protocols left out"] == "Average precision (no scores for c)"


def test_the_command_writes_what_the_page_downloads(researcher, study, tmp_path):
    out = tmp_path / "report.csv"
    call_command("export_report", study.slug, "--out", str(out))
    url = reverse("reports:export", args=[study.slug, "csv"])
    assert out.read_bytes() == researcher.get(url).content


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["STUDY", "--decimals", "x"],
        ["STUDY", "--protocol", "x"],
        ["STUDY", "--beta", "-1"],
        ["STUDY", "--decimals", "-1"],
    ],
)
def test_the_command_refuses_in_one_sentence(study, arguments):
    with pytest.raises(CommandError) as refusal:
        call_command(
            "export_report", *[study.slug if part == "STUDY" else part for part in arguments]
        )
    assert refusal.value.returncode == 2
    assert "\n" not in str(refusal.value)


SKIPPED = "1 of 8 rankings is missing, because pairs in it were skipped"


def skip_an_image(study):
    """Let a fourth annotator skip every pair of one image, and rank the other."""
    person = add_annotator(study)
    turn = judging.start(study=study, annotator=person).turn
    first = turn.assignment.image_id
    while turn is not None:
        if turn.assignment.image_id == first:
            turn = judging.record_skip(
                screen_id=turn.screen.public_id, annotator=person, reason="no_text"
            ).turn
        else:
            turn = answer(turn, person, same_truth(ABC))


def test_rankings_that_are_missing_because_pairs_were_skipped_are_counted_everywhere(
    researcher, study
):
    """Three people rank two images; a fourth one of them: 1 of 8 is missing."""
    skip_an_image(study)
    built = services.study_report(services.asked_now(study, Settings()))
    assert built.header["rankings lost to skips"] == "1 missing of 8"
    # All three pairs, each twice: then none can be asked.
    assert built.header["skipped pairs by reason"] == "There is no text to judge (6)"
    page = researcher.get(reverse("reports:report", args=[study.slug]), {"open": "all"}).text
    # By each criterion.
    assert page.count(SKIPPED) >= 3
    for name in ("figures:detectors", "questions:questions"):
        assert SKIPPED in researcher.get(reverse(name, args=[study.slug])).text
    url = reverse("reports:export", args=[study.slug, "csv"])
    assert table(researcher.get(url).text)["recall", "Right"]["rankings_skipped"] == "1"
    for extension in ("tex", "md", "json"):
        text = researcher.get(reverse("reports:export", args=[study.slug, extension])).text
        assert SKIPPED in text or "1 missing of 8" in text, extension
    assert SKIPPED in researcher.get(reverse("reports:export", args=[study.slug, "tex"])).text
    for extension in ("tex", "md", "json"):
        url = reverse("reports:export_table", args=[study.slug, "annotators", extension])
        assert SKIPPED in researcher.get(url).text, extension
    url = reverse("reports:export_table", args=[study.slug, "annotators", "csv"])
    rows = list(csv.DictReader(io.StringIO(researcher.get(url).text)))
    assert {row["rankings_skipped"] for row in rows} == {"1"}
    methods = researcher.get(reverse("publication:paper", args=[study.slug])).text
    assert "Of 8 rankings that were ended, 1 is missing, because pairs were skipped." in methods


def test_a_study_without_a_skip_says_nothing_of_skips(researcher, study):
    page = researcher.get(reverse("reports:report", args=[study.slug]), {"open": "all"}).text
    assert "skipped" not in page
    url = reverse("reports:export", args=[study.slug, "csv"])
    assert "skipped" not in researcher.get(url).text


def test_rankings_that_were_begun_and_not_finished_are_counted(researcher, study):
    judging.start(study=study, annotator=add_annotator(study))
    built = services.study_report(services.asked_now(study, Settings()))
    assert built.header["begun and not finished"] == "1"
