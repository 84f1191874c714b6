"""The bundle of a competition on a dataset, from the settings that its page holds."""

from collections.abc import Mapping
from typing import Any, BinaryIO, Final

from django.conf import settings as site

from annotate.datasets.models import Dataset
from protocols.codabench.packages import Packages, needed, unpacked
from protocols.codabench.settings import Settings, settings_of
from protocols.codabench.values import SettingsError, shipped
from protocols.codabench.writing import write_bundle
from protocols.core.base import Scene

DEFAULT_IMAGE: Final = shipped("settings.yaml")["docker_image"]["default"]
_NO_WHEELS: Final = (
    "needs wheels of numpy and shapely, and this site has none (CODABENCH_WHEELS); name an image "
    "that has both"
)


def has_wheels() -> bool:
    """Return whether the site names a folder of wheels for the default image."""
    return site.CODABENCH_WHEELS is not None


def truth_of(dataset: Dataset) -> list[Scene]:
    """Return the images of a dataset with their ground truth, without results."""
    return [
        Scene(image.truth_regions, None, image.name, image.width, image.height)
        for image in dataset.images.in_order()
    ]


def write_competition(
    dataset: Dataset,
    content: Mapping[str, Any],
    target: BinaryIO,
    *,
    picture: bytes | None,
    is_trial: bool = False,
) -> tuple[Settings, list[str]]:
    """Write a bundle as the shell does with ``--packages``; return checked settings and warnings.

    A trial leaves out the wheels, which take long to pack. Raises SettingsError for settings that do
    not fit the dataset, and if wheels are missing.
    """
    truth = truth_of(dataset)
    settings = settings_of(dict(content), [scene.name for scene in truth])
    packages = _packages(settings)
    packages = None if is_trial else packages
    return settings, write_bundle(target, settings, truth, packages=packages, picture=picture)


def _packages(settings: Settings) -> Packages | None:
    """Return the wheels of the site's folder; None if the image has them."""
    if settings.given["docker_image"] != DEFAULT_IMAGE:
        return None
    if site.CODABENCH_WHEELS is None:
        raise SettingsError("packages", _NO_WHEELS)
    return unpacked(site.CODABENCH_WHEELS, needed(settings.protocols))
