"""A report for a paper: what is pasted, and the zip with everything."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.jobs.models import Job
from annotate.reports.models import KeptReport
from tests.support.made_once import made_once
from tests.support.tex import run_tex
from tests.support.worked import ranked_study

pytestmark = [pytest.mark.django_db, pytest.mark.release]


made_study = made_once(lambda: ranked_study("a_1", "Right & true", "=Reversed"))


def keep(client, study):
    client.post(reverse("reports:kept_reports", args=[study.slug]))
    return KeptReport.objects.latest("pk")


def zipped(client, response):
    job = Job.objects.get(kind="publication.paper")
    assert job.state == Job.State.DONE, job.text
    assert response.status_code == 302
    file = client.get(reverse("jobs:file", args=[job.pk]))
    return zipfile.ZipFile(io.BytesIO(b"".join(file.streaming_content)))


def texts(response):
    return {anchor: text for anchor, _, _, text, _ in response.context["texts"]}


def test_what_is_shown_is_the_file_with_the_same_settings(researcher, study):
    sent = {"layout": "stacked", "width": "column", "decimals": "2"}
    shown = researcher.get(reverse("publication:paper", args=[study.slug]), sent)
    file = researcher.get(reverse("reports:export", args=[study.slug, "tex"]), sent)
    # The page has the baseline of a person as well: it knows the analysis.
    body = [line for line in texts(shown)["table"].splitlines() if "a person" not in line]
    assert body == file.text.splitlines()
    assert "rounded to 2 decimals" in texts(shown)["methods"]
    assert "@inproceedings{DPTF18," in texts(shown)["references"]


def test_a_kept_report_gives_the_same_table_as_its_file(researcher, study):
    kept = keep(researcher, study)
    sent = {"layout": "side", "intervals": "on"}
    shown = researcher.get(reverse("publication:kept_paper", args=[study.slug, kept.pk]), sent)
    file = researcher.get(reverse("reports:kept_file", args=[study.slug, kept.pk, "tex"]), sent)
    assert texts(shown)["table"] == file.text


@pytest.mark.parametrize("is_kept", [False, True])
def test_one_zip_has_all_and_sets_itself(researcher, study, tmp_path, is_kept):
    if is_kept:
        address = reverse("publication:kept_paper", args=[study.slug, keep(researcher, study).pk])
    else:
        address = reverse("publication:paper", args=[study.slug])
    archive = zipped(
        researcher, researcher.post(address, {"layout": "stacked", "supplement": "on"})
    )
    names = set(archive.namelist())
    assert {"table.tex", "methods.tex", "methods.md", "references.bib", "report.md"} <= names
    assert {"csv/report.csv", "csv/intervals.csv", "tables/standings.tex"} <= names
    assert "figures/recall/distances.pdf" in names
    for name in names:
        if name.endswith(".csv"):
            head, *rows = csv.reader(io.StringIO(archive.read(name).decode()))
            assert all(len(row) == len(head) for row in rows), name
            assert not head[0].startswith("#")
    metadata = json.loads(archive.read("metadata.json"))
    assert metadata["dataset"] == study.dataset.name
    assert set(metadata["files"]) == {name for name in names if name.endswith(".csv")}
    archive.extractall(tmp_path)
    command = [sys.executable, "-I", "verify.py"]
    assert "Everything agrees." in subprocess.check_output(command, cwd=tmp_path, text=True)
    run_tex(tmp_path, "supplement.tex")
    run_tex(tmp_path, "paper.tex")
    if shutil.which("bibtex"):
        subprocess.run(["bibtex", "paper"], cwd=tmp_path, check=True, capture_output=True)
        said = run_tex(tmp_path, "paper.tex", times=2)
        assert said.overfull == []
        assert said.undefined == []
        pages = re.search(r"paper\.pdf \((\d+) pages?", said.log)
        assert int(pages[1]) <= 2


def test_the_article_has_one_table_and_one_figure_and_the_supplement_the_rest(researcher, study):
    address = reverse("publication:paper", args=[study.slug])
    chosen = {"table": "standings", "figure": "distances", "criterion": "precision"}
    archive = zipped(researcher, researcher.post(address, chosen | {"supplement": "on"}))
    article, supplement = (archive.read(f"{name}.tex").decode() for name in ("paper", "supplement"))
    assert re.findall(r"input{(.*?)}", article) == ["methods", "tables/standings"]
    assert re.findall(r"linewidth\]{(.*?)}", article) == ["figures/precision/distances"]
    rest = re.findall(r"input{(.*?)}", supplement)
    tables = {
        name.removesuffix(".tex") for name in archive.namelist() if name.startswith("tables/")
    }
    assert {*rest} == tables - {"tables/standings"} | {"table"}
    drawn = re.findall(r"linewidth\]{(.*?)}", supplement)
    files = {name.removesuffix(".pdf") for name in archive.namelist() if name.endswith(".pdf")}
    assert {*drawn} == files - {"figures/precision/distances"}


def test_the_supplement_is_a_choice_and_the_page_shows_what_was_chosen(researcher, study):
    address = reverse("publication:paper", args=[study.slug])
    archive = zipped(researcher, researcher.post(address))
    assert "supplement.tex" not in archive.namelist()
    shown = researcher.get(address, {"table": "intervals", "figure": "distances"})
    # Comments say where the numbers are from.
    assert _set(texts(shown)["table"]) == _set(archive.read("tables/intervals.tex").decode())
    assert shown.context["figure"].name == "distances"
    assert "data-drawing" in shown.text


def test_without_the_extra_for_figures_the_zip_says_how_to_have_them(
    researcher, study, monkeypatch
):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    address = reverse("publication:paper", args=[study.slug])
    assert (
        "pip install &#x27;text-detection-rankings[figures]&#x27;" in researcher.get(address).text
    )
    archive = zipped(researcher, researcher.post(address))
    assert not [name for name in archive.namelist() if name.startswith("figures/")]
    assert "pip install 'text-detection-rankings[figures]'" in archive.read("README.md").decode()
    assert "includegraphics" not in archive.read("paper.tex").decode()


def _set(latex):
    return [line for line in latex.splitlines() if not line.startswith("%")]


def test_the_command_writes_the_same_table(study, tmp_path, capsys):
    call_command("export_report", study.slug, "--format", "paper", "--out", str(tmp_path / "p.zip"))
    call_command("export_report", study.slug, "--format", "tex", "--layout", "stacked")
    stacked = capsys.readouterr().out
    assert stacked.count(r"\multicolumn{4}") == 3
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        assert {"table.tex", "methods.tex", "paper.tex"} <= set(archive.namelist())
        assert r"\begin{table*}" in archive.read("table.tex").decode()
    with pytest.raises(CommandError, match="--out FILE"):
        call_command("export_report", study.slug, "--format", "paper")


def test_a_look_that_is_none_is_said(researcher, study):
    response = researcher.get(
        reverse("publication:paper", args=[study.slug]), {"layout": "diagonal"}
    )
    assert response.status_code == 422
    assert "diagonal" in response.text


def test_a_large_study_is_written_as_work(researcher, study, monkeypatch):
    from annotate.reports import services

    monkeypatch.setattr(services, "MAX_IMAGES_ANALYSED_AT_ONCE", 1)
    address = reverse("publication:paper", args=[study.slug])
    assert "not computed while you wait" in researcher.get(address).text
    assert "table.tex" in zipped(researcher, researcher.post(address)).namelist()


def test_what_a_paper_takes_is_english_for_every_reader(researcher, study):
    address = reverse("publication:paper", args=[study.slug])
    pages = [
        researcher.get(address, headers={"accept-language": language}) for language in ("fr", "en")
    ]
    assert texts(pages[0]) == texts(pages[1])
    assert "Pour un article" in pages[0].text
    assert " ".join(pages[0].text.split()).count('readonly lang="en"') == len(texts(pages[0]))
    made = []
    for language in ("fr", "en"):
        researcher.post(address, headers={"accept-language": language})
        job = Job.objects.filter(kind="publication.paper").latest("pk")
        file = researcher.get(reverse("jobs:file", args=[job.pk]))
        made.append(b"".join(file.streaming_content))
    assert made[0] == made[1]
