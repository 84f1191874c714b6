"""Methods with exactly the results of another: most often one file under two names."""

from collections.abc import Mapping, Sequence

from annotate.datasets.models import Dataset, Result
from protocols.core.regions import Region
from protocols.diagnostics.same_results import digest_of, digest_of_shapes, same_as
from protocols.formats.problems import Problems


class KnownResults:
    """The results of a dataset and of a load by a digest of their shapes on every image."""

    def __init__(self, dataset: Dataset | None) -> None:
        self._dataset = dataset
        self._method_of: dict[str, str] = {}

    def warn(
        self, problems: Problems, method: str, by_image: Mapping[str, Sequence[Region]]
    ) -> None:
        """Report a method whose shapes are those of another on all of its images, if any has one."""
        n_boxes = sum(map(len, by_image.values()))
        if not n_boxes:
            return
        own = digest_of_shapes(by_image)
        other = self._method_of.setdefault(own, method)
        if other == method:
            other = self._stored(own, n_boxes, method) or method
        if other != method:
            problems.add(same_as(problems.archive, method, other))

    def _stored(self, digest: str, n_boxes: int, method: str) -> str | None:
        """Return another method of the dataset with these results; None if there is none."""
        if self._dataset is None:
            return None
        # The number of boxes, known without reading them, leaves few methods or none.
        alike = self._dataset.methods.filter(totals__boxes=n_boxes).exclude(name=method)
        for other in alike:
            rows = Result.objects.filter(method=other, n_regions__gt=0)
            if digest_of(rows.values_list("image__name", "sha256").iterator()) == digest:
                return other.name
        return None
