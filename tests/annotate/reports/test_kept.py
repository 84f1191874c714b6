"""Reports that are kept: whole, unchanged, comparable."""

import html
import json
import re
from collections import defaultdict
from hashlib import sha256

import pytest
from django.urls import reverse
from django.utils.html import escape

from annotate.reports import services
from annotate.reports.models import KeptReport
from annotate.scoring.models import Score
from rankings.agreement.main_table import further_measures
from rankings.output.analysis_tables import tables_of
from rankings.output.verdict_tables import VERDICTS
from tests.support.factories import add_researcher, make_study
from tests.support.made_once import made_once
from tests.support.worked import ranked_study

pytestmark = pytest.mark.django_db


made_study = made_once(ranked_study)


def keep(client, study, **settings):
    response = client.post(reverse("reports:kept_reports", args=[study.slug]), settings)
    assert response.status_code == 302
    return KeptReport.objects.latest("pk")


def page(client, report, **query):
    return client.get(
        reverse("reports:kept", args=[report.study.slug, report.pk]), {"open": "all", **query}
    )


def scores(response):
    return {
        (shown.criterion, one.row.protocol): one.row.score
        for shown in response.context["tables"]
        for one in shown.rows
    }


def test_a_kept_report_says_the_same_after_the_data_changed(researcher, study):
    kept = keep(researcher, study)
    before = scores(page(researcher, kept))
    assert before["recall", "Right"] == 0.0
    assert before["recall", "Reversed"] == 3.0
    Score.objects.filter(run__name="Right").update(recall=0.5, precision=0.5, f_score=0.5)
    live = researcher.get(reverse("reports:report", args=[study.slug]))
    assert scores(live)["recall", "Right"] == 1.0
    assert scores(page(researcher, kept)) == before


def test_its_json_is_the_bytes_of_its_checksum(researcher, study):
    kept = keep(researcher, study, decimals="2", protocol="Right")
    url = reverse("reports:kept_file", args=[study.slug, kept.pk, "json"])
    content = researcher.get(url).content
    assert sha256(content).hexdigest() == kept.checksum
    data = json.loads(content)
    assert data["settings"]["decimals"] == 2
    assert [row["protocol"] for row in data["criteria"]["recall"]["rows"]] == ["Right"]
    assert data["header"]["complete rankings"] == "6"


def test_a_report_of_many_images_says_the_same(researcher, study, monkeypatch):
    plain = keep(researcher, study)
    monkeypatch.setattr("annotate.reports.models._MOST_IMAGES_IN_PLAIN", 0)
    packed = keep(researcher, study)
    assert "consensus" in plain.data["criteria"]["recall"]
    assert "consensus" not in packed.data["criteria"]["recall"]
    assert scores(page(researcher, packed)) == scores(page(researcher, plain))
    for view in ("reports:kept_images", "figures:kept_figures"):
        tables = [
            re.findall(r"<td.*?</td>", shown.text, re.DOTALL)
            for one in (plain, packed)
            for shown in [researcher.get(reverse(view, args=[study.slug, one.pk]))]
        ]
        assert tables[0] == tables[1] != []


@pytest.mark.parametrize("extension", ["csv", "tex", "md"])
def test_its_tables_are_files_too(researcher, study, extension):
    kept = keep(researcher, study)
    for url in (
        reverse("reports:kept_file", args=[study.slug, kept.pk, extension]),
        reverse("reports:kept_table", args=[study.slug, kept.pk, "intervals", extension]),
        reverse("reports:export_table", args=[study.slug, "sensitivity", extension]),
    ):
        response = researcher.get(url)
        assert response.status_code == 200
        assert "Reversed" in response.text


def test_it_cannot_be_written_again(researcher, study):
    kept = keep(researcher, study)
    kept.content = "{}"
    with pytest.raises(TypeError):
        kept.save()


def test_content_that_was_tampered_with_is_told(researcher, study):
    kept = keep(researcher, study)
    assert "checksum differs" not in page(researcher, kept).text
    changed = kept.content.replace('"decimals":4', '"decimals":3')
    KeptReport.objects.filter(pk=kept.pk).update(content=changed)
    assert "checksum differs" in page(researcher, kept).text


