"""One image of a study: the consensus of its methods, and the orders of people and protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from annotate.datasets.drawing import Picture, picture
from annotate.datasets.models import Image, Method, Result
from annotate.judging.models import Assignment, Judgement
from annotate.languages import numeral
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.exclusions import LeftOut, left_out
from annotate.studies.models import Study
from rankings.agreement.annotators import left_out_distances
from rankings.agreement.baselines import A_PERSON
from rankings.agreement.report import (
    ALL_TIED,
    RANDOM_ORDER,
    RecallPrecision,
    Settings,
    values_of,
)
from rankings.consensus.rules import agreed
from rankings.errors import RankingError
from rankings.orders.buckets import Ranking, methods_of
from rankings.orders.distances import Distance
from rankings.orders.edit_distance import expected_from_random_order
from rankings.orders.from_scores import ranking_from_scores

from .orders import Bucket, Comparison, Letters, Order, Pane


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline's row for this image; ``key`` is empty unless the baseline is a single order."""

    name: str
    edit: float | None
    kemeny: float | None
    about: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class ImagePage:
    """Everything shown of an image for one criterion."""

    picture: Picture
    criterion: str
    n_rankings: int
    # Why the consensus does not count in a report yet; empty when it does.
    does_not_count: str
    # Annotators were asked about some of the methods, but none about all of them.
    asks_pairs: bool
    wall: Sequence[Bucket]
    unranked: Sequence[Pane]
    without_result: Sequence[Method]
    annotators: Sequence[Order]
    protocols: Sequence[Order]
    is_all_tied: bool
    baselines: Sequence[Baseline] = ()
    # The order of the baseline that ties all methods.
    all_tied: Order | None = None

    @property
    def panes(self) -> list[Pane]:
        return [*(pane for bucket in self.wall for pane in bucket.panes), *self.unranked]

    @property
    def orders(self) -> list[Order]:
        found = (*self.protocols, *([self.all_tied] if self.all_tied else ()), *self.annotators)
        return [order for order in found if order.edit is not None]


def find_image(study: Study, name: str) -> Image | None:
    """Return the study's image with this name or, failing that, this number."""
    images = study.images.select_related("dataset")
    image = images.filter(name=name).first()
    if image is None and name.isascii() and name.isdigit() and len(name) < 19:
        image = images.filter(pk=int(name)).first()
    return image


def picture_of(image: Image, results: Sequence[Result], url: str) -> Picture:
    """Return the photograph and the ground truth, without boxes but with room for all results."""
    boxes = [region for result in results for region in result.detections]
    return picture(
        truth=image.truth_regions,
        boxes=(),
        convention=image.dataset.box_convention,
        url=url,
        size=image.size_to_draw(boxes),
    )


def results_of(study: Study, image: Image) -> list[Result]:
    """Return the image's results of the study's methods, with their methods, by name."""
    results = Result.objects.filter(image=image, method__in=study.methods.all())
    return list(results.select_related("method").order_by("method__name"))


def image_page(
    *,
    study: Study,
    image: Image,
    url: str,
    criterion: str,
    settings: Settings,
    runs: Sequence[ProtocolRun],
    names: Mapping[int, tuple[str, str]],
    script: str = "",
) -> ImagePage:
    """Collect the data of an image's page.

    ``names`` gives the key and the displayed name of each annotator. The order with the key
    ``script`` has its script drawn whatever its length.
    """
    methods = list(study.methods.all())
    results = results_of(study, image)
    assignments = list(study.assignments.filter(image=image).order_by("annotator"))
    name_of = {method.pk: method.name for method in methods}
    rankings = {
        assignment.annotator_id: _named(ranking, name_of)
        for assignment in assignments
        if (ranking := (assignment.rankings or {}).get(criterion))
    }
    excluded = left_out(study)
    # The order of a drawn sample of methods is no ranking of the image; it is shown separately.
    whole = [a.annotator_id for a in assignments if a.drawn is None and a.annotator_id in rankings]
    complete = [rankings[person] for person in whole if person not in excluded]
    asks_pairs = not whole and any(assignment.drawn is not None for assignment in assignments)
    consensus = agreed(complete, settings.consensus).ranking if complete else None
    letters = Letters(consensus, methods, results, image.dataset.box_convention)
    compare = Comparison(consensus, letters, script)
    all_tied = _all_tied(consensus, compare) if consensus else None
    return ImagePage(
        picture=picture_of(image, results, url),
        criterion=criterion,
        n_rankings=len(complete),
        does_not_count="" if asks_pairs else _does_not_count(complete, settings),
        asks_pairs=asks_pairs,
        wall=letters.buckets(consensus) if consensus else (),
        unranked=letters.unranked(consensus),
        without_result=[method for method in methods if method.name not in letters.panes],
        annotators=_annotators(assignments, rankings, excluded, names, compare),
        protocols=_protocols(study, image, criterion, settings, runs, compare),
        is_all_tied=consensus is not None and len(consensus) == 1 < len(consensus[0]),
        baselines=_baselines(consensus, all_tied, complete, settings) if consensus else (),
        all_tied=all_tied,
    )


def _all_tied(consensus: Ranking, compare: Comparison) -> Order:
    ranking: Ranking = (tuple(name for bucket in consensus for name in bucket),)
    order = Order("all-tied", ALL_TIED, buckets=compare.letters.buckets(ranking))
    return compare.compared(order, ranking)


