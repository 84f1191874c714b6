"""Setting up a study and deciding who takes part."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, Q, QuerySet, Value
from django.utils.text import slugify

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Image, Method

from .errors import StudyRefused
from .models import Membership, Role, Study, StudyImage
from .pseudonyms import give_pseudonyms

_MIN_METHODS = 2
# The settings of a study, for forms and the API: three groups.
SHARING: Final = ("min_annotators", "max_annotators")

BREAKS: Final = ("break_minutes", "break_screens")
# What decides what an answer means, or under which circumstances it was given.
LOCKED_BY_ANSWERS: Final = (
    "strategy",
    "recall_question",
    "precision_question",
    "preference_question",
    "ground_truth",
    "match_protocol",
    "n_checks",
    "same_for_all",
    "keep_camera",
)


def usual(setting: str) -> Any:
    """Return the usual value of a study's setting."""
    field = next(field for field in Study._meta.fields if field.name == setting)
    return field.get_default()


def too_few(least: int) -> str:
    """Say that fewer people would be let in than an image needs."""
    return f"An image needs {least} annotators; so many at least must be let in. Or leave it empty."


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
    n_images = _add_images(study, comparable.in_order())
    if not n_images:
        raise StudyRefused(
            "No image has results of two of these methods; there is nothing to compare."
        )
    record(Act.STUDY_CREATED, study=study, what=study.name, details={"images": n_images})
    return study


def _add_images(study: Study, images: QuerySet[Image]) -> int:
    """Put images into a study within the database: a hundred thousand would keep somebody waiting."""
    rows = images.annotate(of_study=Value(study.pk), none=Value(0))
    chosen, values = rows.values_list("pk", "of_study", "none").query.sql_with_params()
    columns = "image_id, study_id, n_complete"
    with connection.cursor() as cursor:
        # Names of ours, and a query whose values are passed beside it.
        cursor.execute(
            f"INSERT INTO {StudyImage._meta.db_table} ({columns}) {chosen}",
            values,
        )
        return int(cursor.rowcount)


@transaction.atomic
def change_settings(
    *, study: Study, is_answered: Callable[[Study], bool], **settings: object
) -> None:
    """Change settings of a study by their names; its address stays.

    ``is_answered`` says whether anybody has answered in the study; it is asked under the locks.

    Raises StudyRefused if the name is taken, or if the study has answers and a setting that gives
    them their meaning would change.
    """
    # Answers are stored under these locks, so that none comes in between.
    list(study.memberships.select_for_update().order_by("pk"))
    study.refresh_from_db()
    changed = [name for name, value in settings.items() if getattr(study, name) != value]
    locked = [name for name in changed if name in LOCKED_BY_ANSWERS]
    if locked and is_answered(study):
        title_of = {field.name: str(field.verbose_name) for field in Study._meta.fields}
        names = ", ".join(title_of[name] for name in locked)
        raise StudyRefused(
            f"People have answered under the present settings, so these stay: {names}. "
            "Duplicate the study to ask in another way."
        )
    if "name" in changed and Study.objects.filter(name=settings["name"]).exists():
        raise StudyRefused(f"There is a study named “{settings['name']}” already.")
    for name in changed:
        setattr(study, name, settings[name])
    study.save(update_fields=changed)
    if changed:
        record(Act.STUDY_CHANGED, study=study, what=study.name, details={"settings": changed})


def add_member(*, study: Study, username: str, role: str) -> Membership:
    """Let somebody take part; asking twice changes nothing. Raises StudyRefused for an unknown name."""
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise StudyRefused(f"Nobody is named “{username}”.")
    membership, is_new = Membership.objects.get_or_create(
        study=study, person=person, role=Role(role)
    )
    if is_new:
        _record_member(Act.MEMBER_ADDED, membership, role=membership.role)
    give_pseudonyms(study)
    return membership


@transaction.atomic
def change_role(*, membership: Membership, role: str) -> None:
    """Let a member do something else in the study; what was answered stays.

    Raises StudyRefused if the person has that role, too.
    """
    before, role = membership.role, Role(role)
    if role == before:
        return
    others = Membership.objects.filter(study=membership.study_id, person=membership.person_id)
    if others.filter(role=role).exists():
        raise StudyRefused(f"{membership.person} is {role.label} in this study already.")
    give_pseudonyms(membership.study)
    membership.role = role
    membership.save(update_fields=["role"])
    _record_member(Act.ROLE_CHANGED, membership, before=before, role=role)


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """Let somebody take part no more. They see nothing of the study; what they answered stays."""
    give_pseudonyms(membership.study)
    _record_member(Act.MEMBER_REMOVED, membership, role=membership.role)
    membership.delete()


def _record_member(act: Act, membership: Membership, **details: str) -> None:
    study = membership.study
    record(act, study=study, about=membership.person, what=study.name, details=details)


@transaction.atomic
def set_state(*, study: Study, state: str) -> None:
    """Open the study for answers, or close it; the answers stay."""
    if study.state == state:
        return
    study.state = Study.State(state)
    study.save(update_fields=["state"])
    act = Act.STUDY_OPENED if study.state == Study.State.OPEN else Act.STUDY_CLOSED
    record(act, study=study, what=study.name)
