"""The command that lists the protocols."""

import argparse
import json
from dataclasses import MISSING
from typing import Any

from .. import registry
from ..core.base import Protocol


def add_command(commands: Any) -> None:
    """Add the command ``list``."""
    command = commands.add_parser("list", help="the protocols and their parameters")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    described = [_described(protocol) for protocol in registry.PROTOCOLS.values()]
    if options.json:
        print(json.dumps(described))
        return
    for protocol in described:
        print(
            f"{protocol['slug']:<12} {protocol['name']:<10} {protocol['summary']} [{protocol['reference']}]"
        )
        for name, parameter in protocol["parameters"].items():
            limits, choices = parameter["range"], parameter["choices"]
            shown = f" in [{limits[0]:g}, {limits[1]:g}]" if limits else ""
            shown = f" of {', '.join(choices)}" if choices else shown
            print(f"  {name} = {parameter['default']}{shown}: {parameter['says']}")
        for name, variant in protocol["variants"].items():
            print(f"  {protocol['slug']}:{name}: as {variant['says']}")


def _described(protocol: type[Protocol]) -> dict[str, Any]:
    return {
        "slug": protocol.slug,
        "name": protocol.name,
        "summary": protocol.summary,
        "reference": protocol.reference,
        "parameters": {
            declared.name: {
                "default": None if declared.default is MISSING else declared.default,
                "range": None
                if isinstance(declared.default, bool) or "choices" in declared.metadata
                else [declared.metadata["low"], declared.metadata["high"]],
                "choices": list(declared.metadata.get("choices", ())) or None,
                "says": declared.metadata["says"],
            }
            for declared in protocol.declared()
        },
        "variants": {
            name: {"parameters": dict(variant.parameters), "says": variant.says}
            for name, variant in protocol.variants.items()
        },
    }
