"""Publishing the leaderboard of a dataset, and withdrawing it."""

import secrets
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset

from .models import PublicBoard

# 192 random bits.
_SECRET_BYTES: Final = 24


@transaction.atomic
def publish(*, dataset: Dataset, person: User | None) -> PublicBoard:
    """Give the leaderboard a public page; one that is public keeps its address."""
    address = secrets.token_urlsafe(_SECRET_BYTES)
    board, is_new = PublicBoard.objects.get_or_create(
        dataset=dataset, defaults={"address": address}
    )
    if is_new:
        record(Act.LEADERBOARD_PUBLISHED, actor=person, what=dataset.name)
    return board


@transaction.atomic
def withdraw(*, dataset: Dataset, person: User | None) -> None:
    """Remove the public page of the leaderboard, if it has one."""
    n_gone, _ = PublicBoard.objects.filter(dataset=dataset).delete()
    if n_gone:
        record(Act.LEADERBOARD_WITHDRAWN, actor=person, what=dataset.name)
