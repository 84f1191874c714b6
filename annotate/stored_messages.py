"""Messages that are stored as codes with parameters, and the template filters that render them.

Rows of before messages had codes hold plain English, which is shown as it is.
"""

import json
from typing import Any, Final

from django.db import models
from django.template import Library
from django.utils.html import format_html
from django.utils.translation import get_language

from text_rankings.base import i18n
from text_rankings.base.i18n import Message, from_json, to_json

# Filters of every template.
register: Final = Library()
# Words of a message that is nothing but its value.
_PLAIN: Final = "{text}"
# The stored text begins with the message in English, for people who look at the table or search it.
_BEGINS: Final = '{"text": '


class MessageField(models.TextField[str, str]):
    """Text that is a message or plain."""

    def deconstruct(self) -> Any:
        """Return the plain column, so that migrations do not name this module."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith(_BEGINS):
            # A plain text that looks like a stored message is stored as one with this value.
            value = Message(_PLAIN, text=value)
        if not isinstance(value, Message):
            return super().get_prep_value(value)
        return json.dumps({"text": value, **to_json(value)}, ensure_ascii=False)

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        if value is None or not value.startswith(_BEGINS):
            return value
        data = json.loads(value)
        del data["text"]
        message: str = from_json(data)
        return message


class MessageJSONField(models.JSONField):
    """JSON-able data with messages in it."""

    def deconstruct(self) -> Any:
        """Return the plain column, so that migrations do not name this module."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs

    def get_prep_value(self, value: Any) -> Any:
        return to_json(super().get_prep_value(value))

    def from_db_value(self, value: Any, *args: Any) -> Any:
        return from_json(super().from_db_value(value, *args))


@register.filter
def in_language(text: str) -> str:
    """Return a message in the reader's language; marked as English where it is plain."""
    if isinstance(text, Message) or (get_language() or "en") == "en":
        return i18n.in_language(text)
    return format_html('<span lang="en">{}</span>', text) if text else text


@register.filter
def in_language_plain(text: str) -> str:
    """Return a message in the reader's language without markup."""
    return i18n.in_language(text)
