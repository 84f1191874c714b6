import json
from collections.abc import Mapping
from typing import Any

from django import forms

from protocols import registry
from protocols.core.credits import CreditProtocol
from protocols.core.errors import ProtocolError

_GROUPS = {
    "regions": "From regions",
    "text": "From regions and the text of the ground truth",
    "detected text": "From what was read",
    "confidences": "From confidences",
    "cells": "For tables",
    "several methods": "From several methods at once",
}
_SHARED = {declared.name: declared for declared in CreditProtocol.declared()}


def _grouped() -> list[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for protocol in registry.all_protocols():
        title = "Sentinels" if protocol.is_sentinel else _GROUPS[protocol.needs]
        groups.setdefault(title, []).append((protocol.slug, protocol.name))
    return list(groups.items())


class ScoreForm(forms.Form):
    protocols = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        choices=_grouped,
        error_messages={"required": "Choose at least one protocol."},
    )
    weight = forms.ChoiceField(
        label="A region counts",
        choices=[
            ("regions", "like every other (published)"),
            ("area", "by its area"),
            ("characters", "by its number of characters"),
        ],
        required=False,
        help_text="For protocols that add up credits; a variant is a protocol of its own in reports.",
    )
    empty_precision = forms.ChoiceField(
        label="Precision where nothing is found",
        choices=[
            ("published", "as published"),
            ("zero", "0"),
            ("one", "1"),
            ("undefined", "undefined"),
        ],
        required=False,
        help_text="For the same protocols, on images with text to find.",
    )
    parameters = forms.CharField(
        label="Other parameters",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text='JSON, for instance {"min_iou": 0.7}; every chosen protocol must have them.',
    )

    def clean_parameters(self) -> dict[str, Any]:
        text = self.cleaned_data["parameters"].strip()
        if not text:
            return {}
        try:
            parameters = json.loads(text)
        except ValueError as fault:
            raise forms.ValidationError(f"This is not JSON: {fault}.") from fault
        if not isinstance(parameters, dict):
            raise forms.ValidationError("Write a JSON object, names and values in braces.")
        return parameters

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        for slug in cleaned["protocols"]:
            try:
                registry.get(slug, self.parameters_of(slug))
            except ProtocolError as refusal:
                self.add_error("parameters", f"{refusal}.")
        return cleaned

    def parameters_of(self, slug: str) -> Mapping[str, Any]:
        """Return the parameters a protocol is to be scored with."""
        chosen = dict(self.cleaned_data["parameters"])
        if issubclass(registry.PROTOCOLS[slug], CreditProtocol):
            for name, declared in _SHARED.items():
                value = self.cleaned_data.get(name) or declared.default
                if value != declared.default:
                    chosen[name] = value
        return chosen
