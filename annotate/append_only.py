"""Rows that never change."""

from typing import Any

from django.db import models


class WrittenOnce(models.Model):
    """A row that is written once. A correction is another row."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row; raise TypeError if it was saved before."""
        if not self._state.adding:
            raise TypeError(f"a written {self._meta.verbose_name} never changes")
        super().save(*args, **kwargs)