def _baselines(
    consensus: Ranking, all_tied: Order | None, complete: Sequence[Ranking], settings: Settings
) -> list[Baseline]:
    """Return the report's baselines for one image."""
    n = sum(map(len, consensus))
    rows = [
        Baseline(
            RANDOM_ORDER,
            expected_from_random_order(consensus),
            n * (n - 1) / 4,
            _("the mean over all orders without ties"),
        )
    ]
    if all_tied is not None and all_tied.edit is not None:
        about = _("every method the same")
        rows.insert(
            0,
            Baseline(ALL_TIED, all_tied.edit.distance, all_tied.kemeny, about, all_tied.key),
        )
    about = _("the mean over annotators, each against the consensus of the others")
    people = {str(at): ranking for at, ranking in enumerate(complete)}
    is_comparable = len({methods_of(ranking) for ranking in complete}) == 1
    if len(complete) > 1 and is_comparable:
        edit, kemeny = (_of_a_person(people, distance, settings) for distance in ("edit", "kemeny"))
        rows.append(Baseline(A_PERSON, edit, kemeny, about))
    return rows


def _of_a_person(people: Mapping[str, Ranking], distance: Distance, settings: Settings) -> float:
    [found] = left_out_distances(
        {"": people}, distance=distance, consensus=settings.consensus
    ).values()
    return sum(found.values()) / len(found)


def _named(buckets: Sequence[Sequence[int]], name_of: Mapping[int, str]) -> Ranking:
    named = (
        tuple(sorted(name_of[method] for method in bucket if method in name_of))
        for bucket in buckets
    )
    return tuple(bucket for bucket in named if bucket)


def _does_not_count(rankings: Sequence[Ranking], settings: Settings) -> str:
    if len(rankings) < settings.min_annotators:
        return _("{n} of {needed} complete rankings").format(
            n=len(rankings), needed=settings.min_annotators
        )
    ranked = [methods_of(ranking) for ranking in rankings]
    differing = frozenset.union(*ranked) - frozenset.intersection(*ranked)
    if not differing:
        return ""
    words = _("not ranked by every annotator: {methods}")
    return words.format(methods=", ".join(sorted(differing)))


def _annotators(
    assignments: Sequence[Assignment],
    rankings: Mapping[int, Ranking],
    excluded: Mapping[int, LeftOut],
    names: Mapping[int, tuple[str, str]],
    compare: Comparison,
) -> list[Order]:
    answered: dict[int, int] = {}
    in_force = Judgement.objects.filter(assignment__in=assignments, withdrawal__isnull=True)
    for annotator in in_force.values_list("assignment__annotator", flat=True):
        answered[annotator] = answered.get(annotator, 0) + 1
    orders = []
    place = {person: at for at, person in enumerate(names)}
    for assignment in sorted(assignments, key=lambda assignment: place[assignment.annotator_id]):
        key, name = names[assignment.annotator_id]
        order = Order(
            key,
            name,
            state=str(assignment.get_state_display()),
            n_screens=answered.get(assignment.annotator_id, 0),
            is_left_out=assignment.annotator_id in excluded,
        )
        ranking = rankings.get(assignment.annotator_id)
        if ranking:
            order = replace(order, buckets=compare.letters.buckets(ranking))
            orders.append(compare.compared(order, ranking))
        else:
            orders.append(replace(order, lacks=order.state))
    return orders


def _protocols(
    study: Study,
    image: Image,
    criterion: str,
    settings: Settings,
    runs: Sequence[ProtocolRun],
    compare: Comparison,
) -> list[Order]:
    scores: dict[str, dict[str, RecallPrecision]] = {str(run.pk): {} for run in runs}
    rows = Score.objects.filter(
        run__in=runs, result__image=image, result__method__in=study.methods.all()
    ).values_list("run", "result__method__name", "recall", "precision")
    for run_id, method, *score in rows:
        scores[str(run_id)][method] = (score[0], score[1])
    values = values_of(criterion, {"": scores}, settings)[""]
    ranked = methods_of(compare.consensus) if compare.consensus else None
    orders = []
    for run in runs:
        of_run = values[str(run.pk)]
        order = Order(f"protocol-{run.pk}", run.name)
        # Methods that people did not rank are left out; the refusal names those without a score.
        of_method = {name: of_run.get(name) for name in sorted(ranked or of_run)}
        try:
            ranking = ranking_from_scores(of_method, settings.decimals)
        except RankingError as refusal:
            lacks = str(refusal) if of_run else _("no scores on this image")
            orders.append(replace(order, lacks=lacks))
            continue
        shown = {name: _shown(value, settings.decimals) for name, value in of_method.items()}
        buckets = compare.letters.buckets(ranking, shown)
        matches_by = run.name if run.origin == ProtocolRun.Origin.COMPUTED else ""
        order = replace(order, buckets=buckets, matches_by=matches_by)
        orders.append(compare.compared(order, ranking))
    return sorted(
        orders, key=lambda order: (order.edit.distance if order.edit else 1e9, order.name)
    )


def _shown(value: float | None, decimals: int | None) -> str:
    if value is None:
        return ""
    return numeral(f"{value:.{decimals}f}" if decimals is not None else f"{value:.10g}")
