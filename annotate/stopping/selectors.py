"""The protocols' mean losses so far, and the data still needed for a conclusion."""

from dataclasses import dataclass
from heapq import nlargest
from typing import Final

from django.db.models import Count

from annotate.judging.models import Judgement
from annotate.reports import cache
from annotate.reports.included import counted_visits
from annotate.reports.pairs import visits_of
from annotate.reports.services import available_runs, protocol_scores, sentinels
from annotate.reports.snapshots import snapshot
from annotate.studies.models import Study
from rankings.agreement.report import Settings, values_of
from rankings.analysis.pair_report import comparable
from rankings.elicitation.log import CRITERIA
from rankings.inference.pair_estimates import pair_losses

# By criterion, the protocols with their mean losses, the nearest to the annotators first.
Standings = dict[str, list[tuple[str, float]]]
# A smaller study says too little about people like its annotators.
MIN_PEOPLE: Final = 6
MIN_IMAGES: Final = 10
_PART: Final = "standings"
_TWO: Final = 2


@dataclass(frozen=True)
class Missing:
    """How many annotators have enough images, and what is still needed."""

    n_enough: int
    people: int
    images: int


def n_answers(study: Study) -> int:
    """Return the number of valid answers, including those to re-checks and known-answer pairs."""
    return Judgement.objects.filter(assignment__study=study, withdrawal__isnull=True).count()


def missing(study: Study) -> Missing:
    """Return the images still needed until MIN_PEOPLE annotators have MIN_IMAGES images each.

    ``people`` counts those among them without any image; ``images`` is over the nearest ones.
    """
    visits = counted_visits(study).order_by().values("annotator")
    of_people = list(visits.annotate(n=Count("image", distinct=True)).values_list("n", flat=True))
    nearest = nlargest(MIN_PEOPLE, of_people)
    nearest += [0] * (MIN_PEOPLE - len(nearest))
    return Missing(
        sum(n >= MIN_IMAGES for n in of_people),
        nearest.count(0),
        sum(max(0, MIN_IMAGES - n) for n in nearest),
    )


def standings_of(study: Study) -> Standings:
    """Return the mean loss of every protocol so far, cached until there are new answers.

    An image counts once it has as many annotators as the study requires. Sentinels are left out.
    Empty if there are fewer than two protocols.
    """
    settings, runs = Settings(min_annotators=study.min_annotators), available_runs(study)
    unwanted = sentinels(runs)
    protocols = [run.name for run in runs if run.name not in unwanted]
    if len(protocols) < _TWO:
        return {}
    kept = cache.get_part(_PART, cache.key_of(study, settings, runs))
    if kept is not None:
        return {
            criterion: [(name, loss) for name, loss in rows] for criterion, rows in kept.items()
        }
    with snapshot():
        # Read again: the key must match the data read.
        key = cache.key_of(study, settings, runs)
        visits, images = visits_of(study), _images_that_count(study)
        scores = protocol_scores(study, runs)
    found: Standings = {}
    for criterion in CRITERIA:
        counted = [visit for visit in visits[criterion] if visit.image in images]
        values = {
            image: {name: of_image[name] for name in protocols}
            for image, of_image in values_of(criterion, scores, settings).items()
        }
        usable = comparable(counted, values, protocols, settings.decimals)
        losses = pair_losses(usable.visits, usable.rankings, protocols).distances
        means = losses.mean(axis=0).tolist() if len(losses) else []
        rows = zip(protocols, means, strict=False)
        found[criterion] = sorted(rows, key=lambda row: (row[1], row[0]))
    cache.put_part(_PART, key, found)
    return found


def _images_that_count(study: Study) -> set[str]:
    visits = counted_visits(study).order_by().values("image__name").annotate(n=Count("pk"))
    enough = visits.filter(n__gte=study.min_annotators)
    return set(enough.values_list("image__name", flat=True))
