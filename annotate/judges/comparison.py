"""Programs, protocols and people: the answers of a study's judges next to the rankings of a report."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from django.db.models import Count, Max

from annotate.datasets.models import Image, Result
from annotate.reports.cache import Asked, computed
from annotate.reports.included import declared_clusters
from annotate.reports.inputs import Inputs, named_rankings, protocol_scores
from annotate.reports.services import MAX_IMAGES_ANALYSED_AT_ONCE, sentinels, study_report
from annotate.studies.models import Study
from rankings.agreement.report import Report
from rankings.analysis.judges import (
    JudgeRows,
    analyse_judges,
    analyse_protocols,
    judge_rows,
    main_rows,
    placed_protocols,
)
from rankings.elicitation.log import CRITERIA
from rankings.inference.judge_answers import Pairs
from rankings.orders.buckets import Ranking, methods_of

from .models import Judge, JudgeAnswer
from .services import counts_of
from .tasks import asked_of, looks_of

# More answers are compared from files, by text-order judges.
MOST_ANSWERS: Final = 100_000


@dataclass(frozen=True)
class Answered:
    """A judge with its answers and its counts (services.counts_of)."""

    judge: Judge
    rows: JudgeRows
    counts: Mapping[str, Any]


def has_few_answers(study: Study) -> bool:
    return JudgeAnswer.objects.filter(judge__study=study).count() <= MOST_ANSWERS


def programs_in(
    asked: Asked | None, data: Mapping[str, Any], criterion: str = ""
) -> Mapping[str, Any] | None:
    """Return what a page compares: of a live report, else of the ``data`` of a kept one.

    With a ``criterion``, a live report is compared by it at least. None if there is nothing to
    compare, or too much.
    """
    if asked is None:
        kept: Mapping[str, Any] | None = data.get("programs")
        return kept
    is_small = asked.study.study_images.count() <= MAX_IMAGES_ANALYSED_AT_ONCE
    return (
        programs_and_people(asked, criterion) if is_small and has_few_answers(asked.study) else None
    )


def programs_and_people(asked: Asked, criterion: str = "") -> Mapping[str, Any]:
    """Return what :func:`compared` gives, by one criterion or all, cached until inputs change."""
    criteria = [criterion] if criterion else CRITERIA

    def read() -> tuple[list[Answered], Inputs]:
        study = asked.study
        people, scores = named_rankings(study), protocol_scores(study, asked.runs)
        return answered_by(study), Inputs(people, scores, (), declared_clusters(study))

    def compute(found: tuple[list[Answered], Inputs]) -> dict[str, Any]:
        return compared(*found, asked, study_report(asked).report, criteria)

    fields = ("pk", "name", "margin", "closed", "n", "newest")
    counted = asked.study.judges.annotate(n=Count("answers"), newest=Max("answers"))
    version = "-".join(str(row) for row in counted.values_list(*fields).order_by("pk"))
    name = f"programs-{sha256(version.encode()).hexdigest()}"
    names = [name, *([f"{name}-{criterion}"] if criterion else [])]
    return computed(asked, names, read, compute)


def answered_by(study: Study) -> list[Answered]:
    """Return the answers of all judges of a study."""
    judges = study.judges.select_related("study")
    return [Answered(judge, _rows_of(judge), counts_of(judge)) for judge in judges]


def compared(
    judges: Sequence[Answered],
    inputs: Inputs,
    asked: Asked,
    report: Report,
    criteria: Collection[str] = CRITERIA,
) -> dict[str, Any]:
    """Return rows of judges and protocols by criterion, as JSON.

    Under ``main``, ``judges`` and ``protocols``, as :mod:`rankings.analysis.judges` gives them;
    ``unfinished`` are the shares of tasks that are done of the judges without a row, and
    ``counts`` the tokens, cost and seconds of each judge.
    """
    declared = inputs.declared
    people = {name: inputs.rankings[name] for name in criteria}
    tables = {name: of for name, of in report.criteria.items() if name in people}
    report = replace(report, criteria=tables)
    protocols = placed_protocols(people, inputs.scores, report, sentinels(asked.runs))
    done = {one.judge.name: one.rows.by(criteria) for one in judges if one.rows.is_finished}
    named: dict[str, set[str]] = {}
    for rows in done.values():
        for answers in rows.answers.values():
            for image, methods in answers.pairs.methods.items():
                named.setdefault(image, set()).update(methods)
    # Drawn methods: only rankings of all methods that judges were asked about.
    whole = {
        criterion: {
            image: {name: one for name, one in of.items() if named[image] <= methods_of(one)}
            for image, of in of_criterion.items()
            if image in named
        }
        for criterion, of_criterion in people.items()
    }
    return {
        "main": main_rows(report, done),
        "judges": analyse_judges(whole, done, declared=declared, protocols=protocols),
        "protocols": analyse_protocols(people, protocols, declared=declared),
        "unfinished": {one.judge.name: one.rows.done for one in judges if not one.rows.is_finished},
        "counts": {one.judge.name: one.counts for one in judges},
    }


def rankings_of(judge: Judge) -> dict[str, dict[str, Ranking]]:
    """Return by criterion a judge's ranking of each image of which it was asked all pairs."""
    rows = _rows_of(judge)
    return {name: rows.rankings(name) for name, of in rows.answers.items() if of.has_any}


def _rows_of(judge: Judge) -> JudgeRows:
    """Return a judge's answers to what it is asked now."""
    study = judge.study
    images = dict(Image.objects.filter(studies=study).values_list("pk", "name"))
    results = Result.objects.filter(method__studies=study, image__studies=study)
    methods = dict(results.values_list("pk", "method__name"))
    asked = asked_of(judge)
    pairs = Pairs(
        [(images[pair.image], methods[pair.one], methods[pair.other]) for pair in asked],
        [pair.probability for pair in asked],
    )
    fields = ("image", "left", "right", "repeat", "attempt", "outcome", *CRITERIA)
    rows = judge.answers.order_by("pk").values_list(*fields).iterator()
    return judge_rows(
        pairs,
        (
            ((images.get(image), methods.get(left), methods.get(right), n), attempt, outcome, given)
            for image, left, right, n, attempt, outcome, *given in rows
        ),
        both_orders=judge.orders == Judge.Orders.BOTH,
        repeats=judge.repeats,
        criteria=judge.criteria,
        margin=judge.margin,
        tuned=bool({*judge.tuned_on} & pairs.methods.keys()),
        alike={
            images[image]: {methods[look[0]]: [methods[pk] for pk in look] for look in looks}
            for image, looks in looks_of(study, judge.images).items()
            if len(looks) == len(pairs.methods.get(images[image], ()))
        },
    )
