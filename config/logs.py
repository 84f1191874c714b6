"""Removal of secrets and addresses from log records."""

import logging
import re

# The address of an invitation, of a new password and of an e-mail address to be confirmed.
_WITH_TOKEN = re.compile(
    r"(/invitation/(?!join/)|/password/reset/key/(?!done/)|/confirm-email/)[^/\s\"?]+"
)


class WithoutTokens(logging.Filter):
    """Replaces the secret part of an address by dots in whatever is logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        clean = _WITH_TOKEN.sub(r"\1...", said)
        if clean != said:
            record.msg, record.args = clean, ()
        return True
