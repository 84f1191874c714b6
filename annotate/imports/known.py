"""Data that the files of a load are checked against: those of the dataset and of the load itself."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset, Result
from annotate.datasets.selectors import truths_of
from annotate.names import address_of
from protocols.core.regions import Region, decode_regions
from protocols.diagnostics.empty_results import images_with_text
from protocols.diagnostics.inspection import Against
from protocols.diagnostics.same_results import digest_of, digest_of_shapes, same_as
from protocols.formats.containers.frames import PictureSize, turned_images
from protocols.formats.problems import Problems, quoted
from protocols.loading.looking import Truth, shape_of
from text_rankings.base.names import look


@dataclass
class Known:
    """Images, methods and results of the dataset, and of the files of the load that were checked."""

    truth: Truth = field(default_factory=Truth)
    dataset: Dataset | None = None
    # For each method, the images with a result; None: all images.
    evaluated: dict[str, Collection[str] | None] = field(default_factory=dict)
    # The names of methods by their look, and by a digest of their shapes on every image.
    by_look: dict[str, str] = field(default_factory=dict)
    by_shapes: dict[str, str] = field(default_factory=dict)

    @property
    def images(self) -> Collection[str]:
        return self.truth.images

    @classmethod
    def of(cls, dataset: Dataset | None, *, with_results: bool) -> "Known":
        if dataset is None:
            return cls()
        sizes: dict[str, PictureSize | None] = {}

        def truths() -> Iterator[tuple[str, Sequence[Region]]]:
            fields = ("name", "width", "height", "orientation", "truth")
            rows = dataset.images.in_order().values_list(*fields)
            for name, width, height, turn, truth in rows.iterator(chunk_size=500):
                sizes[name] = PictureSize(width, height, turn) if width and height else None
                yield name, decode_regions(truth)

        with_text = images_with_text(truths())
        against = Against.of(list(sizes), partial(truths_of, dataset), turned_images(sizes))
        shape = shape_of(dataset.read_as.partition("+")[0], dataset.line_format)
        truth = Truth(sizes, against=against, with_text=with_text, shape=shape)
        known = cls(replace(truth, photographs=truth.sizes), dataset)
        for method in dataset.methods.all():
            known.by_look[look(method.name)] = method.name
            if with_results:
                of_method = Result.objects.filter(method=method)
                names = set(of_method.values_list("image__name", flat=True).iterator())
                known.evaluated[method.name] = None if len(names) == len(sizes) else names
        return known

    def warn_of_looks(self, problems: Problems, methods: Iterable[str]) -> None:
        """Report new methods that look like others; equal slugs mean the same method."""
        for method in methods:
            other = self.by_look.setdefault(look(method), method)
            if address_of(other) != address_of(method):
                found = _("the method {method}, which looks like {other}").format(
                    method=quoted(method), other=quoted(other)
                )
                action = _("loaded as another method")
                problems.warning("N5", found, _("distinct names"), action=action)

    def warn_of_same(
        self, problems: Problems, method: str, by_image: Mapping[str, Sequence[Region]]
    ) -> None:
        """Report a method whose shapes are those of another on all of its images, if any has one."""
        n_boxes = sum(map(len, by_image.values()))
        if not n_boxes:
            return
        own = digest_of_shapes(by_image)
        other = self.by_shapes.setdefault(own, method)
        if other == method:
            other = self._stored(own, n_boxes, method) or method
        if other != method:
            problems.add(same_as(problems.archive, method, other))

    def _stored(self, digest: str, n_boxes: int, method: str) -> str | None:
        """Return another method of the dataset with these results; None if there is none."""
        if self.dataset is None:
            return None
        # The number of boxes, known without reading them, leaves few methods or none.
        alike = self.dataset.methods.filter(totals__boxes=n_boxes).exclude(name=method)
        for other in alike:
            rows = Result.objects.filter(method=other, n_regions__gt=0)
            if digest_of(rows.values_list("image__name", "sha256").iterator()) == digest:
                return other.name
        return None
