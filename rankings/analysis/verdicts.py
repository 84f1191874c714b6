"""Verdicts on the protocols, in sentences, from an analysis as JSON.

They follow from the tests that treat annotators and images as random (:mod:`.multi_reader`): which
protocols differ, adjusted for all pairs, and which cannot be distinguished.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..agreement.report import ALL_TIED
from ..inference.significance import ALPHA
from ..rounding import in_decimals
from .words import NAMED_FIRST, is_told, n_others, named, shortened

USUAL_RISK: Final = round(100 * ALPHA)
_TWO: Final = 2
# From so many protocols, and annotators, on: the risk in percent.
_RISKS: Final = (
    (5, ((3, 7), (0, 11))),
    (3, ((10, 7), (3, 9), (0, 11))),
    (0, ((10, 6), (5, 8), (3, 18), (0, 28))),
)
# How a sentence may begin, other than with a protocol's name.
_OPENINGS: Final = ("No ", "Nothing ")
# People of an image in the paper, and what its design allows (docs/explanation/method.md).
_AS_PUBLISHED: Final = 3
_PUBLISHED: Final = (
    "Even the published study, with three people per image (ten people, 680 rankings, 233 images), has "
    "simultaneous intervals of ±2.7 to ±6.4 of 100 pairs between protocols: smaller differences are "
    "rarely found."
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict by one criterion."""

    criterion: str
    sentences: tuple[str, ...]


def headline(
    criterion: str, scores: Mapping[str, float | None], around: Mapping[str, Any] | None
) -> str:
    """Return one sentence: the nearest protocol, and whether it differs significantly from others.

    A protocol is called nearest only if it is significantly nearer to people than a ranking that ties
    everything. ``around`` is the criterion's analysis as JSON, None if nothing was tested. Empty if no
    protocol has a Score.
    """
    known = {name: score for name, score in scores.items() if score is not None}
    if not known:
        return ""
    if (
        around is None
        or not around.get("against_silence")
        or not around["comparisons"]["protocols"]
    ):
        return _by_score(criterion, known)
    said = _first(around)
    return f"By {criterion}, {said[0].lower() if said.startswith(_OPENINGS) else said[0]}{said[1:]}"


def _by_score(criterion: str, scores: Mapping[str, float]) -> str:
    score = min(scores.values())
    best = named([name for name, own in scores.items() if own == score])
    has = "has" if list(scores.values()).count(score) == 1 else "have"
    return (
        f"By {criterion}, {best} {has} the smallest Score ({in_decimals(score, 2)}); which protocol is "
        "nearer to people was not tested."
    )


def _first(around: Mapping[str, Any]) -> str:
    """Return the sentence that says which protocol is nearest, if any."""
    tested, order = around["comparisons"], _order_of(around["comparisons"])
    if tested["reason"]:
        return _of_these(around, order)
    beating = _told_from_all_tied(around, order)
    if not beating:
        return "No protocol is significantly nearer to people than a ranking that ties everything."
    if order[0] not in beating:
        are = "is" if len(beating) == 1 else "are"
        return (
            f"{_as_one(tested, beating)} {are} nearer to people than a ranking that ties everything, and "
            f"it is undecided whether {_as_one(tested, order[:1])}, which comes first, is."
        )
    return _of_nearest(tested, order)


def _of_nearest(tested: Mapping[str, Any], order: Sequence[str]) -> str:
    nearest, farther = _as_one(tested, order[:1]), _farther(tested)
    level = [name for name in order[1:] if name not in farther]
    if len(order) == 1:
        return f"{nearest} is nearer to people than a ranking that ties everything."
    if not any(map(is_told, tested["pairs"])):
        return f"No two of the {len(order)} protocols differ significantly."
    if not level:
        return f"{nearest} is nearer to people than every other protocol."
    if not farther:
        return f"{nearest} comes first, but no other protocol is significantly farther from people."
    others = _as_one(tested, level) if len(level) <= NAMED_FIRST else n_others(len(level))
    return (
        f"{nearest} is nearer to people than {len(farther)} of {len(order) - 1} other protocols; "
        f"{others} cannot be told apart from it."
    )


def _of_these(around: Mapping[str, Any], order: Sequence[str]) -> str:
    """Return what the means say of these people on these images, where nothing can be tested."""
    tested = around["comparisons"]
    losses = dict(zip(tested["protocols"], tested["means"], strict=True))
    least = losses[order[0]]
    if least is None:
        return f"Nothing is known: {tested['reason']}."
    tied = _loss_of_all_tied(around)
    rest = f"whether that holds for others cannot be tested: {tested['reason']}."
    if tied is not None and tied <= least:
        return (
            "No protocol orders fewer pairs differently from these people on these images than a ranking "
            f"that ties everything ({_of_100(tied)}); {rest}"
        )
    first = [name for name in order if losses[name] == least]
    words = "orders" if len(first) == 1 else "order"
    return (
        f"{_as_one(tested, first)} {words} the fewest pairs differently from these people on these images "
        f"({_of_100(least)}); {rest}"
    )


