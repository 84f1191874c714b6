"""Setting up a study and deciding who takes part."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q
from django.utils.text import slugify

from annotate.datasets.models import Dataset, Image, Method

from .errors import StudyRefused
from .models import Membership, Role, Study, StudyImage
from .pseudonyms import give_pseudonyms

_MIN_METHODS = 2


@transaction.atomic
def create_study(
    *,
    name: str,
    dataset: Dataset,
    methods: Sequence[Method],
    images: Sequence[Image] | None = None,
    **settings: object,
) -> Study:
    """Set up a study over the dataset's images (or some of them) on which methods can be compared.

    Images with results of fewer than two of the methods are left out. Raises StudyRefused when
    there are fewer than two methods, nothing to compare, or the name is taken.
    """
    if len(set(methods)) < _MIN_METHODS:
        raise StudyRefused("A study compares at least two methods. Choose two or more.")
    strangers = [method.name for method in methods if method.dataset_id != dataset.pk]
    if strangers:
        raise StudyRefused(f"Not methods of {dataset}: {', '.join(strangers)}.")
    slug = slugify(name)
    if not slug or slug == "new":  # studies/new/ is where studies are made
        raise StudyRefused("Choose another name, with letters or digits.")
    if Study.objects.filter(Q(name=name) | Q(slug=slug)).exists():
        raise StudyRefused(f"There is a study named “{name}” already.")
    candidates = dataset.images.all()
    if images is not None:
        candidates = candidates.filter(pk__in=[image.pk for image in images])
    comparable = candidates.annotate(
        n=Count("results", filter=Q(results__method__in=methods))
    ).filter(n__gte=_MIN_METHODS)
    study = Study(name=name, slug=slug, dataset=dataset, **settings)
    study.save()
    study.methods.set(methods)
    rows = StudyImage.objects.bulk_create(
        StudyImage(study=study, image=image) for image in comparable.in_order()
    )
    if not rows:
        raise StudyRefused(
            "No image has results of two of these methods; there is nothing to compare."
        )
    return study


def add_member(*, study: Study, username: str, role: str) -> Membership:
    """Let somebody take part; asking twice changes nothing. Raises StudyRefused for an unknown name."""
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise StudyRefused(f"Nobody is named “{username}”.")
    membership, _ = Membership.objects.get_or_create(study=study, person=person, role=Role(role))
    give_pseudonyms(study)
    return membership


def set_state(*, study: Study, state: str) -> None:
    """Open the study for answers, or close it; the answers stay."""
    study.state = Study.State(state)
    study.save(update_fields=["state"])
