"""One image of a study: its methods in consensus order, and every other order with its way to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from annotate.datasets.drawing import drawn
from annotate.datasets.models import Image, Method, Result
from annotate.judging.models import Assignment, Judgement
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.exclusions import LeftOut, left_out
from annotate.studies.models import Study
from rankings.consensus import consensus_of
from rankings.distances import kemeny_distance
from rankings.edit_distance import EditDistance, Step, edit_distance, edit_script
from rankings.errors import RankingError
from rankings.from_scores import f_beta, ranking_from_scores
from rankings.orders import Ranking, bucket_of, methods_of
from rankings.report import Settings

# Scripts of all orders are drawn up to so many cells; beyond it, the one that was asked for.
_MAX_CELLS = 3000


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn under the boxes; without a photograph the url is empty."""

    url: str
    width: int
    height: int
    truth: Sequence[str]
    ignored: Sequence[str]


@dataclass(frozen=True, slots=True)
class Pane:
    """One method's result, and the letter it goes by; the letters follow the consensus."""

    method: Method
    letter: str
    polygons: Sequence[str]
    # The method to open beside it in the viewer.
    beside: str

    @property
    def label(self) -> str:
        return counted_boxes(len(self.polygons))


@dataclass(frozen=True, slots=True)
class Bucket:
    """Methods that share a place of an order."""

    place: str
    panes: Sequence[Pane]
    # The score that put them there, as it is compared; empty where an order has none.
    score: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A bucket as a step of a script draws it."""

    letters: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a script in words, its cost, and the order it leads to."""

    edit: str
    cost: float
    words: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Order:
    """One annotator's or protocol's order of the methods, and how far it lies from the consensus.

    Without an order ``lacks`` says why. ``edit`` and ``kemeny`` are None where it cannot be compared.
    """

    key: str
    name: str
    buckets: Sequence[Bucket] = ()
    edit: EditDistance | None = None
    kemeny: float | None = None
    opposite: Sequence[str] = ()
    half_tied: Sequence[str] = ()
    start: Sequence[Cell] = ()
    # Empty when there is nothing to do, None when it is drawn on demand.
    moves: Sequence[Move] | None = ()
    n_moves: int = 0
    lacks: str = ""
    state: str = ""
    n_screens: int = 0
    # Whether the annotator counts in no report, and so not in the consensus.
    is_left_out: bool = False
    # What the viewer colours matches by; empty where the scores were imported.
    matches_by: str = ""


@dataclass(frozen=True, slots=True)
class ImagePage:
    """All of an image for one criterion."""

    picture: Picture
    criterion: str
    n_rankings: int
    # Why the consensus does not count in a report yet; empty when it does.
    does_not_count: str
    wall: Sequence[Bucket]
    unranked: Sequence[Pane]
    without_result: Sequence[Method]
    annotators: Sequence[Order]
    protocols: Sequence[Order]
    is_all_tied: bool

    @property
    def panes(self) -> list[Pane]:
        return [*(pane for bucket in self.wall for pane in bucket.panes), *self.unranked]

    @property
    def orders(self) -> list[Order]:
        return [order for order in (*self.protocols, *self.annotators) if order.edit is not None]


def find_image(study: Study, name: str) -> Image | None:
    """Return the study's image of this name, or else of this number."""
    images = study.images.select_related("dataset")
    found = images.filter(name=name).first()
    if found is None and name.isascii() and name.isdigit() and len(name) < 19:
        found = images.filter(pk=int(name)).first()
    return found


def counted_boxes(n: int) -> str:
    return {0: "No boxes", 1: "1 box"}.get(n, f"{n} boxes")


def picture_of(image: Image, results: Sequence[Result], url: str) -> Picture:
    width, height = image.size_to_draw([one for result in results for one in result.detections])
    convention = image.dataset.box_convention
    counted = [region for region in image.truth_regions if not region.ignored]
    ignored = [region for region in image.truth_regions if region.ignored]
    return Picture(url, width, height, drawn(counted, convention), drawn(ignored, convention))


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
    """Gather an image's page.

    ``names`` gives the key and the shown name of each annotator, and ``script`` the key of an order
    whose script is drawn however long it is.
    """
    methods = list(study.methods.all())
    results = results_of(study, image)
    assignments = list(study.assignments.filter(image=image).order_by("annotator"))
    name_of = {method.pk: method.name for method in methods}
    rankings = {
        one.annotator_id: _named(one.rankings[criterion], name_of)
        for one in assignments
        if one.rankings
    }
    excluded = left_out(study)
    complete = [ranking for person, ranking in rankings.items() if person not in excluded]
    consensus = consensus_of(complete, settings.consensus) if complete else None
    letters = _Letters(consensus, methods, results, image.dataset.box_convention)
    compare = _Comparison(consensus, letters, script)
    return ImagePage(
        picture=picture_of(image, results, url),
        criterion=criterion,
        n_rankings=len(complete),
        does_not_count=_does_not_count(complete, settings),
        wall=letters.buckets(consensus) if consensus else (),
        unranked=letters.unranked(consensus),
        without_result=[one for one in methods if one.name not in letters.panes],
        annotators=_annotators(assignments, rankings, excluded, names, compare),
        protocols=_protocols(study, image, criterion, settings, runs, compare),
        is_all_tied=consensus is not None and len(consensus) == 1 < len(consensus[0]),
    )


