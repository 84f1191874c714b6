"""A JSON parser with limits."""

import io
import re
from typing import Any, Final

from django.conf import settings
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from .errors import TooLarge

_MAY_BE_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class JsonParser(parsers.JSONParser):
    """A parser that, unlike the framework's, limits size and depth and refuses lone surrogates."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        length = int(parser_context["request"].META.get("CONTENT_LENGTH") or 0)
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise TooLarge(
                f"A JSON body has at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024} kB."
            )
        body = stream.read()
        try:
            data = super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError as fault:
            raise ParseError("The JSON is nested too deeply.") from fault
        if _MAY_BE_HALF.search(body) and _has_half(data):
            raise ParseError("A text holds half a character (a lone surrogate).")
        return data


def _has_half(data: Any) -> bool:
    """Return whether any text cannot be encoded as UTF-8, and so neither stored nor returned."""
    if isinstance(data, dict):
        return any(_has_half(name) or _has_half(value) for name, value in data.items())
    if isinstance(data, list):
        return any(map(_has_half, data))
    return isinstance(data, str) and any("\ud800" <= letter <= "\udfff" for letter in data)
