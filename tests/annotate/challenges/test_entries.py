"""Entries: what the check says, what is scored, quotas and dates."""

import ast
import inspect
import io
import random
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
import pytest
from django.utils import timezone
from scipy import stats

from annotate.accounts.privacy.personal_data import everything_about
from annotate.challenges import checking, files, services, work
from annotate.challenges.errors import ChallengeRefused
from annotate.challenges.models import Challenge, ChallengeChange, Entry, EntryScore
from annotate.challenges.scoring import protocols_of
from annotate.challenges.selectors import Reader, standings
from annotate.imports.errors import CannotUndo
from annotate.imports.staging import Rows
from annotate.imports.undoing import undo_import
from annotate.jobs.models import Job
from annotate.studies.models import Study
from tests.support.archives import zip_bytes
from tests.support.challenges import (
    WORDS,
    make_challenge,
    make_team,
    secret_of,
    submit,
    upload,
)
from tests.support.factories import add_researcher, make_admin, make_person, make_study

pytestmark = pytest.mark.django_db
ORGANISER = Reader(is_organiser=True)


@pytest.fixture
def challenge():
    return make_challenge()


@pytest.fixture
def team(challenge):
    return make_team(challenge, "Ada")


def said(entry):
    return " ".join(line for of in entry.findings for line in of["lines"])


def checked(content, tmp_path, images):
    path = tmp_path / "upload"
    path.write_bytes(content)
    return checking.check(
        path,
        name="results.zip",
        format="",
        images=images,
        line_format="ltrb",
        protocols=[],
        rows=Rows(tmp_path / "rows.gz"),
        progress=lambda done, total: None,
    )


def test_the_check_makes_no_query_and_imports_no_table_of_data_sets(
    tmp_path, django_assert_num_queries
):
    with django_assert_num_queries(0):
        found = checked(upload(), tmp_path, {f"img_{at}": (400, 300) for at in range(24)})
    assert not found.is_refused
    imported = {
        name
        for node in ast.walk(ast.parse(inspect.getsource(checking)))
        if isinstance(node, ast.ImportFrom)
        for name in [node.module, *(alias.name for alias in node.names)]
    }
    assert not {name for name in imported if name and "datasets" in name}
    assert {"Dataset", "Image", "Challenge", "truths_of"}.isdisjoint(imported)


def test_two_uploads_that_differ_on_one_hidden_image_are_told_the_same(challenge, team):
    """One copies the hidden truth of an image, the other misses it by as much as it can."""
    other = make_team(challenge)
    hit = submit(team, upload(n_hidden=0, img_1=secret_of(1)))
    missed = submit(other, upload(n_hidden=0, img_1=[(1, 1, 9, 9), (2, 2, 8, 8), (3, 3, 7, 7)]))
    assert hit.findings == missed.findings
    assert hit.counts == missed.counts == {"results": 24, "boxes": 27, "empty": 11, "absent": 0}
    shown = [
        list(entry.scores.filter(split="visible").values_list("protocol", "f_score"))
        for entry in (hit, missed)
    ]
    assert shown[0] == shown[1]


def test_an_entry_has_the_scores_of_the_protocols_on_each_split(team):
    """Of three hidden words one is found and none is wrong: recall 1/3, precision 1, F 1/2."""
    entry = submit(team, upload(n_visible=1, n_hidden=1))
    assert (entry.state, entry.findings) == ("scored", [])
    iou = {one.split: one for one in entry.scores.filter(protocol="IOU")}
    assert iou["visible"].recall == pytest.approx(1 / 2)
    assert iou["visible"].f_score == pytest.approx(2 / 3)
    assert iou["hidden"].f_score == pytest.approx(1 / 2)
    assert iou["hidden"].tallies == [[1, 3, 1, 1]] * 12
    assert entry.scores.count() == 4


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "zip"),
        (b"no zip", "zip"),
        (zip_bytes({}), "results"),
        (zip_bytes({"res_img_1.txt": "1,2,x,4"}), "img_1"),
        (zip_bytes({"res_elsewhere.txt": "1,2,3,4"}), "elsewhere"),
        (zip_bytes({"res_img_1.txt": "1,2,9000000,9000000"}), "pixels"),
    ],
)
def test_a_bad_upload_is_refused_with_a_sentence_and_uses_no_quota(team, content, word):
    before = services.left(team)
    entry = submit(team, content)
    assert entry.state == "refused"
    assert word in said(entry)
    assert services.left(team) == before
    assert not entry.scores.exists()


