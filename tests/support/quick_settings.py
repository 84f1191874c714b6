"""The settings of a second process of the tests: passwords hashed as the tests hash them."""

from config.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
