from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotate.names import NameField
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


class KeepForm(forms.Form):
    """Methods ticked in the table, how many of the worst images of each, and a name for them all."""

    method = forms.MultipleChoiceField(
        label=gettext_lazy("Methods"),
        error_messages={"required": gettext_lazy("Tick at least one method in the table.")},
    )
    n = forms.IntegerField(
        label=gettext_lazy("Worst images of each ticked method"),
        initial=10,
        min_value=1,
        max_value=10**9,
    )
    name = NameField(label=gettext_lazy("Name"), max_length=120)

    def __init__(self, *args: object, slugs: Iterable[str]) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.fields["method"].choices = [(slug, slug) for slug in slugs]  # type: ignore[attr-defined]
