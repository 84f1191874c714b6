"""The form of answers from elsewhere."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.judging.models import CRITERION_NAMES
from annotate.names import NameField


class AnswersForm(forms.Form):
    """A file of pairs, and the study that they become."""

    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "CSV with the columns image, method_a, method_b and verdict (left, right or equal), or "
            "model_a, model_b and winner; if known also annotator, criterion and seconds. JSON "
            "with the same names, or the answers to pairs as Label Studio, Argilla or Potato export "
            "them."
        ),
    )
    name = NameField(label=_("Name of the study"), max_length=120)
    criterion = forms.ChoiceField(
        label=_("Criterion of answers that name none"),
        choices=list(CRITERION_NAMES.items()),
        initial="preference",
    )
    leave_out = forms.BooleanField(
        label=_("Leave out the answers from which no ranking follows, and load the others"),
        required=False,
    )
