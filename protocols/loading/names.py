"""Names of result sets under those of the ground truth, by the rule of all doors."""

from collections.abc import Collection
from dataclasses import replace

from ..core.errors import ProtocolError
from ..formats.containers.checking import unknown_images, with_known_names
from ..formats.containers.contents import Archive


def with_names_of(
    known: Collection[str], results: Archive, refusal: type[ProtocolError]
) -> Archive:
    """Return results under the names of known images, with a warning (N2) if they had others.

    Raises ``refusal`` for an image that is not known.
    """
    named, noticed = with_known_names(results, known)
    unknown = unknown_images(named, known)
    if unknown.found:
        raise refusal(str(unknown.found[0]))
    return replace(named, problems=(*named.problems, *noticed))
