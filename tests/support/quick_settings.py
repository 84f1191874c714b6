"""Settings of a second process of the tests: quick passwords, limits that no slow machine outlasts."""

from config.settings import *  # noqa: F403
from config.settings import ACCOUNT_RATE_LIMITS as _LIMITS

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ACCOUNT_RATE_LIMITS = _LIMITS | {"login_failed": _LIMITS["login_failed"].replace("30/m", "30/h")}
