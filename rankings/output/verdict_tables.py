"""The tables of intervals and of pairs of protocols, from :meth:`.Analysis.to_json`."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from ..agreement.baselines import A_PERSON, BASELINES
from ..analysis.verdicts import earlier_loss, for_whom, verdicts
from ..inference.resampling import FEW_IMAGES
from .table import Data, Row, Table, listed, of_each, picked

# The page of a report shows this above its tables.
VERDICTS: Final = "verdicts"
# Simultaneous limits, which agree with the adjusted p-value.
_PAIR: Final = ("difference", "adjusted_low", "adjusted_high", "adjusted_p_value")


def rows_of_pairs(tested: Data, *named: str) -> Iterator[Row]:
    """Return the rows of tested pairs: some names, then difference, limits and adjusted p."""
    return picked(tested["pairs"], *named, *_PAIR)


def intervals(data: Data) -> Table:
    """Return the intervals of the Scores over images, for these annotators."""

    def rows(around: Data) -> Iterator[Row]:
        of_people = distances_to_people(around)
        place = {name: at for at, name in enumerate(of_people)}
        for interval in sorted(
            around["intervals"]["scores"], key=lambda one: place[one["protocol"]]
        ):
            name, limits = interval["protocol"], (interval["low"], interval["high"])
            yield (
                *(name, *of_people[name], interval["score"]),
                *((None, None) if has_few_images(around) else limits),
                *(around["clusters"].get(name), around["letters"].get(name)),
            )

    return listed("intervals", of_each(data, rows), *_few_images(data), n=_resamples(data))


def verdict_sentences(data: Data) -> Table:
    """Return the verdicts as rows, for files and scripts."""
    rows = (
        (verdict.criterion, sentence)
        for verdict in verdicts(data)
        for sentence in verdict.sentences
    )
    table = listed(VERDICTS, rows)
    whom = for_whom(data) or earlier_loss(data)
    whom = whom or "No test was made with annotators and images random."
    return replace(table, note=f"{whom} {table.note}")


def against_a_person(data: Data) -> Table:
    """Return every protocol compared with a person: how much more it differs from people."""

    def rows(around: Data) -> Iterator[Row]:
        found = around["against_person"]
        names = ("name", "difference", "of_people", *_PAIR[1:])
        # A report that was kept when the test was another one does not show it here.
        return picked(found["candidates"], *names) if "candidates" in found else iter(())

    reasons = {around["against_person"]["reason"] for around in data["analysis"].values()} - {None}
    return listed("person", of_each(data, rows), *not_tested(reasons))


def against_silence(data: Data) -> Table:
    """Return every protocol compared with rankings that know nothing of the results."""

    def rows(around: Data) -> Iterator[Row]:
        for name, tested in around.get("against_silence", {}).items():
            losses = dict(zip(tested["protocols"], tested["means"], strict=True))
            for pair in tested["pairs"]:
                own = (losses[pair["first"]], losses[name])
                yield pair["first"], name, *own, *(pair[key] for key in _PAIR)

    return listed("silence", of_each(data, rows))


def distances_to_people(around: Data) -> dict[str, tuple[float | None, ...]]:
    """Return each protocol's mean loss for single annotators with its limits, nearest first."""
    tables = [around["comparisons"], *around.get("against_silence", {}).values()]
    found = {
        name: (mean, *own)
        for tested in reversed(tables)
        for mean, own, name in zip(
            tested["means"], tested["mean_limits"], tested["protocols"], strict=True
        )
    }
    by_mean = sorted((mean is None, mean or 0, name) for name, (mean, *_) in found.items())
    return {name: found[name] for _, _, name in by_mean if name not in BASELINES}


def losses_of_baselines(around: Data) -> dict[str, tuple[float | None, ...]]:
    """Return the mean losses of all tied, a random order and a person with limits, if they have any."""
    found: dict[str, tuple[float | None, ...]] = {}
    for name, tested in around.get("against_silence", {}).items():
        at = tested["protocols"].index(name)
        found[name] = (tested["means"][at], *tested["mean_limits"][at])
    for one in around["against_person"].get("candidates", ())[:1]:
        found[A_PERSON] = (one["of_people"], None, None)
    return found


def has_few_images(around: Data) -> bool:
    """Whether a criterion has too few images for intervals."""
    few: bool = around["intervals"]["n_images"] < FEW_IMAGES
    return few


def _few_images(data: Data) -> list[str]:
    few = [name for name, around in data["analysis"].items() if has_few_images(around)]
    if not few:
        return []
    return [f"By {', '.join(few)} there are too few images: an interval needs {FEW_IMAGES}."]


def _resamples(data: Data) -> str:
    counts = {around["intervals"]["n_resamples"] for around in data["analysis"].values()}
    return ", ".join(f"{count:,}" for count in sorted(counts - {0})) or "no"


def differences(data: Data) -> Table:
    """Return the differences between protocols, and which of them are significant."""

    def rows(around: Data) -> Iterator[Row]:
        return rows_of_pairs(around["comparisons"], "first", "second")

    reasons = {around["comparisons"]["reason"] for around in data["analysis"].values()} - {None}
    return listed("differences", of_each(data, rows), *not_tested(reasons))


def not_tested(reasons: Collection[str]) -> list[str]:
    """Return sentences that say why some pairs have no test."""
    return [f"Where there is no test: {reason}." for reason in sorted(reasons)]
