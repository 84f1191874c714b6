"""A dataset: images with ground truth, methods, and the results of each method."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotate.append_only import WrittenOnce
from protocols.core.regions import Region, decode_regions


class BoxConvention(models.TextChoices):
    """The meaning of the files' coordinates; it decides how boxes are drawn."""

    INCLUSIVE = "inclusive", gettext_lazy("last pixel included (ICDAR 2013)")
    POINTS = "points", gettext_lazy("corner points")


class Dataset(models.Model):
    """Images, their ground truth, and everything that was computed on them."""

    name = models.CharField(max_length=120, unique=True)
    slug = models.SlugField(max_length=120, unique=True)
    line_format = models.CharField(
        max_length=10,
        choices=[
            ("ltrb", gettext_lazy("left,top,right,bottom")),
            ("quad", gettext_lazy("four corners")),
            ("polygon", gettext_lazy("polygons")),
        ],
    )
    box_convention = models.CharField(max_length=10, choices=BoxConvention)
    # How the file of the ground truth was read, for signatures: format, reading, encoding.
    read_as = models.CharField(max_length=120, blank=True)
    provenance = models.TextField(blank=True)
    licence = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class ImageQuerySet(models.QuerySet["Image"]):
    def in_order(self) -> "ImageQuerySet":
        """Sort the images in natural order: img_2 before img_10."""
        return self.order_by("position", "pk")


class Image(models.Model):
    """One image of a dataset; its photograph, if any, is stored under its hash."""

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="images")
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    # Both null or neither: datasets are often published without their photographs.
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    content_type = models.CharField(max_length=40, blank=True)
    # The EXIF orientation by which the photograph was turned upright when it was loaded, and the
    # hash of its file before; 1 and empty if it is stored as it was.
    orientation = models.PositiveSmallIntegerField(default=1)
    original_sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    # Images of one walk, video or register show one scene and resemble each other; empty: none.
    scene = models.CharField(max_length=200, blank=True)
    # The image's regions, encoded by protocols.core.regions.encode_regions.
    truth = models.JSONField()

    objects = ImageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "name"], name="an_image_name_is_unique_in_its_dataset"
            ),
            models.CheckConstraint(
                condition=Q(width__isnull=True, height__isnull=True, sha256="")
                | Q(width__gt=0, height__gt=0) & ~Q(sha256=""),
                name="an_image_has_a_size_exactly_when_it_has_a_file",
            ),
        ]
        indexes = [models.Index(fields=["dataset", "position", "id"], name="images_in_order")]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def truth_regions(self) -> tuple[Region, ...]:
        return decode_regions(self.truth)

    @property
    def stored_name(self) -> str:
        return stored_name(self.sha256)

    def size_to_draw(self, regions: Sequence[Region]) -> tuple[int, int]:
        """Return the image's size; without a photograph, one with room for every region."""
        if self.width and self.height:
            return self.width, self.height
        return room_for([*self.truth_regions, *regions])


class EarlierTruth(WrittenOnce):
    """The ground truth of an image before a correction; earlier answers were given on it."""

    image = models.ForeignKey(Image, models.CASCADE, related_name="earlier_truths")
    # From 1, the oldest.
    version = models.PositiveIntegerField()
    truth = models.JSONField()
    # Of the correction that ended this version.
    reason = models.CharField(max_length=300)
    # None for a command.
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("image", "version")
        constraints = [
            models.UniqueConstraint(
                fields=["image", "version"], name="a_version_of_a_truth_is_kept_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.image}, version {self.version}"


class Selection(models.Model):
    """Images of a dataset that a person chose, under a name."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="selections")
    name = models.CharField(gettext_lazy("name"), max_length=120)
    images = models.ManyToManyField(Image, related_name="selections")
    # How the images were chosen, as a sentence; empty: one by one.
    origin = models.CharField(max_length=300, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="selections"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "name"], name="a_selection_has_a_name_of_its_own"
            )
        ]

    def __str__(self) -> str:
        return self.name


class ImageFacts(models.Model):
    """Facts about the ground truth that counts, for filters. They can be computed again."""

    image = models.OneToOneField(Image, models.CASCADE, primary_key=True, related_name="facts")
    n_words = models.PositiveIntegerField()
    # The median over the words; None without words.
    height_px = models.FloatField(null=True)
    n_turned = models.PositiveIntegerField()
    # Scripts of the transcriptions, as in " cjk latin ".
    scripts = models.CharField(max_length=200, blank=True)
    # Transcriptions in lower case, one a line.
    words = models.TextField(blank=True)

    def __str__(self) -> str:
        return str(self.image)


def room_for(regions: Sequence[Region]) -> tuple[int, int]:
    """Return a width and height that contain the regions of an image of unknown size."""
    boxes = [region.box for region in regions]
    right = max((box[2] for box in boxes), default=0)
    bottom = max((box[3] for box in boxes), default=0)
    return max(100, round(right * 1.03) + 1), max(100, round(bottom * 1.03) + 1)


def stored_name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"


def image_storage() -> Storage:
    return storages["default"]


def stored_path(sha256: str) -> Path:
    return Path(image_storage().path(stored_name(sha256)))


class Method(models.Model):
    """A text detector under study."""

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="methods")
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=120)
    created = models.DateTimeField(auto_now_add=True)
    # How the file of the results was read, as that of the ground truth.
    read_as = models.CharField(max_length=120, blank=True)
    # {"n": results, "boxes":, "empty":, "without_file":}, updated by loads so that no page counts
    # millions of results; None: not counted.
    totals = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "name"], name="a_method_name_is_unique_in_its_dataset"
            ),
            models.UniqueConstraint(
                fields=["dataset", "slug"], name="a_method_slug_is_unique_in_its_dataset"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Result(models.Model):
    """The detections of one method on one image. No row: the method was not evaluated on it."""

    image = models.ForeignKey(Image, models.PROTECT, related_name="results")
    method = models.ForeignKey(Method, models.PROTECT, related_name="results")
    regions = models.JSONField()
    n_regions = models.PositiveIntegerField()
    # Some protocols score an absent file differently from an empty one.
    had_file = models.BooleanField(default=True)
    # Hash of the drawn geometry only: equal results look alike, so people need not compare them.
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["image", "method"], name="a_method_has_one_result_per_image"
            ),
            models.CheckConstraint(
                condition=Q(had_file=True) | Q(n_regions=0),
                name="a_result_without_a_file_has_no_regions",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} on {self.image}"

    @cached_property
    def detections(self) -> tuple[Region, ...]:
        return decode_regions(self.regions)