def _of_100(loss: float) -> str:
    return f"{in_decimals(loss, 1)} of 100"


def _told_from_all_tied(
    around: Mapping[str, Any], order: Sequence[str], side: int = -1
) -> list[str]:
    """Return the protocols that are significantly nearer than all tied; farther for a ``side`` of 1."""
    pairs = around["against_silence"][ALL_TIED]["pairs"]
    told = {pair["first"] for pair in pairs if is_told(pair) and side * pair["difference"] > 0}
    return [name for name in order if name in told]


def _loss_of_all_tied(around: Mapping[str, Any]) -> float | None:
    found = around["against_silence"][ALL_TIED]
    mean: float | None = found["means"][found["protocols"].index(ALL_TIED)]
    return mean


def _as_one(tested: Mapping[str, Any], names: Sequence[str], joint: str = "") -> str:
    """Return names in words, each with the protocols that order all images like it."""
    alike = {same[0]: " = ".join(shortened(same)) for same in tested["equal"]}
    return named([alike.get(name, name) for name in names], joint)


def verdicts(data: Mapping[str, Any]) -> list[Verdict]:
    """Return the verdict of :meth:`.Analysis.to_json` by each criterion that has an image.

    Empty for a report of an earlier state, whose tests had another loss; ``earlier_loss`` says so.
    """
    if earlier_loss(data):
        return []
    return [
        Verdict(name, tuple(_sentences(around, data["criteria"][name])))
        for name, around in data["analysis"].items()
        if around["comparisons"]["n_rankings"]
    ]


def earlier_loss(data: Mapping[str, Any]) -> str:
    """Return a sentence on a report that was kept when its tests had another loss, else an empty text."""
    if all("loss" in around["comparisons"] for around in data["analysis"].values()):
        return ""
    distance = {"edit": "the ranking edit distance", "kemeny": "the Kemeny distance"}
    return (
        f"This report was kept when tests used {distance[data['settings']['distance']]}: what its tables "
        "call pairs of 100 are mean distances. It has no verdict; compute the report again for one."
    )


def for_whom(data: Mapping[str, Any]) -> str:
    """Return to whom the verdicts of an analysis generalise; empty if there is no verdict."""
    if earlier_loss(data):
        return ""
    tested = [
        around["comparisons"]
        for around in data["analysis"].values()
        if not around["comparisons"]["reason"]
    ]
    if not tested:
        return ""
    n_groups, n_scenes = (max(one[name] for one in tested) for name in ("n_groups", "n_scenes"))
    images, annotators = (
        _range([one[name] for one in tested]) for name in ("n_images", "n_annotators")
    )
    people = "groups of annotators" if n_groups > 1 else "annotators"
    kinds = "scenes of images" if n_scenes > 1 else "images"
    risk = max(risk_of(one["n_annotators"], n_different(one)) for one in tested)
    most = "up to " if risk > USUAL_RISK else ""
    said = [
        f"These results hold for similar annotators and images: the {annotators} {people} and {images} "
        f"{kinds} are treated as a random sample of them, independent of each other. For each criterion, "
        f"the risk of calling any two equal protocols different is {most}{risk} %."
    ]
    if n_groups == 1:
        said.append("All annotators are of one group; others may differ from it.")
    elif n_groups:
        said.append("Annotators of one group count as one, as they may share habits.")
    if n_groups == _TWO:
        said.append("Two groups hardly ever show a difference that holds for others.")
    if n_scenes == 1:
        said.append("All images are of one scene; others may differ from it.")
    elif n_scenes:
        said.append("Images of one scene count as one, as they resemble each other.")
    if any(_has_three_an_image(data["criteria"][name]) for name in data["analysis"]):
        said.append(_PUBLISHED)
    return " ".join([*said, *_undeclared(data)])


