"""The tables of the open questions, of an analysis as JSON."""

from collections.abc import Iterator
from typing import Final

from text_rankings.base.i18n import gettext, gettext_noop, in_language, numeral

from ..tuning.slices import slice_label
from .table import (
    ADJUSTED,
    CRITERION,
    PROTOCOL,
    Column,
    Data,
    Row,
    Table,
    count,
    number,
    of_each,
    picked,
)

_SOURCES: Final = {
    "images": gettext_noop("images: protocols are good at different images"),
    "taste": gettext_noop("taste: protocols are nearer to some annotators than to others"),
    "rest": gettext_noop("rest: a single ranking"),
}


def _variance(data: Data) -> Table:
    """Return the sources of the variance between protocols' distances."""

    def rows(around: Data) -> Iterator[Row]:
        components = _questions(around, "disparity").get("components", ())
        for source, *others in picked(components, "source", "variance", "share", "low", "high"):
            yield gettext(_SOURCES[source]), *others

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
    """Return, for each annotator, the protocol that is nearer to them than to the others."""
    names = ("annotator", "n_images", "protocol", "difference", "low", "high")

    def rows(around: Data) -> Iterator[Row]:
        for one in _questions(around, "disparity").get("tastes", ()):
            told = None if one["high"] is None else one["high"] < 0
            yield *(one[name] for name in names), told

    return Table(
        "taste",
        gettext("Whose taste differs"),
        gettext(
            "The protocol whose distance to this annotator is smallest relative to its distance to "
            "the others on the same images, compared with all other protocols; the 95 % interval "
            "is of that difference, by Student's t over this annotator's images, and holds for all "
            "annotators and protocols at once. If the interval includes 0, the protocol named does "
            "not say anything: the difference may be chance."
        ),
        (
            *(CRITERION, Column("Annotator"), count("Images"), Column("Nearer protocol")),
            *(number("Difference"), number("Low"), number("High"), Column("Significant")),
        ),
        of_each(data, rows),
    )


def _values(data: Data) -> Table:
    """Return how well a protocol's differences follow people's strengths."""

    def rows(around: Data) -> Iterator[Row]:
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
            "prefer one method to another (Davidson's model of the image's rankings), the same "
            "with the ranks of the values, and the gain of values over ranks; 95 % intervals by "
            "percentile bootstrap over images, these annotators fixed. They do not say how good a "
            "protocol is: a strength from three rankings is rough, so correlations stay far below "
            "1 even for a perfect protocol."
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

    def rows(around: Data) -> Iterator[Row]:
        gains = {one["protocol"]: one for one in around.get("beta_gains", ())}
        for search in around["betas"]:
            folds, gained = search["fold_betas"], gains.get(search["protocol"], {})
            yield (
                *(search["protocol"], search["beta"]),
                *((min(folds), max(folds)) if folds else (None, None)),
                *(search["score"], search["cross_validated_score"]),
                *(gained.get(name) for name in gains_of),
            )

    # Analyses kept by earlier versions have no gains.
    has_gains = any("beta_gains" in around for around in data["analysis"].values())
    gains_of = ("difference", "low", "high", "holm_p_value") if has_gains else ()
    gain_columns = (number("Gain"), number("Low"), number("High"), number(ADJUSTED, 3))
    beta = data["settings"]["beta"]
    return Table(
        "beta",
        gettext("The beta people prefer"),
        gettext(
            "The beta with which a protocol's F-score is nearest to the rankings by preference "
            "(above 1 recall weighs more), the smallest and the largest best beta of the folds, "
            "and the gain compared with beta {beta}: below 0 it is nearer to people, with the 95 % "
            "interval of that gain by Student's t, annotators and images random. Cross-validated "
            "numbers and the gain judge every image with the beta of images outside its fold; the "
            "beta and its Score do not, and are too optimistic. It does not say that people weigh "
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

    def rows(around: Data) -> Iterator[Row]:
        for cut in around.get("questions", {}).get("slices", ()):
            label = slice_label(cut["least"], cut["most"], cut["unit"])
            for found in picked(cut["scores"], "protocol", "score", "low", "high"):
                yield gettext(cut["by"]), label, cut["n_images"], *found

    return Table(
        "slices",
        gettext("Scores on parts of the images"),
        gettext(
            "The Score on thirds of the images, with its 95 % interval by Student's t "
            "over the images of the part, these annotators fixed (none below ten images)."
            " Compare protocols within a part; it does not say why parts differ. Parts "
            "differ in how much people tie, and so in the distances that are possible."
        ),
        (
            *(CRITERION, Column("By"), Column("Part"), count("Images"), PROTOCOL),
            *(number("Score"), number("Low"), number("High")),
        ),
        of_each(data, rows),
    )


def _questions(around: Data, name: str) -> Data:
    """Return one of the questions' answers; empty in an older analysis."""
    found: Data = around.get("questions", {}).get(name, {})
    return found


TABLES: Final = (_variance, _taste, _values, _betas, _slices)
SLUGS: Final = ("variance", "taste", "values", "beta", "slices")
