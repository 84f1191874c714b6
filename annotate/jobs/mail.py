"""E-mails as jobs: no request waits for the mail server, and its failure loses no e-mail.

The links in e-mails open accounts, so the upkeep deletes e-mails that were sent.
"""

from collections.abc import Collection, Mapping, Sequence
from smtplib import SMTPException
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage
from django.utils import timezone
from django.utils.translation import gettext as _

from .errors import Cancelled, TryLater
from .letters import STILL_WANTED
from .models import Job
from .registry import Running
from .services import start

_KINDS: Final = "mail."
KIND: Final = f"{_KINDS}send"
# Users wait for e-mails.
_PRIORITY: Final = 10
# The title of a letter names its recipient; this one does not.
_FORGOTTEN: Final = "E-mail"
_PARTS: Final = ("subject", "body", "from_email", "to", "cc", "bcc", "reply_to", "extra_headers")


class Backend(BaseEmailBackend):
    """E-mail backend that hands every e-mail to a worker."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            letter = {name: getattr(message, name) for name in _PARTS}
            alternatives = getattr(message, "alternatives", [])
            letter["alternatives"] = [list(alternative) for alternative in alternatives]
            if about := getattr(message, "about", None):
                letter["about"] = list(about)
            title = f"E-mail to {', '.join(message.to)}"
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
    """Send an e-mail.

    Raises TryLater if the mail server does not accept it, and Cancelled if it is not wanted any more.
    """
    letter = dict(arguments["letter"])
    kind, pk = letter.pop("about", ("", 0))
    if kind and not STILL_WANTED[kind](pk):
        raise Cancelled
    alternatives = letter.pop("alternatives")
    headers = letter.pop("extra_headers")
    connection = get_connection(settings.EMAIL_SENT_BY)
    message = EmailMultiAlternatives(**letter, headers=headers, connection=connection)
    for content, mimetype in alternatives:
        message.attach_alternative(content, mimetype)
    try:
        message.send()
    except (SMTPException, OSError) as fault:
        # Without the server's words, which may contain the recipient's address.
        raise TryLater(
            _("The mail server did not accept it ({name}).").format(name=type(fault).__name__)
        ) from fault


def forget_letters() -> None:
    """Clear the text and the recipients of e-mail jobs that have ended."""
    ended = (
        Job.objects.filter(kind__startswith=_KINDS)
        .exclude(state__in=Job.OPEN)
        .exclude(arguments={}, title=_FORGOTTEN)
    )
    ended.update(arguments={}, title=_FORGOTTEN)


def forget_letters_to(addresses: Collection[str]) -> None:
    """Cancel the letters to these addresses that wait, and clear what they hold."""
    theirs = [
        job.pk
        for job in Job.objects.filter(kind__startswith=_KINDS)
        if any(address.lower() in str(job.arguments).lower() for address in addresses)
    ]
    letters = Job.objects.filter(pk__in=theirs)
    letters.to_take_up().update(state=Job.State.CANCELLED, finished=timezone.now())
    letters.exclude(state=Job.State.RUNNING).update(arguments={}, title=_FORGOTTEN, failure="")
