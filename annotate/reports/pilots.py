"""Variation in a study's answers, to plan later studies: of images, people and the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings, values_of
from rankings.analysis.pair_report import comparable
from rankings.design.designs import Components
from rankings.design.pilots import Pilot, pilot

from . import cache
from .included import declared_clusters
from .pairs import visits_of
from .services import available_runs, protocol_scores, sentinels
from .snapshots import snapshot

# The source of the pilot data.
_OF_STUDY: Final = "“{study}”"


def pilot_of_study(
    study: Study,
    criterion: str,
    *,
    settings: Settings | None = None,
    runs: Sequence[ProtocolRun] | None = None,
) -> Pilot:
    """Return a study's variance components, or the demo's with the reason if data are too few.

    If there are both rankings and pairs, the rankings are used. Sentinels are excluded, because no
    study is planned to find that they are worse.
    """
    settings = settings or Settings()
    chosen = available_runs(study) if runs is None else runs
    name, key = f"pilot-{criterion}", cache.key_of(study, settings, chosen)
    kept = cache.get_part(name, key)
    if kept is not None:
        return _from_json(kept)
    with snapshot():
        # Read again: the key must match the data read.
        key = cache.key_of(study, settings, chosen)
        visits, scores = visits_of(study)[criterion], protocol_scores(study, chosen)
        declared = declared_clusters(study)
    unwanted = sentinels(chosen)
    protocols = [run.name for run in chosen if run.name not in unwanted]
    values = {
        image: {protocol: of_image[protocol] for protocol in protocols}
        for image, of_image in values_of(criterion, scores, settings).items()
    }
    usable = comparable(visits, values, protocols, settings.decimals)
    origin = _OF_STUDY.format(study=study)
    found = pilot(usable.visits, usable.rankings, protocols, origin=origin, declared=declared)
    cache.put_part(name, key, asdict(found))
    return found


def _from_json(data: Mapping[str, Any]) -> Pilot:
    return Pilot(
        {
            name: Components(**{**parts, "negative": tuple(parts["negative"])})
            for name, parts in data["components"].items()
        },
        data["origin"],
        tuple(data["remarks"]),
        tuple(data["differences"]),
    )
