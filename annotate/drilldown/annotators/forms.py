"""The form that decides whether an annotator's rankings count."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.studies.models import Exclusion


class ExclusionForm(forms.Form):
    """The decision, given by the button, and its reason, which every report shows."""

    is_excluded = forms.TypedChoiceField(
        choices=[("yes", _("leave out")), ("no", _("count"))], coerce=lambda value: value == "yes"
    )
    reason = forms.CharField(
        max_length=Exclusion._meta.get_field("reason").max_length,
        error_messages={"required": _("Give the reason: every report shows it.")},
        help_text=_("It appears in reports: describe what was found, without naming anyone."),
    )
