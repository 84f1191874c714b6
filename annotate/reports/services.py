"""A study's report: annotators' rankings compared with the rankings by protocols' scores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy, gettext_noop

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import ImageQuerySet, Result
from annotate.recruiting.selectors import how_people_were_found
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.tallies import protocol_tallies
from annotate.studies.models import Study
from annotate.studies.pseudonyms import give_pseudonyms, pseudonyms
from protocols import registry
from rankings import __version__ as software_version
from rankings.agreement.report import Report, Settings, build_report, report_from_json
from rankings.analysis.analysis import analyse
from rankings.consensus.rules import ConsensusMethod
from rankings.detectors.soft_accuracy import Options
from rankings.detectors.standings import detectors
from rankings.detectors.tallies import Tallies
from rankings.elicitation.log import CRITERIA
from rankings.inference.clusters import Declared
from rankings.orders.buckets import Ranking
from rankings.output.detector_tables import DETECTOR_TABLES
from rankings.output.pair_tables import PAIR_TABLES
from rankings.output.skips import END
from rankings.tuning.slices import ImageProperty

from . import cache
from .errors import TooLarge
from .included import (
    counted_assignments,
    counted_visits,
    declared_clusters,
    images_of,
    known_answers,
    method_names,
    newest_runs,
    not_counted,
    people_left_out,
    protocols_left_out,
)
from .models import KeptReport, content_of
from .pairs import asks_pairs, pairs_from
from .properties import image_properties
from .provenance import described, whole
from .snapshots import snapshot

# criterion -> image -> one ranking per annotator
AnnotatorRankings = Mapping[str, Mapping[str, Sequence[Ranking]]]
# Above this, the analysis takes too long for a page; a kept report has everything.
MAX_IMAGES_ANALYSED_AT_ONCE = 300
# Above this, pages do not even compute the tables, which take at most 2 s below it.
MAX_IMAGES_AT_ONCE = 2000

# A caution about every fixed test in an open study.
STILL_OPEN: Final = gettext_noop(
    "still open: checking after every ten images and stopping at the first test below 5 % finds "
    "a difference between equal protocols in 22 % of studies, so fix the end date in advance"
)
_TOO_LARGE: Final = gettext_lazy(
    "{study} has {n} images, and above {most} this is not computed while you wait. Keep a report: "
    "it is computed in the background, and has every table."
)
# Names of the facts about a report's origin, stored in English.
_STUDY: Final = gettext_noop("study")
_DATASET: Final = gettext_noop("dataset")
_DATE: Final = gettext_noop("date")
_SOFTWARE: Final = gettext_noop("software")
_METHODS: Final = gettext_noop("methods")
_PROTOCOLS: Final = gettext_noop("protocols")
_NONE: Final = gettext_noop("none")
_LIST: Final = gettext_noop("; ")
_ANNOTATORS: Final = gettext_noop("annotators")
_RANKINGS: Final = gettext_noop("complete rankings")
_VISITS: Final = gettext_noop("visits with drawn methods")
_IMAGES: Final = gettext_noop("images of the study")
_STATE: Final = gettext_noop("state")
_ORIGIN: Final = gettext_noop("origin of the answers")
_ELSEWHERE: Final = gettext_noop(
    "collected elsewhere and loaded; how pairs were chosen is not known, and they count as drawn at "
    "random"
)
_END_RULES: Final[Mapping[str, str]] = {
    Study.EndRule.BUDGET: gettext_noop("the budget of answers was used up"),
    Study.EndRule.DECIDED: gettext_noop("planned looks had decided every pair of protocols"),
}
_FOUND: Final = gettext_noop("people who came by a link")
_NOT_COMPARED: Final = gettext_noop("protocols left out")
_LEFT_OUT: Final = gettext_noop("annotators left out")
_KNOWN: Final = gettext_noop("known-answer pairs")

# criterion -> image -> pseudonym -> ranking
NamedRankings = Mapping[str, Mapping[str, Mapping[str, Ranking]]]
# image -> protocol -> method -> (recall, precision)
ProtocolScores = Mapping[str, Mapping[str, Mapping[str, tuple[float | None, float | None]]]]


@dataclass(frozen=True)
class StudyReport:
    """The report, and what a reader needs to assess and reproduce it."""

    study: Study
    runs: Sequence[ProtocolRun]
    settings: Settings
    report: Report
    created: datetime
    n_images: int
    n_rankings: int
    n_annotators: int
    n_visits: int = 0
    found: Sequence[str] = ()
    protocols_left_out: Sequence[str] = ()
    people_left_out: Sequence[str] = ()
    known_answers: Sequence[str] = ()
    not_counted: Mapping[str, str] = field(default_factory=dict)

    @property
    def header(self) -> dict[str, str]:
        """The facts about the report's origin that every export contains."""
        return {
            _STUDY: self.study.name,
            _DATASET: self.study.dataset.name,
            _DATE: f"{self.created:%Y-%m-%d}",
            _SOFTWARE: f"text-detection-rankings {software_version}",
            _METHODS: ", ".join(method_names(self.study)),
            _PROTOCOLS: _LIST.join(map(described, self.runs)) or _NONE,
            **({_NOT_COMPARED: _LIST.join(left)} if (left := self.protocols_left_out) else {}),
            _ANNOTATORS: str(self.n_annotators),
            _RANKINGS: str(self.n_rankings),
            **({_VISITS: str(self.n_visits)} if self.n_visits else {}),
            _IMAGES: str(self.n_images),
            **({_ORIGIN: _ELSEWHERE} if self.study.is_external else {}),
            **({_STATE: STILL_OPEN} if self.study.state == Study.State.OPEN else {}),
            **({END: _END_RULES[self.study.ends_by]} if self.study.ended else {}),
            **({_FOUND: _LIST.join(found)} if (found := self.found) else {}),
            **({_LEFT_OUT: _LIST.join(left)} if (left := self.people_left_out) else {}),
            **({_KNOWN: _LIST.join(known)} if (known := self.known_answers) else {}),
            **self.not_counted,
        }


