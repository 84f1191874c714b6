"""The annotators' contacts, and the size of a study for a new annotator."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.judging.annotator_summary import about_in_words, in_words
from annotate.judging.effort import pairs_an_image, seconds_a_pair
from annotate.judging.image_allocation import n_images_of
from annotate.studies.models import Role, Study


def contacts(study: Study) -> list[User]:
    """Return the researchers of a study, who are the annotators' contacts."""
    return list(
        User.objects.filter(
            memberships__study=study, memberships__role=Role.RESEARCHER, is_active=True
        ).order_by("username")
    )


@dataclass(frozen=True)
class Size:
    """A rough estimate of one annotator's work in a study."""

    n_images: int
    n_pairs: int  # pairs that an image usually needs in total
    minutes: float  # for all images

    @property
    def minutes_an_image(self) -> int:
        return max(1, round(self.minutes / max(self.n_images, 1)))

    @property
    def hours(self) -> str:
        """The time for all images together, in words."""
        return in_words(self.minutes)

    @property
    def sentence(self) -> str:
        n_images = ngettext("{n} image", "{n} images", self.n_images).format(n=self.n_images)
        n_pairs = ngettext("{n} pair", "{n} pairs", self.n_pairs).format(n=self.n_pairs)
        minutes = ngettext("{n} minute", "{n} minutes", self.minutes_an_image)
        return _(
            "Then come {images}, each with roughly {pairs} and {minutes}: {time} in all, in as "
            "many sittings as you like."
        ).format(
            images=n_images,
            pairs=n_pairs,
            minutes=minutes.format(n=self.minutes_an_image),
            time=about_in_words(self.minutes),
        )


def size(study: Study, annotator: User) -> Size:
    n_images, n_pairs = n_images_of(study, annotator), pairs_an_image(study)
    return Size(n_images, round(n_pairs), n_images * n_pairs * seconds_a_pair(study) / 60)
