"""Plans of studies: what finds a difference, and what it costs."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from rankings.__main__ import main
from rankings.design.bands import band
from rankings.design.designs import Components, Design
from rankings.design.kinds import kinds_table
from rankings.design.pilots import Pilot, demo_pilot, worlds
from rankings.design.power import power
from rankings.design.reach import hours_in_words, reach, reach_in_words, reach_of_hours
from rankings.design.study_plans import SHARINGS, Question, plan, plan_table
from rankings.errors import RankingError
from rankings.output.table import as_columns
from tests.support.cases import cases

PILOT = Pilot(
    {
        "rankings": Components(image=0.004, annotator=0.0005, rest=0.004),
        "pairs": Components(image=0.004, annotator=0.0005, rest=0.1),
    },
    "a pilot",
)


def test_every_choice_finds_the_difference_and_one_image_fewer_does_not():
    found = plan(PILOT, Question(difference=0.03, people=12))
    sharings = {sharing.name: sharing for sharing in SHARINGS}
    known = [choice for choice in found.choices if choice.n_images]
    assert known
    for choice in known:
        sharing = sharings[choice.sharing]

        def power_of(n, choice=choice, sharing=sharing):
            design = Design(n, choice.n_annotators, sharing.per_image, sharing.repeated)
            return power(PILOT.components[choice.asking], design, 0.03)

        assert power_of(choice.n_images) >= 0.8
        fewest = max(2, -(-choice.n_annotators // sharing.per_image))
        assert choice.n_images == fewest or power_of(choice.n_images - 1) < 0.8


def test_answers_and_hours_by_hand():
    """I images of which 15 % have three people; 20 pairs of 9 s each; 12 people with 5 min each."""
    question = Question(difference=0.03, people=12, screens=20, seconds=9, minutes_a_person=5)
    advised = plan(Pilot({"rankings": PILOT.components["rankings"]}, "a pilot"), question).advised
    assert advised.n_annotators == 12
    n = advised.n_images
    repeated = -(-15 * n // 100)
    assert advised.n_visits == n + 2 * repeated
    assert advised.answers == 20 * advised.n_visits
    assert advised.hours == pytest.approx(advised.answers * 9 / 3600 + 1)
    assert advised.hours_a_person == pytest.approx(advised.hours / 12)


def test_a_pair_is_one_answer():
    for choice in plan(PILOT, Question()).choices:
        if choice.asking == "pairs" and choice.n_images:
            assert choice.answers == choice.n_visits


def test_the_cheapest_takes_the_fewest_hours_of_all_that_fit():
    found = plan(PILOT, Question(difference=0.03, people=12, images=200))
    fitting = [choice for choice in found.choices if choice.n_images and choice.n_images <= 200]
    assert found.cheapest.hours == min(choice.hours for choice in fitting)
    assert found.advised.sharing == SHARINGS[0].name
    assert sum(choice.is_cheapest for choice in found.choices) == 1


def test_many_protocols_are_tested_at_a_smaller_level():
    assert Question(n_protocols=10).alpha_of_pair == pytest.approx(0.05 / 45)
    two, ten = (plan(PILOT, Question(people=20, n_protocols=n)).cheapest for n in (2, 10))
    assert ten.answers > two.answers


def test_too_few_people_for_any_number_of_images_is_said():
    """v_annotator / A alone is too much: sqrt(0.0005 / 4) is 0.011, and t of 3 degrees needs 4.2 of it."""
    found = plan(PILOT, Question(difference=0.03, people=4))
    assert all(choice.n_images is None for choice in found.choices)
    assert found.cheapest is None
    assert found.advised is None
    assert not found.is_uncertain
    assert found.remarks[0].startswith(
        "By this estimate, a difference of 3 in 100 pairs cannot be detected with 4 people"
    )
    assert "It takes at least" in found.remarks[0]


@cases(("people", "may_suffice"), [(4, True), (3, False)])
def test_a_pilot_that_may_overestimate_how_people_differ_does_not_say_that_they_are_too_few(
    people, may_suffice
):
    """In 2 % of pilots the variance is 11.7 / 4 times too large (chi-square of 4 degrees).

    The least noise of four people is then 0.0065, and 0.03 / 0.0065 is 4.6 of it; for three people
    4.0, and 2 degrees need 5.6.
    """
    estimated = replace(PILOT.components["rankings"], degrees=4.0)
    found = plan(Pilot({"rankings": estimated}, "a pilot"), Question(people=people))
    assert found.cheapest is None
    assert found.is_uncertain == may_suffice
    assert any("too small to be sure" in remark for remark in found.remarks) == may_suffice


def test_no_design_has_fewer_people_than_are_said_to_be_needed():
    """Of few images a design of three finds what one of endless images does not."""
    found = plan(
        Pilot(demo_pilot().components, "a pilot"),
        Question(difference=0.15, people=12, n_protocols=3, images=24),
    )
    fewest = min(choice.n_annotators for choice in found.choices if choice.n_images is not None)
    assert fewest == 3
    assert found.remarks[0].startswith("You need at least 3 people")


def test_too_few_images_are_said():
    found = plan(PILOT, Question(difference=0.03, people=20, images=10))
    assert found.cheapest is None
    assert found.remarks[0].startswith("The 10 images are not enough: ")
    assert {row[-1] for row in plan_table(found).rows} == {"too few people", "too few images"}


_RELEASE = pytest.mark.release


@pytest.mark.parametrize(
    "images", [pytest.param(2, marks=_RELEASE), 5, 24, pytest.param(200, marks=_RELEASE), None]
)
@pytest.mark.parametrize("people", [pytest.param(2, marks=_RELEASE), 3, 12])
def test_the_difference_within_reach_has_a_design_and_one_a_little_smaller_has_none(images, people):
    asked = Question(difference=0.001, people=people, images=images, n_protocols=3)
    found = plan(PILOT, asked)
    assert found.cheapest is None
    wish = found.within_reach
    if wish is None:
        # Two people, two images: a test of one degree of freedom finds no share at all.
        assert plan(PILOT, replace(asked, difference=1.0)).cheapest is None
        return
    reached = plan(PILOT, replace(asked, difference=wish))
    assert reached.cheapest is not None
    assert reached.within_reach is None
    assert plan(PILOT, replace(asked, difference=wish - 0.001)).cheapest is None


def test_one_annotator_is_no_study():
    found = plan(PILOT, Question(people=1))
    assert found.choices == ()
    assert found.remarks[0].startswith("One annotator says nothing about others")


def test_what_a_design_finds():
    design = Design(100, 12)
    for one in reach(PILOT, Question(difference=0.04), design):
        parts = PILOT.components[one.asking]
        assert one.power == power(parts, design, 0.04)
        assert power(parts, design, one.least) == pytest.approx(0.8)


def test_three_people_with_two_hours_rank_what_fits_into_them():
    """10 minutes each before the first pair leave 90 minutes: 36 rankings of 15 pairs of 10 s."""
    question = Question(people=3, screens=15, seconds=10, n_protocols=7)
    found = reach_of_hours(PILOT, question, 2)
    whole = {one.design.per_image: one for one in found if one.asking == "rankings"}
    assert whole[3].design == Design(12, 3, 3)
    assert whole[2].design == Design(18, 3, 2)
    for one in found:
        assert one.answers * 10 <= 90 * 60
    assert [one.least for one in found] == sorted(one.least for one in found)
    [own] = [one for one in reach(PILOT, question, Design(12, 3, 3)) if one.asking == "rankings"]
    assert own == whole[3]
    assert reach_of_hours(PILOT, question, 0.5) == []


def test_without_a_pilot_the_band_has_the_demo_and_kinder_and_harder_worlds():
    found = plan(demo_pilot(), Question(difference=0.08, people=12, images=100))
    [words] = [one for one in found.remarks if "in simulated worlds" in one]
    low, high = map(int, re.search(r"in (\d+) to (\d+) %", words).groups())
    assert low < 80 <= high
    few = plan(demo_pilot(), Question(difference=0.01, people=3, images=100))
    assert not any("however many images" in one for one in few.remarks)
    assert "a pilot of 20 images by three people would show it" in few.remarks[0]


def test_hours_in_words_name_the_best_design_of_each_way_of_asking():
    question = Question(people=3, screens=15, seconds=10)
    found = reach_of_hours(PILOT, question, 2)
    said = [*hours_in_words(found, question, 2)]
    assert len(said) == 2
    for line, asking in zip(said, dict.fromkeys(one.asking for one in found), strict=True):
        best = min(one.least for one in found if one.asking == asking)
        assert line.startswith(
            f"In 2 hours, 3 people find a difference of {np.ceil(1000 * best) / 10:g}"
        )
    assert [*hours_in_words([], question, 0.5)] == [
        "0.5 hours are too few for a study by 3 people."
    ]
    # One annotator says nothing about others, which a plan says in any case.
    alone = Question(people=1)
    assert [*hours_in_words(reach_of_hours(PILOT, alone, 9), alone, 9)] == []


def test_the_command_says_what_hours_find_in_the_words_of_the_page(capsys):
    assert main(["plan", "--people", "3", "--hours", "2", "--images", "500"]) == 0
    said = capsys.readouterr().out
    question = Question(people=3, images=500)
    for line in hours_in_words(reach_of_hours(demo_pilot(), question, 2), question, 2):
        assert line in said
    assert as_columns(kinds_table(10)) in said


def test_a_design_in_words_has_the_range_of_the_worlds_only_without_a_pilot():
    question, design = Question(people=12, images=100), Design(100, 12, 1, 0.15)
    said = reach_in_words(demo_pilot(), question, design, "rankings")
    assert said.startswith(
        "100 images and 12 people (whole rankings, one person an image, 3 on 15 %)"
    )
    found = re.search(r"of (\S+) in 100.* from (\S+) to (\S+)\.$", said)
    own, low, high = map(float, found.groups())
    assert low <= own <= high
    by_pilot = reach_in_words(PILOT, question, design, "rankings")
    assert by_pilot.endswith("in 80 % of studies, by a pilot.")


def fewest_by_counting(parts, question, sharing, n):
    """The first number of images that suffices, tried one after the other."""
    for images in range(2, 400):
        design = Design(images, n, sharing.per_image, sharing.repeated)
        is_enough = power(parts, design, question.difference) >= question.share
        if images * sharing.per_image >= n and is_enough:
            return images
    return None


def test_the_band_of_a_plan_without_a_pilot_runs_from_the_kindest_to_the_hardest_world():
    question = Question(difference=0.12, people=5)
    found = band(plan(demo_pilot(), question))
    sharing = next(one for one in SHARINGS if one.name == found.sharing)
    kinds = [demo_pilot().components, *worlds(10)]
    for own in found.needed:
        needed = [
            fewest_by_counting(replace(of[found.asking]), question, sharing, own.n_annotators)
            for of in kinds
        ]
        known = [n for n in needed if n is not None]
        assert own.fewest == min(known, default=None)
        assert own.most == (max(known) if len(known) == len(needed) else None)
    assert any(one.most for one in found.needed)
    assert band(plan(PILOT, question)) is None
    assert band(plan(demo_pilot(), replace(question, people=1))) is None


@cases(
    ("fields", "message"),
    [
        ({"difference": 0}, "the difference must be above 0"),
        ({"difference": 1.5}, "the difference must be above 0 and at most 1"),
        ({"people": 0}, "people must be from 1 to 1000, got 0"),
        ({"share": 1.0}, "share must be between 0 and 1"),
        ({"n_protocols": 1}, "n_protocols must be at least 2"),
        ({"images": 1}, "images must be at least 2, got 1"),
        ({"seconds": -1}, "seconds must not be negative"),
    ],
)
def test_what_is_no_question_is_refused(fields, message):
    with pytest.raises(RankingError, match=message):
        Question(**fields)


def test_the_command_plans_without_a_pilot(capsys):
    assert main(["plan", "--difference", "0.05", "--people", "15"]) == 0
    text = capsys.readouterr().out
    assert "cheapest" in text
    assert "There is no pilot" in text
    assert main(["plan", "--json", "--people", "15"]) == 0
    assert json.loads(capsys.readouterr().out)["origin"] == "the demo"


def test_the_commands_read_a_pilot_as_other_commands_do(tmp_path, capsys):
    rankings, scores = tmp_path / "rankings.csv", tmp_path / "scores.csv"
    orders = ['"[[""a""],[""b""]]"', '"[[""b""],[""a""]]"']
    rankings.write_text(
        "image,annotator,criterion,buckets\n"
        + "".join(
            f"i{i},p{a},preference,{orders[(i * (a + 1) // 2) % 2]}\n"
            for i in range(6)
            for a in range(3)
        )
    )
    scores.write_text(
        "protocol,method,image,recall,precision\n"
        + "".join(
            f"{protocol},{method},i{i},{0.5 + (method == 'a') * 0.5 * (-1) ** (i * n)},0.5\n"
            for n, protocol in enumerate(("x", "y"))
            for method in "ab"
            for i in range(6)
        )
    )
    arguments = ["power", str(rankings), str(scores), "--images", "50", "--people", "5"]
    assert main(arguments) == 0
    # Two methods are ranked by one answer; 25 are those of ten methods.
    assert "whole rankings, 50 answers" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["origin"] == "the pilot"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "r.csv"], "give SCORES.csv"),
        (["plan", "--difference", "0"], "the difference must be above 0"),
        (["power", "--images", "1"], "at least 2, got 1"),
        (["power", "--images", "10", "--people", "2", "--per-image", "3"], "3 annotators an image"),
    ],
)
def test_what_cannot_be_planned_ends_with_a_sentence(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_command_says_how_often_many_protocols_are_told_apart(capsys):
    """98 % by scipy's noncentral t, with 11 x 19 degrees of freedom of the annotators' mean square."""
    design = "--people 12 --images 94 --protocols 20 --criterion preference --per-image 3"
    assert main(["power", "--difference", "0.055", *design.split()]) == 0
    assert (
        "7050 answers: a difference of 5.5 in 100 pairs is found in 98 %" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    "seed",
    [seed if seed < 3 else pytest.param(seed, marks=pytest.mark.release) for seed in range(12)],
)
def test_a_plan_does_not_contradict_itself(seed):
    """Drawn questions, asked of the demo's components and of others ten times as large or small."""
    rng = np.random.default_rng(seed)
    parts = demo_pilot().components["rankings"]
    times = float(10 ** rng.uniform(-1, 1))
    parts = Components(parts.image, parts.annotator * times, parts.rest / times)
    pilot = Pilot({"rankings": parts}, "a pilot")
    question = Question(
        difference=float(rng.uniform(0.005, 0.2)),
        people=int(rng.integers(2, 120)),
        n_protocols=int(rng.integers(2, 25)),
        images=int(rng.integers(2, 400)),
    )
    found = plan(pilot, question)
    sharings = {sharing.name: sharing for sharing in SHARINGS}
    for sharing in sharings.values():
        needed = [one.n_images or np.inf for one in found.choices if one.sharing == sharing.name]
        of_enough = [n for n in needed if np.isfinite(n)]
        assert needed[: len(needed) - len(of_enough)] == [np.inf] * (len(needed) - len(of_enough))
    for one in found.choices:
        sharing = sharings[one.sharing]
        n = one.n_images or question.images
        design = Design(n, one.n_annotators, sharing.per_image, sharing.repeated)
        [reached] = reach(pilot, question, design)
        assert np.isfinite(reached.power)
        assert (reached.power >= question.share) == (one.n_images is not None)
        assert (reached.least <= question.difference + 1e-9) == (one.n_images is not None)
        assert one.fits == (one.n_images is not None and one.n_images <= question.images)
    for remark in found.remarks:
        if words := re.match(r"You need at least (\d+) people, however many images", remark):
            least = int(words[1])
            assert all(one.n_images is None for one in found.choices if one.n_annotators < least)
            assert any(one.n_images for one in found.choices if one.n_annotators >= least)
        if re.match(
            r"By this estimate, a difference of \S+ in 100 pairs cannot be detected", remark
        ):
            assert not any(one.n_images for one in found.choices)
    assert (found.cheapest is None) == (not any(one.fits for one in found.choices))
