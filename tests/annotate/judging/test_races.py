"""With any simultaneous acts of annotators, researchers and admins, the log holds each answer once.

A model of the log, without planning, runs next to the site: two annotators in two tabs, a
researcher who closes the study, an admin who lets methods join and leave or replaces results, and
erasure. Steps of two kinds: one act alone, whose outcome the model predicts, and two at the same
moment, in either order.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run

from annotate.accounts.privacy.personal_data import erase
from annotate.errors import Refusal
from annotate.judging import methods, services
from annotate.judging.errors import AlreadyAnswered, Incomplete, StudyNotOpen
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.judging.replay import rankings_that_differ
from annotate.studies.models import Study
from annotate.studies.services import set_state
from tests.support.examples import scaled
from tests.support.factories import add_annotator, make_method, make_result, make_study, serial
from tests.support.loads import load_results
from tests.support.together import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

PEOPLE, TABS = st.sampled_from([0, 1]), st.sampled_from([0, 1])
VERDICTS = st.sampled_from(["left", "equal", "right"])


class Races(RuleBasedStateMachine):
    @initialize()
    def make(self):
        self.study = make_study(["a", "b", "c"], images=2, name=f"races {next(serial)}")
        self.people = [add_annotator(self.study) for _ in range(2)]
        self.newcomer = make_method(self.study.dataset, "d")
        for image in self.study.images.all():
            make_result(image, self.newcomer)
        # The screen of each tab, and every acknowledged answer: one row each, for ever.
        self.tabs = {}
        for person in range(2):
            for tab in range(2):
                self.opens_a_tab(person, tab)
        self.rows = Counter()
        self.in_force = {}

    # Acts: each returns what happened.

    def answer(self, person, shown, verdict):
        screen_id, asked = shown
        services.record_judgement(
            screen_id=screen_id,
            annotator=self.people[person],
            verdicts=dict.fromkeys(asked, verdict),
        )
        return "answered"

    def undo(self, person, screen_id):
        services.undo(study=self.study, annotator=self.people[person], screen_id=screen_id)
        return "undone"

    def switch(self, state):
        set_state(study=Study.objects.get(pk=self.study.pk), state=state)
        return state

    def close_and_open(self):
        self.switch("closed")
        return self.switch("open")

    def change_methods(self):
        study = Study.objects.get(pk=self.study.pk)
        change = methods.add_method
        if study.methods.contains(self.newcomer):
            change = methods.withdraw_method
        change(study=study, method=self.newcomer)
        return "changed"

    def replace_results(self):
        names = self.study.images.values_list("name", flat=True)
        lines = {f"res_{name}.txt": "1,1,30,30\n" for name in names}
        load_results(self.study.dataset, {"d": lines}, replace=True)
        return "replaced"

    def outcome(self, act, *given):
        try:
            return act(*given)
        except Refusal as refusal:
            return refusal

    # The model's view.

    def acknowledge(self, shown, verdict):
        """An answer is a row; the same one twice is one."""
        screen_id, asked = shown
        if self.in_force.get(screen_id) != verdict:
            self.in_force[screen_id] = verdict
            self.rows[screen_id, verdict, tuple(asked)] += 1

    def sees_what_is_in_force(self):
        """After an undo: which answers it left is for the database to say; the rows stay."""
        left = Judgement.objects.filter(assignment__study=self.study, withdrawal__isnull=True)
        left = set(left.values_list("screen__public_id", flat=True))
        self.in_force = {screen: said for screen, said in self.in_force.items() if screen in left}

    @property
    def is_open(self):
        return Study.objects.get(pk=self.study.pk).state == "open"

    # Steps of one act.

    @rule(person=PEOPLE, tab=TABS)
    def reloads_a_tab(self, person, tab):
        self.opens_a_tab(person, tab)

    def opens_a_tab(self, person, tab):
        try:
            turn = services.start(study=self.study, annotator=self.people[person]).turn
        except StudyNotOpen:
            assert not self.is_open
            return
        if turn is not None:
            self.tabs[person, tab] = turn.screen.public_id, turn.open_criteria

    @rule(person=PEOPLE, tab=TABS, verdict=VERDICTS)
    def answers(self, person, tab, verdict):
        shown = self.tabs.get((person, tab))
        if shown is None:
            return
        said = self.in_force.get(shown[0])
        waits = Screen.objects.get(public_id=shown[0]).state == "waiting"
        outcome = self.outcome(self.answer, person, shown, verdict)
        # A closed study still takes answers to pairs on screen: these steps take far less than half an hour.
        if said is None and waits:
            # Later state may have changed since the tab was opened.
            assert outcome == "answered" or isinstance(outcome, Incomplete)
        elif said == verdict:
            assert outcome == "answered"
        else:
            assert isinstance(outcome, AlreadyAnswered)
        if outcome == "answered":
            self.acknowledge(shown, verdict)
            self.opens_a_tab(person, tab)

    @rule(person=PEOPLE, tab=TABS)
    def undoes(self, person, tab):
        shown = self.tabs.get((person, tab), ("", ()))
        outcome = self.outcome(self.undo, person, shown[0])
        assert outcome == "undone" or isinstance(outcome, AlreadyAnswered | StudyNotOpen)
        self.sees_what_is_in_force()
        self.opens_a_tab(person, tab)

    @rule(state=st.sampled_from(["open", "open", "open", "closed"]))
    def opens_or_closes(self, state):
        assert self.outcome(self.switch, state) == state

    @rule()
    def lets_a_method_join_or_leave(self):
        assert self.outcome(self.change_methods) == "changed"

    # Steps of two acts.

    @rule(person=PEOPLE, tab=TABS, verdicts=st.tuples(VERDICTS, VERDICTS))
    def answers_in_two_tabs_at_once(self, person, tab, verdicts):
        shown = self.tabs.get((person, tab))
        if shown is None or shown[0] in self.in_force:
            return
        first, second = at_once(
            *(lambda said=said: self.outcome(self.answer, person, shown, said) for said in verdicts)
        )
        stored = [
            said for said, how in zip(verdicts, (first, second), strict=True) if how == "answered"
        ]
        assert len(set(stored)) <= 1
        if stored:
            self.acknowledge(shown, stored[0])
            self.opens_a_tab(person, tab)

    @rule(person=PEOPLE, tab=TABS, verdict=VERDICTS, other=st.sampled_from(range(4)))
    def answers_while_something_happens(self, person, tab, verdict, other):
        shown = self.tabs.get((person, tab))
        if shown is None:
            return
        happens = [
            lambda: self.outcome(self.undo, person, shown[0]),
            lambda: self.outcome(self.close_and_open),
            lambda: self.outcome(self.change_methods),
            lambda: self.outcome(self.replace_results),
        ][other]
        said = self.in_force.get(shown[0])
        outcome, _ = at_once(lambda: self.outcome(self.answer, person, shown, verdict), happens)
        if outcome == "answered" and (said != verdict or self.stored_twice(shown[0], verdict)):
            self.in_force.pop(shown[0], None)
            self.acknowledge(shown, verdict)
        self.sees_what_is_in_force()
        self.opens_a_tab(person, tab)

    def stored_twice(self, screen_id, verdict):
        """Return whether an undo came first, so that the same answer is another row."""
        known = sum(
            n
            for (screen, said, _), n in self.rows.items()
            if (screen, said) == (screen_id, verdict)
        )
        now = Judgement.objects.filter(screen__public_id=screen_id)
        return sum(verdict in judgement.verdicts.values() for judgement in now) > known

    @rule(person=PEOPLE)
    def is_erased(self, person):
        # Answers stay under a pseudonym, and go on being each their own.
        erase(self.people[person])

    @invariant()
    def each_acknowledged_answer_is_one_row(self):
        stored = Counter()
        for judgement in Judgement.objects.filter(assignment__study=self.study):
            [said] = set(judgement.verdicts.values())
            stored[judgement.screen.public_id, said, tuple(judgement.verdicts)] += 1
        assert stored == self.rows

    @invariant()
    def one_answer_of_a_screen_is_in_force_and_one_screen_waits(self):
        in_force = Judgement.objects.filter(assignment__study=self.study, withdrawal__isnull=True)
        screens = list(in_force.values_list("screen__public_id", flat=True))
        assert sorted(screens) == sorted(self.in_force)
        waiting = Screen.objects.filter(assignment__study=self.study, state="waiting")
        of = list(waiting.values_list("assignment", flat=True))
        assert len(of) == len(set(of))

    def teardown(self):
        """At the end: rankings are what the log gives."""
        assert not [one for one, differs in rankings_that_differ() if differs]
        for shared in self.study.study_images.all():
            complete = Assignment.objects.filter(study=self.study, image=shared.image)
            assert shared.n_complete == complete.filter(state="complete").count()


def test_whatever_happens_at_once_each_answer_is_one_row(monkeypatch):
    run(
        Races,
        settings=settings(
            max_examples=scaled(6),
            stateful_step_count=30,
            deadline=None,
            # Made smaller, a failure of threads may be another one, or none.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
