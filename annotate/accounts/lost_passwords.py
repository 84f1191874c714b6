"""The letter for a lost password, written by a worker.

The request does the same for every address, so that its time does not tell whether an account has it.
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
from text_rankings.base.i18n import gettext_noop

# As a letter it is forgotten when its work has ended (`jobs.mail.forget_letters`).
KIND: Final = "mail.lost_password"
_PRIORITY: Final = 10


def ask(address: str, root: str) -> None:
    """Start writing the letter to an address; ``root`` is the site's address, ``https://host/``."""
    start(
        kind=KIND,
        title=gettext_noop("Letter for a lost password"),
        priority=_PRIORITY,
        is_told=False,
        is_once=False,
        address=address,
        root=root,
        language=translation.get_language() or "",
    )


def write(arguments: Mapping[str, Any], running: Running) -> None:
    """Send the letter to each open account that has the address; to none, if none has it."""
    del running  # it is done at once
    root = urlsplit(arguments["root"])
    request = RequestFactory(headers={"host": root.netloc}).get("/", secure=root.scheme == "https")
    form = ResetPasswordForm({"email": arguments["address"]})
    # Language of the request; the adapter knows the user's own choice. Letters queued before this
    # version have none.
    language = translation.override(arguments.get("language") or None)
    with request_context(request), language:
        if form.is_valid():
            form.save(request)
