"""Kept reports: their content at one time, with its checksum."""

import json
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.db import models

from annotate.append_only import WrittenOnce
from annotate.studies.models import Study
from rankings.agreement.packed_tables import packed_table

# Above this, a report holds its images as packed texts, which are read by criterion.
_MOST_IMAGES_IN_PLAIN: Final = 2000


class KeptReport(WrittenOnce):
    """A report as it was when a user kept it. It is written once and never changed."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="kept_reports")
    # JSON as text: the bytes that the checksum covers. It is in English.
    content = models.TextField()
    checksum = models.CharField(max_length=64)
    software_version = models.CharField(max_length=40)
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="kept_reports"
    )

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return f"report {self.pk} of {self.study}"

    @cached_property
    def data(self) -> dict[str, Any]:
        return data_of(self.content)

    @property
    def is_whole(self) -> bool:
        """Return whether the content is unchanged, by its checksum."""
        return sha256(self.content.encode()).hexdigest() == self.checksum


def content_of(data: Mapping[str, Any]) -> str:
    """Return a report's data as the text to store; tables of many images are packed."""
    criteria = {
        name: packed_table(table) if table["n_images"] > _MOST_IMAGES_IN_PLAIN else table
        for name, table in data.get("criteria", {}).items()
    }
    data = {**data, "criteria": criteria} if criteria else data
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def data_of(content: str) -> dict[str, Any]:
    """Return the data of a stored text."""
    data: dict[str, Any] = json.loads(content)
    return data
