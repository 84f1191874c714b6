"""Known-answer pairs: mixed in unmarked, never counted in rankings, and a rule for who guesses."""

import io
import json

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotate.datasets.models import Result
from annotate.drilldown.images.screens import screens_of
from annotate.exchange.bundles.reading import import_study
from annotate.exchange.rows import events
from annotate.judging import methods, services
from annotate.judging.attention_checks import Tally, tallies_of_people, tally_of
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.reports.included import known_answers, people_left_out
from annotate.studies.exclusions import decide, left_out
from protocols.core.regions import encode_regions
from tests.support.bundles import bundle_of, members_of, refused, summed
from tests.support.factories import add_annotator, make_admin, make_study
from tests.support.truths import asked_verdicts, first_turn, judged, same_truth, shown_now, skipped
from tests.support.worked import empty_the_site

pytestmark = pytest.mark.django_db

TRUTH = same_truth([["method-0"], ["method-1"], ["method-2"], ["method-3"]])
# The one text of each image is found by all of them.
BOXES = {
    f"method-{at}": [(0, 0, 99, 39), (120, 60 + 10 * at, 160, 66 + 10 * at)] for at in range(4)
}
JSON = {"accept": "application/json"}


def known_study(images=10, n_known=10, **settings):
    return make_study(4, images=images, boxes=BOXES, n_checks=0, n_known=n_known, **settings)


def right_answer(turn):
    """All three criteria in favour of the original: right, whatever was done to the copy."""
    pair = turn.assignment.known[turn.screen.known]
    return dict.fromkeys(
        ("recall", "precision", "preference"), "left" if pair["side"] == "right" else "right"
    )


def go_through(study, annotator, known=right_answer, n_skipped=0):
    """Answer everything but the first known-answer pairs; return the screens of those pairs."""
    turn, shown = services.start(study=study, annotator=annotator).turn, []
    while turn is not None:
        is_known = turn.screen.known is not None
        if is_known:
            shown.append(turn.screen)
        if is_known and len(shown) <= n_skipped:
            turn = skipped(turn, "other", text="odd")
        else:
            turn = judged(turn, known(turn) if is_known else asked_verdicts(TRUTH, turn))
    return shown


def opposite(turn):
    other = {"left": "right", "right": "left"}
    return {name: other[verdict] for name, verdict in right_answer(turn).items()}


@pytest.mark.parametrize(
    ("n_known", "n"), [(0, 0), (3, 3), pytest.param(10, 10, marks=pytest.mark.release), (25, 25)]
)
def test_t34_so_many_in_ten_images_and_no_ranking_counts_them(n_known, n):
    study, plain = known_study(n_known=n_known), known_study(n_known=0)
    assert len(go_through(study, add_annotator(study), opposite)) == n
    go_through(plain, add_annotator(plain))
    for which in (study, plain):
        assert which.assignments.filter(state="complete").count() == 10
        for assignment in which.assignments.all():
            names = dict(which.methods.values_list("pk", "name"))
            for buckets in assignment.rankings.values():
                assert [[names[of] for of in bucket] for bucket in buckets] == TRUTH["recall"]
    call_command("replay", "--check")


def test_each_comes_after_so_many_other_pairs_of_its_image():
    study = known_study(images=6)
    go_through(study, add_annotator(study))
    places = []
    for assignment in study.assignments.all():
        [pair] = assignment.known
        asked = list(assignment.screens.order_by("pk").values_list("known", flat=True))
        assert asked.index(0) == pair["place"]
        places.append(pair["place"])
    assert len(set(places)) > 1


def test_a_copy_stands_on_its_side_and_nothing_marks_it(client):
    # So many that every kind, the rarest in a fifth of pairs, and both sides are drawn, whatever the keys
    # of the rows: of 25 pairs one in 180 draws had none of it.
    study = known_study(images=12, n_known=40)
    turn = first_turn(study)
    kinds, sides_of_copies = set(), set()
    while turn is not None:
        data = shown_now(turn)
        if turn.screen.known is not None:
            pair = turn.assignment.known[turn.screen.known]
            original = Result.objects.get(pk=pair["result"])
            other = "left" if pair["side"] == "right" else "right"
            shown = {side: data["image"]["results"][data[side]] for side in ("left", "right")}
            assert shown[other]["polygons"] != shown[pair["side"]]["polygons"]
            assert len(shown[other]["polygons"]) == original.n_regions
            assert {one["state"] for one in data["criteria"]} == {"open"}
            kinds.add(pair["kind"])
            sides_of_copies.add(pair["side"])
            verdicts = right_answer(turn)
        else:
            verdicts = asked_verdicts(TRUTH, turn)
        # Nothing that the page is sent says which pairs these are.
        assert "known" not in json.dumps(data)
        left = data["progress"]["most"]
        following = judged(turn, verdicts)
        if following is not None and following.assignment == turn.assignment:
            assert shown_now(following)["progress"]["most"] < left
        turn = following
    assert kinds == {"removed", "added", "moved"}
    assert sides_of_copies == {"left", "right"}


