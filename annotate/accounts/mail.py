"""The e-mail of an invitation: shown for copying, and sent if mail is set up."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from annotate.jobs.letters import Letter as AboutARow

from . import languages
from .models import Invitation
from .services import Made, owners_of

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Letter:
    """A new invitation as shown to its maker, the only time its link is shown."""

    invitation: Invitation
    link: str
    subject: str
    text: str
    # None if the invitation has no address, or mail is not set up.
    was_sent: bool | None


def send(made: Sequence[Made], address_of: Callable[[str], str], site: str) -> list[Letter]:
    """Write an e-mail for each invitation, and send those that have an address."""
    connection = get_connection() if settings.MAIL_IS_SET_UP else None
    letters = []
    for created in made:
        link = address_of(created.token)
        with languages.writing_to(owners_of(created.invitation.email)):
            subject = _("Invitation to {place}").format(place=created.invitation.place)
            text = render_to_string(
                "accounts/invitation_letter.txt",
                {"invitation": created.invitation, "link": link, "site": site},
            )
        was_sent = None
        if connection is not None and created.invitation.email:
            was_sent = _was_sent(
                AboutARow(
                    subject.replace("\n", " "),
                    text,
                    to=[created.invitation.email],
                    connection=connection,
                    about=("invitation", created.invitation.pk),
                )
            )
        letters.append(Letter(created.invitation, link, subject, text, was_sent))
    return letters


def _was_sent(message: EmailMessage) -> bool:
    try:
        return message.send() == 1
    except (SMTPException, OSError) as fault:
        # The page reports this and shows the text; the log names the error, without the text.
        _log.error("An invitation could not be sent: %s", type(fault).__name__)
        return False
