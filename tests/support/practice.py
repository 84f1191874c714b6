"""Answers to practice pairs, all right or all wrong."""

from annotate.learning.pairs import EXERCISES
from annotate.learning.services import record_practice


def as_expected(exercise):
    return {**exercise.expected, "preference": "left"}


def otherwise(exercise):
    """Return answers that are wrong on recall and on precision."""
    wrong = {"left": "right", "equal": "left", "right": "equal"}
    return {name: wrong[verdict] for name, verdict in exercise.expected.items()} | {
        "preference": "right"
    }


def practise(study, annotator, round_number, n_right=6):
    """Answer a whole round, the first ``n_right`` pairs as expected and the others wrongly."""
    for number, exercise in enumerate(EXERCISES[round_number], 1):
        answer = as_expected if number <= n_right else otherwise
        record_practice(
            study=study,
            annotator=annotator,
            round_number=round_number,
            answers={exercise.pair.slug: answer(exercise)},
        )
