"""Settings of a second test process: fast password hashing, limits that suit slow machines."""

from text_rankings.site.settings import *  # noqa: F403
from text_rankings.site.settings import ACCOUNT_RATE_LIMITS as _LIMITS

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ACCOUNT_RATE_LIMITS = _LIMITS | {"login_failed": _LIMITS["login_failed"].replace("30/m", "30/h")}
