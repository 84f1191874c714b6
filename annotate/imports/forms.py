"""What an admin uploads. The files are checked by the services, which read them as streams."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from protocols.formats.rrc import LineFormat

from .services import EMPTY, NOT_EVALUATED

_MAX_BYTES = 2 * 1024**3


def _not_too_large(file: UploadedFile) -> None:
    if (file.size or 0) > _MAX_BYTES:
        raise forms.ValidationError(f"{file.name} is larger than 2 GiB. Use the command line.")


class _ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class _ManyFiles(forms.FileField):
    """Several files in one field; cleans to a list."""

    widget = _ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(_ManyFiles, self).clean(file, initial) for file in files or [None]]


class DatasetForm(forms.Form):
    name = forms.CharField(max_length=120)
    truth = forms.FileField(
        label="Ground truth",
        help_text="A zip of gt_NAME.txt files, one region a line.",
        validators=[_not_too_large],
    )
    images = forms.FileField(
        label="Photographs",
        required=False,
        help_text="A zip of NAME.jpg, .png or .webp. Without it the boxes are drawn on a blank.",
        validators=[_not_too_large],
    )
    line_format = forms.ChoiceField(
        label="Format of the lines",
        required=False,
        choices=[
            ("", "found out from the files"),
            (LineFormat.LTRB, "left,top,right,bottom (ICDAR 2013)"),
            (LineFormat.QUAD, "four corners (ICDAR 2015)"),
            (LineFormat.POLYGON, "polygons (curved text)"),
        ],
    )
    provenance = forms.CharField(required=False, max_length=2000, help_text="Where it comes from.")
    licence = forms.CharField(required=False, max_length=200)


class ResultsForm(forms.Form):
    archives = _ManyFiles(
        label="Results",
        help_text="One zip of res_NAME.txt files for each method; the zip's name names the method.",
        validators=[_not_too_large],
    )
    missing = forms.ChoiceField(
        label="An image without a file means",
        required=False,
        widget=forms.RadioSelect,
        choices=[
            ("", "there should be none: refuse, and tell me which"),
            (EMPTY, "no boxes: the method found nothing"),
            (NOT_EVALUATED, "not evaluated: the method was not run on it"),
        ],
    )


class ScoresForm(forms.Form):
    protocol = forms.CharField(max_length=120, help_text="What reports call it.")
    scores = forms.FileField(
        label="Scores",
        help_text="CSV with the columns image, method, recall, precision; fractions in [0, 1].",
        validators=[_not_too_large],
    )
