"""Readiness of a dataset: which protocols have their inputs, and why the others do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.core.cache import cache
from django.db.models import Count, Max, Q
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotate.datasets.mending import mended
from annotate.datasets.models import Dataset
from annotate.datasets.selectors import Holdings, holdings
from protocols import registry, score_versions
from protocols.core.fitting import lacking, lacking_in_results, needed_of_results


@dataclass(frozen=True)
class Unfit:
    """A protocol that cannot score a dataset, and the missing inputs."""

    slug: str
    name: str
    lacks: str


@dataclass(frozen=True)
class Use:
    """A possible use of a dataset; ``lacks`` is empty if the dataset is ready for it.

    ``without`` says which methods have no part in it.
    """

    name: str
    lacks: str
    without: str = ""


@dataclass(frozen=True)
class Readiness:
    """The protocols that fit a dataset, those that do not, and its other uses.

    Based on the regions of some images, drawn at random; scoring itself checks all.
    """

    fitting: Sequence[str]
    unfit: Sequence[Unfit]
    uses: Sequence[Use]
    n_images: int
    n_looked_at: int

    @property
    def proposed(self) -> list[str]:
        """One protocol of each kind."""
        return registry.one_of_each(self.fitting)


_DAY: Final = 24 * 3600
# Uses of a dataset, each with a protocol that has the same needs.
_USES = (
    (gettext_lazy("scores of detection"), "iou"),
    (gettext_lazy("average precision"), "average-precision"),
    (gettext_lazy("end to end, with what was read"), "cleval-end-to-end"),
    (gettext_lazy("tables and their cells"), "table-structure"),
)


def readiness(dataset: Dataset) -> Readiness:
    """Return the readiness of a dataset; computed again only after a load or an undo."""
    totals = list(dataset.methods.order_by("pk").values_list("pk", "totals"))
    if any(of_method is None for _, of_method in totals):
        return _readiness(dataset)  # the key would not show changed results
    images = dataset.images.aggregate(
        n=Count("pk"), photographs=Count("pk", filter=~Q(sha256="")), last=Max("pk")
    )
    state = sha256(
        repr(
            (totals, images, mended(dataset), score_versions.VERSION, *registry.PROTOCOLS)
        ).encode()
    ).hexdigest()
    key = f"readiness-{dataset.pk}-{state}-{get_language()}"
    found = cache.get(key)
    if not isinstance(found, Readiness):
        found = _readiness(dataset)
        cache.set(key, found, _DAY)
    return found


def _readiness(dataset: Dataset) -> Readiness:
    held = holdings(dataset)
    lacks = {slug: _lacks(slug, held) for slug in registry.PROTOCOLS}
    unfit = [Unfit(slug, registry.PROTOCOLS[slug].name, why) for slug, why in lacks.items() if why]
    return Readiness(
        [slug for slug, why in lacks.items() if not why],
        unfit,
        [
            Use(_("ranking by people"), lacks_for_ranking(held)),
            *(Use(str(name), lacks[slug], _partly(slug, held)) for name, slug in _USES),
        ],
        held.n_images,
        held.n_looked_at,
    )


def _lacks(slug: str, held: Holdings) -> str:
    if not held.methods:
        return _("no method has results")
    protocol = registry.get(slug)
    return lacking(protocol, held.truths, held.found, len(held.methods))


def _partly(slug: str, held: Holdings) -> str:
    """Return a sentence that names the methods which a protocol leaves out; empty if none."""
    protocol = registry.get(slug)
    without = [
        method.name
        for method in held.methods
        if lacking_in_results(protocol, held.found_by.get(method.pk, ()))
    ]
    if not without or len(without) == len(held.methods):
        return ""
    return _("without {methods}: {lacks}").format(
        methods=", ".join(without), lacks=needed_of_results(protocol)
    )


def lacks_for_ranking(held: Holdings) -> str:
    """Return what is missing for people to compare methods on these images; empty if nothing."""
    if len(held.methods) < 2:
        n = len(held.methods)
        if not n:
            return _("no method has results; people compare two")
        return _("one method has results; people compare two")
    without = held.n_images - held.n_photographs
    if without and not held.n_photographs:
        return _("no image has a photograph; people would see boxes alone")
    if without:
        return ngettext(
            "{n} of {all} images has no photograph",
            "{n} of {all} images have no photograph",
            without,
        ).format(n=without, all=held.n_images)
    return ""
