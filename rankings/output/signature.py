"""Signatures of reports: one line that tells how distances to people were made."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .. import __version__
from ..agreement.settings import as_text

# The entry of a header that has the line.
SIGNATURE: Final = "signature"
# Entries of a header that the line repeats.
ANNOTATORS: Final = "annotators"
IMAGES: Final = "images of the study"
SOFTWARE: Final = "software"
# It goes up when a number of a table may change (tests/test_stored_numbers.py). 2: where not everybody ranks
# every image, the degrees of freedom of the annotators' mean square. 3: limits of a loss are within 100.
TABLES_VERSION: Final = "3"


def report_signature(settings: Mapping[str, Any], header: Mapping[str, str]) -> str:
    """Return the signature of a report: settings, amount of data, version of the tables, and program.

    Parameters
    ----------
    settings : mapping of str to value
        Those of :class:`.Settings`, or some of them.
    header : mapping of str to str
        Where the numbers come from; what it does not have is left out of the line.

    Examples
    --------
    >>> header = {"annotators": "3", "images of the study": "12", "software": "text 0.1.0"}
    >>> report_signature({"distance": "edit", "consensus": "mean-rank", "beta": 1.0}, header)
    'report|distance:edit|consensus:mean-rank|beta:1|annotators:3|images:12|v:3|program:0.1.0'
    """
    known = {"annotators": ANNOTATORS, "images": IMAGES}
    told = {name: as_text(value) for name, value in settings.items()}
    told |= {name: header[entry] for name, entry in known.items() if entry in header}
    told["v"] = TABLES_VERSION
    told["program"] = header.get(SOFTWARE, __version__).rpartition(" ")[2]
    return "|".join(["report", *(f"{name}:{value}" for name, value in told.items())])


def signed_counts(
    settings: Mapping[str, Any], rankings: Mapping[str, Mapping[str, Iterable[Any]]]
) -> dict[str, str]:
    """Return the number of annotators and images as a header, with the signature.

    Parameters
    ----------
    settings : mapping of str to value
    rankings : criterion -> image -> annotators

    Examples
    --------
    >>> signed_counts({"beta": 2.0}, {"recall": {"img_1": {"ann", "ben"}}})["annotators"]
    '2'
    """
    of_images = [(image, people) for own in rankings.values() for image, people in own.items()]
    header = {
        ANNOTATORS: str(len({person for _, people in of_images for person in people})),
        IMAGES: str(len({image for image, _ in of_images})),
    }
    return {**header, SIGNATURE: report_signature(settings, header)}
