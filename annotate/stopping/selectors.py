"""The protocols' mean losses so far, the data still needed for a conclusion, and planned looks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, NamedTuple

from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from annotate.judging.models import Judgement
from annotate.reports.cache import Asked, computed
from annotate.reports.included import counted_visits, declared_clusters
from annotate.reports.inputs import protocol_scores
from annotate.reports.pairs import visits_of
from annotate.reports.services import available_runs, sentinels, usual_settings
from annotate.reports.snapshots import snapshot
from annotate.scoring.models import ProtocolRun
from annotate.studies.exclusions import programs
from annotate.studies.models import Role, Study
from rankings.agreement.report import Scores, Settings, values_of
from rankings.analysis.pair_report import Comparable, comparable
from rankings.elicitation.log import CRITERIA
from rankings.inference.pair_estimates import Visit, pair_losses
from rankings.inference.sequential import (
    FEWEST_ANNOTATORS,
    FEWEST_IMAGES,
    N_LOOKS,
    Decision,
    Look,
    look_by_pairs,
)
from text_rankings.base.image_sets import image_sets

_PART: Final = "standings-on-images"
_TWO: Final = 2


class Standing(NamedTuple):
    """A protocol's mean loss over ``n_images``; ``n_scored`` images that count have all its scores."""

    protocol: str
    mean_loss: float
    n_images: int
    n_scored: int


# By criterion, the protocol that is nearest to the annotators first.
Standings = dict[str, list[Standing]]


@dataclass(frozen=True)
class Missing:
    """How many annotators have enough images, and what is still needed."""

    n_enough: int
    people: int
    images: int


def n_answers(study: Study) -> int:
    """Return the number of valid answers, including those to re-checks and known-answer pairs."""
    answers = Judgement.objects.filter(assignment__study=study, withdrawal__isnull=True)
    return answers.exclude(assignment__annotator__in=programs(study)).count()


def missing(study: Study) -> Missing:
    """Return the images still needed until FEWEST_ANNOTATORS annotators have FEWEST_IMAGES images each.

    ``people`` counts those among them without any image; ``images`` is over the nearest ones.
    """
    visits = counted_visits(study).order_by().values("annotator")
    of_people = list(visits.annotate(n=Count("*")).values_list("n", flat=True))
    nearest = nlargest(FEWEST_ANNOTATORS, of_people)
    nearest += [0] * (FEWEST_ANNOTATORS - len(nearest))
    return Missing(
        sum(n >= FEWEST_IMAGES for n in of_people),
        nearest.count(0),
        sum(max(0, FEWEST_IMAGES - n) for n in nearest),
    )


def standings_of(study: Study) -> Standings:
    """Return the mean loss of every protocol so far, cached until there are new answers.

    An image counts once it has as many annotators as the study requires. Losses are over the images
    of these that all protocols have scored. Sentinels are left out. Empty if there are fewer than two
    protocols.
    """
    settings, runs = usual_settings(study), available_runs(study)
    protocols = _protocol_names(runs)
    if len(protocols) < _TWO:
        return {}
    found = computed(
        Asked(study, settings, runs),
        (_PART,),
        lambda: (_images_that_count(study), list(_read(study, runs, protocols))),
        lambda read: _standings(*read, protocols, settings),
    )
    return {criterion: [Standing(*row) for row in rows] for criterion, rows in found.items()}


def _standings(
    images: Collection[str],
    read: Sequence[tuple[str, Sequence[Visit], Scores]],
    protocols: Sequence[str],
    settings: Settings,
) -> Standings:
    found: Standings = {}
    for criterion, visits, values in read:
        counted = [visit for visit in visits if visit.image in images]
        own = comparable(counted, values, protocols, settings.decimals)
        sets = image_sets(
            {
                name: {one.image for one in comparable(counted, values, [name], None).visits}
                for name in protocols
            }
        )
        losses = pair_losses(own.visits, own.rankings, protocols).distances
        means = losses.mean(axis=0).tolist() if len(losses) else []
        rows = [
            Standing(name, mean, len(sets.shared), sets.n_of[name])
            for name, mean in zip(protocols, means, strict=False)
        ]
        found[criterion] = sorted(rows, key=lambda row: (row.mean_loss, row.protocol))
    return found


def _protocol_names(runs: Sequence[ProtocolRun]) -> list[str]:
    unwanted = sentinels(runs)
    return [run.name for run in runs if run.name not in unwanted]


def _usable(
    study: Study, runs: Sequence[ProtocolRun], protocols: Sequence[str]
) -> Iterator[tuple[str, Comparable[Visit]]]:
    """Yield by criterion the visits to images that all protocols score."""
    for criterion, visits, values in _read(study, runs, protocols):
        yield criterion, comparable(visits, values, protocols, Settings().decimals)


def _read(
    study: Study, runs: Sequence[ProtocolRun], protocols: Sequence[str]
) -> Iterator[tuple[str, Sequence[Visit], Scores]]:
    """Yield the visits and the protocols' values by criterion."""
    settings, visits, scores = Settings(), visits_of(study), protocol_scores(study, runs)
    for criterion in CRITERIA:
        values = {
            image: {name: of_image[name] for name in protocols}
            for image, of_image in values_of(criterion, scores, settings).items()
        }
        yield criterion, visits[criterion], values


def _images_that_count(study: Study) -> set[str]:
    visits = counted_visits(study).order_by().values("image__name").annotate(n=Count("pk"))
    enough = visits.filter(n__gte=study.min_annotators)
    return set(enough.values_list("image__name", flat=True))


def planned_rankings(study: Study) -> int:
    """Return how many complete rankings, or visits, an open study plans.

    If every annotator ranks all images, these are its annotators now, and six at least.
    """
    annotators = study.memberships.filter(role=Role.ANNOTATOR).count()
    per_image = study.max_annotators or max(study.min_annotators, annotators, FEWEST_ANNOTATORS)
    of_images = study.study_images.aggregate(n=Sum(Coalesce("n_annotators", per_image)))
    return of_images["n"] or 0


def had_last_look(study: Study) -> bool:
    """Return whether the last look is taken, after which no look decides or withdraws anything."""
    return study.looks.filter(number=N_LOOKS, taken__isnull=False).exists()


def look_at(
    study: Study, held: Mapping[str, Collection[Decision]], shares: tuple[float, ...]
) -> tuple[dict[str, Look], int]:
    """Return the look at the study by criterion, and the number of protocols; none if there is one."""
    runs = available_runs(study)
    protocols = _protocol_names(runs)
    if len(protocols) < _TWO:
        return {}, len(protocols)
    with snapshot():
        declared, usable = declared_clusters(study), dict(_usable(study, runs, protocols))
    looks = {
        criterion: look_by_pairs(
            *(own.visits, own.rankings, protocols, held.get(criterion, ()), shares),
            declared=declared,
        )
        for criterion, own in usable.items()
    }
    return looks, len(protocols)