def for_whom_in_short(data: Mapping[str, Any], criterion: str) -> str:
    """Return to whom one criterion's verdict generalises, in one sentence; empty without a verdict."""
    tested = data["analysis"].get(criterion, {}).get("comparisons")
    if earlier_loss(data) or not tested or tested["reason"]:
        return ""
    risk = risk_of(tested["n_annotators"], n_different(tested))
    most = "up to " if risk > USUAL_RISK else ""
    people = "groups of annotators" if tested["n_groups"] > 1 else "annotators"
    images = "scenes" if tested["n_scenes"] > 1 else "images"
    said = (
        f"This holds for {people} and {images} like these {tested['n_annotators']} and "
        f"{tested['n_images']}; the risk of a false difference is {most}{risk} %"
    )
    signs = data["analysis"][criterion]["signs"]
    unsaid = [name for name in ("groups", "scenes") if signs[name]]
    return (
        f"{said}, and higher because {named(unsaid)} seem to exist and are not declared."
        if unsaid
        else f"{said}."
    )


def n_undecided(around: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of pairs of protocols, and of those that no test decides; (0, 0) untested."""
    tested = around["comparisons"]
    if tested["reason"] or "loss" not in tested:
        return 0, 0
    n = len(tested["pairs"])
    return n, n - sum(map(is_told, tested["pairs"]))


def _has_three_an_image(table: Mapping[str, Any]) -> bool:
    n_images = table["n_images"]
    return bool(n_images) and round(table["n_rankings"] / n_images) == _AS_PUBLISHED


def _undeclared(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each kind of clusters that show although none are declared."""
    signs = [around["signs"] for around in data["analysis"].values()]
    if any(sign["groups"] for sign in signs):
        yield (
            "Beware: the annotators seem to form two groups with different habits. If they come from "
            "several sites, declare the groups; otherwise the risk is higher than stated."
        )
    if any(sign["scenes"] for sign in signs):
        yield (
            "Beware: images that follow each other by name resemble each other. If several show one "
            "scene, declare the scenes; otherwise the risk is higher than stated."
        )


def n_different(tested: Mapping[str, Any]) -> int:
    """Return the number of compared protocols; those that order all images alike are one.

    Older kept reports do not name these.
    """
    return len(tested["protocols"]) - sum(len(same) - 1 for same in tested.get("equal", ()))


def risk_of(n_annotators: int, n_protocols: int) -> int:
    """Return the risk, in percent, that equal protocols are called different, from simulations.

    The largest of the worlds of ``benchmarks/verdicts.py`` (1,000 studies of two protocols, 500 of more,
    docs/explanation/verdicts.md), rounded up: annotators of two protocols may be of camps, and with three
    protocols and more some may be equal and far from the others.
    """
    risks = next(of for least, of in _RISKS if n_protocols >= least)
    return next(risk for least, risk in risks if n_annotators >= least)


def place_of_person(around: Mapping[str, Any]) -> str | None:
    """Return the clusters of protocols that do not differ from a person, such as "1" or "1–3".

    If every protocol differs, "before" the first cluster that is farther from people, or "after"
    the last one; None if there is no test. ``around`` is a criterion's analysis as JSON.
    """
    found, cluster_of = around["against_person"], around["clusters"]
    if found["reason"] or "candidates" not in found:
        return None
    placed = [one for one in found["candidates"] if cluster_of[one["name"]] is not None]
    alike = [cluster_of[one["name"]] for one in placed if not is_told(one)]
    if alike:
        return _range(alike)
    farther = [cluster_of[one["name"]] for one in placed if one["difference"] > 0]
    if farther:
        return f"before {min(farther)}"
    last = max((cluster_of[one["name"]] for one in placed), default=None)
    return None if last is None else f"after {last}"


def _range(numbers: Collection[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least}–{most}"


def _sentences(around: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[str]:
    tested = around["comparisons"]
    if tested["protocols"]:
        yield _first(around)
    if tested["protocols"] and not tested["reason"]:
        yield from _of_others(around)
    yield from _of_silence(around)
    if not around["against_person"]["reason"]:
        yield from _of_a_person(around["against_person"], tested)
    yield from _of_other_orders(around, table)


def _of_others(around: Mapping[str, Any]) -> Iterator[str]:
    tested = around["comparisons"]
    order, farther = _order_of(tested), _farther(tested)
    nearest = _as_one(tested, order[:1])
    # A protocol that does not beat silence is called nearer than none.
    if order[0] in _told_from_all_tied(around, order):
        names = [name for name in order if name in farther]
        if names and len(names) < len(order) - 1:
            yield f"{nearest} is nearer to people than {_as_one(tested, names)}."
        level = [name for name in order[1:] if name not in farther]
        if level and any(map(is_told, tested["pairs"])):
            others = _as_one(tested, level, "{first} or {last}")
            yield f"It is undecided whether {others} is as near as {nearest}."
    n, n_told = len(tested["pairs"]), sum(map(is_told, tested["pairs"]))
    if n:
        yield f"{n_told} of {n} pairs of protocols are decided."
    for same in tested["equal"]:
        yield f"{named(same)} order the methods of all images alike and count as one."


def _of_silence(around: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many pairs people tie, and what silence and chance reach because of that."""
    tied, shares = _loss_of_all_tied(around), around["ties"]["annotators"].values()
    if tied is None:
        return
    known = [share for share in shares if share is not None]
    people = f"People tie {_of_100(100 - 2 * tied)} pairs, so a" if known else "A"
    yield (
        f"{people} ranking that ties everything orders {_of_100(tied)} differently from them, and a "
        "random order 50."
    )
    order = _order_of(around["comparisons"])
    beating, beaten = (_told_from_all_tied(around, order, side) for side in (-1, 1))
    level = [name for name in order if name not in (*beating, *beaten)]
    if level and beating and not around["comparisons"]["reason"]:
        names = _as_one(around["comparisons"], level)
        yield f"Not significantly nearer than a ranking that ties everything: {names}."
    if beaten:
        names = _as_one(around["comparisons"], beaten)
        yield f"Farther from people than a ranking that ties everything: {names}."


def _order_of(tested: Mapping[str, Any]) -> list[str]:
    """Return the protocols, nearest to people first; of those that are alike the first."""
    copies = {name for same in tested["equal"] for name in same[1:]}
    means = dict(zip(tested["protocols"], tested["means"], strict=True))
    names = [name for name in means if name not in copies]
    return sorted(names, key=lambda name: (means[name] is None, means[name] or 0))


def _farther(tested: Mapping[str, Any]) -> set[str]:
    """Return the protocols that differ significantly from the nearest; others may be as near."""
    nearest = _order_of(tested)[0]
    return {_other(pair, nearest) for pair in _pairs_of(tested, nearest) if is_told(pair)}


def _of_a_person(found: Mapping[str, Any], compared: Mapping[str, Any]) -> Iterator[str]:
    # One that differs by the same amount everywhere has no test.
    tested = [one for one in found["candidates"] if one["adjusted_p_value"] is not None]
    told = [one for one in tested if is_told(one)]
    n = len(tested)
    nearer = [one["name"] for one in told if one["difference"] < 0]
    farther = [one["name"] for one in told if one["difference"] > 0]
    n_level = n - len(told)
    if len(farther) == n > 1:
        yield "Another person is nearer to a person than every protocol is."
        return
    if n_level == n > 1:
        yield "No protocol differs significantly more from a person than another person does."
        return
    parts = []
    if nearer:
        are = "is" if len(nearer) == 1 else "are"
        parts.append(f"{_as_one(compared, nearer)} {are} nearer to a person than another person is")
    if farther:
        parts.append(f"another person is nearer to a person than {_as_one(compared, farther)}")
    if n_level:
        protocols = "protocol does" if n_level == 1 else "protocols do"
        parts.append(f"{n_level} {protocols} not differ significantly from another person")
    if parts:
        text = "; ".join(parts)
        # A protocol's name stays as it is written.
        yield f"{text}." if nearer else f"{text[0].upper()}{text[1:]}."


def _of_other_orders(around: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence if the Score or another consensus puts other protocols first."""
    tested = around["comparisons"]
    order, shares = _order_of(tested), around["ties"]["protocols"]
    scores = {
        row["protocol"]: row["score"]
        for row in table["rows"]
        if row["score"] is not None and row["protocol"] in tested["protocols"]
    }
    if not scores:
        return
    least = min(scores.values())
    tied = next(row["score"] for row in table["baselines"] if row["protocol"] == ALL_TIED)
    if tied is not None and tied < least:
        yield "By Score, to which ties cost less, a ranking that ties everything is before every protocol."
    first = {"Score": [name for name, score in scores.items() if score == least]}
    for variant in around["sensitivity"]:
        if variant["name"].startswith("consensus: ") and variant["best"]:
            first[f"Score with the {variant['name']}"] = variant["best"]
    alike = next((same for same in tested["equal"] if order[0] in same), [order[0]])
    other = {by: names for by, names in first.items() if not {*names} & {*alike}}
    if other:
        shown = {order[0], *(name for names in other.values() for name in names)}
        ties = ", ".join(
            f"{name} {in_decimals(100 * shares[name], 0)}"
            for name in sorted(shown)
            if shares.get(name) is not None
        )
        by = "; ".join(f"by {by} {named(names)}" for by, names in other.items())
        yield f"Other rules put other protocols first: {by}. Of 100 pairs tied: {ties}."


def _pairs_of(tested: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [pair for pair in tested["pairs"] if name in (pair["first"], pair["second"])]


def _other(pair: Mapping[str, Any], name: str) -> str:
    other: str = pair["second"] if pair["first"] == name else pair["first"]
    return other
