"""A study in setup: the choices so far."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Dataset


class NewStudy(models.Model):
    """A user's private choices in the steps of a new study, deleted when the study is created."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="new_studies")
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="new_studies")
    # Fields of Study by name; those of steps that are not stored yet are absent.
    settings = models.JSONField(default=dict)
    # Keys of methods and of images; None means all images on which methods can be compared.
    methods = models.JSONField(default=list)
    images = models.JSONField(null=True, blank=True)
    # {role: [keys of people]}
    people = models.JSONField(default=dict)
    # Names of the stored steps.
    steps = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-changed", "-pk")
        verbose_name_plural = gettext_lazy("new studies")

    def __str__(self) -> str:
        return str(self.settings.get("name") or _("A new study"))
