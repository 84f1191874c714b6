"""Visits: what an annotator compares on an image, all results or a sample of them."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotate.datasets.models import Image, Result
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study, StudyImage
from protocols import registry
from rankings.agreement.report import RecallPrecision, Settings, values_of
from rankings.elicitation.log import CRITERIA
from rankings.elicitation.pair_draws import (
    Pair,
    disagreement,
    draw_methods,
    inclusion_probabilities,
    of_members,
)
from rankings.errors import MissingScore
from rankings.orders.from_scores import ranking_from_scores

# Scores are compared as in a report with default settings.
_SETTINGS: Final = Settings()


@dataclass(frozen=True)
class Visit:
    """The results to compare, identical ones as one item, and the sample (check_drawn)."""

    items: list[list[int]]
    drawn: dict[str, Any] | None
    # None without results. Without its ground truth, which comes with the results that are shown.
    image: Image | None

    @cached_property
    def shown(self) -> list[Result]:
        """The results with their regions and the image's ground truth, read when first used."""
        results = Result.objects.filter(pk__in=self.results).select_related("image__dataset")
        return list(results.order_by("pk"))

    @property
    def n_results(self) -> int:
        return sum(map(len, self.items))

    @property
    def results(self) -> list[int]:
        return [result for item in self.items for result in item]


def drawn_with(study: Study, *what: object) -> random.Random:
    """Return a random generator that depends only on the study's seed and on ``what``."""
    return random.Random("/".join(map(str, (study.seed, *what))))


def visit_of(study: Study, annotator: User, image_id: int) -> Visit:
    """Return an annotator's results on an image, the same until methods or scores change."""
    alike: dict[str, list[Result]] = defaultdict(list)
    image = None
    for result in _results(image_id, study.pk):
        alike[result.sha256].append(result)
        image = result.image
    items = list(alike.values())
    if study.methods_per_visit is None or _asks_all(study, image_id):
        drawn_with(study, annotator.pk, image_id, "items").shuffle(items)
        return Visit(_keys(items), None, image)
    asked, drawn = _draw(study, items, drawn_with(study, annotator.pk, image_id, "methods"))
    return Visit(_keys(asked), drawn, image)


def _results(image: int, study: int) -> QuerySet[Result]:
    results = Result.objects.filter(image=image, method__studies=study).order_by("pk")
    return results.select_related("method", "image__dataset").defer("regions", "image__truth")


def _keys(items: Sequence[Sequence[Result]]) -> list[list[int]]:
    return [[result.pk for result in item] for item in items]


def _asks_all(study: Study, image_id: int) -> bool:
    if not study.whole_percent:
        return False
    return StudyImage.objects.filter(study=study, image=image_id, asks_all=True).exists()


def _draw(
    study: Study, items: list[list[Result]], rng: random.Random
) -> tuple[list[list[Result]], dict[str, Any]]:
    """Draw some of the items; every pair of their methods is stored with its probability."""
    item_of = {min(result.method.name for result in item): item for item in items}
    members = {name: [str(result.method_id) for result in item] for name, item in item_of.items()}
    every_method = sorted(result.method_id for item in items for result in item)
    k = min(study.methods_per_visit or 2, len(items))
    runs: list[int] = []
    if k < 2:
        # They all look alike, so there is nothing to ask.
        chosen, chances = tuple(item_of), _certain(members)
    else:
        weights = None
        if study.drawn_by == Study.Draw.DISAGREEMENT and k < len(items):
            weights, runs = _disagreement(item_of, weighing_runs(study))
        chosen, _ = draw_methods(rng, list(item_of), k=k, weights=weights)
        every_chance = inclusion_probabilities(list(item_of), k=k, weights=weights)
        chances = of_members(every_chance, members, k=k)
    asked = sorted(int(method) for name in chosen for method in members[name])
    return (
        [item_of[name] for name in chosen],
        {
            "methods": asked,
            "from": every_method,
            # Sums of floats may end just above 1.
            "pairs": [
                [a, b, min(chances[frozenset((str(a), str(b)))], 1.0)]
                for a, b in combinations(asked, 2)
            ],
            "runs": runs,
        },
    )


def _certain(members: Mapping[str, Sequence[str]]) -> dict[Pair, float]:
    methods = [method for of_item in members.values() for method in of_item]
    return {frozenset(pair): 1.0 for pair in combinations(methods, 2)}


def weighing_runs(study: Study) -> QuerySet[ProtocolRun]:
    """Return the runs that weight the draw: the newest of each protocol that uses the truth."""
    runs = ProtocolRun.objects.filter(dataset=study.dataset_id)
    sentinels = filter(registry.is_sentinel, registry.PROTOCOLS)
    return runs.latest_of_each_protocol().exclude(protocol__in=list(sentinels))


def _disagreement(
    item_of: Mapping[str, Sequence[Result]], runs: QuerySet[ProtocolRun]
) -> tuple[dict[Pair, float], list[int]]:
    """Return how much the runs' rankings disagree on each pair of items, and the runs with scores.

    Disagreements are summed over the criteria.
    """
    name_of = {item[0].pk: name for name, item in item_of.items()}
    scores: dict[str, dict[str, RecallPrecision]] = defaultdict(dict)
    rows = Score.objects.filter(run__in=runs.order_by().values("pk"), result__in=name_of)
    for run, result, *score in rows.order_by("run").values_list(
        "run", "result", "recall", "precision"
    ):
        scores[str(run)][name_of[result]] = (score[0], score[1])
    weights: dict[Pair, float] = defaultdict(float)
    for criterion in CRITERIA:
        values = values_of(criterion, {"": scores}, _SETTINGS)[""]
        rankings = []
        for of_run in values.values():
            try:
                rankings.append(
                    ranking_from_scores(
                        {name: of_run.get(name) for name in item_of}, _SETTINGS.decimals
                    )
                )
            except MissingScore:
                continue  # It does not order this image.
        for pair, share in disagreement(rankings).items():
            weights[pair] += share
    return weights, [int(run) for run in scores]
