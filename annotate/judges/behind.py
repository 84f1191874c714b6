"""The pairs of an image that judges were asked: people's verdicts, and the judges' answers in both orders."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotate.datasets.models import Image, Result
from annotate.reports.included import counted_assignments
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA
from rankings.orders.buckets import bucket_of

from .models import CROPS, JudgeAnswer
from .tasks import Task

# Pairs on one page: raw texts are long, and pictures are drawn when they are seen.
PER_PAGE: Final = 10


@dataclass(frozen=True)
class PairBehind:
    """Two results; ``people`` counts by criterion those for one, for neither and for the other."""

    one: Result
    other: Result
    people: Mapping[str, tuple[int, int, int]]
    answers: Sequence[JudgeAnswer]


def images_with_answers(study: Study) -> list[Image]:
    answered = JudgeAnswer.objects.filter(judge__study=study).values("image")
    return list(Image.objects.filter(studies=study, pk__in=answered).in_order().only("name"))


def pairs_behind(study: Study, image: Image) -> list[PairBehind]:
    """Return the pairs of an image with an answer by a judge, in the order of the first answers."""
    rows = JudgeAnswer.objects.filter(judge__study=study, image=image).select_related("judge")
    of_pair: dict[tuple[int, int], list[JudgeAnswer]] = defaultdict(list)
    for row in rows.order_by("judge", "left", "right", "repeat", "attempt"):
        of_pair[min(row.left_id, row.right_id), max(row.left_id, row.right_id)].append(row)
    results = (
        Result.objects.select_related("method")
        .defer("regions")
        .in_bulk({pk for of in of_pair for pk in of})
    )
    rankings = list(
        counted_assignments(study).filter(image=image).values_list("rankings", flat=True)
    )
    return [
        PairBehind(
            results[one],
            results[other],
            {
                name: _counts(
                    [(ranked or {}).get(name, []) for ranked in rankings],
                    (results[one].method_id, results[other].method_id),
                )
                for name in CRITERIA
            },
            answers,
        )
        for (one, other), answers in of_pair.items()
    ]


def _counts(
    rankings: Sequence[Sequence[Sequence[int]]], pair: tuple[int, int]
) -> tuple[int, int, int]:
    """Count the rankings that have the first method of the pair before, level with and after the second."""
    counts = [0, 0, 0]
    for buckets in rankings:
        place = bucket_of(buckets)
        if pair[0] in place and pair[1] in place:
            apart = place[pair[0]] - place[pair[1]]
            counts[1 + (apart > 0) - (apart < 0)] += 1
    return counts[0], counts[1], counts[2]


def parts_sent(answer: JudgeAnswer) -> list[str]:
    """Return the parts of the pictures that were sent with a request, crops by their numbers."""
    named = [part for part in answer.judge.parts if part != CROPS]
    n_crops = len(answer.pictures) - len(named) if CROPS in answer.judge.parts else 0
    return [*named, *(f"crop-{n + 1}" for n in range(n_crops))]


def task_of(answer: JudgeAnswer) -> str:
    return Task(answer.image_id, answer.left_id, answer.right_id, answer.repeat).name
