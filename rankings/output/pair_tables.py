"""Tables of the protocols' losses on pairs of methods, from :func:`.pair_report`, new or kept."""

from collections.abc import Iterator
from typing import Final

from .table import Data, Row, Table, listed, of_criteria, with_rows
from .verdict_tables import not_tested, rows_of_pairs

# The names of these tables in addresses.
PAIR_TABLES: Final = ("losses", "lossdifferences")
# Columns about the answers that skipped pairs might have had.
_OF_SKIPS: Final = ("At least", "At most", "Skipped pairs")


def pair_tables(pairs: Data) -> list[Table]:
    """Return every table of a :func:`.pair_report.pair_report` that has a row."""
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

    more = []
    if with_skips:
        more.append(
            "Loss, clusters and letters do not include skipped pairs. “At least” is the loss if "
            "the answer to each skipped pair were the best for the protocol, “At most” if it were "
            "the worst."
        )
    if with_skips and _is_outside(pairs):
        more.append(
            "If a loss is outside its limits, any answers to the skipped pairs would have "
            "moved it in the same direction."
        )
    without = () if with_skips else _OF_SKIPS
    return listed("losses", of_criteria(pairs["criteria"], rows), *more, without=without)


def _has_skips(pairs: Data) -> bool:
    """Return whether any criterion has a lost visit."""
    return any(own["skipped"]["low"] for own in pairs["criteria"].values())


def _is_outside(pairs: Data) -> bool:
    """Return whether the loss of a protocol is outside its limits."""
    return any(
        mean is not None and not low - 1e-9 <= mean <= high + 1e-9
        for own in pairs["criteria"].values()
        if (skipped := own["skipped"])["low"]
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
            for pair in own["skipped"]["pairs"]
        }
        pairs_of = rows_of_pairs(own["comparisons"], "first", "second")
        for first, second, difference, *others in pairs_of:
            more = limits.get((first, second), (difference, difference)) if with_skips else ()
            yield first, second, difference, *others, *more

    more = []
    if with_skips:
        more.append(
            "Differences, intervals and p-values do not include skipped pairs. “At least” and “At "
            "most” are the limits of the difference for all possible answers to the skipped pairs. "
            "If 0 is between them, these answers alone could reverse the difference."
        )
    reasons = {own["comparisons"]["reason"] for own in pairs["criteria"].values()} - {None}
    return listed(
        "lossdifferences",
        of_criteria(pairs["criteria"], rows),
        *more,
        *not_tested(reasons),
        without=() if with_skips else _OF_SKIPS,
    )
