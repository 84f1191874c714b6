"""Reports that are computed once for all that they depend on."""

import json

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.judging.methods import withdraw_method
from annotate.reports import cache, services
from annotate.reports.cache import Asked
from annotate.studies.exclusions import decide
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_everything, same_truth
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db
ABC = [["a"], ["b"], ["c"]]


def two_who_agree():
    """Two images, two annotators who all say a > b > c, and two protocols: right and reversed."""
    study = make_study(["a", "b", "c"], images=2, min_annotators=1)
    for _ in range(2):
        rank_everything(study, add_annotator(study), same_truth(ABC))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study


made_study = made_once(two_who_agree)


@pytest.fixture
def computed(monkeypatch):
    """Return the computed functions, in order: "analyse" or "build_report"."""
    calls = []

    def noted(name):
        work = getattr(services, name)

        def call(*arguments, **options):
            calls.append(name)
            return work(*arguments, **options)

        monkeypatch.setattr(services, name, call)

    noted("analyse")
    noted("build_report")
    return calls


def report(client, study, **settings):
    return client.get(reverse("reports:report", args=[study.slug]), settings)


def test_an_unchanged_report_is_not_computed_again(researcher, study, computed):
    first, second = (report(researcher, study, open="all") for _ in range(2))
    assert computed == ["analyse"]
    assert first.context["tables"] == second.context["tables"]
    assert first.context["questions"] == second.context["questions"]


def test_files_and_the_kept_report_are_not_computed_where_the_page_was(researcher, study, computed):
    report(researcher, study, min_annotators=1)
    researcher.get(reverse("reports:export", args=[study.slug, "csv"]))
    researcher.get(reverse("reports:export_table", args=[study.slug, "measures", "csv"]))
    researcher.post(reverse("reports:kept_reports", args=[study.slug]), {"min_annotators": 1})
    assert computed == ["analyse"]
    kept = study.kept_reports.get().data
    settings = Settings(min_annotators=1)
    runs = services.available_runs(study)
    caches["reports"].clear()
    _, data = services.analysed_report(Asked(study, settings, runs))
    assert {name: kept[name] for name in data} == json.loads(json.dumps(data))


def test_a_table_alone_does_not_wait_for_its_analysis(researcher, study, computed):
    researcher.get(reverse("reports:export", args=[study.slug, "csv"]))
    researcher.get(reverse("reports:export", args=[study.slug, "tex"]))
    assert computed == ["build_report"]


def another_annotator(study):
    rank_everything(study, add_annotator(study), same_truth([["c"], ["b"], ["a"]]))


def a_newer_run(study):
    make_run(study, "Right", {"a": 0.1, "b": 0.1, "c": 0.1})


def one_left_out(study):
    person = study.assignments.order_by("pk").first().annotator
    decide(study=study, person=person, is_excluded=True, reason="asleep", by=add_researcher(study))


def a_method_less(study):
    withdraw_method(study=study, method=study.methods.get(name="b"))


def a_ranking_reopened(study):
    from annotate.judging.planning import reopen

    reopen(study.assignments.order_by("pk").last())


@pytest.mark.parametrize(
    "change",
    [another_annotator, a_newer_run, one_left_out, a_method_less, a_ranking_reopened],
    ids=lambda change: change.__name__,
)
def test_what_a_report_depends_on_makes_it_new(researcher, study, computed, change):
    before = report(researcher, study).context["built"]
    change(study)
    after = report(researcher, study).context["built"]
    assert computed == ["analyse", "analyse"]
    caches["reports"].clear()
    assert report(researcher, study).context["built"].report == after.report
    assert (before.report, before.n_rankings) != (after.report, after.n_rankings)


def test_each_setting_is_another_report(researcher, study, computed):
    chosen = [{}, {"decimals": 2}, {"consensus": "kemeny"}, {"beta": 2}, {"protocol": "Right"}]
    for settings in chosen * 2:
        report(researcher, study, **settings)
    assert computed == ["analyse"] * len(chosen)


def test_a_larger_study_takes_no_more_queries(study):
    """Of its fingerprint, whatever there is to read."""
    large = make_study(["a", "b", "c", "d"], images=5)
    for _ in range(4):
        rank_everything(large, add_annotator(large), same_truth([["a"], ["b"], ["c"], ["d"]]))
    for name in "vwxyz":
        make_run(large, name, dict.fromkeys("abcd", 0.5))
    counts = []
    for one in (study, large):
        runs = services.available_runs(one)
        with CaptureQueriesContext(connection) as queries:
            cache.version_of(one, runs)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