def available_runs(study: Study) -> list[ProtocolRun]:
    """Return the newest run of each protocol that could score every method of the study."""
    return [run for run, left in newest_runs(study) if not left]


def require_small(study: Study, max_images: int | None = None) -> None:
    """Raise TooLarge if a study's report would take too long for a page.

    ``max_images`` replaces MAX_IMAGES_AT_ONCE, for results that take longer than the tables.
    """
    n_images = study.study_images.count()
    most = MAX_IMAGES_AT_ONCE if max_images is None else max_images
    if n_images > most:
        raise TooLarge(_TOO_LARGE.format(study=study, n=n_images, most=most))


def require_small_for(table: str, study: Study) -> None:
    """Raise TooLarge if this table would take too long; tables of pairs have a higher limit."""
    require_small(study, None if table in PAIR_TABLES else MAX_IMAGES_ANALYSED_AT_ONCE)


def study_report(
    *,
    study: Study,
    settings: Settings,
    runs: Sequence[ProtocolRun] | None = None,
    may_cache: bool = True,
) -> StudyReport:
    """Build the report of a study from its complete rankings and its protocols' scores.

    Without ``runs``, the newest run of each protocol is used. Inside a snapshot it may not be
    cached: even reading the cache deletes what has expired, which PostgreSQL refuses there.
    """
    runs = available_runs(study) if runs is None else list(runs)
    if not may_cache or study.study_images.count() > cache.MAX_IMAGES:
        with snapshot():
            rankings, scores = annotator_rankings(study), protocol_scores(study, runs)
        report = build_report(rankings, scores, settings)
    else:
        report = report_from_json(_data(study, settings, runs, analysed=False))
    return report_of(study=study, settings=settings, runs=runs, report=report)


def analysed_report(
    *, study: Study, settings: Settings, runs: Sequence[ProtocolRun]
) -> tuple[StudyReport, Mapping[str, Any]]:
    """Return the report, and its analysis as :meth:`.Analysis.to_json` gives it."""
    runs = list(runs)
    data = _data(study, settings, runs, analysed=True)
    return report_of(study=study, settings=settings, runs=runs, report=report_from_json(data)), data


def _data(
    study: Study, settings: Settings, runs: Sequence[ProtocolRun], *, analysed: bool
) -> dict[str, Any]:
    """Return a report as data, from the cache if possible; a new one is cached."""
    data = cache.get(cache.key_of(study, settings, runs), analysed=analysed)
    if data is None:
        with snapshot():
            # Read again: the key must match the data read.
            key = cache.key_of(study, settings, runs)
            rankings, scores = named_rankings(study), protocol_scores(study, runs)
            properties = image_properties(study) if analysed else []
            declared = declared_clusters(study)
        # Cached in English for readers of every language.
        with translation.override("en"):
            if analysed:
                data = _analysed(rankings, scores, properties, settings, runs, declared)
            else:
                data = build_report(_unnamed(rankings), scores, settings).to_json()
        cache.put(key, data)
    return data


def detectors_report(
    *, study: Study, settings: Settings, runs: Sequence[ProtocolRun]
) -> Mapping[str, Any]:
    """Return the standings of the detectors (:meth:`.Detectors.to_json`), cached if possible."""
    name, key = "detectors", cache.key_of(study, settings, runs)
    data = cache.get_part(name, key)
    if data is None:
        with snapshot():
            key = cache.key_of(study, settings, runs)
            rankings = named_rankings(study)
            tallies = protocol_tallies(images_of(study), study.methods.all(), runs)
        data = _detectors(rankings, tallies, settings)
        cache.put_part(name, key, data)
    return data


def report_with(
    table: str, *, study: Study, settings: Settings, runs: Sequence[ProtocolRun]
) -> tuple[StudyReport, Mapping[str, Any]]:
    """Return a report, and the data that contain this table around Best / Worst / Score."""
    asked: dict[str, Any] = {"study": study, "settings": settings, "runs": runs}
    found: dict[str, Any] = {"settings": asdict(settings)}
    if table in DETECTOR_TABLES:
        found["detectors"] = detectors_report(**asked)
    elif table in PAIR_TABLES:
        found["pairs"] = pairs_report(**asked)
    else:
        return analysed_report(**asked)
    return report_of(**asked, report=Report(settings, {})), found


