"""The annotators' page: shares, repeats and distances worked out by hand, and the rules that mark."""

import re
from statistics import median

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotate.drilldown.annotators import views
from annotate.drilldown.annotators.answers import Sides, Work
from annotate.drilldown.annotators.page import Annotator, _mark
from annotate.judging import services
from annotate.judging.models import Judgement
from annotate.learning.models import FirstVisit
from annotate.reports import background_counts
from annotate.studies.exclusions import left_out
from tests.support.factories import add_annotator, add_newcomer, make_study
from tests.support.pages import flat
from tests.support.truths import answer, rank_by, rank_everything, same_truth

pytestmark = pytest.mark.django_db

ABC = [["a"], ["b"], ["c"]]
CBA = [["c"], ["b"], ["a"]]


def url(study):
    return reverse("evidence:annotators", args=[study.slug])


def people_of(client, study, **query):
    return client.get(url(study), query).context["people"]


def test_shares_are_of_all_answers_and_the_interval_of_those_that_chose_a_side():
    sides = Sides(left=3, equal=4, right=1)
    assert sides.percents == [37.5, 50, 12.5]
    assert sides.left_of_decided == 75
    assert Sides().percents == [None, None, None]
    assert Sides(equal=3).left_of_decided is None
    assert Sides(equal=3).interval is None


@pytest.mark.parametrize(
    ("sides", "is_marked"),
    [
        (Sides(80, 10, 20), True),
        (Sides(20, 10, 80), True),
        (Sides(3, 0, 1), False),  # 75 %, but four answers say nothing
        (Sides(640, 0, 360), False),  # surely not even, but within 35 to 65
        (Sides(), False),
    ],
)
def test_one_side_is_marked_when_it_is_far_and_sure(sides, is_marked):
    assert sides.is_one_sided is is_marked


@pytest.fixture
def of_one():
    """A study that one annotator has ranked."""
    study = make_study(list("abcd"), n_checks=0)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"], ["d"]]))
    return study


def test_answers_are_counted_by_side_and_criterion(follow, of_one):
    [one] = people_of(follow(of_one), of_one)
    judgements = Judgement.objects.filter(assignment__study=of_one)
    assert one.work.n_screens == judgements.count()
    for criterion, sides in one.work.sides.items():
        for verdict in ("left", "equal", "right"):
            counted = judgements.filter(**{criterion: verdict}).count()
            assert getattr(sides, verdict) == counted


def test_the_distance_is_to_the_consensus_of_the_others(follow):
    """a > b > c twice and c > b > a: for each of the first two the others tie all (two merges, 1);
    for the third they say a > b > c (three swaps, 3).
    """
    study = make_study(list("abc"), images=2)
    for ranking in (ABC, ABC, CBA):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    people = people_of(follow(study), study)
    assert [one.work.distance for one in people] == [1, 1, 3]
    assert [one.work.distance_by_criterion for one in people] == [[1] * 3, [1] * 3, [3] * 3]
    assert [one.n_complete for one in people] == [2, 2, 2]


def test_the_consensus_is_that_of_the_report_and_is_named(follow):
    """The others of the fourth say a > b > c twice and b > c > a: mean ranks tie a and b (a split, 0.5),
    and by Kemeny's majority a is before b (0).
    """
    study = make_study(list("abc"))
    for ranking in (ABC, ABC, [["b"], ["c"], ["a"]], ABC):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    client = follow(study)
    for asked, distance, words in (("", 0.5, "mean rank"), ("?consensus=kemeny", 0, "Kemeny")):
        response = client.get(url(study) + asked)
        assert response.context["people"][3].work.distance == distance
        assert f"<strong>{words}" in flat(response.text)


def test_alone_and_without_repeats_there_is_no_distance_and_no_sentence_on_mistakes(follow):
    study = make_study(list("abc"), n_checks=0)
    rank_everything(study, add_annotator(study), same_truth(ABC))
    response = follow(study).get(url(study))
    [one] = response.context["people"]
    assert one.work.distance is None
    assert "That is too little to tell whether mistakes are made again." in response.text
    assert not re.search(r"\b(nan|inf|None)\b", response.text)


