"""Signatures: one line that tells how a score was made, and that reads back into a run.

As in ``iou:art|min_iou:0.5|matching:best|truth:quad|results:quad|images:500|v:1|program:0.1.0``:
the protocol with its variant; the numbers and choices that it declares itself, and every other
parameter that differs from the published value; how truth and results were read; the number of
images; the version of the scores, and of the program. ``|`` and ``%`` inside a value are percent-encoded.
"""

import string
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from . import __version__, registry, score_versions
from .core.base import Protocol
from .core.errors import ProtocolError

# How data were read that were no file.
DATA: Final = "data"
_ENDS: Final = ("truth", "results", "images", "v")
_PROGRAM: Final = "program"
_PLAIN: Final = "".join(set(string.punctuation + " ") - set("|%"))
_SWITCH: Final[Mapping[str, object]] = {"true": True, "false": False}


class SignatureError(ProtocolError, ValueError):
    """A signature that cannot be read, or that is not of this run."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a score was made.

    ``truth`` and ``results`` are formats of files, with the options of reading after ``+``
    (``quad+stored``), or DATA. ``version`` is that of the scores, ``program`` the one that made
    them; empty in lines of before scores had a version of their own.
    """

    protocol: Protocol
    truth: str
    results: str
    n_images: int
    version: str
    program: str = ""

    def __str__(self) -> str:
        declared = filter(lambda of: _is_told(self.protocol, of), self.protocol.declared())
        parameters = [(of.name, _text(of, getattr(self.protocol, of.name))) for of in declared]
        ends = (self.truth, self.results, str(self.n_images), self.version)
        return _line(self.protocol.full_slug, parameters, ends, self.program)

    def require(self, n_images: int) -> None:
        """Raise SignatureError unless scores and number of images are those of a run."""
        if why := score_versions.why_other(self.protocol.slug, self.version):
            maker = f"program {self.program}" if self.program else "the program that made them"
            raise SignatureError(
                f"the signature is of scores of version {self.version}, which differ from those of "
                f"version {score_versions.VERSION} ({why}); score with {maker}, or name the protocol "
                "and its parameters in place of the signature"
            )
        if self.n_images != n_images:
            raise SignatureError(
                f"the signature is of {self.n_images} images, and the ground truth has {n_images}"
            )


def signature(protocol: Protocol, truth: str, results: str, n_images: int) -> str:
    """Return the signature of scores that this version makes.

    Parameters
    ----------
    protocol : Protocol
        As it scored, after ``settled_for``.
    truth, results : str
        How both were read.
    n_images : int

    Examples
    --------
    >>> signature(registry.get("popeval"), "quad", "quad", 500)[:40]
    'popeval|max_ignored_share:0.5|truth:quad'
    """
    version = score_versions.version_of(protocol.slug)
    return str(Signature(protocol, truth, results, n_images, version, __version__))


def signature_of_figures(
    name: str, settings: Mapping[str, object], truth: str, results: str, n_images: int
) -> str:
    """Return the signature of figures that no run of a protocol makes, such as COCO's own.

    Examples
    --------
    >>> signature_of_figures("coco", {"masks": False}, "coco", "coco", 2)[:36]
    'coco|masks:false|truth:coco|results:'
    """
    told = [
        (of, str(value).lower() if isinstance(value, bool) else str(value))
        for of, value in settings.items()
    ]
    ends = (truth, results, str(n_images), score_versions.VERSION)
    return _line(name, told, ends, __version__)


def read_signature(line: str) -> Signature:
    """Return what a signature says; ``str`` of it is the line again.

    Raises
    ------
    SignatureError
        If the line is no signature.
    UnknownProtocol, ParameterError
        If this version has no such protocol, variant, parameter or value.

    Examples
    --------
    >>> line = "iou:art|min_iou:0.7|truth:quad|results:csv|images:12|v:1|program:0.1.0"
    >>> found = read_signature(line)
    >>> found.protocol.min_iou, found.protocol.matching, found.results, found.n_images
    (0.7, 'best', 'csv', 12)
    """
    slug, *parts = line.strip().split("|")
    told = [(name, unquote(value)) for name, _, value in (part.partition(":") for part in parts)]
    program = told.pop()[1] if told and told[-1][0] == _PROGRAM else ""
    names = [name for name, _ in told]
    parameters, ends = told[: -len(_ENDS)], told[-len(_ENDS) :]
    if tuple(name for name, _ in ends) != _ENDS:
        raise SignatureError(
            f"{line!r} is no signature; expected protocol|parameter:value|…|"
            f"{'|'.join(f'{name}:…' for name in _ENDS)}"
        )
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SignatureError(f"the signature has {twice} twice")
    truth, results, n_images, version = (value for _, value in ends)
    if not (n_images.isascii() and n_images.isdecimal()):
        raise SignatureError(f"images must be a number in a signature, got {n_images!r}")
    declared = {of.name: of for of in registry.get(slug).declared()}
    values = {name: _value(declared.get(name), text) for name, text in parameters}
    return Signature(registry.get(slug, values), truth, results, int(n_images), version, program)


def _line(
    name: str, parameters: Iterable[tuple[str, str]], ends: tuple[str, ...], program: str
) -> str:
    told = [
        *parameters,
        *zip(_ENDS, ends, strict=True),
        *([(_PROGRAM, program)] if program else []),
    ]
    return "|".join([name, *(f"{key}:{quote(value, safe=_PLAIN)}" for key, value in told)])


def _is_told(protocol: Protocol, declared: Field[Any]) -> bool:
    is_own = not (isinstance(declared.default, bool) or declared.metadata.get("shared"))
    return is_own or getattr(protocol, declared.name) != declared.default


def _text(declared: Field[Any], value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    default: Any = declared.default
    # 1 and 1.0 are one value.
    return str(type(default)(value) if isinstance(default, int | float) else value)


def _value(declared: Field[Any] | None, text: str) -> Any:
    """Return a parameter's value; one that cannot be is left as it is, for the protocol to refuse."""
    default = declared and declared.default
    if isinstance(default, bool):
        return _SWITCH.get(text, text)
    if not isinstance(default, int | float):
        return text
    try:
        return type(default)(text)
    except ValueError:
        return text
