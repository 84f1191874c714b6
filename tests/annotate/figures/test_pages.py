"""The page of figures and the addresses of its files."""

import hashlib
import io
import json
import re
import sys
import zipfile
from base64 import b64encode
from dataclasses import replace

import pytest
import vl_convert
from django.conf import settings
from django.urls import reverse
from django.utils.html import escape

from annotate.figures import building, views
from annotate.figures import data as figure_data
from annotate.figures.files import FORMATS, specification
from annotate.figures.kinds import NAMES, figure_of
from annotate.figures.themes import THEMES, Paper
from annotate.jobs.models import Job
from annotate.reports import services as services_of_reports
from annotate.studies.exclusions import decide
from rankings.agreement.report import Settings
from rankings.elicitation.log import CRITERIA
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.figures import put_together
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_by, rank_everything, same_truth
from tests.support.work import file_made
from tests.support.worked import ranked_study

made_study = made_once(ranked_study)


@pytest.fixture
def nothing_can_be_computed(monkeypatch):
    """After this no figure is computed, drawn or written any more."""

    def refuse():
        def refused(*args, **kwargs):
            raise AssertionError("what is kept is made again")

        monkeypatch.setattr(building, "figure_of", refused)
        for name in ("vegalite_to_svg", "svg_to_png", "svg_to_pdf"):
            monkeypatch.setattr(vl_convert, name, refused)
        for name, file_format in FORMATS.items():
            monkeypatch.setitem(FORMATS, name, replace(file_format, write=refused))

    return refuse


def address(study, name="wins", extension="svg"):
    return reverse("figures:figure", args=[study.slug, name, extension])


def shown(response, name):
    [figure] = [figure for figure in response.context["figures"] if figure.name == name]
    return figure


def test_the_page_shows_every_figure_with_its_numbers(researcher, study):
    """Right orders no pair differently and Reversed all, on both images; people tie none."""
    response = researcher.get(reverse("figures:figures", args=[study.slug]))
    assert response.status_code == 200
    names = [name for name in NAMES if name != "participants"]  # the study has no entrance
    assert [figure.name for figure in response.context["figures"]] == names
    # Nothing varies; a person agrees with the others.
    assert [row[:4] for row in shown(response, "nearness").rows] == [
        ("Right", "0", "0", "0"),
        ("Reversed", "100", "100", "100"),
        ("all tied", "50", "50", "50"),
        ("random order", "50", "50", "50"),
        ("a person", "0", "–", "–"),
    ]
    assert shown(response, "wins").rows == (("Right", "–", "1"), ("Reversed", "0", "–"))
    distances = {row[0]: row[1:] for row in shown(response, "distances").rows}
    assert distances["Reversed"] == ("2", "3", "3", "3", "3", "3", "3")
    assert shown(response, "agreement").rows[0] == ("A1", "–", "0", "0")
    ranks = [row[:2] for row in shown(response, "critical-difference").rows]
    assert ranks == [("Right", "1"), ("Reversed", "2")]
    assert [row[1:] for row in shown(response, "progress").rows] == [("6", "6")]
    assert shown(response, "scores").rows[0][:6] == ("Right", "1", "2", "0.9", "0.9", "0.9")
    assert {row[2] for row in shown(response, "beta").rows} == {"0"}
    # As a word: tokens of forms are letters drawn at random.
    assert not re.search(r"\bnan\b", response.text, re.IGNORECASE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "extension",
    [
        extension if extension == "svg" else pytest.param(extension, marks=pytest.mark.release)
        for extension in FORMATS
    ],
)
def test_every_figure_has_every_file_and_makes_it_once(
    researcher, study, nothing_can_be_computed, name, extension
):
    response = researcher.get(address(study, name, extension), {"criterion": "preference"})
    assert response.status_code == 200
    assert response["Content-Type"] == FORMATS[extension].content_type
    assert response["X-Content-Type-Options"] == "nosniff"
    policy = response["Content-Security-Policy"]
    if extension == "svg":
        # One style, the font's; a browser takes it because its hash is this.
        [style] = re.findall(r"<style>(.*?)</style>", response.text, re.S)
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; font-src data:"
        assert "style=" not in response.text
    else:
        assert policy == "default-src 'none'"
    assert f"{study.slug}-{name}-preference-" in response["Content-Disposition"]
    nothing_can_be_computed()
    again = researcher.get(address(study, name, extension), {"criterion": "preference"})
    assert again.content == response.content


