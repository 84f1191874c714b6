"""A preview of the annotators' pages, drawn by the comparison page itself; nothing is stored."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.accounts.models import Preferences
from annotate.datasets.models import Image, Method, Result
from annotate.judging.presentation import (
    criteria_data,
    image_data,
    opaque_id,
    result_data,
    study_data,
)
from annotate.studies.models import Study

from . import services
from .models import NewStudy

_PAIRS_OF_AN_IMAGE: Final = 4


@dataclass(frozen=True)
class Preview:
    """A study to try, stored or not: methods, keys of the images in order, and addresses."""

    study: Study
    methods: Sequence[Method]
    images: Sequence[int]
    # The preview's address, and the page it returns to.
    url: str
    back_url: str

    def screen(self, at: int, person: User, have: str = "") -> dict[str, Any]:
        """Return the payload and the sides of pair ``at``; four successive pairs show one image."""
        number, of_image = divmod(at, _PAIRS_OF_AN_IMAGE)
        image = Image.objects.select_related("dataset").get(
            pk=self.images[number % len(self.images)]
        )
        left, right = self._pair(image, of_image)
        convention = image.dataset.box_convention
        return {
            "payload": self._payload(at, number, image, (left, right), person, have),
            "sides": {
                "left": result_data(left, convention),
                "right": result_data(right, convention),
            },
        }

    def _pair(self, image: Image, of_image: int) -> tuple[Result, Result]:
        results = image.results.filter(method__in=self.methods).order_by("pk")
        pairs = list(combinations(results, 2))
        rng = random.Random(f"{self.study.seed}/{image.pk}")  # nosec B311
        rng.shuffle(pairs)
        pair = list(pairs[of_image % len(pairs)])
        rng.shuffle(pair)
        return pair[0], pair[1]

    def _payload(
        self,
        at: int,
        number: int,
        image: Image,
        pair: tuple[Result, Result],
        person: User,
        have: str,
    ) -> dict[str, Any]:
        study = self.study
        shown = image_data(study, person, image, (), have=have, methods=self.methods)
        following = f"{self.url}?at={at + 1}"
        left, right = (opaque_id(study, person, image, result.pk) for result in pair)
        return {
            "screen": {
                "id": f"preview-{at}",
                "number": at + 1,
                "first": "left",
                "answer_url": following,
                "skip_url": following,
            },
            "study": {
                **study_data(study),
                "undo_url": f"{self.url}?at={max(at - 1, 0)}",
                "pause_url": self.back_url,
                "history_url": "",
                "next_image_url": "",
            },
            **({} if have else {"person": Preferences.of(person).for_scripts}),
            "image": {
                **shown,
                "number": number % len(self.images) + 1,
                "total": len(self.images),
            },
            "left": left,
            "right": right,
            "criteria": criteria_data(study, {}),
            "answers": {},
            "progress": {
                "share": (at % _PAIRS_OF_AN_IMAGE) / _PAIRS_OF_AN_IMAGE,
                "least": 1,
                "expected": 1.0,
                "most": 1,
                "text": _("Preview"),
                "timed": None,
                "note": "",
            },
            "can_undo": at > 0,
            "message": "",
        }


def preview_of(study: Study) -> Preview:
    """Return the preview of a stored study."""
    images = study.study_images.filter(image__dataset=study.dataset_id).order_by(
        "image__position", "image"
    )
    return Preview(
        study,
        list(study.methods.all()),
        list(images.values_list("image", flat=True)),
        reverse("setup:preview_of_study", args=[study.slug]),
        reverse("studies:detail", args=[study.slug]),
    )


def preview_of_new(new: NewStudy) -> Preview:
    """Return the preview of a study in setup, with the choices so far."""
    settings = {name: value for name, value in new.settings.items() if name != "name"}
    study = Study(name=str(new), slug="preview", dataset=new.dataset, **settings)
    return Preview(
        study,
        list(services.methods_of(new)),
        list(services.chosen(new).in_order().values_list("pk", flat=True)),
        reverse("setup:preview", args=[new.pk]),
        reverse("setup:step", args=[new.pk, "look"]),
    )