def test_times_are_those_that_were_measured(follow, of_one):
    judgements = list(Judgement.objects.order_by("pk"))
    seconds = [10.0 + at for at in range(len(judgements) - 1)]
    for judgement, taken in zip(judgements, seconds, strict=False):
        judgement.seconds_taken = taken
        judgement.save()
    [one] = people_of(follow(of_one), of_one)
    assert one.work.minutes == pytest.approx(sum(seconds) / 60)
    assert one.work.median_seconds == median(seconds)


def test_t23_what_was_in_sight_is_counted_as_far_as_it_is_known(follow, of_one):
    stored = [
        {"first": "left", "left": 4.0, "right": 2.0},
        {"first": "both", "left": 3.0, "right": 9.0},
        {"first": "right", "left": 8.0, "right": 10.0},
    ]
    judgements = list(Judgement.objects.order_by("pk"))
    assert len(judgements) > len(stored)  # of the others nothing is known
    for judgement, seen in zip(judgements, stored, strict=False):
        judgement.seen = seen
        judgement.save()
    client = follow(of_one)
    [one] = people_of(client, of_one)
    found = one.work.in_sight
    assert (found.n_known, found.first_left, found.first_both, found.first_right) == (3, 1, 1, 1)
    # Of each pair the result that was shown less: 2, 3 and 8 seconds.
    assert found.median_least == 3.0
    text = client.get(url(of_one), {"annotator": one.key}).text
    assert f"3 <small>of {len(judgements)}</small>" in flat(text)


@pytest.mark.parametrize("errs", [False, True])
def test_repeated_pairs_are_compared_with_the_answer_before(follow, errs):
    """An annotator who reverses every repeated answer differs in each criterion asked twice."""
    study = make_study(8, n_checks=4)
    names = [f"method-{at}" for at in range(8)]
    straight = same_truth([[name] for name in names])
    turned = same_truth([[name] for name in reversed(names)])
    person = add_annotator(study)
    turn = services.start(study=study, annotator=person).turn
    n_repeats = 0
    while turn is not None:
        is_repeat = turn.screen.purpose == "repeat"
        n_repeats += is_repeat
        turn = answer(turn, person, turned if errs and turn.screen.is_check else straight)
    [one] = people_of(follow(study), study)
    assert n_repeats
    assert one.work.repeated.n >= n_repeats
    assert one.work.repeated.n_differing == (one.work.repeated.n if errs else 0)
    assert one.consistency == (0 if errs else 100)
    assert one.error is None  # fewer than 30


@pytest.mark.parametrize("errs_again", [False, True])
def test_mistakes_are_counted_that_come_again(follow, errs_again):
    """Three annotators agree; a fourth reverses every pair, or only the first answer to it."""
    study = make_study(8, images=6, n_checks=4)
    names = [f"method-{at}" for at in range(8)]
    straight = same_truth([[name] for name in names])
    turned = same_truth([[name] for name in reversed(names)])
    rank_by(3, study, straight)
    person = add_annotator(study)
    turn = services.start(study=study, annotator=person).turn
    seen, n_twice = set(), 0
    while turn is not None:
        pair = (turn.assignment.pk, *sorted((turn.screen.left_id, turn.screen.right_id)))
        n_twice += pair in seen
        turn = answer(turn, person, straight if pair in seen and not errs_again else turned)
        seen.add(pair)
    client = follow(study)
    *others, one = people_of(client, study)
    mistakes = one.work.mistakes
    assert (mistakes.n_again, mistakes.n_right) == (mistakes.n if errs_again else 0, 0)
    assert 10 <= mistakes.n <= n_twice
    # A fourth who always contradicts leaves the others without an answer that all agree on.
    assert any(other.work.mistakes.n_right for other in others) is not errs_again
    text = client.get(url(study)).text
    assert ("usually repeated on the same pair" in text) is errs_again
    assert ("Most mistakes are not repeated" in text) is not errs_again


def test_contradictions_that_are_open_and_the_result_of_practice_are_shown(follow):
    study = make_study(list("abc"), images=2)
    rank_everything(study, add_annotator(study), same_truth(ABC))
    study.first_visits.update(practice=FirstVisit.Practice.NOT_PASSED)
    for at, assignment in enumerate(study.assignments.order_by("pk")):
        assignment.unsettled = ["recall", "preference"][: at + 1]
        assignment.save()
    [one] = people_of(follow(study), study)
    assert (len(one.work.unsettled), one.practice) == (3, "not passed")