def test_a_file_says_where_it_comes_from(researcher, study):
    svg = researcher.get(address(study), {"decimals": "2", "criterion": "precision"}).text
    for fact in (study.name, study.dataset.name, "decimals: 2", "criterion: precision", "edit"):
        assert fact in svg
    assert "text-detection-rankings" in svg


def test_settings_change_the_figure(researcher, study):
    url = address(study, "distances")
    assert "Kemeny" not in researcher.get(url).text
    assert "Kemeny distance" in researcher.get(url, {"distance": "kemeny"}).text
    alone = researcher.get(address(study, "wins"), {"protocol": "Right"}).text
    assert "nothing to compare it with" in " ".join(alone.split())


@pytest.mark.release
def test_every_address_on_the_page_keeps_the_settings(researcher, study):
    page = researcher.get(
        reverse("figures:figures", args=[study.slug]),
        {"criterion": "precision", "distance": "kemeny", "theme": "x", "protocol": "Right"},
    )
    for figure in page.context["figures"]:
        for _, files in figure.downloads:
            assert all(researcher.get(url).status_code == 200 for _, url in files)
            svg = researcher.get(dict(files)["SVG"]).text
            assert "distance: kemeny" in svg
            assert "criterion: precision" in svg


def test_a_page_carries_its_drawings(researcher, study):
    """As JSON that no browser runs: a name that would end the element is escaped."""
    make_run(study, "</script><b>", {"a": 0.9, "b": 0.5, "c": 0.1})
    page = researcher.get(reverse("figures:figures", args=[study.slug]))
    elements = re.findall(
        r'data-drawing>\s*<script type="application/json">(.*?)</script>', page.text
    )
    drawn = [figure for figure in page.context["figures"] if not figure.is_empty]
    assert [json.loads(text) for text in elements] == [figure.drawings for figure in drawn]


@pytest.mark.parametrize("theme", THEMES)
def test_the_parts_of_a_drawing_give_it_in_each_theme_and_window(researcher, study, theme):
    """Numbers have six digits, and no long part is sent twice."""

    def rounded(text):
        return json.loads(text, parse_float=lambda number: float(f"{float(number):.6g}"))

    page = researcher.get(reverse("figures:figures", args=[study.slug]))
    runs = services_of_reports.available_runs(study)
    data = figure_data.FigureData(study, Settings(), runs, "recall")
    for name, of_study in building.build(data, NAMES).items():
        if of_study.is_empty:
            continue
        parts = shown(page, name).drawings
        texts = [json.dumps(part) for part in parts]
        assert len(set(texts)) == len(texts)
        assert put_together(parts, theme) == {
            "wide": rounded(specification(of_study, Paper(theme, "page"))),
            "narrow": rounded(specification(of_study, Paper(theme, "single"))),
        }