def test_a_report_too_large_for_the_table_is_not_kept(monkeypatch, researcher, study, computed):
    monkeypatch.setattr(cache, "_MAX_BYTES", 100)
    first, second = report(researcher, study), report(researcher, study)
    assert computed == ["analyse", "analyse"]
    assert first.context["tables"] == second.context["tables"]


def test_more_images_than_are_kept_are_read_and_built_each_time(monkeypatch, study, computed):
    monkeypatch.setattr(cache, "MAX_IMAGES", 1)
    settings = Settings(min_annotators=1)
    built = [services.study_report(services.asked_now(study, settings)).report for _ in range(2)]
    assert computed == ["build_report", "build_report"]
    monkeypatch.setattr(cache, "MAX_IMAGES", 2)
    assert services.study_report(services.asked_now(study, settings)).report == built[0] == built[1]


def test_images_without_a_proven_consensus_are_said(monkeypatch, researcher, study):
    """As if the first image's search had been cut short."""
    from rankings.consensus import rules

    solved = rules.kemeny_places

    def cut(places):
        goals, is_proven = solved(places)
        is_proven[0] = False
        return goals, is_proven

    monkeypatch.setattr(rules, "kemeny_places", cut)
    shown = report(researcher, study, consensus="kemeny")
    assert (
        "For 1 image, the consensus is the nearest ranking that was found" in shown.content.decode()
    )
    for extension in ("md", "tex"):
        file = researcher.get(
            reverse("reports:export", args=[study.slug, extension]), {"consensus": "kemeny"}
        )
        assert "not proven to be the nearest: 1 image" in file.content.decode().replace("\\", "")
    file = researcher.get(
        reverse("reports:export", args=[study.slug, "json"]), {"consensus": "kemeny"}
    ).json()
    first = study.images.in_order().first().name
    assert [table["unproven"] for table in file["criteria"].values()] == [[first]] * 3


def test_a_report_by_mean_rank_says_nothing_of_proofs(researcher, study):
    file = researcher.get(reverse("reports:export", args=[study.slug, "json"])).json()
    assert not any("unproven" in table for table in file["criteria"].values())


class TestLargeStudies:
    """Above a number of images nothing is computed within a request."""

    @pytest.fixture(autouse=True)
    def _small_limits(self, monkeypatch):
        from annotate.figures import views as figures

        monkeypatch.setattr(services, "MAX_IMAGES_AT_ONCE", 1)
        monkeypatch.setattr(services, "MAX_IMAGES_ANALYSED_AT_ONCE", 1)
        monkeypatch.setattr(figures, "MAX_IMAGES_DRAWN_AT_ONCE", 1)

        def refuse(*arguments, **named):
            pytest.fail("computed in a request")

        monkeypatch.setattr(services, "computed", refuse)

    def test_a_page_offers_to_have_it_done_as_work(self, researcher, study):
        pages = ("reports:report", "figures:figures", "figures:detectors")
        for name in (*pages, "questions:questions"):
            response = researcher.get(reverse(name, args=[study.slug]), {"decimals": "3"})
            assert response.status_code == 200
            assert "has 2 images, and above 1 this is not computed while you wait" in response.text
            if name in pages:
                assert '<input type="hidden" name="decimals" value="3">' in flat(response.text)

    def test_files_say_to_keep_a_report(self, researcher, study):
        for address in (
            reverse("reports:export", args=[study.slug, "csv"]),
            reverse("reports:export_table", args=[study.slug, "criteria", "csv"]),
            reverse("reports:export_table", args=[study.slug, "strengths", "csv"]),
            reverse("figures:figure", args=[study.slug, "scores", "svg"]),
        ):
            response = researcher.get(address)
            assert response.status_code == 409, address
            assert "Keep a report" in response.text

    def test_the_api_refuses_with_the_same_words(self, study):
        script = signed_in(add_researcher(study))
        response = script.get(f"/api/v1/studies/{study.slug}/report")
        assert response.status_code == 422
        assert "Keep a report" in response.json()["detail"]
