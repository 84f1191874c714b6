"""Effects of changing protocols in a study: scores of every variant, and their gains."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotate.datasets.models import Method, Result
from annotate.errors import Refusal
from annotate.reports import background_counts, cache
from annotate.reports.cache import Asked
from annotate.reports.inputs import named_rankings
from annotate.reports.services import study_report
from annotate.reports.snapshots import snapshot
from annotate.scoring.computing import scene_of
from annotate.studies.models import Study
from protocols.core.base import ImageScore, Scene
from protocols.core.errors import ProtocolError
from protocols.core.geometry_errors import BEYOND_COMPUTING
from protocols.scoring import OneMethod, chunks_of_method, score_methods
from rankings.agreement.report import RecallPrecision, Settings, values_of
from rankings.analysis.analysis import plain
from rankings.elicitation.log import CRITERIA
from rankings.inference.personal_distances import LOSS
from rankings.orders.buckets import Ranking
from rankings.output.signature import SIGNATURE, signed_counts
from rankings.tuning.changes import ProtocolChanges, corrected_changes, protocol_changes
from text_rankings.base.chunks import answers

from .variants import Tried, tried

WHAT: Final = "changes"
# Results times variants: about half a second.
MOST_AT_ONCE: Final = 2000
_ROWS_AT_ONCE: Final = 500

# Takes the number of finished protocols, that of all, and a description of the current one.
Progress = Callable[[int, int, str], None]
# image -> variant -> method -> (recall, precision)
_Scores = dict[str, dict[str, dict[str, RecallPrecision]]]


class NotCompared(Refusal):
    """A protocol could not be scored with other parameters."""


@dataclass(frozen=True)
class Changes:
    """The effects, when they were computed, and whether the study has changed since."""

    data: Mapping[str, Any]
    at: datetime
    is_current: bool

    @property
    def signature(self) -> str:
        """The signature of the effects; "" if an earlier version computed them."""
        found: str = self.data.get(SIGNATURE, "")
        return found


def last(asked: Asked) -> Changes | None:
    """Return the last computed effects, or None if they have expired."""
    kept = background_counts.last(asked.study, WHAT, **_named(asked))
    if kept is None:
        return None
    is_current = kept.value["version"] == cache.version_of(asked.study, asked.runs)
    return Changes(kept.value, kept.at, is_current)


def is_small(asked: Asked) -> bool:
    """Return whether there is so little to score that a page may do it."""
    study = asked.study
    n_ways = sum(len(one.protocols) for run in asked.runs if (one := tried(run)))
    return study.study_images.count() * study.methods.count() * n_ways <= MOST_AT_ONCE


def compute(
    asked: Asked, progress: Progress | None = None, executor: Executor | None = None
) -> dict[str, Any]:
    """Score every variant of the protocols and return its effect, as JSON-able data.

    Raises NotCompared if a protocol cannot be scored with one of the values to try.
    """
    study, settings, runs = asked.study, asked.settings, asked.runs
    with snapshot():
        version = cache.version_of(study, runs)
        rankings = named_rankings(study)
        report = study_report(asked, may_cache=False).report
    found: dict[str, list[ProtocolChanges]] = {criterion: [] for criterion in CRITERIA}
    to_try = [one for run in runs if (one := tried(run))]
    for done, one in enumerate(to_try):
        if progress:
            progress(
                done,
                len(to_try),
                _("{name}: {n} ways to score").format(name=one.run.name, n=len(one.protocols)),
            )
        scores = _scored(study, one, executor)
        for criterion in CRITERIA:
            people = {
                image: rankings[criterion][image] for image in report.criteria[criterion].consensus
            }
            found[criterion].append(_changes(criterion, one, people, scores, settings))
    return {
        "version": version,
        "without": [run.name for run in runs if tried(run) is None],
        "settings": asdict(settings),
        SIGNATURE: signed_counts(asdict(settings), rankings)[SIGNATURE],
        "changes": {
            criterion: [plain(of) for of in corrected_changes(changes)]
            for criterion, changes in found.items()
        },
    }


def keep(asked: Asked, data: Mapping[str, Any]) -> None:
    background_counts.keep(asked.study, WHAT, data, **_named(asked))


def _named(asked: Asked) -> dict[str, Any]:
    runs = sorted(run.pk for run in asked.runs)
    return {"settings": asdict(asked.settings), "runs": runs, "loss": LOSS}


def _changes(
    criterion: str,
    one: Tried,
    people: Mapping[str, Mapping[str, Ranking]],
    scores: _Scores,
    settings: Settings,
) -> ProtocolChanges:
    variants = one.variants
    if criterion == "recall":
        # Recall does not depend on the precision of finding nothing.
        variants = type(variants)(variants.weights, {}, variants.values)
    values = values_of(criterion, {image: scores[image] for image in people}, settings)
    return protocol_changes(one.run.name, people, values, variants, settings)


def _scored(study: Study, one: Tried, executor: Executor | None) -> _Scores:
    """Return the scores of the study's methods on its images, for every variant."""
    images = list(study.images.values_list("name", flat=True))
    scores: _Scores = {image: {name: {} for name in one.protocols} for image in images}
    try:
        for image, name, method, score in _each_score(study, one, executor):
            scores[image][name][method] = score.recall, score.precision
    except (ProtocolError, *BEYOND_COMPUTING) as fault:
        raise NotCompared(
            _("{name} cannot be scored in other ways: {fault}.").format(
                name=one.run.name, fault=fault
            )
        ) from fault
    return scores


def _each_score(
    study: Study, one: Tried, executor: Executor | None
) -> Iterator[tuple[str, str, str, ImageScore]]:
    """Yield image, variant, method and score."""
    methods = {method.name: method for method in study.methods.all()}
    if next(iter(one.protocols.values())).needs == "several methods":
        scenes = {name: list(_scenes(study, method)) for name, method in methods.items()}
        for name, protocol in one.protocols.items():
            for method, found in score_methods(protocol, scenes, executor).items():
                for scene, score in zip(scenes[method], found, strict=True):
                    yield scene.name, name, method, score
        return

    def chunks() -> Iterator[OneMethod]:
        for name, method in methods.items():
            yield from chunks_of_method(list(one.protocols.values()), name, _scenes(study, method))

    for chunk, of_protocols in answers(executor, chunks()):
        for name, found in zip(one.protocols, of_protocols, strict=True):
            for scene, score in zip(chunk.scenes, found, strict=True):
                yield scene.name, name, chunk.method, score


def _scenes(study: Study, method: Method) -> Iterator[Scene]:
    rows = Result.objects.filter(method=method, image__in=study.images.all())
    rows = rows.select_related("image").order_by("image__position", "image__pk")
    for result in rows.iterator(_ROWS_AT_ONCE):
        yield scene_of(result)
