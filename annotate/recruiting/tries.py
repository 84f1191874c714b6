"""Limit on unknown ids: they are counted by network, so that ids cannot be guessed in numbers.

A newcomer's id is one of them: more than ten newcomers a minute from one network wait for a moment.
Kept for an hour in the shared cache, as hashes.
"""

from time import time
from typing import Final

from django.core.cache import cache

from annotate.accounts.models import hash_of
from annotate.requests import network_of

MOST_A_MINUTE: Final = 10
SECONDS_TO_WAIT: Final = 15
_A_MINUTE: Final = 60
# How long an id that came once is not counted again.
_KNOWN_SECONDS: Final = 3600


def may_try(address: str, person: str) -> bool:
    """Count an unknown id; return False if too many came from this network in the last minute.

    An empty id, of an entrance without ids, is not counted.
    """
    if not person:
        return True
    key, now = f"tried-ids:{hash_of(network_of(address))}", time()
    tried: dict[str, float] = cache.get(key, {})
    tried = {one: at for one, at in tried.items() if now - at < _KNOWN_SECONDS}
    # Eight characters tell a few hundred ids apart.
    one = hash_of(person)[:8]
    if one in tried:
        return True
    if sum(now - at < _A_MINUTE for at in tried.values()) >= MOST_A_MINUTE:
        return False
    cache.set(key, tried | {one: now}, _KNOWN_SECONDS)
    return True
