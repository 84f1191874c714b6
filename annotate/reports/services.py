"""A study's report: annotators' rankings compared with the rankings by protocols' scores."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_lazy

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.scoring.leaderboards import protocol_tallies
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.pseudonyms import give_pseudonyms
from protocols import registry
from rankings import __version__ as software_version
from rankings.agreement.report import Report, Settings, build_report, report_from_json
from rankings.analysis.analysis import analyse, plain
from rankings.consensus.rules import ConsensusMethod
from rankings.detectors.soft_accuracy import Options
from rankings.detectors.standings import detectors, preferences_alone
from rankings.detectors.tallies import Tallies
from rankings.inference.clusters import Declared
from rankings.output.detector_tables import DETECTOR_TABLES
from rankings.output.pair_tables import PAIR_TABLES
from rankings.output.verification import kept_inputs

from . import cache
from .cache import Asked, computed
from .errors import TooLarge
from .facts import Facts, facts_of
from .included import (
    declared_clusters,
    images_of,
    newest_runs,
)
from .inputs import (
    AnnotatorRankings,
    Inputs,
    NamedRankings,
    ProtocolScores,
    annotator_rankings,
    named_rankings,
    protocol_scores,
    read_inputs,
)
from .models import KeptReport, content_of
from .pairs import asks_pairs, pairs_from
from .provenance import whole
from .snapshots import snapshot

# Above this, the analysis takes too long for a page; a kept report has everything.
MAX_IMAGES_ANALYSED_AT_ONCE = 300
# Above this, pages do not even compute the tables, which take at most 2 s below it.
MAX_IMAGES_AT_ONCE = 2000

_TOO_LARGE: Final = gettext_lazy(
    "{study} has {n} images, and above {most} this is not computed while you wait. Keep a report: "
    "it is computed in the background, and has every table."
)


def usual_settings(study: Study) -> Settings:
    """Return the settings of a report before any change."""
    return Settings(min_annotators=study.min_annotators)


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


@dataclass(frozen=True)
class StudyReport(Facts):
    """A report, and the facts about its origin."""

    report: Report


def asked_now(study: Study, settings: Settings) -> Asked:
    """Ask for a report by the newest run of each protocol."""
    return Asked(study, settings, available_runs(study))


def study_report(asked: Asked, *, may_cache: bool = True) -> StudyReport:
    """Build the report of a study from its complete rankings and its protocols' scores.

    Inside a snapshot it may not be cached: even reading the cache deletes what has expired, which
    PostgreSQL refuses there.
    """

    def read() -> tuple[AnnotatorRankings, ProtocolScores]:
        return annotator_rankings(asked.study), protocol_scores(asked.study, asked.runs)

    if not may_cache or asked.study.study_images.count() > cache.MAX_IMAGES:
        with snapshot():
            inputs = read()
        report = build_report(*inputs, asked.settings)
    else:
        # An analysis that is cached has the tables too.
        names = ("analysis", "report")
        data = computed(asked, names, read, lambda of: build_report(*of, asked.settings).to_json())
        report = report_from_json(data)
    return StudyReport(**vars(facts_of(asked)), report=report)


def analysed_report(asked: Asked) -> tuple[StudyReport, Mapping[str, Any]]:
    """Return the report, and its analysis as :meth:`.Analysis.to_json` gives it."""
    data = computed(
        asked, ("analysis",), lambda: read_inputs(asked), lambda inputs: _analysed(inputs, asked)
    )
    return StudyReport(**vars(facts_of(asked)), report=report_from_json(data)), data


def detectors_report(asked: Asked) -> Mapping[str, Any]:
    """Return the standings of the detectors (:meth:`.Detectors.to_json`), cached if possible."""
    return computed(
        asked,
        ("detectors",),
        lambda: _of_detectors(asked),
        lambda read: _detectors(*read, asked.settings),
    )


def preferences_report(asked: Asked) -> Mapping[str, Any]:
    """Return people's preferences between the detectors, under the keys of :func:`detectors_report`."""

    def compute(read: tuple[NamedRankings, Tallies, Declared]) -> dict[str, Any]:
        rankings, tallies, declared = read
        options = _usual(asked.settings)
        found = preferences_alone(rankings, tallies, declared=declared, **options)
        return {"criteria": {name: {"preferences": plain(own)} for name, own in found.items()}}

    return computed(asked, ("detectors", "preferences"), lambda: _of_detectors(asked), compute)


