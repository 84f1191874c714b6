"""Tables of the open questions, of an analysis as JSON, and of changes of protocols' parameters."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..tuning.slices import slice_label
from .table import Data, Row, Table, listed, of_criteria, of_each, picked, with_rows

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
    unknown = [f"Not known: {reason}." for reason in sorted(reasons)]
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


_GAIN: Final = ("before", "after", "difference", "low", "high", "holm_p_value")


def change_tables(data: Data) -> list[Table]:
    """Return the tables of "changes", a list of :class:`.changes.ProtocolChanges` by criterion.

    Those with a row: weights, precision of finding nothing, thresholds.
    """
    made = {"weights": _weights, "nothing": _rules, "thresholds": _thresholds}
    return with_rows(
        *(listed(slug, of_criteria(data["changes"], rows)) for slug, rows in made.items())
    )


def _weights(found: Sequence[Data]) -> Iterator[Row]:
    for name, one in _each(found, "weights"):
        yield name, one["change"], one["gain"]["n_images"], *_gain(one)


def _rules(found: Sequence[Data]) -> Iterator[Row]:
    for name, one in _each(found, "rules"):
        n_images, n_left_out = one["gain"]["n_images"], one["n_left_out"]
        yield name, one["change"], n_images, n_left_out, *_gain(one)


def _thresholds(found: Sequence[Data]) -> Iterator[Row]:
    names = ("parameter", "as_is", "chosen", "least", "greatest")
    for protocol, one in _each(found, "searches"):
        yield protocol, *(one[name] for name in names), *_gain(one)


def _each(found: Sequence[Data], kind: str) -> Iterator[tuple[str, Data]]:
    """Return each protocol with each of its changes of a kind."""
    return ((of["protocol"], one) for of in found for one in of[kind])


def _gain(one: Data) -> Row:
    return tuple(one["gain"][name] for name in _GAIN)
