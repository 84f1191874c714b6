"""Names that users give: every character of them is shown."""

from collections.abc import Callable

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from protocols.formats.problems import quoted
from text_rankings.base.names import has_unseen


def refuse_unseen(name: str, refusal: Callable[[str], Exception]) -> None:
    """Raise this refusal of a name with control, direction or zero-width characters."""
    if has_unseen(name):
        raise refusal(
            _(
                "The name {name} has characters that are not shown (control, direction or zero-width "
                "characters). Type it again, without copying it."
            ).format(name=quoted(name))
        )


def seen(name: str) -> None:
    """Validate a name in a form or in the API."""
    refuse_unseen(name, ValidationError)


class NameField(forms.CharField):
    default_validators = [seen]
