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

_NAMED: Final = 6
USUAL_RISK: Final = round(100 * ALPHA)
_KNOW_EACH_OTHER: Final = 5
_TWO: Final = 2
_FEW_ANNOTATORS: Final = 5
_MANY_ANNOTATORS: Final = 10
# A headline, which is a single sentence, names fewer protocols.
_NAMED_FIRST: Final = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict by one criterion."""

    criterion: str
    sentences: tuple[str, ...]


def headline(
    criterion: str, scores: Mapping[str, float | None], around: Mapping[str, Any] | None
) -> str:
    """Return one sentence: the nearest protocol, and whether it differs significantly from others.

    ``around`` is the criterion's analysis as JSON, None if nothing was tested. Empty if no protocol
    has a Score.
    """
    known = {name: score for name, score in scores.items() if score is not None}
    if not known:
        return ""
    tested = around["comparisons"] if around else None
    if tested is None or tested["reason"] or len(tested["protocols"]) < 2:
        return _untested(criterion, known, tested)
    said, order = criterion, _order_of(tested)
    nearest, farther = order[0], _farther(tested)
    level = [name for name in order[1:] if name not in farther]
    if not any(map(_is_told, tested["pairs"])):
        words = "By {criterion}, no two of the {n} protocols differ significantly."
        return words.format(criterion=said, n=len(order))
    if not level:
        words = "By {criterion}, {nearest} is nearer to people than every other protocol."
    elif not farther:
        words = (
            "By {criterion}, {nearest} comes first, but no other protocol is significantly "
            "farther from people."
        )
    else:
        words = (
            "By {criterion}, {nearest} is nearer to people than {n} of {all} other protocols; {others} "
            "may be as near."
        )
    others = _named(level) if level and len(level) <= _NAMED_FIRST else _others(len(level))
    return words.format(
        criterion=said,
        nearest=nearest,
        n=len(farther),
        all=len(order) - 1,
        others=others,
    )


def _untested(criterion: str, scores: Mapping[str, float], tested: Mapping[str, Any] | None) -> str:
    score = min(scores.values())
    nearest = [name for name, own in scores.items() if own == score]
    values = {"criterion": criterion, "score": in_decimals(score, 2)}
    if len(scores) == 1:
        words = (
            "By {criterion}, {nearest} is {score} away from people; there is no other protocol "
            "to compare it with."
        )
        return words.format(nearest=nearest[0], **values)
    reason = tested["reason"] if tested else ""
    if reason:
        words = (
            "By {criterion}, {nearest} is nearest to these people on these images ({score}); whether "
            "that holds for others cannot be tested: {reason}."
            if len(nearest) == 1
            else "By {criterion}, {nearest} are nearest to these people on these images ({score}); whether "
            "that holds for others cannot be tested: {reason}."
        )
    else:
        words = (
            "By {criterion}, {nearest} is nearest to these people on these images ({score}); whether "
            "that holds for others was not tested."
            if len(nearest) == 1
            else "By {criterion}, {nearest} are nearest to these people on these images ({score}); whether "
            "that holds for others was not tested."
        )
    return words.format(nearest=_named(nearest), reason=reason, **values)


def verdicts(data: Mapping[str, Any]) -> list[Verdict]:
    """Return the verdict of :meth:`.Analysis.to_json` by each criterion that has an image."""
    distance = data["settings"]["distance"]
    return [
        Verdict(name, tuple(_sentences(around, data["criteria"][name], distance)))
        for name, around in data["analysis"].items()
        if around["comparisons"]["n_rankings"]
    ]


def for_whom(data: Mapping[str, Any]) -> str:
    """Return to whom the verdicts of an analysis generalise; empty if there is no verdict."""
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
    annotators = ("{n} groups of annotators" if n_groups > 1 else "{n} annotators").format(
        n=annotators
    )
    images = ("{n} scenes of images" if n_scenes > 1 else "{n} images").format(n=images)
    risk = max(risk_of(one["n_annotators"], len(one["protocols"])) for one in tested)
    words = (
        "These results hold for similar annotators and images: the {annotators} and {images} are "
        "treated as a random sample of them, independent of each other. For each criterion, the risk "
        "of calling any two equal protocols different is {risk} %."
    )
    if risk > USUAL_RISK:
        words = (
            "These results hold for similar annotators and images: the {annotators} and {images} are "
            "treated as a random sample of them, independent of each other. For each criterion, the "
            "risk of calling any two equal protocols different is up to {risk} % with so few of them."
        )
    said = [words.format(annotators=annotators, images=images, risk=risk)]
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
    return " ".join([*said, *_undeclared(data)])


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


def risk_of(n_annotators: int, n_protocols: int) -> int:
    """Return the risk, in percent, that equal protocols are called different, from simulations.

    The largest in simulated studies with annotators of differing tastes (``benchmarks/verdicts.py``),
    rounded: five protocols and more know from each other how much annotators differ.
    """
    if n_annotators >= _MANY_ANNOTATORS:
        return USUAL_RISK
    if n_protocols >= _KNOW_EACH_OTHER:
        return USUAL_RISK if n_annotators > 2 else 7
    if n_protocols > 2 or n_annotators >= _FEW_ANNOTATORS:
        return 7
    return 10 if n_annotators > 2 else 16


def place_of_person(around: Mapping[str, Any]) -> str | None:
    """Return the clusters of protocols that do not differ from a person, such as "1" or "1–3".

    If every protocol differs, "before" the first cluster that is farther from people, or "after"
    the last one; None if there is no test. ``around`` is a criterion's analysis as JSON.
    """
    tested = around["against_person"]
    if tested["reason"]:
        return None
    cluster_of = around["clusters"]
    placed = [pair for pair in tested["pairs"] if cluster_of[pair["first"]] is not None]
    alike = [cluster_of[pair["first"]] for pair in placed if not _is_told(pair)]
    if alike:
        return _range(alike)
    farther = [cluster_of[pair["first"]] for pair in placed if pair["difference"] > 0]
    if farther:
        return f"before {min(farther)}"
    last = max((cluster_of[pair["first"]] for pair in placed), default=None)
    return None if last is None else f"after {last}"


def _range(numbers: Collection[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least}–{most}"


def _sentences(around: Mapping[str, Any], table: Mapping[str, Any], distance: str) -> Iterator[str]:
    tested = around["comparisons"]
    if tested["reason"]:
        yield (
            "Which protocol is nearer to other annotators and on other images cannot "
            f"be tested: {tested['reason']}."
        )
    elif len(tested["protocols"]) > 1:
        yield from _of_protocols(tested)
    if not around["against_person"]["reason"]:
        yield _of_a_person(around["against_person"])
    yield from _of_all_tied(around, table, distance)


def _of_protocols(tested: Mapping[str, Any]) -> Iterator[str]:
    order, farther = _order_of(tested), _farther(tested)
    nearest = order[0]
    n_undecided = sum(not _is_told(pair) for pair in tested["pairs"])
    n_pairs = len(tested["pairs"])
    if n_undecided == n_pairs:
        yield f"No two of the {len(order)} protocols differ significantly."
        return
    if farther:
        names = [name for name in order if name in farther]
        if len(names) == len(order) - 1:
            words = "{nearest} is nearer to people than every other protocol."
        else:
            words = "{nearest} is nearer to people than {others}."
        yield words.format(nearest=nearest, others=_named(names))
    level = [name for name in order[1:] if name not in farther]
    if level:
        words = "It is undecided whether {others} is as near as {nearest}."
        yield words.format(others=_named(level, "{first} or {last}"), nearest=nearest)
    words = "{n} of {all} pairs of protocols are decided."
    yield words.format(n=n_pairs - n_undecided, all=n_pairs)


def _order_of(tested: Mapping[str, Any]) -> list[str]:
    means = dict(zip(tested["protocols"], tested["means"], strict=True))
    return sorted(means, key=means.__getitem__)


def _farther(tested: Mapping[str, Any]) -> set[str]:
    """Return the protocols that differ significantly from the nearest; others may be as near."""
    nearest = _order_of(tested)[0]
    return {_other(pair, nearest) for pair in _pairs_of(tested, nearest) if _is_told(pair)}


def _of_a_person(tested: Mapping[str, Any]) -> str:
    told = [pair for pair in tested["pairs"] if _is_told(pair)]
    n = len(tested["pairs"])
    nearer = [pair["first"] for pair in told if pair["difference"] < 0]
    farther = [pair["first"] for pair in told if pair["difference"] > 0]
    n_level = n - len(told)
    if len(farther) == n > 1:
        return "A single annotator is nearer to the others than every protocol is."
    if n_level == n > 1:
        return "No protocol differs significantly from a single person."
    parts = []
    if nearer:
        words = (
            "{names} is nearer to the others than a single annotator is"
            if len(nearer) == 1
            else "{names} are nearer to the others than a single annotator is"
        )
        parts.append(words.format(names=_named(nearer)))
    if farther:
        words = "a single annotator is nearer to the others than {names}"
        parts.append(words.format(names=_named(farther)))
    if n_level:
        words = (
            "{n} protocol does not differ significantly from a person"
            if n_level == 1
            else "{n} protocols do not differ significantly from a person"
        )
        parts.append(words.format(n=n_level))
    if not parts:
        parts.append("there is no protocol to compare with a person")
    text = "; ".join(parts)
    # A protocol's name stays as it is written.
    return f"{text}." if nearer else f"{text[0].upper()}{text[1:]}."


def _of_all_tied(
    around: Mapping[str, Any], table: Mapping[str, Any], distance: str
) -> Iterator[str]:
    """Yield a sentence if protocols are farther from people than a ranking that ties everything."""
    tied = next(row["score"] for row in table["baselines"] if row["protocol"] == ALL_TIED)
    scores = [row["score"] for row in table["rows"] if row["score"] is not None]
    n_farther = sum(score > tied for score in scores)
    if tied is None or not n_farther:
        return
    baselines = {row["baseline"]: row for row in around["baselines"]}
    if distance != "edit":
        words = "Beware: a ranking that ties everything is nearer to people than {n} of {all} protocols."
        yield words.format(n=n_farther, all=len(scores))
        return
    limit = baselines[ALL_TIED]["kemeny_distance"]
    n_by_kemeny = sum(row["kemeny_distance"] > limit for row in around["measures"])
    yield (
        f"Beware: a ranking that ties everything is nearer to people than {n_farther} "
        f"of {len(scores)} protocols by the edit distance, which favours ties, and than "
        f"{n_by_kemeny} by the Kemeny distance, which does not."
    )


def _pairs_of(tested: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [pair for pair in tested["pairs"] if name in (pair["first"], pair["second"])]


def _other(pair: Mapping[str, Any], name: str) -> str:
    other: str = pair["second"] if pair["first"] == name else pair["first"]
    return other


def _is_told(pair: Mapping[str, Any]) -> bool:
    p = pair["adjusted_p_value"]
    return p is not None and p <= ALPHA


def _named(names: Sequence[str], joint: str = "") -> str:
    shown = list(names if len(names) == _NAMED + 1 else names[:_NAMED])
    if len(names) > _NAMED + 1:
        shown.append(_others(len(names) - _NAMED))
    if len(shown) == 1:
        return shown[0]
    words = joint or "{first} and {last}"
    return words.format(first=", ".join(shown[:-1]), last=shown[-1])


def _others(n: int) -> str:
    return f"{n} others"
