from django import forms

from protocols import registry


class ScoreForm(forms.Form):
    protocols = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one protocol."},
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["protocols"].choices = [
            (protocol.slug, protocol.name) for protocol in registry.all_protocols()
        ]
