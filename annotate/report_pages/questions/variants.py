"""Variants of protocols to try: weights, rules for finding nothing, and values of thresholds."""

from dataclasses import dataclass, replace
from typing import Final

from annotate.scoring.models import ProtocolRun
from protocols import registry
from protocols.core.base import Protocol
from protocols.core.credits import CreditProtocol
from protocols.core.errors import ProtocolError
from rankings.tuning.changes import AS_IS, Variants

_STEPS: Final = tuple(step / 10 for step in range(1, 10))
# For values that are not shares: multiples of the current value.
_FACTORS: Final = (0.25, 0.5, 2.0, 4.0)


@dataclass(frozen=True)
class Tried:
    """A run's protocol as it is and its variants, each under the name of its scores."""

    run: ProtocolRun
    protocols: dict[str, Protocol]
    variants: Variants


def tried(run: ProtocolRun) -> Tried | None:
    """Return the variants of a run, or None if it has none.

    It has none if its scores were imported, no parameter can vary, or its parameters are obsolete.
    """
    if run.origin != ProtocolRun.Origin.COMPUTED:
        return None
    try:
        protocol = registry.get(run.protocol, run.parameters)
    except ProtocolError:
        return None
    protocols = {AS_IS: protocol}
    weights: dict[str, str] = {}
    rules: dict[str, str] = {}
    if isinstance(protocol, CreditProtocol):
        _add(protocols, weights, protocol, "weight")
        _add(protocols, rules, protocol, "empty_precision")
    values: dict[str, tuple[float, dict[float, str]]] = {}
    for name, as_is in protocol.parameters().items():
        names: dict[float, str] = {}
        for value in _values(protocol, name):
            names[value] = f"{name} {value:g}"
            protocols[names[value]] = replace(protocol, **{name: value})
        if names:
            values[name] = as_is, names
    if len(protocols) == 1:
        return None
    return Tried(run, protocols, Variants(weights, rules, values))


def _add(
    protocols: dict[str, Protocol], names: dict[str, str], protocol: CreditProtocol, parameter: str
) -> None:
    """Add the protocol with each other choice of a parameter."""
    [declared] = [one for one in protocol.declared() if one.name == parameter]
    for choice in declared.metadata["choices"]:
        if choice != getattr(protocol, parameter):
            names[choice] = f"{parameter} {choice}"
            protocols[names[choice]] = replace(protocol, **{parameter: choice})


def _values(protocol: Protocol, name: str) -> list[float]:
    """Return other values to try for a parameter; none for a switch, a choice or a count."""
    [declared] = [one for one in protocol.declared() if one.name == name]
    as_is = getattr(protocol, name)
    if not isinstance(declared.default, float):
        return []
    low, high = declared.metadata["low"], declared.metadata["high"]
    tried = _STEPS if high <= 1 else [as_is * factor for factor in _FACTORS]
    return [value for value in tried if low <= value <= high and value != as_is]
