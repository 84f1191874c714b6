"""The form of answers from elsewhere."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.judging.models import CRITERION_NAMES
from annotate.names import NameField
from rankings.elicitation.pairs import Codes, codes_of
from rankings.errors import RankingError


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
    codes = forms.CharField(
        label=_("Meaning of numbers"),
        help_text=_(
            "Only if verdicts are numbers, or a choice next to the pairs means that both are equal: "
            "0=left, 1=right, 2=equal"
        ),
        max_length=400,
        required=False,
    )
    leave_out = forms.BooleanField(
        label=_("Leave out these answers, and load the others"),
        required=False,
    )

    def clean_codes(self) -> Codes:
        try:
            return codes_of(self.cleaned_data["codes"])
        except RankingError as fault:
            raise forms.ValidationError(str(fault)) from fault
