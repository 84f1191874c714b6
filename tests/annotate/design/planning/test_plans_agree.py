"""Plans as the page shows them: no two sentences contradict each other, and none is no number."""

import re
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import RequestFactory

from annotate.design.planning.presentation import panel
from rankings.design.designs import Components
from rankings.design.pilots import Pilot
from rankings.design.study_plans import Question, plan
from tests.support.examples import scaled

pytestmark = pytest.mark.release


def drawn(rng):
    """Return the pilot and the question of a plan, from tiny to enormous in every number."""

    def parts(**more):
        image, annotator, rest = (
            0.0 if rng.random() < 0.1 else 10 ** rng.uniform(-6, 0) for _ in range(3)
        )
        degrees = rng.choice([None, 1.0, 3.0, 30.0])
        prior = rng.choice([0.0, 2.0, None])
        clusters = {name: rng.choice([1.0, 1.0, 3.5, 20.0]) for name in ("per_group", "per_scene")}
        return Components(image, annotator, rest, degrees=degrees, prior=prior, **clusters, **more)

    asked = {"rankings": parts(), "pairs": parts()}
    chosen = rng.choice([["rankings"], ["pairs"], ["rankings", "pairs"]])
    question = Question(
        difference=round(10 ** rng.uniform(-3, 0), 4),
        people=rng.choice([1, 2, 3, 4, 5, 8, 12, 40, 200]),
        share=rng.choice([0.5, 0.8, 0.95, 0.99]),
        n_protocols=rng.choice([2, 3, 7, 20]),
        images=rng.choice([2, 10, 94, 500, 10_000]),
        screens=rng.uniform(1, 60),
        seconds=rng.uniform(0.1, 60),
    )
    return Pilot({name: asked[name] for name in chosen}, "a pilot"), question


def said_in(text, words):
    """Return the number that a sentence has in the place of {n}, or None if it is not there."""
    found = re.search(re.escape(words).replace(r"\{n\}", r"([\d,]+)"), text)
    return None if found is None else int(found[1].replace(",", ""))


def contradictions(found, text):
    """Yield what two sentences of a plan say against each other."""
    question = found.question
    cheapest, impossible = ("The cheapest design asks" in text), ("It cannot be detected" in text)
    unknown = "does not show that it can be detected" in text
    if cheapest + impossible + unknown != 1:
        yield "it can and cannot be detected"
    if unknown != ("too small to be sure" in text):
        yield "the pilot is sure and is not"
    least = said_in(text, "You need at least {n} people")
    takes = said_in(text, "It takes at least {n} people")
    fewest = said_in(text, "are not enough: at least {n} are needed")
    never = "nor with any available number of people" in text
    cannot = "in 100 pairs cannot be detected with" in text
    if cheapest:
        shown = found.cheapest
        if shown.n_images > question.images or shown.n_annotators > question.people:
            yield "the design takes more than there is"
        if cannot or never or takes is not None or fewest is not None:
            yield "a remark says that it cannot be detected"
        if least is not None and least > shown.n_annotators:
            yield "the design has fewer people than needed"
    elif question.people > 1 and not cannot and fewest is None:
        yield "no reason is given"
    if takes is not None and (takes <= question.people or never):
        yield "there are enough people"
    if fewest is not None and (fewest <= question.images or cannot):
        yield "there are enough images"
    if not cheapest and "unluckiest" in text:
        yield "what cannot be detected has a power"
    wider = found.within_reach
    if wider is not None and (cheapest or wider <= question.difference):
        yield "a smaller difference is called the smallest"
    if re.search(r"\b(nan|inf|None)\b", text):
        yield "no number"


def test_no_two_sentences_of_a_plan_contradict_each_other():
    rng = Random(26)
    request = RequestFactory().get("/plan/")
    request.user = AnonymousUser()
    # Each sentence is in one of the first eight; `make test-thorough` draws 450.
    for number in range(scaled(30)):
        pilot, question = drawn(rng)
        found = plan(pilot, question)
        shown = panel(found, "/new/", "insertion") | {"may_set_up": True}
        text = render_to_string("design/panel.html", shown, request)
        assert [*contradictions(found, text)] == [], (number, question, pilot, text)
