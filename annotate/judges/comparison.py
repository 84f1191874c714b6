"""Programs and people: the answers of a study's judges next to the rankings of a report."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from annotate.datasets.models import Image, Result
from annotate.judging.models import CRITERION_NAMES
from annotate.reports.included import declared_clusters
from annotate.reports.inputs import named_rankings
from annotate.studies.models import Study
from rankings.analysis.judges import JudgeRows, analyse_judges, rows_by_judge
from rankings.orders.buckets import Ranking, methods_of

from .models import Judge
from .tasks import asked_of, looks_of

# More answers are compared from files, by text-order judges.
MOST_ANSWERS: Final = 50_000
Table = Mapping[str, list[dict[str, Any]]]


def programs_and_people(study: Study, judges: Sequence[Judge]) -> Table:
    """Return the rows of :func:`rankings.analysis.judges.analyse_judges` for some of a study's judges."""
    given = {judge.name: _rows_of(judge) for judge in judges}
    asked = {
        image: {
            name
            for rows in given.values()
            for pair in rows.pairs().get(image, ())
            for name in pair[:2]
        }
        for image in {image for rows in given.values() for image in rows.pairs()}
    }
    people = {
        criterion: {
            # Drawn methods: only rankings of all methods that judges were asked about.
            image: {name: one for name, one in of.items() if asked[image] <= methods_of(one)}
            for image, of in of_criterion.items()
            if image in asked
        }
        for criterion, of_criterion in named_rankings(study).items()
    }
    return analyse_judges(people, given, declared=declared_clusters(study))


def rankings_of(judge: Judge) -> dict[str, dict[str, Ranking]]:
    """Return by criterion a judge's ranking of each image of which it was asked all pairs."""
    images, methods = _names(judge.study)
    looks = {
        images[image]: [[methods[result] for result in look] for look in of_image]
        for image, of_image in looks_of(judge.study, judge.images).items()
    }
    rows = _rows_of(judge)
    return {
        criterion: rows.rankings(criterion, looks)
        for criterion in judge.criteria
        if any(row.get(criterion) for row in rows.last.values())
    }


def _names(study: Study) -> tuple[dict[int, str], dict[int, str]]:
    """Return the names of a study's images, and the method of each result."""
    images = dict(Image.objects.filter(studies=study).values_list("pk", "name"))
    results = Result.objects.filter(method__studies=study, image__studies=study)
    return images, dict(results.values_list("pk", "method__name"))


def _rows_of(judge: Judge) -> JudgeRows:
    images, methods = _names(judge.study)
    fields = ("image", "left", "right", "repeat", "attempt", "outcome", *CRITERION_NAMES)
    rows = [
        {
            **row,
            "judge": judge.name,
            "image": images[row["image"]],
            "left": methods[row["left"]],
            "right": methods[row["right"]],
        }
        for row in judge.answers.order_by("pk").values(*fields)
        if row["image"] in images and {row["left"], row["right"]} <= methods.keys()
    ]
    found = rows_by_judge(enumerate(rows, 1), judge.name).get(judge.name, JudgeRows({}))
    pairs: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for pair in asked_of(judge):
        names = methods[pair.one], methods[pair.other]
        pairs[images[pair.image]].append((*names, pair.probability))
    return replace(
        found,
        asked=pairs,
        both_orders=judge.orders == Judge.Orders.BOTH,
        repeats=judge.repeats,
        margin=judge.margin,
        tuned=bool({*judge.tuned_on} & pairs.keys()),
    )
