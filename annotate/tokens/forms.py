"""Making a token."""

from django import forms

from annotate.rest.scopes import READ, SCOPES


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=80,
        label="Name",
        help_text="What it is for, so that you know it again: “nightly backup”.",
    )
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=list(SCOPES.items()),
        widget=forms.CheckboxSelectMultiple,
        initial=[READ],
        error_messages={"required": "Choose what the token is for."},
    )
    lasts = forms.ChoiceField(
        label="It lasts",
        choices=[
            ("30", "30 days"),
            ("90", "90 days"),
            ("365", "a year"),
            ("ever", "until I revoke it"),
        ],
        initial="90",
    )

    def clean_lasts(self) -> int | None:
        lasts = self.cleaned_data["lasts"]
        return None if lasts == "ever" else int(lasts)
