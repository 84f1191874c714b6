"""Results of pairs and of whole rankings about a study's protocols, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from statistics import median
from typing import Any, Final

from annotate.datasets.models import Result
from annotate.judging.models import Assignment, Judgement
from annotate.judging.planning import is_one_pair
from annotate.judging.replay import read_log
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings.agreement.report import RecallPrecision, Settings
from rankings.analysis.pair_report import pair_report
from rankings.elicitation.log import CRITERIA
from rankings.elicitation.pair_draws import Pair
from rankings.inference.pair_estimates import LostVisit, Visit

from .included import counted_visits, declared_clusters, lost_to_skips, with_answers

# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]]
_N_TIMES: Final = 1000


def asks_pairs(study: Study) -> bool:
    """Return whether any visit asked about drawn methods, and was answered or lost to skips."""
    return any(
        visits.filter(drawn__isnull=False).exists()
        for visits in (counted_visits(study), lost_to_skips(study))
    )


def pairs_from(study: Study, scores: ProtocolScores, settings: Settings) -> dict[str, Any]:
    """Return the results of pairs, as :func:`.pair_report` gives them, and answer times."""
    found = pair_report(
        visits_of(study), scores, settings, lost_visits_of(study), declared_clusters(study)
    )
    seconds = {"drawn": _seconds(study, is_drawn=True), "whole": _seconds(study, is_drawn=False)}
    return {**found, "seconds": seconds}


def visits_of(study: Study) -> dict[str, list[Visit]]:
    """Return by criterion all visits that count: about drawn methods, and whole rankings."""
    visits: dict[str, list[Visit]] = {criterion: [] for criterion in CRITERIA}
    for criterion, visit in _visits(study):
        visits[criterion].append(visit)
    return visits


def _visits(study: Study) -> Iterator[tuple[str, Visit]]:
    name_of = dict(study.dataset.methods.values_list("pk", "name"))
    people = pseudonyms(study)
    rows = counted_visits(study).order_by("image__position", "image", "annotator")
    for image, annotator, rankings, drawn in rows.values_list(
        "image__name", "annotator", "rankings", "drawn"
    ).iterator():
        chances, source = _draw(drawn, name_of)
        for criterion, buckets in (rankings or {}).items():
            ranking = tuple(
                tuple(sorted(name_of[method] for method in bucket)) for bucket in buckets
            )
            yield criterion, Visit(image, people[annotator], ranking, chances, source)


def _draw(
    drawn: Mapping[str, Any] | None, name_of: Mapping[int, str]
) -> tuple[dict[Pair, float] | None, frozenset[str] | None]:
    """Return the drawn pairs' probabilities and the methods drawn from; None if all were asked."""
    if drawn is None:
        return None, None
    chances = {frozenset((name_of[a], name_of[b])): chance for a, b, chance in drawn["pairs"]}
    # A method that was removed can no longer be drawn.
    return chances, frozenset(name_of[key] for key in drawn["from"] if key in name_of)


def lost_visits_of(study: Study) -> dict[str, list[LostVisit]]:
    """Return by criterion the visits and whole rankings that were lost to skipped pairs."""
    visits: dict[str, list[LostVisit]] = {criterion: [] for criterion in CRITERIA}
    name_of = dict(study.dataset.methods.values_list("pk", "name"))
    people = pseudonyms(study)
    lost = list(lost_to_skips(study).select_related("study", "image").order_by("pk"))
    taking_part = Result.objects.filter(
        image__in={assignment.image_id for assignment in lost}, method__in=study.methods.all()
    )
    method_of = dict(taking_part.values_list("pk", "method__name"))
    kept = {*with_answers(lost_to_skips(study)).values_list("pk", flat=True)}
    for assignment in lost:
        chances, source = _draw(assignment.drawn, name_of)
        items = [
            [method_of[result] for result in item if result in method_of]
            for item in assignment.items
        ]
        known = _known_verdicts(assignment, items)
        for criterion in CRITERIA:
            visits[criterion].append(
                LostVisit(
                    assignment.image.name,
                    people[assignment.annotator_id],
                    frozenset(method for item in items for method in item),
                    chances,
                    source,
                    known[criterion],
                    assignment.pk in kept,
                )
            )
    return visits


def _known_verdicts(
    assignment: Assignment, items: Sequence[Sequence[str]]
) -> dict[str, dict[Pair, str | None]]:
    """Return by criterion the better method of each pair settled anyway; None means equal."""
    alike = {frozenset(pair): None for item in items for pair in combinations(item, 2)}
    known: dict[str, dict[Pair, str | None]] = {name: {**alike} for name in CRITERIA}
    if is_one_pair(assignment):
        return known
    state = read_log(assignment).settled.state
    for left, right in combinations(range(len(items)), 2):
        for criterion, verdict in state.implied(left, right).items():
            for a, b in product(items[left], items[right]):
                known[criterion][frozenset((a, b))] = {"left": a, "right": b}.get(verdict)
    return known


def _seconds(study: Study, *, is_drawn: bool) -> float | None:
    """Return the median active time of the latest answers, or None if none was measured."""
    answers = Judgement.objects.filter(
        assignment__in=counted_visits(study).filter(drawn__isnull=not is_drawn),
        seconds_taken__isnull=False,
        withdrawal__isnull=True,
        screen__known__isnull=True,
    )
    taken = answers.order_by("-pk").values_list("seconds_taken", flat=True)[:_N_TIMES]
    measured = [value for value in taken if value is not None]
    return median(measured) if measured else None
