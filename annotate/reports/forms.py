"""A report's settings, as given in its query string."""

from dataclasses import asdict
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.settings import Declared, Settings, as_text, declared_settings
from rankings.output.latex import Look

from .cache import Asked
from .presentation import settings_query
from .services import available_runs, usual_settings


class LookForm(forms.Form):
    """Layout of the LaTeX tables; missing fields have their defaults."""

    layout = forms.ChoiceField(
        choices=[("side", _("side by side")), ("stacked", _("below each other"))],
        required=False,
        label=_("Criteria"),
    )
    width = forms.ChoiceField(
        choices=[("page", _("both columns, or the page")), ("column", _("one column of two"))],
        required=False,
        label=_("Width"),
    )
    intervals = forms.BooleanField(required=False, label=_("95 % intervals of the Scores"))

    def look(self) -> Look:
        chosen = self.cleaned_data
        return Look(
            layout=chosen["layout"] or "side",
            width=chosen["width"] or "page",
            intervals=chosen["intervals"],
        )


class ReportForm(forms.Form):
    """The settings of a report; missing fields have the study's settings or the defaults."""

    # Some pages show a single protocol instead of several.
    protocol: forms.ChoiceField = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label=_("Protocols")
    )

    def __init__(self, data: QueryDict, *, study: Study) -> None:
        self._study, self.available = study, available_runs(study)
        names = [run.name for run in self.available]
        given = data.copy()
        for name, value in asdict(usual_settings(study)).items():
            if not given.get(name):
                given[name] = as_text(value)
        if not given.getlist("protocol"):
            given.setlist("protocol", self._usual(names))
        super().__init__(given)
        of_settings = {name: _field(one) for name, one in declared_settings().items()}
        self.fields = {**of_settings, **self.fields}
        self.order_fields(self.field_order)
        protocol = cast(forms.ChoiceField, self.fields["protocol"])
        protocol.choices = [(name, name) for name in names]

    def _usual(self, names: list[str]) -> list[str]:
        """Return the names of the protocols that are chosen if none is."""
        return names

    def settings(self) -> Settings:
        return Settings(
            **{
                name: declared.parsed(str(self.cleaned_data[name]))
                for name, declared in declared_settings().items()
            }
        )

    def runs(self) -> list[ProtocolRun]:
        return [run for run in self.available if run.name in self.cleaned_data["protocol"]]

    def asked(self) -> Asked:
        """Return the report that the form asks for."""
        return Asked(self._study, self.settings(), self.runs())

    def query(self) -> str:
        """Return the settings as a query string, with the protocols if they are not all."""
        query, chosen = settings_query(self.settings()), self.runs()
        if len(chosen) == len(self.available):
            return query
        # Best and Worst depend on the protocols compared.
        return f"{query}&{urlencode({'among': [run.name for run in chosen]}, doseq=True)}"


def choices_of(declared: Declared) -> list[tuple[str, str]]:
    """Return the values that are offered, as in an address, with their words."""
    return [(as_text(value), gettext(words)) for value, words in declared.choices.items()]


def _field(declared: Declared) -> forms.Field:
    label = _(declared.words)
    if declared.choices:
        return forms.ChoiceField(choices=choices_of(declared), required=False, label=label)
    number: Any = forms.IntegerField if isinstance(declared.default, int) else forms.FloatField
    found: forms.Field = number(
        min_value=declared.low, max_value=declared.high, required=False, label=label
    )
    return found
