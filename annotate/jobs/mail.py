"""Letters as jobs: no request waits for the mail server, and no letter is lost with it.

The links in letters open accounts, so a letter is forgotten once it is sent.
"""

from collections.abc import Mapping, Sequence
from smtplib import SMTPException
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage

from text_rankings.base.i18n import gettext as _
from text_rankings.base.i18n import gettext_noop

from .errors import TryLater
from .models import Job
from .registry import Running
from .services import start

_KINDS: Final = "mail."
KIND: Final = f"{_KINDS}send"
# People wait for a letter.
_PRIORITY: Final = 10
_PARTS: Final = ("subject", "body", "from_email", "to", "cc", "bcc", "reply_to", "extra_headers")


class Backend(BaseEmailBackend):
    """Hands every letter to a worker."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            letter = {name: getattr(message, name) for name in _PARTS}
            alternatives = getattr(message, "alternatives", [])
            letter["alternatives"] = [list(alternative) for alternative in alternatives]
            title = gettext_noop("Letter to {to}").format(to=", ".join(message.to))
            start(
                kind=KIND,
                title=title,
                priority=_PRIORITY,
                is_told=False,
                is_once=False,
                letter=letter,
            )
        return len(email_messages)


def send(arguments: Mapping[str, Any], running: Running) -> None:
    """Send a letter by the mail server. Raises TryLater where it does not answer."""
    letter = dict(arguments["letter"])
    alternatives = letter.pop("alternatives")
    headers = letter.pop("extra_headers")
    connection = get_connection(settings.EMAIL_SENT_BY)
    message = EmailMultiAlternatives(**letter, headers=headers, connection=connection)
    for content, mimetype in alternatives:
        message.attach_alternative(content, mimetype)
    try:
        message.send()
    except (SMTPException, OSError) as fault:
        # The log has the server's words; they may hold the letter's address.
        raise TryLater(
            _("The mail server did not take it ({name}).").format(name=type(fault).__name__)
        ) from fault


def forget_letters() -> None:
    """Clear the text and the address of letters whose work has ended."""
    ended = (
        Job.objects.filter(kind__startswith=_KINDS)
        .exclude(state__in=Job.OPEN)
        .exclude(arguments={})
    )
    ended.update(arguments={})
