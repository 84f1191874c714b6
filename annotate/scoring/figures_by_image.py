"""A method's figures by a run, or its losses by a cause, on each image; kept until they change."""

from collections.abc import Mapping
from typing import Any, Final
from zlib import crc32

from django.conf import settings
from django.core.cache import caches
from django.db.models import F
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from annotate.datasets.models import Method
from protocols.core.causes import CAUSES
from rankings.detectors.worst_images import Figures

from .leaderboards import FIGURES
from .models import ImageLoss, ProtocolRun, Score

# The credit and its divisor that a figure adds up over images.
_CREDITS = {"recall": ("recalled", "n_truth"), "precision": ("precise", "n_detections")}
_WEEK: Final = 7 * 24 * 3600


def keep_first(run: ProtocolRun) -> None:
    """Keep what the error browser, and A against B, show of a run before a choice: two methods."""
    run.refresh_from_db()
    for method in run.dataset.methods.all()[:2]:
        figures(run, method, FIGURES[0])


def figures(run: ProtocolRun, method: Method, name: str) -> Figures:
    figure = F(name)
    lost: Combinable = 1.0 - figure
    if name in _CREDITS:
        credit, divisor = _CREDITS[name]
        lost = Coalesce(F(divisor) - F(credit), lost)
    rows = Score.objects.filter(run=run, result__method=method)
    return _kept(run, method, name, run.overall, rows.values_list("result__image", figure, lost))


def losses(run: ProtocolRun, method: Method, cause: str) -> Figures:
    rows = ImageLoss.objects.filter(run=run, cause=cause, method=method)
    what = f"{CAUSES.index(cause)}"
    lost = rows.values_list("result__image", "loss", "loss")
    return _kept(run, method, what, run.losses or {}, lost)


def _kept(
    run: ProtocolRun, method: Method, what: str, sums: Mapping[str, Any], rows: Any
) -> Figures:
    """Return the figures of rows (image, figure, lost); read again only if the run's sums have changed.

    Sorting a method's scores, or comparing those of two, takes PostgreSQL seconds at 100,000 images.
    They are kept as bytes, so that nothing else is ever unpickled, and up to 2 MB each, where large
    entries are few and cannot evict limits.
    """
    cache = caches["drawings"]
    state = crc32(repr((settings.PROGRAM, run.n_scores, sums.get(method.name))).encode())
    key = f"worst-{run.pk}-{state}-{method.pk}-{what}"
    content: bytes | None = cache.get(key)
    if content is not None:
        return Figures.unpacked(content)
    found = Figures.of_rows(rows.iterator())
    cache.set(key, found.packed(), _WEEK)
    return found