def test_the_name_of_a_file_has_no_characters_that_are_not_shown(team):
    with pytest.raises(ChallengeRefused, match="not shown"):
        services.submit(team=team, stream=io.BytesIO(upload()), name="net\u202e.zip")
    assert not files.folder().exists()
    assert not Entry.objects.exists()


def test_an_upload_that_is_too_large_is_not_stored(challenge, team):
    Challenge.objects.update(max_mb=1)
    team.challenge.refresh_from_db()
    with pytest.raises(ChallengeRefused, match="larger than 1 MB"):
        submit(team, bytes(1024 * 1024 + 1))
    assert not list(files.folder().iterdir())
    assert not Entry.objects.exists()


def test_quotas_count_what_is_not_refused_and_withdrawn_entries_too(team):
    Challenge.objects.update(entries_a_day=2, entries_in_all=3)
    team.challenge.refresh_from_db()
    first = submit(team, upload(1))
    services.withdraw(entry=first)
    submit(team, upload(2))
    with pytest.raises(ChallengeRefused, match="today's entries"):
        submit(team, upload(0))
    Entry.objects.update(created=timezone.now() - timedelta(days=2))
    submit(team, upload(0))
    Entry.objects.update(created=timezone.now() - timedelta(days=2))
    with pytest.raises(ChallengeRefused, match="used all its entries"):
        submit(team, upload(0, 0))
    assert team.entries.count() == 3


def test_a_day_begins_in_the_time_zone_of_the_challenge(team):
    challenge = team.challenge
    challenge.time_zone = "Pacific/Kiritimati"
    start, end = challenge.day_of(datetime(2026, 3, 1, 11, tzinfo=UTC))
    assert (start.isoformat(), end - start) == (
        "2026-03-02T00:00:00+14:00",
        timedelta(days=1),
    )


def test_the_same_file_is_taken_once_but_again_after_a_refusal(team):
    submit(team, b"no zip")
    assert submit(team, b"no zip").state == "refused"
    submit(team)
    with pytest.raises(ChallengeRefused, match="same file as entry 3"):
        submit(team)


def test_late_and_early_entries_are_not_taken(team):
    now = timezone.now()
    Challenge.objects.update(opens=now + timedelta(hours=1), closes=now + timedelta(hours=2))
    with pytest.raises(ChallengeRefused, match="not open yet"):
        submit(team)
    Challenge.objects.update(opens=now - timedelta(hours=2), closes=now)
    with pytest.raises(ChallengeRefused, match="is over"):
        submit(team)
    assert not Entry.objects.exists()
    assert not list(files.folder().iterdir())


def test_an_entry_that_was_in_time_has_a_time_before_the_end(team, monkeypatch):
    asked, refuse = [], services._refuse_entry

    def refuse_and_note(*given):
        refuse(*given)
        asked.append(timezone.now())

    monkeypatch.setattr(services, "_refuse_entry", refuse_and_note)
    assert submit(team).created <= asked[0]


def test_an_entry_that_is_withdrawn_while_it_waits_is_never_scored(team, settings):
    settings.JOBS = "queue"
    entry = submit(team)
    services.withdraw(entry=entry)
    settings.JOBS = "here"
    services.start_scoring(entry)
    entry.refresh_from_db()
    assert (entry.state, EntryScore.objects.count()) == ("withdrawn", 0)
    assert standings(team.challenge, "visible") is None


