"""What pairs and whole rankings of a study say of its protocols, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.judging.models import Judgement
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from engine.words import numeral, retold
from rankings.elicitation import CRITERIA
from rankings.pair_estimates import Visit
from rankings.pair_report import pair_report
from rankings.pair_tables import pair_tables
from rankings.report import RecallPrecision, Settings
from rankings.rounding import in_decimals
from rankings.table_parts import Table

from .counted import counted_visits

# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]]
_N_TIMES: Final = 1000


def asks_pairs(study: Study) -> bool:
    """Say whether anybody was asked some methods of an image."""
    return counted_visits(study).filter(drawn__isnull=False).exists()


def pairs_from(study: Study, scores: ProtocolScores, settings: Settings) -> dict[str, Any]:
    """Return what pairs say, as :func:`.pair_report` gives it, and how long they took."""
    found = pair_report(visits_of(study), scores, settings)
    seconds = {"drawn": _seconds(study, is_drawn=True), "whole": _seconds(study, is_drawn=False)}
    return {**found, "seconds": seconds}


def visits_of(study: Study) -> dict[str, list[Visit]]:
    """Return by criterion all that counts: visits that were drawn, and whole rankings."""
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
        chances = drawn and {
            frozenset((name_of[a], name_of[b])): chance for a, b, chance in drawn["pairs"]
        }
        # A method that was removed can be asked no more.
        source = drawn and frozenset(name_of[key] for key in drawn["from"] if key in name_of)
        for criterion in CRITERIA:
            ranking = tuple(
                tuple(sorted(name_of[method] for method in bucket))
                for bucket in (rankings or {}).get(criterion, ())
            )
            yield criterion, Visit(image, people[annotator], ranking, chances, source)


def _seconds(study: Study, *, is_drawn: bool) -> float | None:
    """Return the median active time of the last answers; None where none was measured."""
    answers = Judgement.objects.filter(
        assignment__in=counted_visits(study).filter(drawn__isnull=not is_drawn),
        seconds_taken__isnull=False,
        withdrawal__isnull=True,
        screen__known__isnull=True,
    )
    taken = answers.order_by("-pk").values_list("seconds_taken", flat=True)[:_N_TIMES]
    measured = [value for value in taken if value is not None]
    return median(measured) if measured else None


@dataclass(frozen=True)
class ShownPairs:
    """What pairs say, for a page."""

    rests: Sequence[str]
    left_out: Sequence[Mapping[str, Any]]
    tables: Sequence[Table]


def shown_pairs(data: Mapping[str, Any] | None) -> ShownPairs | None:
    """Return the section of a report; None for one without pairs."""
    if data is None:
        return None
    criteria = data["criteria"]
    first = next(iter(criteria.values()))
    left_out = [{**left, "reason": retold(left["reason"])} for left in first["left_out"]]
    return ShownPairs(_rests(first, data["seconds"]), left_out, pair_tables(data))


def _rests(own: Mapping[str, Any], seconds: Mapping[str, float | None]) -> list[str]:
    tested, n_whole = own["comparisons"], own["n_rankings"]
    if n_whole:
        rest = _(
            "Best, Worst, Score and all that needs a consensus or an edit distance rest on whole rankings "
            "alone: {n}."
        ).format(n=n_whole)
        losses = _(
            "The losses rest on {visits} that asked methods that were drawn and the {rankings}: {pairs} "
            "on {images} by {annotators}."
        )
    else:
        rest = _(
            "There are no whole rankings, so there is no Best, Worst and Score, no consensus and no edit "
            "distance."
        )
        losses = _(
            "The losses rest on {visits} that asked methods that were drawn: {pairs} on {images} by "
            "{annotators}."
        )
    counts = {
        "visits": ngettext("{n} visit", "{n} visits", own["n_visits"]),
        "rankings": ngettext("{n} whole ranking", "{n} whole rankings", n_whole),
        "pairs": ngettext("{n} pair", "{n} pairs", own["n_pairs"]),
        "images": ngettext("{n} image", "{n} images", tested["n_images"]),
        "annotators": ngettext("{n} annotator", "{n} annotators", tested["n_annotators"]),
    }
    numbers = (own["n_visits"], n_whole, own["n_pairs"], tested["n_images"], tested["n_annotators"])
    counted = {
        what: words.format(n=numeral(f"{n:,}"))
        for (what, words), n in zip(counts.items(), numbers, strict=True)
    }
    return [rest, losses.format(**counted), *_times(seconds["drawn"], seconds["whole"])]


def _times(drawn: float | None, whole: float | None) -> list[str]:
    if drawn is None:
        return []
    if whole is None:
        words = _("An answer took {drawn} s in a visit (median).")
    else:
        words = _("An answer took {drawn} s in a visit (median), {whole} s in a whole ranking.")
    return [words.format(drawn=in_decimals(drawn, 1), whole=in_decimals(whole or 0, 1))]
