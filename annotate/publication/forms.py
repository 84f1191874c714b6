"""The forms of a paper and of a public page."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.names import NameField
from annotate.reports.forms import LookForm
from rankings.elicitation.log import CRITERIA
from rankings.output.table import Table

from .models import PublicPage
from .papers import Chosen


class PaperForm(LookForm):
    """Layout of the tables, and what the article of two pages shows."""

    table = forms.SlugField(required=False, label=_("Table"), widget=forms.Select)
    figure = forms.ChoiceField(
        choices=[
            ("nearness", _("distances with their intervals")),
            ("critical-difference", _("critical differences")),
            ("distances", _("distances of all images")),
            ("strengths", _("preference of the detectors")),
        ],
        required=False,
        label=_("Figure of the article"),
    )
    criterion = forms.ChoiceField(
        choices=[(name, _(name)) for name in CRITERIA], required=False, label=_("Figure by")
    )
    supplement = forms.BooleanField(
        required=False, label=_("A supplement with all other tables and figures")
    )

    def offer(self, tables: Sequence[Table]) -> None:
        """Offer the tables of a report."""
        choices = [("report", _("Best / Worst / Score")), *((of.slug, of.title) for of in tables)]
        self.fields["table"].widget.choices = choices

    def chosen(self) -> Chosen:
        asked = self.cleaned_data
        return Chosen(
            asked["table"] or Chosen.table,
            asked["figure"] or Chosen.figure,
            asked["criterion"] or Chosen.criterion,
            asked["supplement"],
        )


class PublishForm(forms.ModelForm[PublicPage]):
    """The form of a public page; an empty address becomes one that cannot be guessed."""

    address = forms.SlugField(
        required=False,
        min_length=3,
        max_length=60,
        label=_("Address"),
        help_text=_(
            "Letters, digits and hyphens: the page is then listed, and search engines may show "
            "it. Empty: an address that cannot be guessed, and that search engines are asked not "
            "to list."
        ),
    )
    confirmed = forms.BooleanField(
        label=_("I have read what becomes public, and may publish it"),
        error_messages={"required": _("Read what becomes public, and confirm it.")},
    )

    class Meta:
        model = PublicPage
        fields = ("title", "authors", "description", "doi", "licence", "download")
        field_classes = {"title": NameField, "authors": NameField}
        labels = {
            "title": _("Title"),
            "description": _("Description"),
            "licence": _("Licence"),
            "authors": _("Authors, as they want to be cited"),
            "download": _("Offer for download"),
        }
        help_texts = {
            "authors": _("The only names on the page. Empty: none."),
            "description": _("Empty: a sentence made from the study."),
            "doi": _("As in 10.5281/zenodo.1234567; it can be added later."),
        }

    field_order = ("title", "address", "authors", "description", "doi", "licence", "download")

    def said(self) -> dict[str, Any]:
        """Return the arguments of the service."""
        return {name: value for name, value in self.cleaned_data.items() if name != "confirmed"}
