import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from protocols import registry
from protocols.core.base import NEEDED, Protocol
from protocols.core.credits import CreditProtocol
from protocols.core.errors import ProtocolError

_SHARED = {declared.name: declared for declared in CreditProtocol.declared()}


def _grouped(fitting: Collection[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    grouped = [
        (
            gettext(family),
            [
                choice
                for protocol in protocols
                if protocol.slug in fitting
                for choice in _choices(protocol)
            ],
        )
        for family, protocols in registry.families().items()
    ]
    return [(family, choices) for family, choices in grouped if choices]


def _choices(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Yield the choices of a protocol and its published variants."""
    needs = NEEDED.get(protocol.needs)
    said = _("needs {what}").format(what=needs) if needs else protocol.as_published
    yield protocol.slug, f"{protocol.name} ({said})" if said else protocol.name
    for name, variant in protocol.variants.items():
        yield (
            f"{protocol.slug}:{name}",
            _("{name}: {parts}").format(name=protocol.name, parts=variant.says),
        )


class ScoreForm(forms.Form):
    """The protocols to score a dataset with, and their parameters."""

    protocols = forms.MultipleChoiceField(
        label=gettext_lazy("Protocols"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one protocol.")},
    )
    weight = forms.ChoiceField(
        label=gettext_lazy("A region counts"),
        choices=[
            ("regions", gettext_lazy("like every other (published)")),
            ("area", gettext_lazy("by its area")),
            ("characters", gettext_lazy("by its number of characters")),
        ],
        required=False,
        help_text=gettext_lazy(
            "For protocols that add up credits; reports treat a variant as a separate protocol."
        ),
    )
    empty_precision = forms.ChoiceField(
        label=gettext_lazy("Precision where nothing is found"),
        choices=[
            ("published", gettext_lazy("as published")),
            ("zero", "0"),
            ("one", "1"),
            ("undefined", gettext_lazy("undefined")),
        ],
        required=False,
        help_text=gettext_lazy("For the same protocols, on images with text to find."),
    )
    parameters = forms.CharField(
        label=gettext_lazy("Other parameters"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=gettext_lazy(
            'JSON, for instance {"min_iou": 0.7}; every chosen protocol must have them.'
        ),
    )

    def __init__(self, sent: QueryDict | None = None, *, fitting: Collection[str]) -> None:
        super().__init__(sent)
        protocols = self.fields["protocols"]
        if isinstance(protocols, forms.MultipleChoiceField):
            protocols.choices = _grouped(fitting)

    def clean_parameters(self) -> dict[str, Any]:
        text = self.cleaned_data["parameters"].strip()
        if not text:
            return {}
        try:
            parameters = json.loads(text)
        except ValueError as fault:
            raise forms.ValidationError(
                _("This is not JSON: {fault}.").format(fault=fault)
            ) from fault
        if not isinstance(parameters, dict):
            raise forms.ValidationError(_("Write a JSON object, names and values in braces."))
        return parameters

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        slug_of: dict[Protocol, str] = {}
        for slug in cleaned["protocols"]:
            try:
                slug_of.setdefault(registry.get(slug, self.parameters_of(slug)), slug)
            except ProtocolError as refusal:
                self.add_error("parameters", f"{refusal}.")
        # A protocol and its variant with the same parameters are one.
        cleaned["protocols"] = list(slug_of.values())
        return cleaned

    def parameters_of(self, slug: str) -> Mapping[str, Any]:
        """Return the parameters to score a protocol with."""
        chosen = dict(self.cleaned_data["parameters"])
        if isinstance(registry.get(slug), CreditProtocol):
            for name, declared in _SHARED.items():
                value = self.cleaned_data.get(name) or declared.default
                if value != declared.default:
                    chosen[name] = value
        return chosen
