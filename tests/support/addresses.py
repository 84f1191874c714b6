"""All URLs of the site and all operations of its API."""

from collections.abc import Iterable, Iterator

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern
from drf_spectacular.generators import SchemaGenerator

Pattern = RegexPattern | RoutePattern


def names_of_addresses(urls: str) -> Iterator[tuple[str, Pattern]]:
    """Yield the name and the pattern of every URL of a module of URLs."""
    yield from _named(get_resolver(urls).url_patterns)


def _named(
    entries: Iterable[URLPattern | URLResolver], namespace: str = ""
) -> Iterator[tuple[str, Pattern]]:
    for entry in entries:
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _named(entry.url_patterns, inner)
        elif entry.name:
            yield f"{namespace}{entry.name}", entry.pattern


def operations() -> list[str]:
    """Return every operation of the schema, as “METHOD path”."""
    schema = SchemaGenerator().get_schema(public=True)
    return sorted(
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, methods in schema["paths"].items()
        for method in methods
    )
