"""Reports that were kept: what was said on a day, with everything it was made from."""

import json
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import models

from annotate.append_only import WrittenOnce
from annotate.studies.models import Study


class KeptReport(WrittenOnce):
    """A report as it was when a user kept it. It is written once and never changed."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="kept_reports")
    # JSON as text: the bytes that the checksum is of.
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
        content: dict[str, Any] = json.loads(self.content)
        return content

    @property
    def is_whole(self) -> bool:
        """Whether the content is what was kept, by its checksum."""
        return sha256(self.content.encode()).hexdigest() == self.checksum
