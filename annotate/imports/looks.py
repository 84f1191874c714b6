"""Methods whose names look the same."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset
from annotate.names import address_of
from protocols.formats.problems import Problems, quoted
from text_rankings.base.names import look


def looks_of(dataset: Dataset) -> dict[str, str]:
    """Return the names of a dataset's methods by their look."""
    return {look(name): name for name in dataset.methods.values_list("name", flat=True)}


def warn_of_looks(problems: Problems, methods: Iterable[str], looks: dict[str, str]) -> None:
    """Report new methods that look like others, and add them to ``looks``.

    Equal slugs mean the same method.
    """
    for method in methods:
        other = looks.setdefault(look(method), method)
        if address_of(other) != address_of(method):
            found = _("the method {method}, which looks like {other}").format(
                method=quoted(method), other=quoted(other)
            )
            action = _("loaded as another method")
            problems.warning("N5", found, _("distinct names"), action=action)