def pairs_report(asked: Asked) -> Mapping[str, Any] | None:
    """Return the results of pairs (:func:`.pair_report`), or None if no pairs were asked."""
    study, runs = asked.study, asked.runs
    if not asks_pairs(study):
        return None
    return computed(
        asked,
        ("pairs",),
        lambda: pairs_from(study, protocol_scores(study, runs), asked.settings),
        lambda found: found,
    )


def report_with(table: str, asked: Asked) -> tuple[Facts, Mapping[str, Any]]:
    """Return the facts about a report, and the data that contain this table around the main one."""
    found: dict[str, Any] = {"settings": asdict(asked.settings)}
    if table in DETECTOR_TABLES:
        found["detectors"] = detectors_report(asked)
    elif table in PAIR_TABLES:
        found["pairs"] = pairs_report(asked)
    else:
        return analysed_report(asked)
    return facts_of(asked), found


def _tallies(asked: Asked) -> Tallies:
    study = asked.study
    return protocol_tallies(images_of(study), study.methods.all(), asked.runs)


def _of_detectors(asked: Asked) -> tuple[NamedRankings, Tallies, Declared]:
    return named_rankings(asked.study), _tallies(asked), declared_clusters(asked.study)


def _detectors(
    rankings: NamedRankings, tallies: Tallies, declared: Declared, settings: Settings
) -> dict[str, Any]:
    return detectors(rankings, tallies, declared=declared, **_usual(settings)).to_json()


def _usual(settings: Settings) -> dict[str, Any]:
    options = Options(beta=settings.beta, decimals=settings.decimals)
    return {"options": options, "min_annotators": settings.min_annotators}


def _analysed(inputs: Inputs, asked: Asked, executor: Executor | None = None) -> dict[str, Any]:
    settings = asked.settings
    others: list[ConsensusMethod] = ["kemeny" if settings.consensus != "kemeny" else "mean-rank"]
    analysis = analyse(
        inputs.rankings,
        inputs.scores,
        settings,
        sentinels=sentinels(asked.runs),
        other_consensuses=others,
        properties=inputs.properties,
        declared=inputs.declared,
        executor=executor,
    )
    return analysis.to_json()


# Later subjects add to computed reports: each reads in the snapshot, and returns what computes its
# part from the analysis as JSON.
PARTS: Final[list[Callable[[Asked, Inputs], Callable[[Mapping[str, Any]], dict[str, Any]]]]] = []


@dataclass(frozen=True)
class ComputedReport:
    """A report to be kept: its content, computed but not yet stored."""

    study: Study
    content: str


def compute_report(asked: Asked, executor: Executor | None = None) -> ComputedReport:
    """Compute a report with everything around it, by ``executor`` or in this process.

    All data are read in one snapshot, and annotators can answer meanwhile.
    """
    study, settings, runs = asked.study, asked.settings, asked.runs
    # The report contains pseudonyms, so they must not change later.
    give_pseudonyms(study)
    with snapshot():
        key = cache.key_of(asked)
        inputs, tallies = read_inputs(asked), _tallies(asked)
        pairs = pairs_from(study, inputs.scores, settings) if asks_pairs(study) else None
        origin = facts_of(asked).header
        parts = [read(asked, inputs) for read in PARTS]
    analysed = cache.get(key, "analysis") or _analysed(inputs, asked, executor)
    found = cache.get(key, "detectors") or _detectors(
        inputs.rankings, tallies, inputs.declared, settings
    )
    data = {**whole(origin, runs, sentinels(runs), analysed), "detectors": found}
    data["inputs"] = kept_inputs(inputs.rankings, inputs.scores, inputs.declared)
    if pairs is not None:
        data["pairs"] = pairs
    for compute in parts:
        data |= compute(analysed)
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