def pairs_report(
    *, study: Study, settings: Settings, runs: Sequence[ProtocolRun]
) -> dict[str, Any] | None:
    """Return the results of pairs (:func:`.pair_report`), or None if no pairs were asked."""
    if not asks_pairs(study):
        return None
    name, key = "pairs", cache.key_of(study, settings, runs)
    data = cache.get_part(name, key)
    if data is None:
        with snapshot():
            key = cache.key_of(study, settings, runs)
            data = pairs_from(study, protocol_scores(study, runs), settings)
        cache.put_part(name, key, data)
    return data


def _detectors(rankings: NamedRankings, tallies: Tallies, settings: Settings) -> dict[str, Any]:
    options = Options(beta=settings.beta, decimals=settings.decimals)
    return detectors(rankings, tallies, options, min_annotators=settings.min_annotators).to_json()


def _analysed(
    rankings: NamedRankings,
    scores: ProtocolScores,
    properties: Sequence[ImageProperty],
    settings: Settings,
    runs: Sequence[ProtocolRun],
    declared: Declared,
    executor: Executor | None = None,
) -> dict[str, Any]:
    others: list[ConsensusMethod] = ["kemeny" if settings.consensus != "kemeny" else "mean-rank"]
    analysis = analyse(
        rankings,
        scores,
        settings,
        sentinels=sentinels(runs),
        other_consensuses=others,
        properties=properties,
        declared=declared,
        executor=executor,
    )
    return analysis.to_json()


def report_of(
    *, study: Study, settings: Settings, runs: Sequence[ProtocolRun], report: Report
) -> StudyReport:
    """Return a report with its inputs: counts, and excluded annotators."""
    counted, complete = counted_visits(study), counted_assignments(study)
    return StudyReport(
        study=study,
        runs=runs,
        settings=settings,
        report=report,
        created=timezone.now(),
        n_images=study.study_images.count(),
        n_rankings=complete.count(),
        n_visits=counted.filter(drawn__isnull=False).count(),
        n_annotators=counted.values("annotator").distinct().count(),
        found=how_people_were_found(study),
        protocols_left_out=protocols_left_out(study),
        people_left_out=people_left_out(study),
        known_answers=known_answers(study),
        not_counted=not_counted(study),
    )


@dataclass(frozen=True)
class ComputedReport:
    """A report to be kept: its content, computed but not yet stored."""

    study: Study
    content: str


def compute_report(
    *,
    study: Study,
    settings: Settings,
    runs: Sequence[ProtocolRun],
    executor: Executor | None = None,
) -> ComputedReport:
    """Compute a report with everything around it, by ``executor`` or in this process.

    All data are read in one snapshot, and annotators can answer meanwhile.
    """
    # The report contains pseudonyms, so they must not change later.
    give_pseudonyms(study)
    with snapshot():
        key = cache.key_of(study, settings, runs)
        rankings, scores = named_rankings(study), protocol_scores(study, runs)
        properties, declared = image_properties(study), declared_clusters(study)
        tallies = protocol_tallies(images_of(study), study.methods.all(), runs)
        pairs = pairs_from(study, scores, settings) if asks_pairs(study) else None
        origin = report_of(
            study=study, settings=settings, runs=runs, report=Report(settings, {})
        ).header
    analysed = cache.get(key, analysed=True)
    if analysed is None:
        analysed = _analysed(rankings, scores, properties, settings, runs, declared, executor)
    found = cache.get_part("detectors", key) or _detectors(rankings, tallies, settings)
    data = {**whole(origin, runs, sentinels(runs), analysed), "detectors": found}
    if pairs is not None:
        data["pairs"] = pairs
    return ComputedReport(study, content_of(data))


@transaction.atomic
def publish_report(computed: ComputedReport, person: User | None) -> KeptReport:
    """Store a computed report permanently."""
    kept = KeptReport.objects.create(
        study=computed.study,
        content=computed.content,
        checksum=sha256(computed.content.encode()).hexdigest(),
        software_version=software_version,
        created_by=person,
    )
    record(Act.REPORT_KEPT, study=computed.study, actor=person, what=str(kept))
    return kept


def sentinels(runs: Sequence[ProtocolRun]) -> list[str]:
    """Return the names of the runs whose protocols ignore the ground truth."""
    return [run.name for run in runs if registry.is_sentinel(run.protocol)]


def annotator_rankings(study: Study) -> AnnotatorRankings:
    """Return each image's complete rankings by method name, annotators in a fixed order.

    Images without a ranking are included, so that a report can list them as left out.
    """
    return _unnamed(_rankings(study, str, images_of(study)))


def _unnamed(rankings: NamedRankings) -> AnnotatorRankings:
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
