"""Leaving an annotator out of the reports, and taking them in again."""

import pytest
from django.urls import reverse

from annotate.reports.services import asked_now, study_report
from annotate.scoring.services import score_protocol
from annotate.studies.errors import StudyRefused
from annotate.studies.exclusions import decide, left_out
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, add_researcher, make_person, make_study
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
ONE = Settings(min_annotators=1)


def make_the_study():
    """Two annotators say a > b, the odd one b > a; by mean rank two against one is a > b."""
    study = make_study(["a", "b"], min_annotators=1)
    for truth in ([["a"], ["b"]], [["a"], ["b"]], [["b"], ["a"]]):
        rank_everything(study, add_annotator(study), same_truth(truth))
    return study


made_study = made_once(make_the_study)


@pytest.fixture
def researcher(study):
    return add_researcher(study)


def people(study):
    return [one.annotator for one in study.assignments.order_by("pk")]


def consensus(study):
    [ranking] = study_report(asked_now(study, ONE)).report.criteria["recall"].consensus.values()
    return ranking


def test_a_report_is_made_without_who_is_left_out_and_says_so(study, researcher):
    first, second, odd = people(study)
    assert consensus(study) == (("a",), ("b",))
    decide(study=study, person=first, is_excluded=True, reason="left the key\nstuck", by=researcher)
    # One against one: tied.
    assert consensus(study) == (("a", "b"),)
    decide(study=study, person=second, is_excluded=True, reason="too quick", by=researcher)
    assert consensus(study) == (("b",), ("a",))
    built = study_report(asked_now(study, ONE))
    assert (built.n_rankings, built.n_annotators) == (1, 1)
    header = built.header["annotators left out"]
    assert "annotator-1 since" in header
    assert ": left the key stuck" in header
    assert first.username not in header
    decide(study=study, person=second, is_excluded=False, reason="checked by hand", by=researcher)
    assert consensus(study) == (("a", "b"),)
    assert odd.pk not in left_out(study)


def test_a_report_that_was_kept_stays_as_it_is(study, researcher):
    score_protocol(dataset=study.dataset, slug="iou")
    kept = keep_report(study=study, settings=ONE, runs=[], person=researcher)
    before = kept.content
    decide(study=study, person=people(study)[0], is_excluded=True, reason="x", by=researcher)
    kept.refresh_from_db()
    assert kept.content == before
    again = keep_report(study=study, settings=ONE, runs=[], person=researcher)
    assert "annotator-1 since" in again.data["header"]["annotators left out"]
    assert "annotators left out" not in kept.data["header"]


def test_decisions_are_rows_that_never_change(study, researcher):
    person = people(study)[0]
    decide(study=study, person=person, is_excluded=True, reason="x", by=researcher)
    [row] = study.exclusions.all()
    assert (row.person, row.created_by, row.is_excluded, row.reason) == (
        person,
        researcher,
        True,
        "x",
    )
    row.reason = "y"
    with pytest.raises(TypeError):
        row.save()


@pytest.mark.parametrize("reason", ["", "  \n "])
def test_a_decision_needs_a_reason(study, researcher, reason):
    with pytest.raises(StudyRefused, match="Give the reason"):
        decide(study=study, person=people(study)[0], is_excluded=True, reason=reason, by=researcher)


def test_what_is_so_already_and_who_does_not_rank_is_refused(study, researcher):
    person = people(study)[0]
    with pytest.raises(StudyRefused, match="counted in the reports already"):
        decide(study=study, person=person, is_excluded=False, reason="x", by=researcher)
    decide(study=study, person=person, is_excluded=True, reason="x", by=researcher)
    with pytest.raises(StudyRefused, match="left out of the reports already"):
        decide(study=study, person=person, is_excluded=True, reason="x", by=researcher)
    for stranger in (make_person(), researcher):
        with pytest.raises(StudyRefused, match="does not rank"):
            decide(study=study, person=stranger, is_excluded=True, reason="x", by=researcher)
    assert study.exclusions.count() == 1


def test_the_page_leaves_out_shows_the_history_and_takes_in_again(client, study, researcher):
    client.force_login(researcher)
    page = reverse("evidence:annotators", args=[study.slug])
    address = reverse("evidence:decide_annotator", args=[study.slug, "annotator-1"])
    response = client.post(address, {"is_excluded": "yes", "reason": "sleepy"}, follow=True)
    assert "Left out: reports are now made without" in response.text
    [row] = [one for one in response.context["people"] if one.key == "annotator-1"]
    assert row.left_out.reason == "sleepy"
    report = client.get(reverse("reports:report", args=[study.slug]), {"open": "people"}).text
    assert "Annotators left out" in report
    assert "sleepy" in report
    image = client.get(reverse("evidence:image", args=[study.slug, study.images.get().name]))
    [order] = [one for one in image.context["page"].annotators if one.is_left_out]
    assert order.key == "annotator-1"
    assert image.context["page"].n_rankings == 2
    client.post(address, {"is_excluded": "no", "reason": "awake again"})
    response = client.get(page, {"pseudonyms": "1"})
    assert [decision[0].reason for decision in response.context["decisions"]] == [
        "awake again",
        "sleepy",
    ]
    assert people(study)[0].username not in response.text.replace(researcher.username, "")


def test_a_refused_decision_is_shown_again_with_the_reason(client, study, researcher):
    client.force_login(researcher)
    address = reverse("evidence:decide_annotator", args=[study.slug, "annotator-1"])
    response = client.post(address, {"is_excluded": "yes", "reason": ""})
    assert response.status_code == 422
    assert "Give the reason" in response.text
    response = client.post(address, {"is_excluded": "no", "reason": "x"})
    assert response.status_code == 422
    assert "already" in response.text
    # Its links lead back to the page itself.
    assert 'href="?' not in response.text.split("<main")[1]
    nobody = reverse("evidence:decide_annotator", args=[study.slug, "annotator-99"])
    assert client.post(nobody, {"is_excluded": "yes", "reason": "x"}).status_code == 404


def test_who_is_left_out_is_compared_with_the_others_and_with_nobody_else(
    client, study, researcher
):
    """The odd one is 1 from the consensus of the two who agree; without it they are 0 apart."""
    client.force_login(researcher)
    odd = people(study)[2]
    decide(study=study, person=odd, is_excluded=True, reason="x", by=researcher)
    response = client.get(reverse("evidence:annotators", args=[study.slug]))
    assert [one.work.distance for one in response.context["people"]] == [0, 0, 1]
