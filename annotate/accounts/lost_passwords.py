"""The e-mail for a lost password, written by a worker.

The request does the same for every address, so its duration does not reveal accounts.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.account.forms import ResetPasswordForm
from allauth.core.context import request_context
from django.test import RequestFactory
from django.utils import translation

from annotate.jobs.registry import Running
from annotate.jobs.services import start

# When a job of this kind ends, its data are cleared, as for other e-mails (`jobs.mail`).
KIND: Final = "mail.lost_password"
_PRIORITY: Final = 10


def ask(address: str, root: str) -> None:
    """Queue the e-mail to an address; ``root`` is the site's address, ``https://host/``."""
    start(
        kind=KIND,
        title="E-mail for a lost password",
        priority=_PRIORITY,
        is_told=False,
        is_once=False,
        address=address,
        root=root,
        language=translation.get_language() or "",
    )


def write(arguments: Mapping[str, Any], running: Running) -> None:
    """Send the e-mail to each active account that has the address, if there are any."""
    del running  # too short for progress
    root = urlsplit(arguments["root"])
    request = RequestFactory(headers={"host": root.netloc}).get("/", secure=root.scheme == "https")
    form = ResetPasswordForm({"email": arguments["address"]})
    # Language of the request; the adapter knows the user's own choice.
    language = translation.override(arguments["language"] or None)
    with request_context(request), language:
        if form.is_valid():
            form.save(request)
