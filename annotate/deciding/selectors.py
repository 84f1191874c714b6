"""What is decided of every pair of protocols, by confidence sequences that may be looked at any time."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from django.db.models import Count, Max

from annotate.judging.models import Judgement
from annotate.reports import cached
from annotate.reports.counted import counted_visits
from annotate.reports.pairs import visits_of
from annotate.reports.services import available_runs, protocol_scores, sentinels
from annotate.reports.snapshots import snapshot
from annotate.studies.models import Study
from rankings.elicitation import CRITERIA
from rankings.pair_estimates import pair_losses
from rankings.pair_report import comparable
from rankings.report import Settings, values_of
from rankings.sequences import Decisions, PairSequence, decisions

_PART: Final = "decisions"
_TWO: Final = 2


def n_answers(study: Study) -> int:
    """Return the answers in force, those of re-checks and known pairs too: people gave them."""
    return Judgement.objects.filter(assignment__study=study, withdrawal__isnull=True).count()


def decisions_of(study: Study) -> dict[str, Decisions]:
    """Return by criterion what is decided; computed once for the answers there are.

    An image counts from when it has the annotators that the study asks for, and images come in the order
    in which they got them. Sentinels do not count: nobody waits for them. Empty where there are not two
    protocols.
    """
    # Of the study's number of annotators hangs which images count, and with the settings the key.
    settings, runs = Settings(min_annotators=study.min_annotators), available_runs(study)
    unwanted = sentinels(runs)
    protocols = [run.name for run in runs if run.name not in unwanted]
    if len(protocols) < _TWO:
        return {}
    kept = cached.get_part(_PART, cached.key_of(study, settings, runs))
    if kept is not None:
        return {criterion: _from_json(own) for criterion, own in kept.items()}
    with snapshot():
        # Again: the key must be that of what is read.
        key = cached.key_of(study, settings, runs)
        visits, order = visits_of(study), _images_in_time(study)
        scores = protocol_scores(study, runs)
    found = {}
    for criterion in CRITERIA:
        counted = [visit for visit in visits[criterion] if visit.image in order]
        values = {
            image: {name: of_image[name] for name in protocols}
            for image, of_image in values_of(criterion, scores, settings).items()
        }
        usable = comparable(counted, values, protocols, settings.decimals)
        measured = pair_losses(usable.visits, usable.rankings, protocols, order=order)
        found[criterion] = decisions(measured)
    cached.put_part(_PART, key, {name: asdict(own) for name, own in found.items()})
    return found


def _images_in_time(study: Study) -> dict[str, int]:
    """Return the images that count, numbered in the order in which they came to."""
    rows = (
        counted_visits(study)
        .order_by()
        .values("image__name")
        .annotate(n=Count("pk"), last=Max("finished"))
        .filter(n__gte=study.min_annotators)
        .order_by("last", "image__name")
    )
    return {name: at for at, name in enumerate(rows.values_list("image__name", flat=True))}


def _from_json(data: Mapping[str, Any]) -> Decisions:
    return Decisions(
        tuple(PairSequence(**pair) for pair in data["pairs"]),
        data["n_images"],
        data["n_annotators"],
        data["alpha"],
    )
