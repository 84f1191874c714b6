"""Public pages of kept reports."""

from typing import Final

from django.conf import settings
from django.core.validators import MaxLengthValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from annotate.reports.models import KeptReport

DOI: Final = RegexValidator(
    r"^10\.\d{4,9}/\S+$", _("A DOI begins with 10., as in 10.5281/zenodo.1.")
)


class PublicPage(models.Model):
    """A kept report that anyone with its address may read. Deleting the row withdraws it."""

    class Download(models.TextChoices):
        NOTHING = "nothing", _("nothing")
        TABLES = (
            "tables",
            _("all tables, figures, methods, references, and rankings under pseudonyms"),
        )
        STUDY = "study", _("the whole study under pseudonyms, without photographs")

    class Licence(models.TextChoices):
        NONE = "", _("none given")
        CC_BY = "https://creativecommons.org/licenses/by/4.0/", "CC BY 4.0"
        CC_BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/", "CC BY-SA 4.0"
        CC_BY_NC = "https://creativecommons.org/licenses/by-nc/4.0/", "CC BY-NC 4.0"
        CC0 = "https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"

    report = models.OneToOneField(KeptReport, models.CASCADE, related_name="public_page")
    # Chosen if the page is listed, otherwise random so that it cannot be guessed.
    address = models.SlugField(max_length=60, unique=True)
    is_listed = models.BooleanField(default=False)
    title = models.CharField(max_length=200)
    # As the authors want to be cited; no one else is named on the page.
    authors = models.CharField(max_length=300, blank=True)
    description = models.TextField(blank=True, validators=[MaxLengthValidator(3000)])
    doi = models.CharField("DOI", max_length=120, blank=True, validators=[DOI])
    licence = models.CharField(max_length=60, choices=Licence, blank=True)
    download = models.CharField(max_length=10, choices=Download, default=Download.TABLES)
    # The offered file, once it is written: its name in the published folder, SHA-256, bytes.
    file = models.CharField(max_length=100, blank=True, editable=False)
    file_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    file_bytes = models.PositiveBigIntegerField(default=0, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="public_pages"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(file="", file_sha256="", file_bytes=0)
                | ~Q(file="") & ~Q(file_sha256="") & Q(file_bytes__gt=0),
                name="a_published_file_has_its_checksum_and_size",
            )
        ]

    def __str__(self) -> str:
        return gettext_noop("public page of {report}").format(report=self.report)
