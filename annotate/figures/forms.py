"""Forms for the settings of figures, read from their addresses."""

from collections.abc import Sequence

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotate.reports.forms import ReportForm
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA

from .data import FigureData
from .themes import THEMES, WIDTHS_MM, Paper

_USUAL = {"criterion": "recall", "theme": "light", "width": "double"}


def _with_usual(data: QueryDict) -> QueryDict:
    """Return the values of a query string, with defaults for missing ones."""
    given = data.copy()
    for name, value in _USUAL.items():
        if not given.get(name):
            given[name] = value
    return given


def _choice(names: Sequence[str]) -> forms.ChoiceField:
    return forms.ChoiceField(choices=[(name, name) for name in names], required=False)


class _PaperForm(forms.Form):
    theme = _choice(list(THEMES))
    width = _choice(list(WIDTHS_MM))

    def paper(self) -> Paper:
        return Paper(self.cleaned_data["theme"], self.cleaned_data["width"])


class FigureForm(ReportForm):
    """A report's settings, and the criterion of the figures."""

    criterion = forms.ChoiceField(
        choices=list(zip(CRITERIA, (_("recall"), _("precision"), _("preference")), strict=True)),
        required=False,
        label=_("Criterion"),
    )
    field_order = ("criterion",)

    def __init__(self, data: QueryDict, *, study: Study) -> None:
        super().__init__(_with_usual(data), study=study)

    def asked(self) -> FigureData:
        """Return the input of the figures that the form asks for."""
        return FigureData(self._study, self.settings(), self.runs(), self.cleaned_data["criterion"])


class FileForm(FigureForm, _PaperForm):
    """The settings of a figure's file: those of the figure, and its paper."""


class KeptFigureForm(forms.Form):
    """The criterion of a kept report's figures; the report's settings are fixed."""

    criterion = _choice(CRITERIA)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(_with_usual(data))


class KeptFileForm(KeptFigureForm, _PaperForm):
    """The settings of a kept figure's file."""
