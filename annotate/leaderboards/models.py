"""Public leaderboards of datasets."""

from django.db import models

from annotate.datasets.models import Dataset


class PublicBoard(models.Model):
    """A leaderboard that anyone with its address may read. Deleting the row withdraws it."""

    dataset = models.OneToOneField(Dataset, models.CASCADE, related_name="public_board")
    # Random, so that it cannot be guessed.
    address = models.SlugField(max_length=60, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.dataset)
