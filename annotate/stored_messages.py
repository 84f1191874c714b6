"""Messages that are stored as codes with parameters, and the template filters that render them.

Older rows hold plain English, which is shown unchanged.
"""

import json
from typing import Any, Final

from django.db import models
from django.template import Library
from django.utils.html import format_html
from django.utils.translation import get_language

from text_rankings.base import i18n
from text_rankings.base.i18n import Message, from_json, to_json

# Filters available in every template.
register: Final = Library()
# Text of a message that consists of its value only.
_PLAIN: Final = "{text}"
# The stored text starts with the message in English, so that the table can be read and searched.
_BEGINS: Final = '{"text": '


class MessageField(models.TextField[str, str]):
    """A text column that holds messages or plain text."""

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
    """A JSON column whose data may contain messages."""

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
    """Return a message in the reader's language; plain text is marked as English."""
    if isinstance(text, Message) or (get_language() or "en") == "en":
        return i18n.in_language(text)
    return format_html('<span lang="en">{}</span>', text) if text else text


@register.filter
def in_language_plain(text: str) -> str:
    """Return a message in the reader's language without markup."""
    return i18n.in_language(text)