def test_without_the_extra_pages_draw_and_say_how_to_have_files(researcher, study, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    command = "pip install 'text-detection-rankings[figures]'"
    page = researcher.get(reverse("figures:figures", args=[study.slug]))
    drawn = [figure for figure in page.context["figures"] if not figure.is_empty]
    assert flat(page.text).count(" data-drawing>") == len(drawn)
    assert page.text.count(escape(command)) == len(drawn)
    assert not any(figure.downloads for figure in drawn)
    file = researcher.get(address(study, "wins", "pdf"))
    assert file.status_code == 501
    assert command in file.text
    researcher.post(reverse("figures:all_figures", args=[study.slug]))
    job = Job.objects.get()
    assert job.state == Job.State.FAILED
    assert command in job.failure


def test_a_figure_is_sent_again_only_when_it_changed(researcher, study):
    first = researcher.get(address(study, "distances"))
    assert "private" in first["Cache-Control"]
    assert "no-cache" in first["Cache-Control"]
    again = researcher.get(address(study, "distances"), headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304
    assert again.content == b""
    make_run(study, "Reversed", {"a": 0.5, "b": 0.5, "c": 0.5})
    changed = researcher.get(address(study, "distances"), headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200


@pytest.mark.release
def test_the_files_of_a_page_share_what_the_page_computed(researcher, study, monkeypatch):
    page = researcher.get(reverse("figures:figures", args=[study.slug]))

    def refused(*args, **kwargs):
        raise AssertionError("the report is built again")

    monkeypatch.setattr(services_of_reports, "build_report", refused)
    monkeypatch.setattr(figure_data, "rankings_of", refused)
    for figure in page.context["figures"]:
        for _, files in figure.downloads:
            assert researcher.get(dict(files)["SVG"]).status_code == 200


def test_a_page_that_was_shown_once_asks_the_database_alone(
    researcher, study, nothing_can_be_computed, django_assert_max_num_queries
):
    page = reverse("figures:figures", args=[study.slug])
    first = researcher.get(page).text
    nothing_can_be_computed()
    with django_assert_max_num_queries(40):
        again = researcher.get(page).text
    assert without_token(again) == without_token(first)
    with pytest.raises(AssertionError, match="made again"):
        researcher.get(page, {"criterion": "precision"})


def test_a_large_study_shows_one_figure_and_fetches_the_others(researcher, study, monkeypatch):
    monkeypatch.setattr(views, "MAX_SCORES_DRAWN_TOGETHER", 0)
    page = reverse("figures:figures", args=[study.slug])
    first = researcher.get(page, {"criterion": "precision"})
    assert [figure.name for figure in first.context["figures"]] == ["distances"]
    [link] = re.findall(r'data-waits>[^<]*<a href="([^"]*)"', flat(first.text))
    assert link == "?criterion=precision&amp;whole=on"
    whole = researcher.get(page + link.replace("&amp;", "&"))
    names = [figure.name for figure in whole.context["figures"]]
    assert names == [name for name in NAMES if name != "participants"]
    assert "whole" not in dict(whole.context["figures"][0].downloads[0][1])["SVG"]
    # All are kept now.
    again = researcher.get(page, {"criterion": "precision"})
    assert [figure.name for figure in again.context["figures"]] == names
    assert "data-waits" not in again.text


def without_token(page):
    return re.sub(r'(name="csrfmiddlewaretoken" value=|nonce=)"[^"]*"', "", page)


def test_what_was_kept_before_the_program_changed_is_made_again(researcher, study, monkeypatch):
    page = reverse("figures:figures", args=[study.slug])
    researcher.get(page)
    made = []
    monkeypatch.setattr(
        building, "figure_of", lambda name, data: made.append(name) or figure_of(name, data)
    )
    researcher.get(page)
    assert made == []
    monkeypatch.setattr(building, "_code", lambda: 1)
    researcher.get(page)
    assert made == list(NAMES)


def test_drawings_cannot_push_out_the_limits_of_signing_in():
    limits, drawings = settings.CACHES["default"], settings.CACHES["drawings"]
    assert limits["LOCATION"] != drawings["LOCATION"]


def test_a_new_ranking_and_a_decision_on_who_counts_change_the_figures(researcher, study):
    def notes(name):
        page = researcher.get(reverse("figures:figures", args=[study.slug]))
        return shown(page, name).rows

    before = notes("agreement")
    another = add_annotator(study)
    rank_everything(study, another, same_truth([["c"], ["b"], ["a"]]))
    after = notes("agreement")
    assert len(after) == len(before) + 1
    decide(study=study, person=another, is_excluded=True, reason="x", by=another)
    assert notes("agreement") == before


@pytest.mark.release
def test_a_kept_reports_figures_show_what_it_held(researcher, study):
    """Two protocols, three people; afterwards a fourth answers otherwise and a run is replaced."""
    runs = services_of_reports.available_runs(study)
    kept = keep_report(study=study, settings=Settings(), runs=runs, person=add_researcher(study))
    live = reverse("figures:figures", args=[study.slug])
    page = reverse("figures:kept_figures", args=[study.slug, kept.pk])
    for criterion in ("recall", "preference"):
        was = researcher.get(live, {"criterion": criterion})
        now = researcher.get(page, {"criterion": criterion})
        for name in ("distances", "wins", "critical-difference", "beta"):
            assert shown(now, name).rows == shown(was, name).rows
    before = researcher.get(page)
    rank_everything(study, add_annotator(study), same_truth([["c"], ["b"], ["a"]]))
    make_run(study, "Reversed", {"a": 0.5, "b": 0.5, "c": 0.5})
    after = researcher.get(page)
    assert shown(researcher.get(live), "distances").rows != shown(after, "distances").rows
    for name in ("distances", "wins", "critical-difference"):
        assert shown(after, name).rows == shown(before, name).rows
        assert not any("as it is now" in note for note in shown(after, name).notes)
    # Data missing from the report come from the study, and the page says so.
    assert len(shown(after, "agreement").rows) == 4
    for name in ("agreement", "scores", "progress"):
        assert any("the study as it is now" in note for note in shown(after, name).notes)
    for extension in FORMATS:
        url = reverse("figures:kept_figure", args=[study.slug, kept.pk, "wins", extension])
        assert researcher.get(url, {"width": "single"}).status_code == 200
        assert researcher.get(url, {"width": "x"}).status_code == 422
    assert kept.checksum in researcher.get(url.replace(".pdf", ".svg")).text


def test_what_is_no_figure_is_404_and_what_is_no_paper_422(researcher, study):
    page = reverse("figures:figures", args=[study.slug])
    for end in ("nothing.svg", "wins.gif", "wins"):
        assert researcher.get(f"{page}{end}").status_code == 404
    for query in ({"theme": "sepia"}, {"width": "3"}):
        assert researcher.get(address(study), query).status_code == 422


def every_figure_in(client, study):
    response = client.get(reverse("figures:figures", args=[study.slug]))
    assert response.status_code == 200
    assert not re.search(r"\b(nan|inf|None|undefined)\b", response.text)
    for name in NAMES:
        svg = client.get(address(study, name)).text
        assert "NaN" not in svg
    return {figure.name: figure for figure in response.context["figures"]}


@pytest.mark.django_db
def test_before_any_work_every_figure_says_so_and_one_annotator_agrees_with_nobody(follow):
    study = make_study(["a", "b"], min_annotators=1)
    found = every_figure_in(follow(study), study)
    assert all(figure.is_empty for figure in found.values())
    assert "No protocol has scored" in found["wins"].notes[0]
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.1})
    found = every_figure_in(follow(study), study)
    assert "One annotator" in found["agreement"].notes[0]
    assert not found["distances"].is_empty


@pytest.mark.django_db
def test_all_ties_and_constant_and_identical_protocols(follow):
    study = make_study(["a", "b", "c"], images=2)
    rank_by(3, study, same_truth([["a", "b", "c"]]))
    for name in ("Same", "Again"):
        make_run(study, name, {"a": 0.5, "b": 0.5, "c": 0.5})
    found = every_figure_in(follow(study), study)
    assert "Ties everything" in " ".join(found["agreement"].notes)
    assert "Again and Same" in " ".join(found["wins"].notes)
    assert "tied all methods" in " ".join(found["scores"].notes)


def test_a_protocol_without_scores_is_named(researcher, study):
    make_run(study, "Silent", {})
    found = every_figure_in(researcher, study)
    assert "Silent" in found["distances"].notes[0]
    assert not found["agreement"].is_empty
    assert not found["progress"].is_empty


@pytest.mark.release
def test_all_figures_come_as_one_zip(client, study):
    """Each that is not empty, under three criteria, in two widths and three formats."""
    client.force_login(add_researcher(study))
    made = file_made(client, reverse("figures:all_figures", args=[study.slug]))
    with zipfile.ZipFile(io.BytesIO(made.getvalue())) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert archive.read("recall/scores-174mm.pdf").startswith(b"%PDF")
    assert {name.split("/")[0] for name in names} == set(CRITERIA)
    assert len(names) == len(set(names))
    assert len(names) % (2 * 3) == 0
