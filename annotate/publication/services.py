"""Publishing a kept report, and withdrawing it."""

import secrets
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.reports.models import KeptReport

from . import files
from .errors import NotPublished
from .models import PublicPage

# 192 random bits.
_SECRET_BYTES: Final = 24
_FIELDS: Final = ("title", "authors", "description", "doi", "licence", "download")


@transaction.atomic
def publish(
    *, report: KeptReport, person: User | None, address: str = "", **fields: Any
) -> PublicPage:
    """Make a kept report public, or change its page.

    With an ``address`` the page is listed under it; otherwise it gets a random one, which it keeps
    while it is not listed. Raises NotPublished for an address that is taken, and for a report whose
    content has changed.
    """
    if not report.is_whole:
        raise NotPublished(
            _(
                "The content of this report is not what was kept: its checksum differs. "
                "Keep a new report."
            )
        )
    if address and PublicPage.objects.filter(address=address).exclude(report=report).exists():
        raise NotPublished(
            _("Another report is published under “{address}”. Choose another address.").format(
                address=address
            )
        )
    page = PublicPage.objects.select_for_update().filter(report=report).first()
    is_new = page is None
    page = page or PublicPage(report=report, created_by=person)
    if address:
        page.address, page.is_listed = address, True
    elif is_new or page.is_listed:
        page.address, page.is_listed = secrets.token_urlsafe(_SECRET_BYTES), False
    before, old_file = page.download, page.file
    for name in _FIELDS:
        if name in fields:
            setattr(page, name, fields[name])
    if page.download != before:
        page.file, page.file_sha256, page.file_bytes = "", "", 0
        transaction.on_commit(lambda: files.remove(old_file))
    page.full_clean(exclude=["report", "created_by"])
    page.save()
    record(
        Act.REPORT_PUBLISHED if is_new else Act.PUBLICATION_CHANGED,
        study=report.study,
        actor=person,
        what=str(report),
        # The address of an unlisted page is a secret.
        details={
            "listed": page.is_listed,
            "download": page.download,
            **({"address": page.address} if page.is_listed else {}),
        },
    )
    return page


@transaction.atomic
def withdraw(*, page: PublicPage, person: User | None) -> None:
    """Delete a page and its file immediately; the report is kept."""
    report, file = page.report, page.file
    page.delete()
    record(Act.PUBLICATION_WITHDRAWN, study=report.study, actor=person, what=str(report))
    transaction.on_commit(lambda: files.remove(file))
