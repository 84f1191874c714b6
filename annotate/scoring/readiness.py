"""Readiness of a dataset: which protocols have their inputs, and why the others do not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotate.datasets.mending import mended
from annotate.datasets.models import Dataset
from annotate.datasets.selectors import (
    Holdings,
    holdings,
    results_on,
    said_of_same_photographs,
    some_images,
    truths_of,
)
from protocols import registry, score_versions
from protocols.core.fitting import Held, lacking, lacking_in_results, needed_of_results
from protocols.diagnostics.inspection import one_sided_fields
from protocols.diagnostics.levels import outlines_against_texts, words_against_lines
from protocols.diagnostics.truths import impossible
from protocols.formats.containers.contents import Archive, LineFormat


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
    n_photographs: int
    n_looked_at: int
    # Oddities of the data, as sentences.
    oddities: Sequence[str] = ()

    @property
    def proposed(self) -> list[str]:
        """One protocol of each kind."""
        return registry.one_of_each(self.fitting)


_DAY: Final = 24 * 3600
# Images and methods whose regions are looked at for oddities.
_MAX_IMAGES: Final = 60
_MAX_METHODS: Final = 10
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
    # Both from an index.
    images = dataset.images.aggregate(n=Count("pk"), last=Max("pk"))
    without = dataset.images.filter(sha256="").count()
    state = sha256(
        repr(
            (totals, images, without, mended(dataset), score_versions.VERSION, *registry.PROTOCOLS)
        ).encode()
    ).hexdigest()
    key = f"ready-{dataset.pk}-{state}-{get_language()}"
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
        held.n_photographs,
        held.n_looked_at,
        list(_oddities(dataset, held.n_images)),
    )


def _oddities(dataset: Dataset, n_images: int) -> Iterator[str]:
    """Yield what a curator would ask about the data, as a load does, on some of the images."""
    if same := said_of_same_photographs(dataset.images.all()):
        yield same
    names = list(some_images(dataset, n_images, _MAX_IMAGES).values_list("name", flat=True))
    truth = truths_of(dataset, names)
    regions = [region for of in truth.values() for region in of]
    archive = Archive(dataset.name, LineFormat.QUAD, truth, (), {})
    found = [*impossible(archive), *outlines_against_texts(archive)]
    for method, results in results_on(dataset, names, _MAX_METHODS).items():
        own = [region for of in results.values() for region in of]
        compared = {name: of for name, of in truth.items() if name in results}
        found += one_sided_fields(method, Held.of(regions, own))
        found += words_against_lines(replace(archive, name=method), compared, results)
    yield from map(str, found)


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
