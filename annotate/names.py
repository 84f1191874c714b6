"""Names that users give: every character of them is shown."""

import unicodedata
from collections.abc import Callable
from hashlib import sha256

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify
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


def address_of(name: str) -> str:
    """Return the slug of a name, for addresses: Latin letters, digits and hyphens.

    Letters of other scripts are left out, and a checksum of the name tells such names apart. It is
    empty if a name has no letter or digit.
    """
    plain = unicodedata.normalize("NFKD", name)
    address = slugify(name)
    if any(letter.isalnum() and not letter.isascii() for letter in plain):
        checksum = sha256(name.encode()).hexdigest()[:8]
        return f"{address[:100]}-{checksum}".strip("-")
    return address


class NameField(forms.CharField):
    default_validators = [seen]
