"""Words of forms are marked for translation, also those that Django makes of a field's name."""

from collections.abc import Iterator

from django.forms import Field, HiddenInput
from django.utils.functional import Promise

from tests.support.cases import cases
from tests.support.forms import FORMS

# Forms whose fields a template draws with words of its own, or that read an address.
DRAWN_ELSEWHERE = {
    *(
        "drilldown.annotators.forms.ExclusionForm",
        "judging.forms.NoteForm",
        "judging.forms.SkipForm",
    ),
    "learning.forms.ConsentForm",
    *("figures.forms._PaperForm", "figures.forms.FileForm", "figures.forms.KeptFigureForm"),
    "figures.forms.KeptFileForm",
}


def unmarked(field: Field) -> Iterator[object]:
    # A label of None is made of the field's name; an empty one is elsewhere in the template.
    if field.label not in ("", "DOI") and not isinstance(field.label, Promise):
        yield field.label
    if field.help_text and not isinstance(field.help_text, Promise):
        yield field.help_text


@cases("name", sorted(FORMS.keys() - DRAWN_ELSEWHERE))
def test_labels_and_hints_of_a_form_are_marked(name):
    found = {
        field_name: said
        for field_name, field in FORMS[name].base_fields.items()
        if field_name != "keys"  # a script fills it
        and not isinstance(field.widget, HiddenInput)
        and (said := list(unmarked(field)))
    }
    assert found == {}
