"""Tables of the protocols' losses on pairs of methods, from :func:`.pair_report`, new or kept."""

from collections.abc import Iterator
from typing import Final

from text_rankings.base.i18n import gettext

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
    of_criteria,
    with_rows,
)
from .verdict_tables import not_tested, rows_of_pairs, was_by_holm

# The names of these tables in addresses.
PAIR_TABLES: Final = ("losses", "lossdifferences")
# Limits of a loss, or of a difference, had the skipped pairs been answered.
_LIMITS: Final = (number("At least", 4), number("At most", 4))


def pair_tables(pairs: Data) -> list[Table]:
    """Return every table that has a row.

    Parameters
    ----------
    pairs : mapping
        :func:`.pair_report.pair_report`, as it was computed or kept.
    """
    return with_rows(_losses(pairs), _loss_differences(pairs))


def _losses(pairs: Data) -> Table:
    """Return how often each protocol orders a pair differently from people."""
    with_skips = _has_skips(pairs)

    def rows(own: Data) -> Iterator[Row]:
        tested, skipped = own["comparisons"], own.get("skipped") or {}
        limits = list(zip(skipped.get("low", ()), skipped.get("high", ()), strict=True))
        if None in tested["means"] and not limits:
            return
        limits = limits or [(mean, mean) for mean in tested["means"]]
        of_protocol = zip(tested["protocols"], tested["means"], limits, strict=True)
        by_loss = sorted(of_protocol, key=lambda one: (one[1] or 0, one[0]))
        for name, mean, (low, high) in by_loss:
            more = (low, high, skipped.get("n_pairs", 0)) if with_skips else ()
            yield name, mean, own["clusters"][name], own["letters"][name], *more

    note = gettext(
        "The share of the pairs of methods that a protocol orders differently from a person: 1 if "
        "they are opposite, a half if one of them ties the pair. Pairs that were drawn are "
        "weighted by the inverse of their probability. No two protocols of one cluster, and no two "
        "that share a letter, differ significantly at 5 %, with annotators and images both random. "
        "It does not say how far apart whole orders are."
    )
    if with_skips:
        note += " " + gettext(
            "Loss, clusters and letters do not include skipped pairs. “At least” is the loss if "
            "the answer to each skipped pair were the best for the protocol, “At most” if it were "
            "the worst."
        )
        if _is_outside(pairs):
            note += " " + gettext(
                "If a loss is outside its limits, any answers to the skipped pairs would have "
                "moved it in the same direction."
            )
    return Table(
        "losses",
        gettext("Loss per pair of methods"),
        note,
        (
            *(CRITERION, PROTOCOL, number("Loss", 4), count("Cluster"), Column("Letters")),
            *((*_LIMITS, count("Skipped pairs")) if with_skips else ()),
        ),
        of_criteria(pairs["criteria"], rows),
    )


def _has_skips(pairs: Data) -> bool:
    """Return whether any criterion has a lost visit; older reports do not say."""
    return any((own.get("skipped") or {}).get("low") for own in pairs["criteria"].values())


def _is_outside(pairs: Data) -> bool:
    """Return whether the loss of a protocol is outside its limits."""
    return any(
        mean is not None and not low - 1e-9 <= mean <= high + 1e-9
        for own in pairs["criteria"].values()
        if (skipped := own.get("skipped") or {}).get("low")
        for mean, low, high in zip(
            own["comparisons"]["means"], skipped["low"], skipped["high"], strict=True
        )
    )


def _loss_differences(pairs: Data) -> Table:
    """Return the differences between protocols' losses, with intervals and p-values."""

    with_skips = _has_skips(pairs)

    def rows(own: Data) -> Iterator[Row]:
        limits = {
            (pair["first"], pair["second"]): (pair["low"], pair["high"])
            for pair in (own.get("skipped") or {}).get("pairs", ())
        }
        pairs_of = rows_of_pairs(own["comparisons"], "first", "second")
        for first, second, difference, *others in pairs_of:
            more = limits.get((first, second), (difference, difference)) if with_skips else ()
            yield first, second, difference, *others, *more

    if any(was_by_holm(own["comparisons"]) for own in pairs["criteria"].values()):
        note = gettext(
            "The loss of the first minus that of the second (below 0: the first is nearer to people), "
            "with the 95 % interval of this difference by Student's t, annotators and images both "
            "random. p-values are adjusted by Holm's rule over all pairs; intervals are of each pair "
            "alone. It does not say how large a difference matters."
        )
    else:
        note = gettext(
            "The loss of the first minus that of the second (below 0: the first is nearer to people), "
            "annotators and images both random. The 95 % intervals by Student's t hold "
            "for all pairs together, and p-values are adjusted in the same way (Bonferroni, moderated "
            "t-tests). It does not say how large a difference matters."
        )
    if with_skips:
        note += " " + gettext(
            "Differences, intervals and p-values do not include skipped pairs. “At least” and “At "
            "most” are the limits of the difference for all possible answers to the skipped pairs. "
            "If 0 is between them, these answers alone could reverse the difference."
        )
    reasons = {own["comparisons"]["reason"] for own in pairs["criteria"].values()} - {None}
    return Table(
        "lossdifferences",
        gettext("Every two protocols, by their losses"),
        note + not_tested(reasons),
        (
            *(CRITERION, Column("First"), Column("Second"), number("Difference", 4)),
            *(number("Low", 4), number("High", 4), number(ADJUSTED, 3)),
            *(_LIMITS if with_skips else ()),
        ),
        of_criteria(pairs["criteria"], rows),
    )
