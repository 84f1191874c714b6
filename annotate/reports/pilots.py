"""Variation in a study's answers, to plan later studies: of images, people and the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings, values_of
from rankings.analysis.pair_report import comparable
from rankings.design.designs import Components
from rankings.design.pilots import Pilot, pilot
from rankings.inference.clusters import Declared
from rankings.inference.pair_estimates import Visit

from .cache import Asked, computed
from .included import declared_clusters
from .inputs import ProtocolScores, protocol_scores
from .pairs import visits_of
from .services import available_runs, sentinels


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
    asked = Asked(study, settings, chosen)
    unwanted = sentinels(chosen)
    protocols = [run.name for run in chosen if run.name not in unwanted]

    def read() -> tuple[Sequence[Visit], ProtocolScores, Declared]:
        return (
            visits_of(study)[criterion],
            protocol_scores(study, chosen),
            declared_clusters(study),
        )

    def compute(inputs: tuple[Sequence[Visit], ProtocolScores, Declared]) -> dict[str, Any]:
        visits, scores, declared = inputs
        values = {
            image: {protocol: of_image[protocol] for protocol in protocols}
            for image, of_image in values_of(criterion, scores, settings).items()
        }
        usable = comparable(visits, values, protocols, settings.decimals)
        found = pilot(
            usable.visits, usable.rankings, protocols, origin=f"“{study}”", declared=declared
        )
        return asdict(found)

    return _from_json(computed(asked, (f"variation-{criterion}",), read, compute))


def _from_json(data: Mapping[str, Any]) -> Pilot:
    return Pilot(
        {
            name: Components(**{**parts, "negative": tuple(parts["negative"])})
            for name, parts in data["components"].items()
        },
        data["origin"],
        tuple(data["remarks"]),
        tuple(data["differences"]),
        data["methods"],
    )
