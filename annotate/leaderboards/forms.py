from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotate.scoring.models import ProtocolRun

FIGURES = [
    ("f_score", gettext_lazy("F-score")),
    ("recall", gettext_lazy("Recall")),
    ("precision", gettext_lazy("Precision")),
]


class LeaderboardForm(forms.Form):
    """The figure of a leaderboard, and the protocol that orders the methods."""

    figure = forms.ChoiceField(label=gettext_lazy("Figure"), choices=FIGURES, required=False)
    by = forms.ChoiceField(label=gettext_lazy("Ordered by"), required=False)
    shared = forms.BooleanField(label=gettext_lazy("Shared images only"), required=False)

    def __init__(self, *args: object, runs: Sequence[ProtocolRun], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["by"].choices = [(run.name, run.name) for run in runs]  # type: ignore[attr-defined]

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of :func:`.boards_of`, after validation."""
        found = self.cleaned_data
        return {"figure": found["figure"], "by": found["by"], "shared_only": found["shared"]}

    def clean_figure(self) -> str:
        return self.cleaned_data["figure"] or FIGURES[0][0]
