"""Result sets with exactly the shapes of another one: most often one file under two names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from protocols.core.regions import Region, canonical_bytes
from protocols.formats.problems import KEPT, Problem, quoted

ByImage = Mapping[str, Sequence[Region]]


def digest_of(rows: Iterable[tuple[str, str]]) -> str:
    """Return a digest of the names of images and the hashes of their shapes, in any order."""
    # Hashes are added, so that the rows of many images need not be sorted in memory.
    hashes = (sha256(repr(row).encode()).digest() for row in rows)
    return f"{sum(int.from_bytes(of) for of in hashes) % 2**256:064x}"


def digest_of_shapes(by_image: ByImage) -> str:
    """Return a digest of the shapes on all images that have some."""
    return digest_of(
        (image, sha256(canonical_bytes(regions)).hexdigest())
        for image, regions in by_image.items()
        if regions
    )


def same_as(archive: str, method: str, other: str) -> Problem:
    """Return the finding (F6) about a method whose shapes are those of another one."""
    found = f"the same boxes as {quoted(other)} on every image"
    expected = f"results of {quoted(method)}"
    return Problem("warning", "F6", archive, None, None, found, expected, action=KEPT)


class Repeats:
    """The result sets of a load so far, by their number of regions."""

    def __init__(self) -> None:
        self._seen: dict[int, list[tuple[str, Callable[[], ByImage]]]] = {}

    def told(self, archive: str, method: str, results: Callable[[], ByImage]) -> list[str]:
        """Return a sentence if an earlier result set has the same shapes, and remember this one.

        ``results`` returns its regions by image, also later on. Shapes are compared only where the
        numbers of regions are equal.
        """
        by_image = results()
        if not (n := sum(map(len, by_image.values()))):
            return []
        alike = self._seen.setdefault(n, [])
        own = digest_of_shapes(by_image) if alike else ""
        others = (name for name, of in alike if digest_of_shapes(of()) == own)
        other = next(others, None)
        alike.append((method, results))
        return [] if other is None else [str(same_as(archive, method, other))]