def test_a_job_that_runs_twice_writes_scores_once(team):
    entry = submit(team)
    before = list(entry.scores.order_by("pk").values())
    services.start_scoring(entry)
    assert list(entry.scores.order_by("pk").values()) == before


def test_an_entry_whose_job_is_lost_is_started_again_and_refused_after_three_failures(
    team, settings
):
    settings.JOBS = "queue"
    entry = submit(team)
    work.start_lost()
    assert Job.objects.filter(kind=services.KIND).count() == 1
    Job.objects.all().delete()
    settings.JOBS = "here"
    work.start_lost()
    entry.refresh_from_db()
    assert entry.state == "scored"
    settings.JOBS = "queue"
    other = submit(team, upload(1))
    Job.objects.all().delete()
    failed = {"kind": services.KIND, "arguments": {"entry": other.pk}, "state": "failed"}
    for _ in range(3):
        Job.objects.create(finished=timezone.now(), **failed)
    work.start_lost()
    other.refresh_from_db()
    assert other.state == "refused"
    assert "could not be scored" in said(other)


def test_a_score_is_shown_at_a_multiple_of_fifteen_seconds_after_the_upload(team):
    entry = submit(team)
    Entry.objects.filter(pk=entry.pk).update(state="checking", told=None)
    EntryScore.objects.all().delete()
    services.start_scoring(entry)
    entry.refresh_from_db()
    waited = (entry.told - entry.created).total_seconds()
    assert waited > 0
    assert waited % 15 == pytest.approx(0)
    Entry.objects.filter(pk=entry.pk).update(told=timezone.now() + timedelta(seconds=9))
    entry.refresh_from_db()
    assert entry.shown_state == "checking"
    assert standings(team.challenge, "visible") is None


def test_the_final_entry_is_chosen_by_hand_or_the_best_or_the_last(challenge, team):
    good, bad = submit(team, upload(2, 3)), submit(team, upload(1, 1))
    for rule, chosen in (("hand", bad), ("last", bad), ("best", good)):
        Challenge.objects.update(final_rule=rule)
        challenge.refresh_from_db()
        assert standings(challenge, "hidden", ORGANISER).entries == [chosen]
    with pytest.raises(ChallengeRefused, match="do not choose their final entry"):
        services.choose_final(entry=good)
    Challenge.objects.update(final_rule="hand")
    challenge.refresh_from_db()
    services.choose_final(entry=good)
    assert standings(challenge, "hidden", ORGANISER).entries == [good]
    services.choose_final(entry=bad)
    assert team.entries.get(is_final=True) == bad


def test_hidden_scores_wait_for_the_end_or_are_rounded(challenge, team):
    submit(team, upload(2, 1))
    assert standings(challenge, "hidden") is None
    Challenge.objects.update(hidden_score="rounded")
    challenge.refresh_from_db()
    board = standings(challenge, "hidden").boards.board
    # 2 * (1/3) / (4/3) = 1/2 exactly.
    assert (board.values, board.low, board.letters) == ((0.5,), (None,), None)
    n_images = challenge.images_of("hidden").count()
    [row] = standings(challenge, "hidden").rows
    assert (row.n_images, row.images) == (n_images, f"{n_images} of {n_images}")
    Challenge.objects.update(hidden_score="after", closes=timezone.now())
    challenge.refresh_from_db()
    assert standings(challenge, "hidden").boards.board.values == (0.5,)


def test_rounded_scores_that_look_equal_are_in_the_order_of_upload(challenge, team):
    Challenge.objects.update(hidden_score="rounded", sees="open")
    first = submit(team, upload(2, 3, img_1=secret_of(1)[:2]))
    other = make_team(challenge, "Bob")
    submit(other, upload(2, 3))
    challenge.refresh_from_db()
    exact = standings(challenge, "hidden", ORGANISER)
    assert list(exact.names) == ["Bob", "Ada"]
    EntryScore.objects.filter(entry=first).update(f_score=0.999)
    assert list(standings(challenge, "hidden").names) == ["Ada", "Bob"]


