"""What the pages of accounts know of the site."""

from django.conf import settings
from django.http import HttpRequest


def mail(request: HttpRequest) -> dict[str, bool]:
    return {"mail_is_set_up": settings.MAIL_IS_SET_UP}
