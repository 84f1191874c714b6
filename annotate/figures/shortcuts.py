"""Answers with the file of a figure, for pages of several subjects."""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

from .building import FigureFile
from .files import FORMATS

_STYLE: Final = re.compile(rb"<style>(.*?)</style>", re.DOTALL)


def figure_response(
    request: HttpRequest, file: FigureFile, extension: str, file_name: str
) -> HttpResponse:
    """Answer with a figure's file, or that it is unchanged."""
    unchanged = get_conditional_response(request, etag=file.etag)
    if unchanged is not None:
        return unchanged
    content = file.content()
    return HttpResponse(
        content,
        content_type=FORMATS[extension].content_type,
        headers={
            "ETag": file.etag,
            "Content-Disposition": f'inline; filename="{file_name}"',
            "Content-Security-Policy": _policy_of_figure(content),
            "X-Content-Type-Options": "nosniff",
        },
    )


def _policy_of_figure(content: bytes) -> str:
    """Allow the one style of an SVG, which carries its font, by its hash; and nothing else."""
    style = _STYLE.search(content)
    if style is None:
        return "default-src 'none'"
    digest = b64encode(sha256(style[1]).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; font-src data:"
