"""The form that declares the scenes of images."""

from django import forms
from django.utils.translation import gettext_lazy


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
