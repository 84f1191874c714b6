"""Cache of reports and their parts in the database, valid while their inputs are unchanged."""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, TypeVar

from django.conf import settings
from django.core.cache import caches
from django.db.models import Count, Max, Q
from django.utils import translation

from annotate.judging.models import Assignment
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from rankings.agreement.report import Settings

from .included import declared_clusters
from .snapshots import snapshot

# Larger reports take longer to store than to build, and do not belong in a database table.
MAX_IMAGES: Final = 3000
_MAX_BYTES: Final = 2_000_000
# Version of the data's keys: increase it when reports get new ones.
_FORM: Final = 10
Read = TypeVar("Read")


@dataclass(frozen=True)
class Asked:
    """A report that is asked for: made once for a request or a job, and handed on."""

    study: Study
    settings: Settings
    runs: Sequence[ProtocolRun]


def version_of(study: Study, runs: Sequence[ProtocolRun]) -> str:
    """Return a fingerprint of all inputs of a report, in a few queries.

    Rankings change only when an assignment is finished, reopened or erased, or a method joins or
    leaves; runs are complete when they appear, and lose scores only with a method's results.
    """
    parts = (
        (settings.PROGRAM, _FORM),
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


def key_of(asked: Asked) -> str:
    """Return the key of a report of the study as it is now."""
    version = version_of(asked.study, asked.runs)
    return sha256(f"{version} {asked.settings!r}".encode()).hexdigest()


def computed(
    asked: Asked,
    names: Sequence[str],
    read: Callable[[], Read],
    compute: Callable[[Read], Mapping[str, Any]],
) -> Mapping[str, Any]:
    """Return cached data, or read their inputs in one snapshot, compute and cache them.

    Data under any of the names will do; new data are cached under the last. They are computed in
    English for readers of every language, after the snapshot has ended.
    """
    data = get(key_of(asked), *names)
    if data is not None:
        return data
    with snapshot():
        # Read again: the key must match the data read.
        key = key_of(asked)
        inputs = read()
    with translation.override("en"):
        new = compute(inputs)
    _put(f"{names[-1]}-{key}", new)
    return new


def get(key: str, *names: str) -> dict[str, Any] | None:
    """Return the data that are cached under the first possible of the names, or None."""
    kept = caches["reports"].get_many([f"{name}-{key}" for name in names])
    found = next((kept[f"{name}-{key}"] for name in names if f"{name}-{key}" in kept), None)
    return None if found is None else json.loads(zlib.decompress(found))


def _put(name: str, data: Mapping[str, Any]) -> None:
    """Cache data, as bytes so that nothing else is ever unpickled, unless it is too large."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    content = zlib.compress(text.encode(), 1)
    if len(content) <= _MAX_BYTES:
        caches["reports"].set(name, content)
