"""Documents of the protocols, read from the repository and rendered without any raw HTML."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path
from typing import Final

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from protocols import registry
from protocols.core.base import Protocol

# Documents that belong to no single protocol.
SHARED_PAGES: Final = ("credits", "causes", "conformance", "iou-atlas")
_PICTURE: Final = re.compile(r"(?:\./)?img/([a-z0-9-]+\.svg)")
_DOCUMENT: Final = re.compile(r"(?:\./)?([a-z0-9-]+|README)\.md(#[A-Za-z0-9-]+)?")
_AWAY: Final = re.compile(r"https?://|mailto:")
_OUTSIDE: Final = re.compile(r"https?://|#")
_SOURCE: Final = re.compile(r"^- \*\*\[(\w+)\]\*\*\s+(.*(?:\n  .*)*)", re.MULTILINE)
_ALIGNED: Final = {"text-align:right": "number", "text-align:center": "centre"}


@dataclass(frozen=True, slots=True)
class Document:
    """A rendered document: its title, and HTML made by the renderer only."""

    title: str
    html: str


def documents_folder() -> Path:
    return Path(settings.DOCUMENTS) / "protocols"


def document(slug: str) -> Document | None:
    """Return a protocol's document, or None if it does not exist yet."""
    path = documents_folder() / f"{slug}.md"
    return rendered(path.read_text(encoding="utf-8")) if path.is_file() else None


def of_plugin(protocol: Protocol) -> Document | None:
    """Return the docstring of a plug-in's class, or None if it has none."""
    said = inspect.cleandoc(type(protocol).__doc__ or "")
    return Document(protocol.name, rendered(said).html) if said else None


def picture(name: str) -> bytes | None:
    path = documents_folder() / "img" / name
    return path.read_bytes() if path.is_file() else None


def sources() -> dict[str, str]:
    """Return the sources of the protocols by their keys, as one line of HTML each."""
    text = Path(registry.__file__).with_name("REFERENCES.md").read_text(encoding="utf-8")
    return {
        key: _renderer().renderInline(" ".join(source.split()))
        for key, source in _SOURCE.findall(text)
    }


def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def rendered(text: str) -> Document:
    """Render Markdown as HTML, with its leading heading as the title.

    HTML in the text is shown as text. Pictures must be in the documents' own folder, and links lead
    to other documents, within the page, or to the web; of all others only the text is kept.
    """
    renderer = _renderer()
    tokens = renderer.parse(text)
    title = ""
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title = _words(tokens[1])
        tokens = tokens[3:]
    _name_headings(tokens)
    for token in tokens:
        _place_table(token)
        if token.children:
            token.children = _without_foreign(token.children, _href)
    return Document(title, _in_boxes(renderer.renderer.render(tokens, renderer.options, {})))


def own_words(text: str, *, headings: bool = False) -> SafeString:
    """Return a researcher's Markdown as HTML, without pictures, and with headings of one level or none.

    HTML in the text is shown as text, and links lead only to the web or to an e-mail address.
    """
    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.disable(["image", "code"] + ([] if headings else ["heading", "lheading"]))
    tokens = renderer.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = "h2"
        if token.children:
            token.children = _without_foreign(token.children, _away)
    html: str = renderer.renderer.render(tokens, renderer.options, {})
    # The renderer escapes every < of the text.
    return mark_safe(html)  # nosec B308 B703


def _away(href: str) -> str | None:
    return href if _AWAY.match(href) else None


def _words(inline: Token) -> str:
    return "".join(
        child.content for child in inline.children or () if child.type in ("text", "code_inline")
    )


def _name_headings(tokens: Sequence[Token]) -> None:
    taken: set[str] = set()
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        name = re.sub(r"[^a-z0-9]+", "-", _words(inline).lower()).strip("-") or "part"
        number = 2
        candidate = name
        while candidate in taken:
            candidate, number = f"{name}-{number}", number + 1
        taken.add(candidate)
        # The prefix avoids clashes with ids of the page.
        opening.attrSet("id", f"doc-{candidate}")


def _place_table(token: Token) -> None:
    """Turn the style of an aligned cell, which the security policy refuses, into a class."""
    if token.type in ("th_open", "td_open"):
        style = token.attrs.pop("style", None)
        if style in _ALIGNED:
            token.attrSet("class", _ALIGNED[style])
        if token.type == "th_open":
            token.attrSet("scope", "col")


def _in_boxes(html: str) -> str:
    """Make tables and blocks of code scroll on their own, also by keyboard."""
    # Safe to do in the text: the renderer escapes every < of the document itself.
    numbers = count(1)
    html = re.sub(
        "<table>",
        lambda _: (
            '<div class="document__table" tabindex="0" role="group" '
            f'aria-label="Table {next(numbers)}"><table>'
        ),
        html,
    )
    return html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')


def _without_foreign(
    children: Sequence[Token], href_of: Callable[[str], str | None]
) -> list[Token]:
    kept = []
    open_links: list[bool] = []
    for child in children:
        if child.type == "link_open":
            href = href_of(str(child.attrGet("href") or ""))
            open_links.append(href is not None)
            if href is None:
                continue
            child.attrSet("href", href)
        elif child.type == "link_close" and not open_links.pop():
            continue
        elif child.type == "image":
            match = _PICTURE.fullmatch(str(child.attrGet("src") or ""))
            if match is None:
                kept.append(Token("text", "", 0, content=child.content))
                continue
            child.attrSet("src", reverse("guide:picture", args=[match[1]]))
            child.attrSet("loading", "lazy")
        kept.append(child)
    return kept


def _href(href: str) -> str | None:
    if href.startswith("#"):
        return f"#doc-{href[1:]}"
    if _OUTSIDE.match(href):
        return href
    match = _DOCUMENT.fullmatch(href)
    if match is None:
        return None
    fragment = f"#doc-{match[2][1:]}" if match[2] else ""
    if match[1] in registry.PROTOCOLS:
        return reverse("guide:protocol", args=[match[1]]) + fragment
    if match[1] in SHARED_PAGES:
        return reverse("guide:page", args=[match[1]]) + fragment
    return reverse("guide:list") if match[1] == "README" else None