def person_with(name="x", seconds=(), distance=None):
    work = Work(seconds=list(seconds))
    if distance is not None:
        work.distances["recall"] = [distance]
    return Annotator(name, name, "", 0, 0, work)


def marks_of(people):
    _mark(people)
    return [one.marks for one in people]


def test_a_median_below_a_third_of_the_usual_one_is_marked():
    """The medians are 3, 9.5, 10 and 11; the median of them 9.75, a third of it 3.25."""
    people = [person_with(seconds=[time]) for time in (3, 9.5, 10, 11)]
    assert marks_of(people) == [["quick"], [], [], []]
    assert marks_of([person_with(seconds=[1])]) == [[]]


def test_who_is_far_from_the_others_is_marked_when_there_are_enough_others():
    """The others are at 1, 2 and 3: mean 2, deviation sqrt(2/3), so the bound is 3.63."""
    assert marks_of([person_with(distance=at) for at in (1, 2, 3, 3.7)])[-1]
    assert not marks_of([person_with(distance=at) for at in (1, 2, 3, 3.6)])[-1]
    assert marks_of([person_with(distance=at) for at in (1, 2, 9)]) == [[], [], []]
    # Where the others all agree, the last half is not a mark yet.
    assert not marks_of([person_with(distance=at) for at in (1, 1, 1, 1.5)])[-1]


def test_one_person_opens_image_by_image(follow, worked):
    study = worked
    client = follow(study)
    for one in people_of(client, study):
        response = client.get(url(study), {"annotator": one.key})
        chosen = response.context["chosen"]
        images = response.context.get("images", [])
        assert sum(work.n_screens for *_, work in images) == chosen.work.n_screens
        assert len(images) == chosen.n_begun
        assert not re.search(r"\b(nan|inf|None)\b", response.text)
    assert client.get(url(study), {"annotator": "annotator-99"}).status_code == 404


def test_a_study_without_annotators_and_one_who_has_not_begun(follow):
    study = make_study(list("ab"))
    client = follow(study)
    assert "No one is ranking in this study yet" in client.get(url(study)).text
    add_newcomer(study)
    response = client.get(url(study), {"annotator": "annotator-1"})
    assert "has not started any image" in response.text
    assert not re.search(r"\b(nan|inf|None)\b", response.text)


def test_a_large_study_is_counted_when_somebody_asks(follow, monkeypatch):
    """The pages say the same as at once: each is one swap from the other two, who are apart."""
    study = make_study(list("abc"), images=2)
    for ranking in (ABC, ABC, CBA):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    client = follow(study)
    at_once = people_of(client, study)
    monkeypatch.setattr(background_counts, "MOST_AT_ONCE", 5)
    first = client.get(url(study))
    assert not first.context["is_counted"]
    assert "work" not in first.context, "no table is made that the page does not show"
    assert "Distance to the others" not in first.text
    assert "2 images" in first.text
    # One person's images need no count.
    of_one = client.get(url(study), {"annotator": "annotator-3"})
    assert [work.distance for *_, work in of_one.context["images"]] == [3, 3]
    response = client.post(reverse("evidence:count_annotators", args=[study.slug]))
    assert response.url == url(study)
    assert people_of(client, study) == at_once
    person = User.objects.get(username=at_once[2].name)
    client.post(
        reverse("evidence:decide_annotator", args=[study.slug, "annotator-3"]),
        {"is_excluded": "yes", "reason": "asleep"},
    )
    # Counted again by itself: without the third the first two agree.
    assert left_out(study).keys() == {person.pk}
    assert [one.work.distance for one in people_of(client, study)] == [0, 0, 3]


def test_a_person_with_many_images_has_them_in_pages(follow, monkeypatch):
    monkeypatch.setattr(views, "_IMAGES_PER_PAGE", 2)
    study = make_study(list("abc"), images=3)
    rank_everything(study, add_annotator(study), same_truth(ABC))
    client = follow(study)
    shown = [
        name
        for page in (1, 2)
        for name, *_ in client.get(url(study), {"annotator": "annotator-1", "page": page}).context[
            "images"
        ]
    ]
    assert shown == [image.name for image in study.images.in_order()]