def test_two_reports_are_compared_number_by_number(researcher, study):
    before = keep(researcher, study)
    same = keep(researcher, study)
    # All tied is one point from a > b > c: two splits of a half each.
    Score.objects.filter(run__name="Right").update(recall=0.5)
    after = keep(researcher, study)

    def compare(a, b):
        return researcher.get(reverse("reports:compared", args=[study.slug, a.pk, b.pk]))

    assert compare(before, same).context["changed"] == []
    changed = compare(before, after).context["changed"]
    further = {measure.heading for measure in further_measures()}
    assert {(cell.criterion, cell.protocol) for cell in changed} == {("recall", "Right")}
    assert [
        (cell.number, cell.before, cell.after) for cell in changed if cell.number not in further
    ] == [("Score", 0.0, 1.0)]


def test_settings_that_cannot_be_keep_nothing(researcher, study):
    url = reverse("reports:kept_reports", args=[study.slug])
    response = researcher.post(url, {"decimals": "x"})
    assert response.status_code == 422
    assert not KeptReport.objects.exists()


def test_a_study_without_any_work_can_be_kept(client):
    study = make_study(["a", "b"])
    client.force_login(add_researcher(study))
    kept = keep(client, study)
    response = page(client, kept)
    assert response.status_code == 200
    assert "No image counts yet" in response.text
    assert (
        "No report has been kept"
        not in client.get(reverse("reports:kept_reports", args=[study.slug])).text
    )


def test_a_report_is_not_found_below_another_study(researcher, study):
    kept = keep(researcher, study)
    other = make_study(["a", "b"], name="Other")
    researcher.force_login(add_researcher(other))
    for name, *more in (
        ("kept",),
        ("kept_file", "json"),
        ("kept_table", "intervals", "csv"),
        ("compared", kept.pk),
    ):
        address = reverse(f"reports:{name}", args=[other.slug, kept.pk, *more])
        assert researcher.get(address).status_code == 404


def test_a_kept_page_reads_the_report_and_builds_nothing(researcher, study, monkeypatch):
    kept = keep(researcher, study)
    for name in ("analyse", "build_report", "named_rankings", "protocol_scores"):
        monkeypatch.setattr(services, name, None)
    assert page(researcher, kept).status_code == 200


def test_a_kept_report_is_shown_with_few_queries(researcher, study, django_assert_max_num_queries):
    """For the person, their work, the study, the report, others to compare, the figures' fingerprint and
    their cache; none for images or rows.
    """
    kept = keep(researcher, study)
    keep(researcher, study)
    page(researcher, kept)
    with django_assert_max_num_queries(16):
        response = page(researcher, kept)
    assert response.status_code == 200


def test_the_cells_of_a_kept_report_are_those_of_its_tables(researcher, study):
    """The page writes them row by row; here they are read back cell by cell."""
    kept = keep(researcher, study)
    images = reverse("reports:kept_images", args=[study.slug, kept.pk])
    for criterion, table in kept.data["criteria"].items():
        assert table["rows"]
        protocols = [row["protocol"] for row in (*table["rows"], *table["baselines"])]
        found = rows_in(researcher.get(images, {"criterion": criterion}).text)
        for image, distances in table["distances"].items():
            order = " > ".join(" = ".join(bucket) for bucket in table["consensus"][image])
            assert [image, order, *(f"{distances[name]:.1f}" for name in protocols)] in found
        shown = page(researcher, kept, criterion=criterion).text
        found = rows_in(shown)
        for around in tables_of(kept.data):
            own = [row for row in around.shown if row[0] in (criterion, *BETWEEN[around.slug])]
            for texts in own:
                if around.slug == VERDICTS:
                    # The headline is not repeated.
                    assert escape(texts[1]) in shown or texts[1][1:] in html.unescape(shown)
                else:
                    assert joined(texts, around.columns) in found, (around.slug, texts)


# The table between criteria has no column of one.
BETWEEN = defaultdict(tuple, criteria=("recall", "precision", "preference"))


def rows_in(text):
    """Every row of a page's tables as the texts of its cells."""
    rows = re.findall(r"<tr>(.*?)</tr>", text, flags=re.DOTALL)
    return [
        [
            html.unescape(re.sub(r"<[^>]*>", "", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.DOTALL)
        ]
        for row in rows
    ]


def joined(texts, columns):
    """The row as a page has it: without its criterion, and both limits of an interval in one cell."""
    cells = []
    for text, column in zip(texts, columns, strict=True):
        if column.name == "Criterion":
            continue
        if "high" in column.name.lower() and cells and column.is_number:
            low = cells.pop()
            cells.append("–" if low == "–" else f"{low} to {text}")
        else:
            cells.append(text)
    return cells