def test_from_the_freeze_to_the_end_newer_entries_are_not_in_the_standings(challenge, team):
    old = submit(team, upload(1))
    Entry.objects.update(created=timezone.now() - timedelta(minutes=30))
    Challenge.objects.update(freezes=timezone.now() - timedelta(minutes=20))
    challenge.refresh_from_db()
    new = submit(team)
    assert standings(challenge, "visible").entries == [old]
    assert standings(challenge, "visible", ORGANISER).entries == [new]
    Challenge.objects.update(closes=timezone.now())
    challenge.refresh_from_db()
    assert standings(challenge, "visible").entries == [new]


def test_in_the_freeze_the_standings_keep_the_final_entries_chosen_before(challenge, team):
    first, second = submit(team, upload(1)), submit(team)
    services.choose_final(entry=first)
    Entry.objects.update(created=timezone.now() - timedelta(minutes=30))
    Entry.objects.filter(pk=first.pk).update(chosen=timezone.now() - timedelta(minutes=25))
    Challenge.objects.update(final_rule="hand", freezes=timezone.now() - timedelta(minutes=20))
    challenge.refresh_from_db()
    services.choose_final(entry=second)
    assert standings(challenge, "visible").entries == [first]
    assert standings(challenge, "visible", ORGANISER).entries == [second]
    services.withdraw(entry=first)
    # Without a choice from before the freeze the last entry counts.
    assert standings(challenge, "visible").entries == [second]
    Challenge.objects.update(closes=timezone.now())
    challenge.refresh_from_db()
    assert standings(challenge, "visible").entries == [second]


def test_names_are_shown_as_the_challenge_says(challenge, team):
    submit(team)
    other = make_team(challenge, "Bob")
    assert list(standings(challenge, "visible").names) == [f"Team {team.number}"]
    Challenge.objects.update(sees="closed")
    challenge.refresh_from_db()
    assert standings(challenge, "visible") is None
    assert standings(challenge, "visible", Reader(other)) is None
    assert standings(challenge, "visible", Reader(team)) is not None
    Challenge.objects.update(closes=timezone.now())
    challenge.refresh_from_db()
    assert list(standings(challenge, "visible").names) == ["Ada"]


@pytest.mark.parametrize(
    ("ties", "places", "names"),
    [
        ("shared", [1, 1], ["Ada", "Bob"]),
        ("earlier", [1, 2], ["Ada", "Bob"]),
        ("next", [1, 2], ["Bob", "Ada"]),
    ],
)
def test_ties_are_broken_as_the_challenge_says(challenge, team, ties, places, names):
    """Equal by the first protocol; by the second the later team is better."""
    Challenge.objects.update(ties=ties, sees="open")
    challenge.refresh_from_db()
    submit(team)
    entry = submit(make_team(challenge, "Bob"))
    EntryScore.objects.filter(protocol="DETEVAL").exclude(entry=entry).update(f_score=0.5)
    found = standings(challenge, "visible")
    assert [row.place for row in found.rows] == places
    assert [row.method for row in found.rows] == names


def f_score(sums):
    """Return the F-score of sums of (found, true, right, detected)."""
    found, true, right, detected = sums
    recall, precision = found / true, right / detected
    return 2 * recall * precision / (recall + precision)


def told_apart(a, b):
    """Return p of the paired t-test of two entries' parts in their F-scores, image by image.

    The part of an image is n times what the F-score loses without a thousandth of its weight: a
    numerical derivative in place of the formula.
    """
    parts = []
    for at in range(len(a)):
        weights = np.ones(len(a))
        weights[at] -= 1e-3
        lost = [f_score(weights @ of) - f_score(of.sum(axis=0)) for of in (a, b)]
        parts.append(len(a) * (lost[1] - lost[0]) / 1e-3)
    difference = f_score(a.sum(axis=0)) - f_score(b.sum(axis=0))
    return stats.ttest_1samp(np.array(parts) - np.mean(parts) + difference, 0).pvalue


