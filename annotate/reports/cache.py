"""Cache of reports and their parts in the database, valid while their inputs are unchanged."""

import json
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from django.core.cache import caches
from django.db.models import Count, Max, Q

from annotate.judging.models import Assignment
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings import __version__ as software_version
from rankings.agreement.report import Settings

from .included import declared_clusters

# Larger reports take longer to store than to build, and do not belong in a database table.
MAX_IMAGES: Final = 3000
_MAX_BYTES: Final = 2_000_000
# Version of the data's keys: increase it when reports get new ones.
_FORM: Final = 8


def version_of(study: Study, runs: Sequence[ProtocolRun]) -> str:
    """Return a fingerprint of all inputs of a report, in a few queries.

    Rankings change only when an assignment is finished, reopened or erased, or a method joins or
    leaves; runs are complete when they appear, and lose scores only with a method's results.
    """
    parts = (
        (software_version, _FORM),
        (study.pk, study.created),
        sorted(
            study.assignments.aggregate(
                n=Count("pk"),
                complete=Count("pk", filter=Q(state=Assignment.State.COMPLETE)),
                incomplete=Count("pk", filter=Q(state=Assignment.State.INCOMPLETE)),
                finished=Max("finished"),
                newest=Max("pk"),
            ).items()
        ),
        sorted(study.exclusions.aggregate(n=Count("pk"), newest=Max("pk")).items()),
        sorted(study.study_images.aggregate(n=Count("pk"), newest=Max("pk")).items()),
        sorted(study.methods.values_list("pk", "name")),
        sorted(pseudonyms(study).items()),
        declared_clusters(study),
        [(run.pk, run.name, run.created, run.n_scores) for run in runs],
    )
    return sha256(repr(parts).encode()).hexdigest()


def key_of(study: Study, settings: Settings, runs: Sequence[ProtocolRun]) -> str:
    """Return the key of a report with these settings and runs, of the study as it is now."""
    return sha256(f"{version_of(study, runs)} {settings!r}".encode()).hexdigest()


def get(key: str, *, analysed: bool) -> dict[str, Any] | None:
    """Return a cached report as JSON-able data, or None; an analysed one serves both uses."""
    names = [f"analysis-{key}", *([] if analysed else [f"report-{key}"])]
    kept = caches["reports"].get_many(names)
    for name in names:
        if name in kept:
            return _read(kept[name])
    return None


def put(key: str, data: Mapping[str, Any]) -> None:
    """Cache a report unless it is too large."""
    put_part("analysis" if "analysis" in data else "report", key, data)


def get_part(name: str, key: str) -> dict[str, Any] | None:
    """Return the cached part of a report under this name."""
    kept = caches["reports"].get(f"{name}-{key}")
    return None if kept is None else _read(kept)


def _read(content: bytes) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(zlib.decompress(content))
    return data


def put_part(name: str, key: str, data: Mapping[str, Any]) -> None:
    """Cache data, as bytes so that nothing else is ever unpickled, unless it is too large."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    content = zlib.compress(text.encode(), 1)
    if len(content) <= _MAX_BYTES:
        caches["reports"].set(f"{name}-{key}", content)