def _named(buckets: Sequence[Sequence[int]], name_of: Mapping[int, str]) -> Ranking:
    named = (tuple(sorted(name_of[one] for one in bucket if one in name_of)) for bucket in buckets)
    return tuple(bucket for bucket in named if bucket)


def _does_not_count(rankings: Sequence[Ranking], settings: Settings) -> str:
    if len(rankings) < settings.min_annotators:
        return f"{len(rankings)} of {settings.min_annotators} complete rankings"
    ranked = [methods_of(ranking) for ranking in rankings]
    differing = frozenset.union(*ranked) - frozenset.intersection(*ranked)
    return f"not ranked by every annotator: {', '.join(sorted(differing))}" if differing else ""


@dataclass
class _Letters:
    """Gives each method a letter in the order of the consensus, as the paper's figure 3 has it."""

    consensus: Ranking | None
    methods: Sequence[Method]
    results: Sequence[Result]
    convention: str
    panes: dict[str, Pane] = field(init=False)
    of: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        ranked = [name for bucket in self.consensus or () for name in bucket]
        rest = sorted({method.name for method in self.methods} - set(ranked))
        order = [*ranked, *rest]
        self.of = {name: _letter(at) for at, name in enumerate(order)}
        shown = {result.method.name: result for result in self.results}
        seen = [name for name in order if name in shown]
        self.panes = {
            name: Pane(
                shown[name].method,
                self.of[name],
                drawn(shown[name].detections, self.convention),
                shown[seen[at + 1 if at + 1 < len(seen) else max(at - 1, 0)]].method.slug,
            )
            for at, name in enumerate(seen)
        }

    def buckets(self, ranking: Ranking, scores: Mapping[str, str] | None = None) -> list[Bucket]:
        made, before = [], 0
        for bucket in ranking:
            panes = sorted(
                (self.panes[name] for name in bucket if name in self.panes),
                key=lambda pane: (len(pane.letter), pane.letter),
            )
            score = (scores or {}).get(bucket[0], "")
            made.append(Bucket(_place(before, len(bucket)), panes, score))
            before += len(bucket)
        return made

    def unranked(self, consensus: Ranking | None) -> list[Pane]:
        ranked = methods_of(consensus) if consensus else frozenset()
        return [pane for name, pane in self.panes.items() if name not in ranked]

    def text(self, bucket: Sequence[str]) -> str:
        return " ".join(sorted((self.of[name] for name in bucket), key=lambda one: (len(one), one)))