def test_entries_share_a_letter_exactly_if_paired_tests_do_not_tell_them_apart():
    """Five drawn entries, counted by hand: copies of words are found, other boxes are wrong.

    With Holm's rule over the ten pairs: the k-th smallest p is significant if it and all smaller
    ones are at most 5 % / (11 - k).
    """
    made, rng = make_challenge(n_images=80, sees="open"), random.Random(7)
    counts = {}
    for name, share in (("A", 0.9), ("B", 0.85), ("C", 0.7), ("D", 0.65), ("E", 0.4)):
        boxes, rows = {}, []
        for at in range(0, 80, 2):
            found = [word for word in WORDS if rng.random() < share]
            wrong = [(10, 200, 60, 240)] * (rng.random() > share)
            boxes[f"img_{at}"] = found + wrong
            rows.append((len(found), 2, len(found), len(found) + len(wrong)))
        counts[name] = np.array(rows, dtype=float)
        submit(make_team(made, name), upload(n_images=80, **boxes))
    ps = {
        frozenset(pair): told_apart(*(counts[n] for n in pair)) for pair in combinations("ABCDE", 2)
    }
    apart = set()
    for k, pair in enumerate(sorted(ps, key=ps.get)):
        if ps[pair] > 0.05 / (10 - k):
            break
        apart.add(pair)
    rows = {row.method: row for row in standings(made, "visible").rows}
    assert {name: row.value for name, row in rows.items()} == pytest.approx(
        {name: f_score(of.sum(axis=0)) for name, of in counts.items()}
    )
    shared = {
        frozenset(pair)
        for pair in combinations("ABCDE", 2)
        if set(rows[pair[0]].letters) & set(rows[pair[1]].letters)
    }
    assert shared == set(ps) - apart
    # Significant alone, but not in the family; and seven pairs are in it.
    assert ps[frozenset("BC")] < 0.05
    assert frozenset("BC") in shared
    assert len(apart) == 7


def test_a_person_is_in_one_team_and_stays_after_a_submission(challenge, team):
    member = team.members.get()
    with pytest.raises(ChallengeRefused, match="in a team already"):
        services.make_team(member=member, name="Another")
    other = services.join(challenge=challenge, person=make_person())
    services.join_team(member=other, code=team.code.lower())
    submit(team)
    with pytest.raises(ChallengeRefused, match="stay in it"):
        services.leave_team(member=other)


def test_the_export_of_personal_data_has_what_the_own_team_submitted(challenge, team):
    entry = submit(team, description="Trained on street signs", link="https://example.org")
    submit(make_team(challenge), description="Another's")
    [own] = everything_about(team.members.get().person)["challenges"]
    assert (own["file_name"], own["description"], own["sha256"]) == (
        *("results.zip", "Trained on street signs"),
        entry.sha256,
    )


def test_a_person_who_sees_the_ground_truth_does_not_take_part(challenge):
    study = make_study()
    follower = add_researcher(study)
    Study.objects.update(dataset=challenge.dataset)
    for person in (follower, make_admin()):
        with pytest.raises(ChallengeRefused, match="You can see the ground truth"):
            services.join(challenge=challenge, person=person)
    assert not challenge.members.exists()


def test_a_team_is_not_larger_than_allowed(challenge, team):
    Challenge.objects.update(team_size=1)
    other = services.join(challenge=challenge, person=make_person())
    with pytest.raises(ChallengeRefused, match="full"):
        services.join_team(member=other, code=team.code)
    with pytest.raises(ChallengeRefused, match="No team has this code"):
        services.join_team(member=other, code="NONE")


