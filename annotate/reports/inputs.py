"""The inputs of a report, read from the database in one snapshot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.datasets.models import ImageQuerySet, Result
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings.elicitation.log import CRITERIA
from rankings.inference.clusters import Declared
from rankings.orders.buckets import Ranking
from rankings.tuning.slices import ImageProperty

from .cache import Asked
from .included import counted_assignments, declared_clusters, images_of
from .properties import image_properties

# criterion -> image -> one ranking per annotator
AnnotatorRankings = Mapping[str, Mapping[str, Sequence[Ranking]]]
# criterion -> image -> pseudonym -> ranking
NamedRankings = Mapping[str, Mapping[str, Mapping[str, Ranking]]]
# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, tuple[float | None, float | None]]]]


@dataclass(frozen=True)
class Inputs:
    """All that an analysis is computed from; read it inside a snapshot."""

    rankings: NamedRankings
    scores: ProtocolScores
    properties: Sequence[ImageProperty]
    declared: Declared


def read_inputs(asked: Asked) -> Inputs:
    study = asked.study
    return Inputs(
        named_rankings(study),
        protocol_scores(study, asked.runs),
        image_properties(study),
        declared_clusters(study),
    )


def annotator_rankings(study: Study) -> AnnotatorRankings:
    """Return each image's complete rankings by method name, annotators in a fixed order.

    Images without a ranking are included, so that a report can list them as left out.
    """
    return unnamed(_rankings(study, str, images_of(study)))


def unnamed(rankings: NamedRankings) -> AnnotatorRankings:
    """Return the same rankings without the annotators' names."""
    return {
        criterion: {image: list(of_image.values()) for image, of_image in of_criterion.items()}
        for criterion, of_criterion in rankings.items()
    }


def named_rankings(study: Study, images: ImageQuerySet | None = None) -> NamedRankings:
    """Return the same rankings with the annotators' pseudonyms.

    ``images`` are those to include, in order; all ranked ones must be among them.
    """
    names = pseudonyms(study)
    looked_at = images_of(study) if images is None else images
    return _rankings(study, lambda annotator: names[annotator], looked_at)


def _rankings(
    study: Study, key_of: Callable[[int], str], images: ImageQuerySet
) -> dict[str, dict[str, dict[str, Ranking]]]:
    name_of = dict(study.dataset.methods.values_list("pk", "name"))
    image_names = list(images.values_list("name", flat=True))
    rankings: dict[str, dict[str, dict[str, Ranking]]] = {
        criterion: {image: {} for image in image_names} for criterion in CRITERIA
    }
    # Few distinct buckets fill many rankings; each is one object, which takes a third of the memory.
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    for image, annotator, buckets_by_criterion in counted_rankings(study):
        for criterion, by_criterion in buckets_by_criterion.items():
            buckets = (
                tuple(sorted(name_of[method] for method in bucket)) for bucket in by_criterion
            )
            rankings[criterion][image][key_of(annotator)] = tuple(
                [shared.setdefault(bucket, bucket) for bucket in buckets]
            )
    return rankings


def counted_rankings(
    study: Study, *order: str
) -> Iterator[tuple[str, int, Mapping[str, Sequence[Sequence[int]]]]]:
    """Yield image, annotator and, by criterion, the buckets of methods of each ranking that counts.

    Rows are in the study's order of images, or in ``order`` if given.
    """
    rows = counted_assignments(study).order_by(
        *(order or ("image__position", "image", "annotator"))
    )
    for image, annotator, rankings in rows.values_list(
        "image__name", "annotator", "rankings"
    ).iterator():
        if (
            rankings is not None
        ):  # always true: a constraint requires rankings in complete assignments
            yield image, annotator, rankings


def protocol_scores(
    study: Study, runs: Sequence[ProtocolRun], images: ImageQuerySet | None = None
) -> ProtocolScores:
    """Return the scores of the study's methods on its images, or on these, by run name."""
    images = (images_of(study) if images is None else images).order_by()
    name_of_run = {run.pk: run.name for run in runs}
    # An image without any score still lists the protocols, so that the report can name the missing
    # scores.
    scores: dict[str, dict[str, dict[str, tuple[float | None, float | None]]]] = {
        image: {name: {} for name in name_of_run.values()}
        for image in images.values_list("name", flat=True)
    }
    # By their results, so that the scores of a few images are found without scanning whole runs.
    results = Result.objects.filter(image__in=images, method__in=study.methods.all())
    rows = Score.objects.filter(run__in=list(name_of_run), result__in=results).values_list(
        "run", "result__image__name", "result__method__name", "recall", "precision"
    )
    # Most scores are one of a few, as shares of a few words are; equal ones are one object.
    shared: dict[tuple[float | None, float | None], tuple[float | None, float | None]] = {}
    for run, image, method, recall, precision in rows.iterator():
        pair = shared.setdefault((recall, precision), (recall, precision))
        scores[image][name_of_run[run]][method] = pair
    return scores
