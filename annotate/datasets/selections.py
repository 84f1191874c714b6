"""Selections: images of a dataset that a person chose, kept under a name."""

from collections.abc import Collection, Iterator

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.access import Person
from annotate.errors import Refusal
from annotate.names import refuse_unseen

from .models import Dataset, Image, Selection

_MAX_NAME = Selection._meta.get_field("name").max_length or 0
_MAX_ORIGIN = Selection._meta.get_field("origin").max_length


class SelectionRefused(Refusal):
    """Refusal to keep a selection; nothing was kept."""


@transaction.atomic
def keep_selection(
    *, dataset: Dataset, name: str, images: Collection[int], person: User | None, origin: str = ""
) -> Selection:
    """Keep images of a dataset, by their keys, under a name; ``origin`` says how they were chosen.

    Raises SelectionRefused without images, and for a name that is taken or too long.
    """
    name = name.strip()
    refuse_unseen(name, SelectionRefused)
    if not name or len(name) > _MAX_NAME:
        refusal = _("Give the selection a name of at most {n} characters.")
        raise SelectionRefused(refusal.format(n=_MAX_NAME))
    keys = list(dataset.images.filter(pk__in=images).values_list("pk", flat=True))
    if not keys:
        raise SelectionRefused(_("Choose at least one image."))
    if dataset.selections.filter(name=name).exists():
        refusal = _("There is a selection named “{name}” already; choose another name.")
        raise SelectionRefused(refusal.format(name=name))
    selection = Selection.objects.create(
        dataset=dataset, name=name, origin=origin[:_MAX_ORIGIN], person=person
    )
    selection.images.set(keys)
    return selection


def deletable(selections: QuerySet[Selection], person: Person) -> QuerySet[Selection]:
    """Return the selections that a person may delete: their own; for admins, all."""
    may_all = person.has_perm("annotate.load_data")
    return selections if may_all else selections.filter(person=person.pk)


def rows_of(selection: Selection) -> Iterator[dict[str, object]]:
    """Yield a row for each image, in the order of the dataset."""
    images = Image.objects.filter(selections=selection).in_order()
    for image in images.iterator(chunk_size=500):
        yield {
            "image": image.name,
            "scene": image.scene,
            "width": image.width,
            "height": image.height,
            "regions": len(image.truth["regions"]),
            "ignored": sum(bool(region.get("ignored")) for region in image.truth["regions"]),
        }