def test_organisers_try_the_challenge_before_it_opens_without_a_place(challenge):
    now = timezone.now()
    Challenge.objects.update(opens=now + timedelta(hours=1))
    challenge.refresh_from_db()
    person = make_person("olga")
    services.set_organiser(challenge=challenge, username="olga", is_organiser=True)
    trial = make_team(challenge, "Trial", person)
    assert submit(trial).state == "scored"
    Challenge.objects.update(opens=now - timedelta(hours=1))
    challenge.refresh_from_db()
    assert standings(challenge, "visible", ORGANISER) is None


def test_changes_after_the_opening_are_in_the_public_log(challenge):
    challenge.entries_a_day = 7
    challenge.protocols = challenge.protocols[:1]
    n_hidden = challenge.hidden.count()
    services.save_challenge(challenge, hidden=[])
    found = list(ChallengeChange.objects.values_list("setting", "before", "after"))
    assert found == [
        ("hidden", str(n_hidden), "0"),
        ("protocols", "IOU, DETEVAL", "IOU"),
        ("entries_a_day", "5", "7"),
    ]
    # Which images are hidden stays out of it.
    assert challenge.changes.get(setting="hidden").label == "number of hidden images"


def test_an_opening_that_moves_hides_no_change_from_the_log(challenge):
    opens = challenge.opens
    challenge.opens = timezone.now() + timedelta(hours=2)
    services.save_challenge(challenge)
    challenge.entries_a_day = 900
    services.save_challenge(challenge)
    challenge.opens = opens
    services.save_challenge(challenge)
    logged = ChallengeChange.objects.values_list("setting", flat=True)
    assert list(logged) == ["opens", "entries_a_day", "opens"]


def test_the_dates_of_a_challenge_that_is_over_stay(challenge):
    """Its hidden scores are shown, so that no team may submit again."""
    Challenge.objects.update(closes=timezone.now())
    challenge.refresh_from_db()
    challenge.closes += timedelta(days=1)
    with pytest.raises(ChallengeRefused, match="its dates cannot be changed"):
        services.save_challenge(challenge)
    challenge.refresh_from_db()
    challenge.text = "Thank you."
    services.save_challenge(challenge)
    assert challenge.is_over


def test_with_entries_protocols_and_hidden_images_are_fixed(challenge, team):
    submit(team)
    with pytest.raises(ChallengeRefused, match="protocols cannot change"):
        services.save_challenge(challenge, protocols=[("deteval", {})])
    challenge.refresh_from_db()
    with pytest.raises(ChallengeRefused, match="hidden images cannot change"):
        services.save_challenge(challenge, hidden=[])
    assert [protocol.slug for protocol in protocols_of(challenge)] == ["iou", "deteval"]


def test_uploads_are_erased_after_the_days_and_with_the_last_person(challenge, team):
    entry = submit(team, description="mine")
    assert files.upload_of(entry.key).exists()
    Challenge.objects.update(closes=timezone.now() - timedelta(seconds=1), keep_days=1)
    services.forget_uploads()
    assert files.upload_of(entry.key).exists()
    team.members.all().delete()
    services.forget_teams()
    entry.refresh_from_db()
    team.refresh_from_db()
    assert (entry.description, team.name) == ("", f"Team {team.number}")
    assert not files.upload_of(entry.key).exists()
    other = make_challenge()
    late = submit(make_team(other))
    now = timezone.now()
    past = {"opens": now - timedelta(days=62), "closes": now - timedelta(days=61)}
    Challenge.objects.filter(pk=other.pk).update(**past)
    services.forget_uploads()
    assert not files.upload_of(late.key).exists()


def test_the_load_of_a_data_set_with_a_challenge_is_not_undone(challenge):
    added = {"dataset": challenge.dataset.pk}
    receipt = challenge.dataset.imports.create(kind="dataset", files=[], counts={}, added=added)
    with pytest.raises(CannotUndo, match="A challenge uses it"):
        undo_import(receipt=receipt)
    assert challenge.images_of("hidden").count() == 12