def test_the_image_fetched_ahead_has_the_copies(client):
    study = known_study(images=2)
    annotator = add_annotator(study)
    client.force_login(annotator)
    turn = services.start(study=study, annotator=annotator).turn
    first = turn.assignment
    ahead = client.get(reverse("judging:next_image", args=[study.slug]), headers=JSON).json()
    while turn.assignment == first:
        turn = judged(
            turn,
            right_answer(turn) if turn.screen.known is not None else asked_verdicts(TRUTH, turn),
        )
    assert len(ahead["image"]["results"]) == 5
    assert shown_now(turn)["image"]["results"] == ahead["image"]["results"]
    assert shown_now(turn, have=ahead["image"]["key"])["image"].keys() & {"results"} == set()


def test_the_share_right_is_counted_and_shown_with_its_interval(admin):
    study = known_study()
    careful, hasty = add_annotator(study), add_annotator(study)
    go_through(study, careful)
    go_through(study, hasty, opposite)
    assert tally_of(study, careful) == Tally(10, 10)
    assert tallies_of_people(study) == {careful.pk: Tally(10, 10), hasty.pk: Tally(10, 0)}
    # Wilson's interval of 10 of 10: 72.2 to 100 %; of 0 of 10: 0 to 27.8 %.
    assert known_answers(study) == [
        "annotator-1: 10 of 10 right (100 %, 72 to 100)",
        "annotator-2: 0 of 10 right (0 %, 0 to 28)",
    ]
    assert left_out(study) == {}
    page = admin.get(reverse("evidence:annotators", args=[study.slug])).text
    assert "of 10, 72–100" in page
    assert "Known right" in page
    address = reverse("reports:report", args=[study.slug])
    assert "10 of 10 right" in admin.get(address, {"open": "people"}).text


def test_an_answer_that_was_undone_counts_when_it_is_given_again():
    study = known_study(images=1, n_known=10)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    while turn.screen.known is None:
        turn = judged(turn, asked_verdicts(TRUTH, turn))
    screen = turn.screen
    turn = services.record_judgement(
        screen_id=screen.public_id, annotator=annotator, verdicts=opposite(turn)
    ).turn
    assert tally_of(study, annotator) == Tally(1, 0)
    waiting = turn.screen.public_id if turn else ""
    turn = services.undo(study=study, annotator=annotator, screen_id=waiting).turn
    assert turn.screen == screen
    assert tally_of(study, annotator) == Tally()
    services.record_judgement(
        screen_id=screen.public_id, annotator=annotator, verdicts=right_answer(turn)
    )
    assert tally_of(study, annotator) == Tally(1, 1)
    assert Screen.objects.filter(known=0).count() == 1


def test_skipped_pairs_are_counted_beside_the_share_right_which_they_do_not_change(admin):
    """Seven of ten are answered right, three are skipped: 7 of 7, and the skips are reported."""
    study = known_study()
    annotator = add_annotator(study)
    assert len(go_through(study, annotator, n_skipped=3)) == 10, "none is asked again"
    assert study.assignments.filter(state="complete").count() == 10
    assert tally_of(study, annotator) == Tally(7, 7, 3)
    # Wilson's interval of 7 of 7: 64.6 to 100 %.
    [said] = known_answers(study)
    assert said == "annotator-1: 7 of 7 right (100 %, 65 to 100), 3 skipped"
    page = admin.get(reverse("evidence:annotators", args=[study.slug])).text
    assert "of 7, 65–100" in page
    assert "3 skipped" in page
    report = admin.get(reverse("reports:report", args=[study.slug]), {"open": "all"}).text
    assert "7 of 7 right (100 %, 65 to 100), 3 skipped" in report
    # No ranking is missing for it.
    assert "rankings are missing" not in report


