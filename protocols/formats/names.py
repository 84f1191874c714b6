"""Names of images and methods, the same in the shell, in Python and on the site."""

import re
from collections.abc import Collection, Iterable
from pathlib import PurePath
from typing import Final

from .problems import Nearest

MAX_METHOD: Final = 120
_SHARED: Final = "res|results?|det|detections?|submit|submission"
_PREFIXES: Final = re.compile(rf"\A(?:{_SHARED})[\s_.-]+", re.IGNORECASE)
_SUFFIXES: Final = re.compile(rf"[\s_.-]+(?:{_SHARED})\Z", re.IGNORECASE)
_EXTENSIONS: Final = re.compile(
    r"(?:\.(?:zip|jsonl?|csv|xml|txt|tsv|box|gt|hocr|html?))+\Z", re.IGNORECASE
)


def method_name(file: str) -> str:
    """Return the method of a file of results: its name without usual prefixes and suffixes.

    Parameters
    ----------
    file : str
        A name or a path.

    Returns
    -------
    str
        At most 120 characters. The stem of the file if nothing else is left.

    Examples
    --------
    >>> method_name("beta_det.zip"), method_name("runs/res_east.json"), method_name("det.zip")
    ('beta', 'east', 'det')
    """
    path = PurePath(file.replace("\\", "/"))
    stem = _EXTENSIONS.sub("", path.name)
    for pattern in (_PREFIXES, _SUFFIXES):
        stem = pattern.sub("", stem)
    stem = stem.strip(" _.-")[:MAX_METHOD]
    return stem if stem and stem.isprintable() else path.stem[:MAX_METHOD]


def fitted_names(names: Iterable[str], known: Collection[str]) -> dict[str, str] | None:
    """Return the known image of each name if each fits exactly one, and no two fit the same.

    A name fits if it differs in capitals, punctuation and usual prefixes and suffixes only
    (RES_IMG_1, img_1.jpg), or has the numbers of exactly one image (1, img_0001).

    Parameters
    ----------
    names : iterable of str
    known : collection of str

    Returns
    -------
    dict of str to str, or None
        None if a name fits none, or two names fit the same image.

    Examples
    --------
    >>> fitted_names(["ts_img_1", "img_2.jpg"], ["img_1", "img_2"])
    {'ts_img_1': 'img_1', 'img_2.jpg': 'img_2'}
    >>> fitted_names(["img_1", "1"], ["img_1", "img_2"]) is None
    True
    """
    nearest = Nearest(known)
    found: dict[str, str] = {}
    for name in names:
        image = name if name in known else nearest.only(name)
        if image is None:
            return None
        found[name] = image
    return found if len(set(found.values())) == len(found) else None
