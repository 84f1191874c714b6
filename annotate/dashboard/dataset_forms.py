"""The form that declares the scenes of images."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Dataset
from annotate.datasets.services import ScenesRefused, scenes_by_name, scenes_of_csv

_MOST_BYTES = 20_000_000


class ScenesForm(forms.Form):
    """Scenes by the images' names or by a file; neither removes them all."""

    separator = forms.CharField(
        label=gettext_lazy("The scene is the part of an image's name before the last"),
        max_length=20,
        strip=False,
        required=False,
        help_text=gettext_lazy("For example / for folders, or _ if walk-3_017 shows walk-3."),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a CSV file with the columns image and scene"), required=False
    )

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._dataset = dataset

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        separator, file = cleaned.get("separator"), cleaned.get("file")
        if separator and file:
            raise forms.ValidationError(_("Give a separator or a file, not both."))
        cleaned["scene_of"] = scenes_by_name(self._dataset, separator) if separator else {}
        if file:
            if file.size > _MOST_BYTES:
                raise forms.ValidationError(_("The file is larger than 20 MB."))
            try:
                cleaned["scene_of"] = scenes_of_csv(file.read().decode("utf-8"))
            except UnicodeDecodeError:
                raise forms.ValidationError(_("The file is not UTF-8.")) from None
            except ScenesRefused as refusal:
                raise forms.ValidationError(str(refusal)) from refusal
        return cleaned
