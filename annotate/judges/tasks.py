"""The tasks of a judge: pairs of looks in each order and repeat, and which are still to be done."""

import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from annotate.datasets.models import Result
from annotate.judging.models import Assignment, Screen
from annotate.studies.exclusions import programs
from annotate.studies.models import Study

from .models import Judge, JudgeAnswer

# Attempts at an answer that cannot be read.
_ATTEMPTS: Final = 2
_KEY: Final = re.compile(r"[1-9][0-9]{0,17}")
Looks = list[list[int]]


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """One question: two results, as they stand left and right, for one of the repeats from 1."""

    image: int
    left: int
    right: int
    repeat: int

    @property
    def name(self) -> str:
        return f"{self.image}-{self.left}-{self.right}-{self.repeat}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A pair that a judge is asked, by its first results, with the probability of the draw."""

    image: int
    one: int
    other: int
    probability: float = 1.0


def looks_of(study: Study, images: Sequence[int] | None = None) -> dict[int, Looks]:
    """Return the results of each image, those that are drawn alike together, by key."""
    rows = Result.objects.filter(method__studies=study, image__studies=study).order_by(
        "image__position", "image", "pk"
    )
    if images is not None:
        rows = rows.filter(image__in=images)
    alike: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for image, pk, sha256 in rows.values_list("image", "pk", "sha256"):
        alike[image][sha256].append(pk)
    return {image: list(of.values()) for image, of in alike.items()}


def asked_of(judge: Judge, only: Collection[int] | None = None) -> list[Asked]:
    """Return the pairs of a judge, image by image; ``only`` are the keys of some images."""
    kind, _, number = judge.pairs.partition(":")
    images = judge.images
    if only is not None:
        images = sorted(only if images is None else {*only} & {*images})
    looks = looks_of(judge.study, images)
    answered = _of_people(judge.study, looks) if kind == "people" else {}
    asked: list[Asked] = []
    for image, of_image in looks.items():
        pairs = [*combinations([look[0] for look in of_image], 2)]
        chance = 1.0
        if kind == "people":
            pairs = [pair for pair in pairs if pair in answered.get(image, ())]
        elif kind == "sample" and int(number) < len(pairs):
            chance = int(number) / len(pairs)
            rng = random.Random(f"{judge.study.seed}/judges/{image}")
            pairs = sorted(rng.sample(pairs, int(number)))
        asked += [Asked(image, *pair, chance) for pair in pairs]
    return asked


def _of_people(study: Study, looks: Mapping[int, Looks]) -> dict[int, set[tuple[int, int]]]:
    """Return the pairs that people answered, or that follow from their complete rankings."""
    first = {result: look[0] for of in looks.values() for look in of for result in look}
    pairs: dict[int, set[tuple[int, int]]] = defaultdict(set)

    def add(image: int, results: Iterable[int]) -> None:
        pairs[image].update(
            combinations(sorted({first[one] for one in results if one in first}), 2)
        )

    of_study = Assignment.objects.filter(study=study, image__in=[*looks])
    of_study = of_study.exclude(annotator__in=programs(study))
    complete = of_study.filter(state=Assignment.State.COMPLETE)
    for image, items in complete.values_list("image", "items"):
        add(image, (result for item in items for result in item))
    others = of_study.exclude(state=Assignment.State.COMPLETE)
    answered = Screen.objects.filter(
        assignment__in=others, state=Screen.State.ANSWERED, known__isnull=True
    )
    for image, left, right in answered.values_list("assignment__image", "left", "right"):
        add(image, (left, right))
    return pairs


def tasks_of(judge: Judge, only: Collection[int] | None = None) -> Iterator[Task]:
    """Yield all tasks; with one order, the study's seed draws the side of each result."""
    for pair in asked_of(judge, only):
        sides = [(pair.one, pair.other), (pair.other, pair.one)]
        if judge.orders == Judge.Orders.ONE:
            rng = random.Random(f"{judge.study.seed}/judges/{pair.one}/{pair.other}")
            sides = [rng.choice(sides)]
        for repeat in range(1, judge.repeats + 1):
            yield from (Task(pair.image, *side, repeat) for side in sides)


def tasks_named(judge: Judge, names: Collection[str]) -> dict[str, Task]:
    """Return those of a judge's tasks that have these names."""
    firsts = {name.partition("-")[0] for name in names}
    images = {int(first) for first in firsts if _KEY.fullmatch(first)}
    return {task.name: task for task in tasks_of(judge, images) if task.name in names}


def to_do(judge: Judge, outcome: str | None = None) -> list[tuple[Task, int]]:
    """Return the tasks that are not settled, or that ended so, and the number of the next attempt."""
    ended: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    rows = judge.answers.order_by("attempt", "pk")
    for left, right, repeat, of in rows.values_list("left", "right", "repeat", "outcome"):
        ended[left, right, repeat].append(of)
    found = []
    for task in tasks_of(judge):
        so_far = ended.get((task.left, task.right, task.repeat), [])
        if so_far[-1:] == [outcome] if outcome else not _is_settled(so_far):
            found.append((task, len(so_far) + 1))
    return found


def _is_settled(outcomes: Sequence[str]) -> bool:
    """Return whether a task is not asked again. Only an unreadable answer gets a second attempt."""
    if not outcomes or JudgeAnswer.Outcome.ANSWERED in outcomes:
        return bool(outcomes)
    if outcomes[-1] == JudgeAnswer.Outcome.UNREADABLE:
        return len(outcomes) >= _ATTEMPTS
    return outcomes[-1] != JudgeAnswer.Outcome.FAILED