def test_who_guesses_is_left_out_by_the_rule_once_and_people_have_the_last_word():
    study = known_study(images=12, known_at_least=0.5)
    careful, guessing = add_annotator(study), add_annotator(study)
    go_through(study, careful)
    turn, decided = services.start(study=study, annotator=guessing).turn, False
    while turn is not None:
        is_known = turn.screen.known is not None
        turn = judged(turn, opposite(turn) if is_known else asked_verdicts(TRUTH, turn))
        n = tally_of(study, guessing).n
        assert (guessing.pk in left_out(study)) == (n >= 10 and not decided)
        if n == 11 and not decided:
            decide(
                study=study,
                person=guessing,
                is_excluded=False,
                reason="a broken mouse",
                by=make_admin(),
            )
            decided = True
    assert list(left_out(study)) == []
    assert [row.is_excluded for row in study.exclusions.all()] == [True, False]
    assert study.exclusions.first().reason == (
        "By the study's rule: 0 of 10 known-answer pairs right, surely below 50%."
    )
    assert people_left_out(study) == []


def test_no_pair_without_ground_truth_to_be_sure_by():
    study = known_study(images=3)
    for image in study.images.all():
        image.truth = encode_regions([])
        image.save()
    assert go_through(study, add_annotator(study)) == []
    assert study.assignments.filter(state="complete").count() == 3


def test_a_method_that_leaves_takes_its_pair_with_it():
    study = known_study(images=1, n_known=10)
    annotator = add_annotator(study)
    turn = services.start(study=study, annotator=annotator).turn
    method = Result.objects.get(pk=turn.assignment.known[0]["result"]).method
    methods.withdraw_method(study=study, method=method)
    assert go_through(study, annotator) == []
    assert Assignment.objects.get().state == "complete"


def test_evidence_and_raw_data_mark_them():
    study = known_study(images=1, n_known=10)
    annotator = add_annotator(study)
    [screen] = go_through(study, annotator, opposite)
    [shown] = [one for one in screens_of(Assignment.objects.get()) if one.number == screen.number]
    assert shown.left == shown.right
    assert shown.counts.startswith("in no ranking; wrong: the copy is worse in ")
    rows = [row for row in events(study) if row["purpose"] == "known"]
    pair = Assignment.objects.get().known[0]
    assert [row["known"] for row in rows] == [
        {"side": pair["side"], "kind": pair["kind"], "dose": pair["dose"]}
    ]
    assert {row["known"] == {} for row in events(study) if row["purpose"] != "known"} == {True}


def test_a_bundle_takes_them_along_and_refuses_what_is_none():
    study = known_study(images=2)
    annotator = add_annotator(study)
    go_through(study, annotator)
    before = Assignment.objects.order_by("position").first().known
    bundle = bundle_of(study)
    empty_the_site()
    loaded = import_study(io.BytesIO(bundle))
    again = Assignment.objects.order_by("position").first().known
    assert [{**pair, "result": 0} for pair in again] == [{**pair, "result": 0} for pair in before]
    assert list(tallies_of_people(loaded.study).values()) == [Tally(2, 2)]
    assert bundle_of(loaded.study) == bundle
    members = members_of(bundle)
    [part] = [name for name in members if name.startswith("assignments")]
    rows = [json.loads(line) for line in members[part].splitlines()]
    empty_the_site()
    for change, words in [
        ({"kind": "painted"}, "incomplete"),
        ({"regions": [{"points": [1]}]}, "known-answer pair"),
        ({"result": "nobody"}, "missing or unknown"),
    ]:
        damaged = json.loads(json.dumps(rows))
        damaged[0]["known"][0] |= change
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in damaged)
        assert words in refused(summed(members | {part: lines}))


def test_the_database_refuses_one_result_twice_without_a_copy():
    study = known_study(images=1, n_known=0)
    turn = services.start(study=study, annotator=add_annotator(study)).turn
    with pytest.raises(IntegrityError), transaction.atomic():
        Screen.objects.filter(pk=turn.screen.pk).update(right=turn.screen.left_id)
    with pytest.raises(IntegrityError), transaction.atomic():
        Screen.objects.filter(pk=turn.screen.pk).update(known=0)
    assert Judgement.objects.count() == 0
