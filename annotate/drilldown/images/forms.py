"""Settings of the pages about single images, in addition to those of a report."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotate.reports.forms import ReportForm
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from protocols.core.base import Protocol
from rankings.elicitation.log import CRITERIA
from text_rankings.base.i18n import gettext, numeral

from .disagreement import BASELINES

# The subject of the page; the other settings are folded away.
_FIRST = ("protocol", "criterion", "distance", "only")
_CRITERIA = list(zip(CRITERIA, (_("Recall"), _("Precision"), _("Preference")), strict=True))


class ImageForm(ReportForm):
    """The report's settings for one image; criterion and pseudonyms are chosen by links."""

    criterion = forms.ChoiceField(choices=_CRITERIA, required=False, widget=forms.HiddenInput)
    pseudonyms = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def clean_criterion(self) -> str:
        return self.cleaned_data["criterion"] or CRITERIA[0]


class DisagreementForm(ReportForm):
    """One protocol and one criterion; from a count of a report only the images that it counts."""

    protocol = forms.ChoiceField(required=False, label=_("Protocol"))
    criterion = forms.ChoiceField(choices=_CRITERIA, required=False, label=_("Criterion"))
    only = forms.ChoiceField(
        choices=[
            ("", _("all images")),
            ("best", _("where it is nearest")),
            ("worst", _("where it is farthest")),
        ],
        required=False,
        label=_("Images"),
    )
    # The protocols of the report; without any, all there are.
    among = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)

    def __init__(self, data: QueryDict, *, study: Study, runs: Sequence[ProtocolRun]) -> None:
        given = data.copy()
        if runs and not given.get("protocol"):
            given["protocol"] = runs[0].name
        if not given.get("criterion"):
            given["criterion"] = CRITERIA[0]
        super().__init__(given, study=study, runs=runs)
        protocol = cast(forms.ChoiceField, self.fields["protocol"])
        protocol.choices = [
            (_("Protocols"), [(run.name, run.name) for run in runs]),
            (_("Baselines"), [(name, gettext(name)) for name in BASELINES]),
        ]
        among = cast(forms.ChoiceField, self.fields["among"])
        among.choices = [(run.name, run.name) for run in runs]
        self.order_fields(_FIRST)

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _FIRST]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in _FIRST]

    def runs(self) -> list[ProtocolRun]:
        return [run for run in self._runs if run.name == self.cleaned_data["protocol"]]

    def baseline(self) -> str:
        """Return the name of a baseline; empty where a protocol is asked for, which goes first."""
        return "" if self.runs() else str(self.cleaned_data["protocol"])

    def rivals(self) -> list[ProtocolRun]:
        names = self.cleaned_data["among"]
        return [run for run in self._runs if not names or run.name in names]


class ParametersForm(forms.Form):
    """A protocol's parameters with their ranges, as the viewer of two methods tries them.

    An address without ``p-set`` has the protocol's own; with it an unchecked box is a no.
    """

    set = forms.CharField(widget=forms.HiddenInput, initial="1", required=False)
    prefix = "p"

    def __init__(self, data: Any, *, protocol: Protocol) -> None:
        self._protocol = protocol
        super().__init__(_with_own(data, protocol) if "p-set" in data else None)
        published = type(protocol)()
        for declared in protocol.declared():
            usual = getattr(published, declared.name)
            self.fields[declared.name] = _field(
                declared,
                getattr(protocol, declared.name),
                gettext("published: {value}").format(value=_plain(usual)),
            )

    def protocol(self) -> Protocol:
        """Return the protocol with the parameters of the address.

        Raises ParameterError where they do not go together.
        """
        if not self.is_bound:
            return self._protocol
        own = self._protocol.parameters()
        return replace(self._protocol, **{name: self.cleaned_data[name] for name in own})


def _with_own(data: Any, protocol: Protocol) -> Any:
    """Return the values in an address, with the protocol's own values for missing ones."""
    given = data.copy()
    for name, value in protocol.parameters().items():
        if not isinstance(value, bool) and not given.get(f"p-{name}"):
            given[f"p-{name}"] = str(value)
    return given


def changed_parameters(protocol: Protocol) -> list[str]:
    """Return which parameters differ from the published ones."""
    published = type(protocol)().parameters()
    return [
        gettext("{name} {value} (published {published})").format(
            name=name, value=_plain(value), published=_plain(published[name])
        )
        for name, value in protocol.parameters().items()
        if value != published[name]
    ]


def _field(declared: Any, value: Any, usual: str) -> forms.Field:
    told = {
        "label": declared.name,
        "initial": value,
        "required": False,
        "help_text": f"{gettext(declared.metadata['says'])}; {usual}",
    }
    if isinstance(declared.default, bool):
        return forms.BooleanField(**told)
    if "choices" in declared.metadata:
        return forms.ChoiceField(
            choices=[(choice, choice) for choice in declared.metadata["choices"]], **told
        )
    low, high = declared.metadata["low"], declared.metadata["high"]
    kind = forms.IntegerField if isinstance(declared.default, int) else forms.FloatField
    field = kind(min_value=low, max_value=high, **told)
    # The script adds a slider.
    field.widget.attrs |= {"step": "1" if kind is forms.IntegerField else "any", "data-slides": ""}
    return field


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return numeral(f"{value:g}") if isinstance(value, float) else str(value)
