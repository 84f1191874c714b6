"""Answers of annotators by a known ranking."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User

from annotate.datasets.models import Result
from annotate.judging import current_screen, services
from annotate.judging.models import Screen
from annotate.judging.presentation import payload
from annotate.judging.quotas import remaining_of
from annotate.studies.models import Study
from tests.support.factories import add_annotator

CRITERIA = ("recall", "precision", "preference")
Truth = Mapping[str, Sequence[Sequence[str]]]


def same_truth(ranking: Sequence[Sequence[str]]) -> Truth:
    return dict.fromkeys(CRITERIA, ranking)


def verdict(ranking: Sequence[Sequence[str]], left: str, right: str) -> str:
    place = {method: at for at, bucket in enumerate(ranking) for method in bucket}
    if place[left] == place[right]:
        return "equal"
    return "left" if place[left] < place[right] else "right"


def verdicts(truth: Truth, screen: Screen) -> dict[str, str]:
    results = Result.objects.filter(pk__in=(screen.left_id, screen.right_id))
    method_of = dict(results.values_list("pk", "method__name"))
    left, right = method_of[screen.left_id], method_of[screen.right_id]
    return {criterion: verdict(truth[criterion], left, right) for criterion in CRITERIA}


def shown_now(turn: current_screen.Turn, have: str = "") -> dict[str, Any]:
    """Return what a page shows of a turn, with the counts as they are now."""
    study, annotator = turn.assignment.study, turn.assignment.annotator
    remaining = remaining_of(study, annotator)
    return payload(turn, remaining, have=have)


def asked_verdicts(truth: Truth, turn: current_screen.Turn) -> dict[str, str]:
    answers = verdicts(truth, turn.screen)
    return {criterion: answers[criterion] for criterion in turn.open_criteria}


def answer(turn: current_screen.Turn, annotator: User, truth: Truth) -> current_screen.Turn | None:
    return services.record_judgement(
        screen_id=turn.screen.public_id,
        annotator=annotator,
        verdicts=asked_verdicts(truth, turn),
    ).turn


def rank_everything(study: Study, annotator: User, truth: Truth) -> int:
    """Answer until nothing is left; return the number of screens."""
    turn = services.start(study=study, annotator=annotator).turn
    n_screens = 0
    while turn is not None:
        turn = answer(turn, annotator, truth)
        n_screens += 1
    return n_screens


def rank_by(n_annotators: int, study: Study, truth: Truth) -> None:
    """Let so many new annotators answer until nothing is left."""
    for _ in range(n_annotators):
        rank_everything(study, add_annotator(study), truth)


def first_turn(study: Study) -> current_screen.Turn:
    """Let a new annotator begin a study."""
    return services.start(study=study, annotator=add_annotator(study)).turn


def judged(
    turn: current_screen.Turn, verdicts: Mapping[str, str], **more: Any
) -> current_screen.Turn | None:
    """Let the annotator of a turn answer it; return the next."""
    return services.record_judgement(**_of(turn), verdicts=verdicts, **more).turn


def skipped(turn: current_screen.Turn, reason: str, **more: Any) -> current_screen.Turn | None:
    """Let the annotator of a turn skip it; return the next."""
    return services.record_skip(**_of(turn), reason=reason, **more).turn


def undone(turn: current_screen.Turn) -> current_screen.Turn:
    """Let the annotator of a turn take back what came before it; return that."""
    return services.undo(**_of(turn), study=turn.assignment.study).turn


def _of(turn: current_screen.Turn) -> dict[str, Any]:
    return {"screen_id": turn.screen.public_id, "annotator": turn.assignment.annotator}


def in_names(study: Study, rankings: dict) -> dict:
    """Return rankings of keys as rankings of sorted names."""
    name_of = dict(study.dataset.methods.values_list("pk", "name"))
    return {
        criterion: [sorted(name_of[method] for method in bucket) for bucket in ranking]
        for criterion, ranking in rankings.items()
    }
