"""Reading JSON within bounds."""

from typing import Any

from django.conf import settings
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from .errors import TooLarge


class JsonParser(parsers.JSONParser):
    """The framework reads a body of any size, and nesting of any depth ends in a crash."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        length = int(parser_context["request"].META.get("CONTENT_LENGTH") or 0)
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise TooLarge(
                f"A JSON body has at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024} kB."
            )
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as fault:
            raise ParseError("The JSON is nested too deeply.") from fault
