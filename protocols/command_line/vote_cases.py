"""JSON cases of votes or images, and the scores of their systems against each other ([LS11]_)."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..core.errors import RegionError
from ..core.regions import Region
from ..no_ground_truth.faces import faces_of
from ..no_ground_truth.votes import (
    EMPTY_PRECISIONS,
    Consensus,
    VoteError,
    VoteScore,
    share_weights,
    weigh_votes,
)
from ..signatures import DATA, signature_of_figures


def evaluate_cases(given: Any) -> Any:
    """Return the scores of systems against each other, for votes or images given as JSON data.

    A case is a table ``{"systems": [[vote...]...]}`` or an image ``{"methods": [[{"polygon": [[x,
    y]...], "confidence"?}...]...], "width"?, "height"?, "domain"?}``, with ``"name"`` and
    ``"options"``: ``kappa`` (weights of the systems, S_top and S_bottom), or ``virtual``,
    ``groups`` and ``oracles`` (weights of the last systems); ``area`` (of the documents of a
    table), ``leave_one_out``, ``empty_precision``. Several are a list, or ``{"cases": [case...]}``.

    For a case the answer is ``{"P", "sum_P", "systems", "top", "bottom", "kappa"}``, for an image
    also ``faces``, in the order of P; None if there is nothing to vote on; and ``signature``. For
    several cases it is a list of ``{"name", "result", "signature"}``. Raises VoteError if the data
    are anything else; the message names the place.
    """
    cases = given.get("cases", given) if isinstance(given, Mapping) else given
    if isinstance(cases, Mapping):
        result = _evaluate(cases, "the case")
        return None if result is None else {**result, "signature": _signature(cases)}
    if not isinstance(cases, list):
        raise VoteError('expected a case with "systems" or "methods", or a list of cases')
    answers = []
    for at, case in enumerate(cases):
        result = _evaluate(case, f"case {at}")
        name = str(case.get("name", ""))
        answers.append({"name": name, "result": result, "signature": _signature(case)})
    return answers


def _signature(case: Mapping[str, Any]) -> str:
    given = {name: json.dumps(value) for name, value in (case.get("options") or {}).items()}
    if "domain" in case:
        given["domain"] = case["domain"]
    return signature_of_figures("no-ground-truth", given, "none", DATA, 1)


_OPTIONS: Final = (
    "kappa",
    "virtual",
    "groups",
    "oracles",
    "area",
    "leave_one_out",
    "empty_precision",
)


def _evaluate(case: Any, place: str) -> dict[str, Any] | None:
    if not isinstance(case, Mapping) or ("systems" in case) == ("methods" in case):
        raise VoteError(f'{place}: expected an object with either "systems" or "methods"')
    options = case.get("options") or {}
    if not isinstance(options, Mapping):
        raise VoteError(f'{place}: expected "options" as an object')
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise VoteError(f"{place}: no option {unknown[0]!r}; options: {', '.join(_OPTIONS)}")
    try:
        if "systems" in case:
            return _evaluate_table(case, options)
        return _evaluate_image(case, options)
    except (VoteError, RegionError) as refusal:
        raise VoteError(f"{place}: {refusal}") from refusal


def _evaluate_table(case: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any] | None:
    rows = case["systems"]
    if not isinstance(rows, list) or len({len(_numbers(row, "systems")) for row in rows}) != 1:
        raise VoteError('expected "systems" as lists of the same number of votes')
    if not rows[0]:
        return None
    areas = _numbers(options["area"], "area") if "area" in options else None
    return _answered(
        lambda weights, alone: weigh_votes(rows, areas, weights, leave_one_out=alone),
        len(rows),
        options,
    )


def _evaluate_image(case: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any] | None:
    if "area" in options:
        raise VoteError('the areas of an image are measured; "area" is for tables')
    methods = case["methods"]
    if not isinstance(methods, list) or not all(
        isinstance(detections, list) for detections in methods
    ):
        raise VoteError('expected "methods" as lists of detections')
    domain = case.get("domain", "image")
    if domain not in ("image", "union"):
        raise VoteError(f'expected "domain" as image or union, got {domain!r}')
    faces = faces_of(
        [
            [_region(one, f"method {k}, detection {at}") for at, one in enumerate(detections)]
            for k, detections in enumerate(methods)
        ],
        width=_side(case, "width"),
        height=_side(case, "height"),
        domain=domain,
    )
    if not len(faces):
        return None
    answer = _answered(
        lambda weights, alone: weigh_votes(
            faces.signatures.T, faces.areas, weights, leave_one_out=alone
        ),
        len(methods),
        options,
    )
    answer["faces"] = [
        {"signature": signature, "area": area}
        for signature, area in zip(faces.signatures.tolist(), faces.areas.tolist(), strict=True)
    ]
    return answer


def _answered(
    weigh: Callable[[Sequence[float], bool], Consensus],
    n_systems: int,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    rule = options.get("empty_precision", "undefined")
    if rule not in EMPTY_PRECISIONS:
        raise VoteError(f'expected "empty_precision" as one of {", ".join(EMPTY_PRECISIONS)}')
    alone = _switch(options, "leave_one_out", False)
    consensus = weigh(_weights(n_systems, options), alone)

    def shown(score: VoteScore) -> dict[str, float | None]:
        filled = score.with_precision(rule, consensus.top.precision)
        return {
            "size": filled.size,
            "sum_PS": filled.shared,
            "precision": filled.precision,
            "recall": filled.recall,
            "f1": filled.f_score,
        }

    return {
        "P": list(consensus.relevance),
        "sum_P": consensus.total,
        "systems": [shown(score) for score in consensus.systems],
        "top": shown(consensus.top),
        "bottom": shown(consensus.bottom),
        "kappa": list(consensus.weights),
    }


def _weights(n_systems: int, options: Mapping[str, Any]) -> Sequence[float]:
    if "kappa" in options:
        others = [name for name in ("virtual", "groups", "oracles") if name in options]
        if others:
            raise VoteError(f'"kappa" gives all weights; leave out "{others[0]}"')
        return _numbers(options["kappa"], "kappa")
    oracles = _numbers(options.get("oracles", []), "oracles")
    groups = options.get("groups")
    if groups is not None and (
        not isinstance(groups, list) or not all(isinstance(name, str | int) for name in groups)
    ):
        raise VoteError('expected "groups" as a list of names')
    if len(oracles) > n_systems:
        raise VoteError(f"{len(oracles)} oracles are more than {n_systems} systems")
    return share_weights(
        n_systems - len(oracles),
        virtual=_switch(options, "virtual", True),
        groups=groups,
        oracles=oracles,
    )


def _switch(options: Mapping[str, Any], name: str, default: bool) -> bool:
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise VoteError(f'expected "{name}" true or false, got {value!r}')
    return value


def _numbers(given: Any, name: str) -> list[float]:
    if not isinstance(given, list) or not all(_is_number(value) for value in given):
        raise VoteError(f'expected "{name}" as numbers, got {given!r}')
    return [float(value) for value in given]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _side(case: Mapping[str, Any], side: str) -> float | None:
    value = case.get(side)
    if value is None:
        return None
    if not _is_number(value) or value <= 0:
        raise VoteError(f'expected "{side}" above 0, got {value!r}')
    return float(value)


def _region(given: Any, place: str) -> Region:
    try:
        points = tuple(float(value) for x, y in given["polygon"] for value in (x, y))
        confidence = given.get("confidence")
        if confidence is not None and not _is_number(confidence):
            raise VoteError(f"{place}: expected a confidence in [0, 1], got {confidence!r}")
        return Region(points, confidence=confidence)
    except RegionError as refusal:
        raise VoteError(f"{place}: {refusal}") from refusal
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as fault:
        if isinstance(fault, VoteError):
            raise
        raise VoteError(f'{place}: expected {{"polygon": [[x, y], ...]}}') from fault
