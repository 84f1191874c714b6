"""The tables of the open questions, of an analysis as JSON."""

from collections.abc import Iterator
from typing import Final

from ..tuning.slices import slice_label
from .table import Data, Row, Table, listed, of_each, picked

_SOURCES: Final = {
    "images": "images: protocols are good at different images",
    "taste": "taste: protocols are nearer to some annotators than to others",
    "rest": "rest: a single ranking",
}


def _variance(data: Data) -> Table:
    """Return the sources of the variance between protocols' distances."""

    def rows(around: Data) -> Iterator[Row]:
        components = around["questions"]["disparity"]["components"]
        for source, *others in picked(components, "source", "variance", "share", "low", "high"):
            yield _SOURCES[source], *others

    analyses = data["analysis"].values()
    reasons = {around["questions"]["disparity"]["reason"] for around in analyses} - {None}
    words = "Not known: {reason}."
    unknown = [words.format(reason=reason) for reason in sorted(reasons)]
    return listed("variance", of_each(data, rows), *unknown)


def _taste(data: Data) -> Table:
    """Return, for each annotator, the protocol that is nearer to them than to the others."""
    names = ("annotator", "n_images", "protocol", "difference", "low", "high")

    def rows(around: Data) -> Iterator[Row]:
        for one in around["questions"]["disparity"]["tastes"]:
            told = None if one["high"] is None else one["high"] < 0
            yield *(one[name] for name in names), told

    return listed("taste", of_each(data, rows))


def _values(data: Data) -> Table:
    """Return how well a protocol's differences follow people's strengths."""

    def rows(around: Data) -> Iterator[Row]:
        for found in around["questions"]["strengths"]:
            yield (
                *(found["protocol"], found["n_images"]),
                *(
                    found[name][limit]
                    for name in ("values", "ranks", "gain")
                    for limit in ("value", "low", "high")
                ),
            )

    return listed("values", of_each(data, rows))


def _betas(data: Data) -> Table:
    """Return the weights of recall with which each protocol is nearest to people."""
    gains_of = ("difference", "low", "high", "holm_p_value")

    def rows(around: Data) -> Iterator[Row]:
        gains = {one["protocol"]: one for one in around["beta_gains"]}
        for search in around["betas"]:
            folds, gained = search["fold_betas"], gains.get(search["protocol"], {})
            yield (
                *(search["protocol"], search["beta"]),
                *((min(folds), max(folds)) if folds else (None, None)),
                *(search["score"], search["cross_validated_score"]),
                *(gained.get(name) for name in gains_of),
            )

    return listed("beta", of_each(data, rows), beta=f"{data['settings']['beta']:g}")


def _slices(data: Data) -> Table:
    """Return the Scores on slices of the images."""

    def rows(around: Data) -> Iterator[Row]:
        for cut in around["questions"]["slices"]:
            label = slice_label(cut["least"], cut["most"], cut["unit"])
            for found in picked(cut["scores"], "protocol", "score", "low", "high"):
                yield cut["by"], label, cut["n_images"], *found

    return listed("slices", of_each(data, rows))


TABLES: Final = (_variance, _taste, _values, _betas, _slices)
SLUGS: Final = ("variance", "taste", "values", "beta", "slices")
