"""The form of a public page."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.names import NameField

from .models import PublicPage


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
