"""Scenes: images of one walk, video or register, which resemble each other."""

import csv
import io
from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.errors import Refusal
from text_rankings.base.names import has_unseen

from .models import Dataset, Image

_MAX_LENGTH = Image._meta.get_field("scene").max_length
_BATCH = 500


class ScenesRefused(Refusal):
    """Scenes that cannot be declared."""


def scenes_by_name(dataset: Dataset, separator: str) -> dict[str, str]:
    """Return each image's scene: its name before the last separator, empty without one."""
    names = dataset.images.values_list("name", flat=True)
    return {name: name.rpartition(separator)[0] for name in names}


def scenes_of_csv(content: bytes) -> dict[str, str]:
    """Read a CSV with the columns image and scene. Raises ScenesRefused."""
    try:
        text = content.decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
        if {"image", "scene"} <= {*(reader.fieldnames or ())}:
            return {row["image"].strip(): row["scene"].strip() for row in reader}
    except (csv.Error, UnicodeDecodeError) as fault:
        raise ScenesRefused(_("The file is not a CSV file in UTF-8.")) from fault
    raise ScenesRefused(_("The file needs a first line with the columns image and scene."))


@transaction.atomic
def declare_scenes(*, dataset: Dataset, scene_of: Mapping[str, str]) -> int:
    """Set the scene of each image, empty for images that are not named; return how many there are.

    Raises ScenesRefused for an unknown image or an invalid name.
    """
    images = list(dataset.images.only("name", "scene").order_by("pk"))
    if unknown := sorted(scene_of.keys() - {image.name for image in images}):
        words = _("{dataset} has no image {name}. Nothing was changed.")
        raise ScenesRefused(words.format(dataset=dataset, name=unknown[0]))
    for scene in {*scene_of.values()}:
        if len(scene) > (_MAX_LENGTH or 0) or has_unseen(scene):
            words = _("The name of a scene has at most {n} characters, all of them shown: {scene}")
            raise ScenesRefused(words.format(n=_MAX_LENGTH, scene=scene[:_MAX_LENGTH]))
    changed = [image for image in images if image.scene != scene_of.get(image.name, "")]
    for image in changed:
        image.scene = scene_of.get(image.name, "")
    Image.objects.bulk_update(changed, ["scene"], batch_size=_BATCH)
    n_scenes = len({image.scene for image in images} - {""})
    if changed:
        record(Act.SCENES_DECLARED, what=dataset.name, details={"scenes": n_scenes})
    return n_scenes
