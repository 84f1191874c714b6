"""The provenance of a report, kept with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotate.scoring.models import ProtocolRun
from protocols import registry


def whole(
    header: Mapping[str, str],
    runs: Sequence[ProtocolRun],
    sentinels: Sequence[str],
    analysed: Mapping[str, Any],
) -> dict[str, Any]:
    """Return an analysis with its provenance, as a kept report contains it."""
    return {"header": header, "sentinels": sentinels, "runs": described_runs(runs), **analysed}


def described_runs(runs: Sequence[ProtocolRun]) -> list[dict[str, Any]]:
    """Return the runs for a methods section; references are keys of protocols/REFERENCES.md."""
    return [
        {
            "name": run.name,
            "protocol": run.protocol,
            "version": run.version,
            "origin": run.origin,
            "signature": run.signature,
            "parameters": run.parameters,
            "changed": _changed(run),
            "reference": registry.PROTOCOLS[run.protocol].reference
            if run.protocol in registry.PROTOCOLS
            else "",
        }
        for run in runs
    ]


def _changed(run: ProtocolRun) -> dict[str, Any]:
    """Return the parameters that differ from the protocol's defaults."""
    if run.protocol not in registry.PROTOCOLS:
        return dict(run.parameters)
    usual = registry.PROTOCOLS[run.protocol]().parameters()
    return {
        name: value for name, value in run.parameters.items() if usual.get(name, value) != value
    }


def described(run: ProtocolRun) -> str:
    """Return a run's name and signature, or the day of its import."""
    if run.origin == ProtocolRun.Origin.IMPORTED:
        return f"{run.name} (imported {run.created:%Y-%m-%d})"
    return f"{run.name}: {run.signature}"