def _letter(at: int) -> str:
    """Return a, b ... z, aa, ab ..."""
    letter = chr(ord("a") + at % 26)
    return letter if at < 26 else _letter(at // 26 - 1) + letter


def _place(before: int, n: int) -> str:
    return f"{before + 1}" if n == 1 else f"{before + 1}–{before + n}"


@dataclass
class _Comparison:
    """Makes orders, each with its way to the consensus."""

    consensus: Ranking | None
    letters: _Letters
    script: str
    n_cells: int = 0

    def order(
        self,
        key: str,
        name: str,
        ranking: Ranking,
        *,
        scores: Mapping[str, str] | None = None,
        state: str = "",
        n_screens: int = 0,
        matches_by: str = "",
        is_left_out: bool = False,
    ) -> Order:
        buckets = self.letters.buckets(ranking, scores)
        told = {
            "state": state,
            "n_screens": n_screens,
            "matches_by": matches_by,
            "is_left_out": is_left_out,
        }
        if self.consensus is None or methods_of(ranking) != methods_of(self.consensus):
            return Order(key, name, buckets, **told)
        steps = edit_script(ranking, self.consensus)
        cells = (len(steps) + 1) * sum(map(len, ranking))
        is_drawn = key == self.script or self.n_cells + cells <= _MAX_CELLS
        if is_drawn:
            self.n_cells += cells
        opposite, half_tied = _differing_pairs(ranking, self.consensus, self.letters.of)
        return Order(
            key,
            name,
            buckets,
            edit=edit_distance(ranking, self.consensus),
            kemeny=kemeny_distance(ranking, self.consensus),
            opposite=opposite,
            half_tied=half_tied,
            start=[Cell(self.letters.text(bucket), False) for bucket in ranking],
            moves=list(self._moves(ranking, steps)) if is_drawn else None,
            n_moves=len(steps),
            **told,
        )

    def _moves(self, ranking: Ranking, steps: Sequence[Step]) -> Iterator[Move]:
        text, before = self.letters.text, ranking
        for step in steps:
            after = step.ranking
            at = next(at for at, bucket in enumerate(after) if set(bucket) != set(before[at]))
            new = (at,) if step.edit == "merge" else (at, at + 1)
            if step.edit == "split":
                words = f"{text(after[at])} before {text(after[at + 1])}"
            elif step.edit == "swap":
                words = f"{text(after[at])} passes {text(after[at + 1])}"
            else:
                words = f"{text(before[at])} joins {text(before[at + 1])}"
            cells = [Cell(text(bucket), place in new) for place, bucket in enumerate(after)]
            yield Move(step.edit, step.cost, words, cells)
            before = after


def _differing_pairs(
    a: Ranking, b: Ranking, letter_of: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the pairs the other way round, and those tied on one side only."""
    first, second = bucket_of(a), bucket_of(b)
    opposite, half_tied = [], []
    names = sorted(first, key=lambda name: (len(letter_of[name]), letter_of[name]))
    for x, y in combinations(names, 2):
        of_a, of_b = first[x] - first[y], second[x] - second[y]
        pair = f"{letter_of[x]}–{letter_of[y]}"
        if of_a * of_b < 0:
            opposite.append(pair)
        elif (of_a == 0) != (of_b == 0):
            half_tied.append(pair)
    return opposite, half_tied


def _annotators(
    assignments: Sequence[Assignment],
    rankings: Mapping[int, Ranking],
    excluded: Mapping[int, LeftOut],
    names: Mapping[int, tuple[str, str]],
    compare: _Comparison,
) -> list[Order]:
    answered: dict[int, int] = {}
    in_force = Judgement.objects.filter(assignment__in=assignments, withdrawal__isnull=True)
    for annotator in in_force.values_list("assignment__annotator", flat=True):
        answered[annotator] = answered.get(annotator, 0) + 1
    orders = []
    place = {person: at for at, person in enumerate(names)}
    for one in sorted(assignments, key=lambda one: place[one.annotator_id]):
        key, name = names[one.annotator_id]
        told = {
            "state": one.get_state_display(),
            "n_screens": answered.get(one.annotator_id, 0),
            "is_left_out": one.annotator_id in excluded,
        }
        ranking = rankings.get(one.annotator_id)
        if ranking:
            orders.append(compare.order(key, name, ranking, **told))
        else:
            orders.append(Order(key, name, lacks=one.get_state_display(), **told))
    return orders


def _protocols(
    study: Study,
    image: Image,
    criterion: str,
    settings: Settings,
    runs: Sequence[ProtocolRun],
    compare: _Comparison,
) -> list[Order]:
    scores: dict[int, dict[str, float | None]] = {run.pk: {} for run in runs}
    rows = Score.objects.filter(
        run__in=list(scores), result__image=image, result__method__in=study.methods.all()
    ).values_list("run", "result__method__name", "recall", "precision")
    for run, method, recall, precision in rows:
        scores[run][method] = _value(criterion, recall, precision, settings.beta)
    ranked = methods_of(compare.consensus) if compare.consensus else None
    orders = []
    for run in runs:
        key, found = f"protocol-{run.pk}", scores[run.pk]
        # A method that nobody has ranked takes no part; one without a score is named.
        of_method = {name: found.get(name) for name in sorted(ranked or found)}
        try:
            ranking = ranking_from_scores(of_method, settings.decimals)
        except RankingError as refusal:
            orders.append(Order(key, run.name, lacks=_no_order(found, refusal)))
            continue
        shown = {name: _shown(value, settings.decimals) for name, value in of_method.items()}
        orders.append(
            compare.order(key, run.name, ranking, scores=shown, matches_by=_matches_by(run))
        )
    return sorted(orders, key=lambda one: (one.edit.distance if one.edit else 1e9, one.name))


def _value(
    criterion: str, recall: float | None, precision: float | None, beta: float
) -> float | None:
    if criterion == "recall":
        return recall
    if criterion == "precision":
        return precision
    if recall is None or precision is None:
        return None
    return f_beta(recall, precision, beta)


def _no_order(found: Mapping[str, float | None], refusal: RankingError) -> str:
    return str(refusal) if found else "no scores on this image"


def _shown(value: float | None, decimals: int | None) -> str:
    if value is None:
        return ""
    return f"{value:.{decimals}f}" if decimals is not None else f"{value:.10g}"


def _matches_by(run: ProtocolRun) -> str:
    return run.name if run.origin == ProtocolRun.Origin.COMPUTED else ""
