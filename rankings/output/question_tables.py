"""The tables of the open questions, of an analysis as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from text_rankings.base.i18n import gettext, gettext_noop, in_language, numeral

from ..tuning.slices import slice_label
from .table import ADJUSTED, CRITERION, PROTOCOL, Cell, Column, Data, Table, count, number, of_each

_SOURCES: Final = {
    "images": gettext_noop("images: protocols are good at different images"),
    "taste": gettext_noop("taste: protocols are nearer to some annotators than to others"),
    "rest": gettext_noop("rest: a single ranking"),
}


def _variance(data: Data) -> Table:
    """Return from where the spread of the distances comes."""

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for part in _questions(around, "disparity").get("components", ()):
            yield (
                gettext(_SOURCES[part["source"]]),
                *(part[name] for name in ("variance", "share", "low", "high")),
            )

    reasons = sorted(
        {
            reason
            for around in data["analysis"].values()
            if (reason := _questions(around, "disparity").get("reason"))
        }
    )
    return Table(
        "variance",
        gettext("What makes protocols differ"),
        gettext(
            "The variance of the difference between two protocols' distances to a single "
            "ranking, mean over all pairs of protocols, and its sources. The 95 % intervals are "
            "of the shares, by jackknife with images and annotators random, so few annotators "
            "make them wide. A large share of taste means that people differ; it does not say "
            "that anyone is wrong."
        )
        + "".join(
            " " + gettext("Not known: {reason}.").format(reason=in_language(reason))
            for reason in reasons
        ),
        (
            *(CRITERION, Column("Source"), number("Variance"), number("Share")),
            *(number("Low"), number("High")),
        ),
        of_each(data, rows),
    )


def _taste(data: Data) -> Table:
    """Return whose taste a protocol meets."""

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for one in _questions(around, "disparity").get("tastes", ()):
            told = None if one["high"] is None else one["high"] < 0
            yield (
                *(one["annotator"], one["n_images"], one["protocol"], one["difference"]),
                *(one["low"], one["high"], told),
            )

    return Table(
        "taste",
        gettext("Whose taste differs"),
        gettext(
            "The protocol whose distance to this annotator is smallest relative to its distance "
            "to the others on the same images, compared with all other protocols; the 95 % "
            "interval is of that difference, by Student's t over this annotator's images, and "
            "holds for all annotators and protocols at once. If the interval includes 0, the "
            "protocol named does not say anything: the difference may be chance."
        ),
        (
            *(CRITERION, Column("Annotator"), count("Images"), Column("Nearer protocol")),
            *(number("Difference"), number("Low"), number("High"), Column("Significant")),
        ),
        of_each(data, rows),
    )


def _values(data: Data) -> Table:
    """Return how well a protocol's differences follow people's strengths."""

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for found in around.get("questions", {}).get("strengths", ()):
            yield (
                *(found["protocol"], found["n_images"]),
                *(
                    found[name][limit]
                    for name in ("values", "ranks", "gain")
                    for limit in ("value", "low", "high")
                ),
            )

    return Table(
        "values",
        gettext("Do values say more than ranks?"),
        gettext(
            "Correlation of the differences between a protocol's values with how strongly people "
            "prefer one method to another (Davidson's model of the image's rankings), the same with "
            "the ranks of the values, and the gain of values over ranks; 95 % intervals by percentile "
            "bootstrap over images, these annotators fixed. They do not say how good a protocol is: a "
            "strength from three rankings is rough, so correlations stay far below 1 for a perfect "
            "protocol too."
        ),
        (
            *(CRITERION, PROTOCOL, count("Images")),
            *(number("Values", 3), number("Values, low", 3), number("Values, high", 3)),
            *(number("Ranks", 3), number("Ranks, low", 3), number("Ranks, high", 3)),
            *(number("Gain", 3), number("Gain, low", 3), number("Gain, high", 3)),
        ),
        of_each(data, rows),
    )


def _betas(data: Data) -> Table:
    """Return the weights of recall with which each protocol is nearest to people."""

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        gains = {one["protocol"]: one for one in around.get("beta_gains", ())}
        for search in around["betas"]:
            folds, gained = search["fold_betas"], gains.get(search["protocol"], {})
            yield (
                *(search["protocol"], search["beta"]),
                *((min(folds), max(folds)) if folds else (None, None)),
                *(search["score"], search["cross_validated_score"]),
                *(gained.get(name) for name in gains_of),
            )

    # Analyses that were kept before have none.
    has_gains = any("beta_gains" in around for around in data["analysis"].values())
    gains_of = ("difference", "low", "high", "holm_p_value") if has_gains else ()
    gain_columns = (number("Gain"), number("Low"), number("High"), number(ADJUSTED, 3))
    beta = data["settings"]["beta"]
    return Table(
        "beta",
        gettext("The beta people prefer"),
        gettext(
            "The beta with which a protocol's F-score is nearest to the rankings by preference (above 1 "
            "recall weighs more), the least and the greatest best beta of the folds, and what it brings "
            "against beta {beta}: below 0 it is nearer to people, with the 95 % interval of that gain by "
            "Student's t, annotators and images random. "
            "Cross-validated numbers and the gain judge every image with the beta of images outside its "
            "fold; the beta and its Score do not, and promise too much. It does not say that people weigh "
            "recall and precision at all."
        ).format(beta=numeral(f"{beta:g}")),
        (
            *(CRITERION, PROTOCOL, number("Beta"), number("Least in folds")),
            *(number("Greatest in folds"), number("Score"), number("Score, cross-validated")),
            *(gain_columns if has_gains else ()),
        ),
        of_each(data, rows),
    )


def _slices(data: Data) -> Table:
    """Return the Scores on slices of the images."""

    def rows(around: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
        for cut in around.get("questions", {}).get("slices", ()):
            label = slice_label(cut["least"], cut["most"], cut["unit"])
            for found in cut["scores"]:
                yield (
                    *(gettext(cut["by"]), label, cut["n_images"]),
                    *(found[name] for name in ("protocol", "score", "low", "high")),
                )

    return Table(
        "slices",
        gettext("Scores on parts of the images"),
        gettext(
            "The Score on thirds of the images, with its 95 % interval by Student's t over the "
            "images of the part, these annotators fixed (none below ten images). Compare "
            "protocols within a part; it does not say why parts differ, which they do in how "
            "much people tie, and so in the distance that anything can have."
        ),
        (
            *(CRITERION, Column("By"), Column("Part"), count("Images"), PROTOCOL),
            *(number("Score"), number("Low"), number("High")),
        ),
        of_each(data, rows),
    )


def _questions(around: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return one of the questions' answers; empty in an older analysis."""
    found: Mapping[str, Any] = around.get("questions", {}).get(name, {})
    return found


TABLES: Final = (_variance, _taste, _values, _betas, _slices)
SLUGS: Final = ("variance", "taste", "values", "beta", "slices")
