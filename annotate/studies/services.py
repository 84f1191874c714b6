"""Setup and changes of a study and its members."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Image, ImageQuerySet, Method
from annotate.names import address_of, refuse_unseen

from .draws import draw_images
from .errors import StudyRefused
from .models import Membership, Role, Study, StudyImage
from .pseudonyms import give_pseudonyms, give_pseudonyms_under_lock
from .settings import BY_NAME, SETTINGS, Lock, match_protocols, usual

_MIN_METHODS = 2


def misfits(settings: Mapping[str, Any], n_methods: int | None = None) -> dict[str, str]:
    """Return a sentence for each contradiction between settings; missing ones have defaults."""

    def value(setting: str) -> Any:
        return settings.get(setting, usual(setting))

    found = {}
    least, most, k = value("min_annotators"), value("max_annotators"), value("methods_per_visit")
    if least and most and most < least:
        found["max_annotators"] = _(
            "An image needs {least} annotators, so at least as many must be allowed. Or "
            "leave it empty."
        ).format(least=least)
    if value("agreement_percent"):
        if most is None:
            found["agreement_percent"] = _(
                "Enter the maximum number of annotators for the other images, so that these can get more."
            )
        elif (value("agreement_annotators") or 0) <= most:
            found["agreement_annotators"] = _(
                "The other images get {most}; these need more."
            ).format(most=most)
    if value("ends_by") == Study.EndRule.BUDGET and not value("answer_budget"):
        found["answer_budget"] = _("Enter the number of answers after which the study ends.")
    if value("ends_by") == Study.EndRule.NEVER and value("answer_budget"):
        found["answer_budget"] = _(
            "It only counts if the study ends by a rule. Choose one, or leave it empty."
        )
    if value("strategy") == Study.Strategy.CAREFUL and value("n_checks"):
        found["n_checks"] = _(
            "Careful insertion asks again by itself, so it has no re-checks. Leave this empty."
        )
    slug = value("match_protocol")
    if slug and slug not in {one.slug for some in match_protocols().values() for one in some}:
        found["match_protocol"] = _("Choose a protocol that matches regions, or leave it empty.")
    if k and n_methods is not None and k >= n_methods:
        found["methods_per_visit"] = _(
            "{n_methods} methods take part, and a visit asks fewer. Leave it empty for whole rankings."
        ).format(n_methods=n_methods)
    return found


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

    Images with results of fewer than two of the methods are left out. Raises StudyRefused if
    there are fewer than two methods, nothing to compare, or the name is taken.
    """
    if len(set(methods)) < _MIN_METHODS:
        raise StudyRefused(_("A study compares at least two methods. Choose two or more."))
    strangers = [method.name for method in methods if method.dataset_id != dataset.pk]
    if strangers:
        raise StudyRefused(
            _("Not methods of {dataset}: {names}.").format(
                dataset=dataset, names=", ".join(strangers)
            )
        )
    slug = free_slug(name)
    for misfit in misfits(settings, len(set(methods))).values():
        raise StudyRefused(misfit)
    candidates = comparable(dataset, methods)
    if images is not None:
        candidates = candidates.filter(pk__in=[image.pk for image in images])
    study = Study(name=name, slug=slug, dataset=dataset, **settings)
    study.save()
    study.methods.set(methods)
    n_images = _add_images(study, candidates.in_order())
    if not n_images:
        raise StudyRefused(
            _("No image has results of two of these methods; there is nothing to compare.")
        )
    draw_images(study)
    details = {"images": n_images, **_rule(study)}
    record(Act.STUDY_CREATED, study=study, what=study.name, details=details)
    return study


def free_slug(name: str) -> str:
    """Return the slug of a new study of this name. Raises StudyRefused if it is not available."""
    refuse_unseen(name, StudyRefused)
    slug = address_of(name)
    if not slug or slug == "new":  # studies/new/ is the page that sets up studies
        raise StudyRefused(_("Choose another name, with letters or digits."))
    if Study.objects.filter(Q(name=name) | Q(slug=slug)).exists():
        raise StudyRefused(_("There is a study named “{name}” already.").format(name=name))
    return slug


def comparable(dataset: Dataset, methods: Iterable[Method]) -> ImageQuerySet:
    """Return the images of a dataset on which two of the methods have results."""
    n_results = Count("results", filter=Q(results__method__in=list(methods)))
    return dataset.images.alias(n=n_results).filter(n__gte=_MIN_METHODS)


def _add_images(study: Study, images: QuerySet[Image]) -> int:
    """Copy images into the study and return how many they are."""
    pks = images.values_list("pk", flat=True)
    rows = (StudyImage(study=study, image_id=pk) for pk in pks)
    return len(StudyImage.objects.bulk_create(rows, batch_size=5000))


@transaction.atomic
def change_settings(
    *, study: Study, is_answered: Callable[[Study], bool], **settings: object
) -> None:
    """Change settings of a study, given by name; its address does not change.

    ``is_answered`` returns whether the study has an answer; it is called under the locks.

    Raises StudyRefused if the name is taken, or if the study has answers and a setting that gives
    them their meaning would change.
    """
    # Answers are stored under these locks, so none can arrive meanwhile.
    list(study.memberships.select_for_update().order_by("pk"))
    study.refresh_from_db()
    changed = [name for name, value in settings.items() if getattr(study, name) != value]
    declared = [BY_NAME[name] for name in changed if name != "name"]
    locked = [setting.label for setting in declared if setting.locks_at is Lock.FIRST_ANSWER]
    if locked and is_answered(study):
        raise StudyRefused(
            _(
                "People have answered under the present settings, so these cannot be changed: "
                "{names}. Duplicate the study to ask differently."
            ).format(names=", ".join(locked))
        )
    draws_again = any(setting.is_drawn for setting in declared)
    if draws_again and study.state == Study.State.OPEN:
        raise StudyRefused(
            _("What a visit asks cannot be changed while the study is open. Close it first.")
        )
    ends_otherwise = any(setting.locks_at is Lock.OPENING for setting in declared)
    if ends_otherwise and study.state != Study.State.DRAFT:
        raise StudyRefused(
            _(
                "The end of a study is chosen before it opens, so that it does not depend on the "
                "results."
            )
        )
    now = {field.name: getattr(study, field.name) for field in Study._meta.concrete_fields}
    for misfit in misfits(now | settings, study.methods.count()).values():
        raise StudyRefused(misfit)
    if "name" in changed:
        refuse_unseen(str(settings["name"]), StudyRefused)
    if "name" in changed and Study.objects.filter(name=settings["name"]).exists():
        raise StudyRefused(
            _("There is a study named “{name}” already.").format(name=settings["name"])
        )
    for name in changed:
        setattr(study, name, settings[name])
    study.save(update_fields=changed)
    if draws_again:
        draw_images(study)
    if changed:
        record(Act.STUDY_CHANGED, study=study, what=study.name, details={"settings": changed})


@transaction.atomic
def add_member(*, study: Study, username: str, role: str, group: str = "") -> Membership:
    """Add a member; a second call changes the group only, if one is given.

    Raises StudyRefused for an unknown name.
    """
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise StudyRefused(_("There is no user named “{username}”.").format(username=username))
    refuse_unseen(group, StudyRefused)
    membership, is_new = Membership.objects.get_or_create(
        study=study, person=person, role=Role(role), defaults={"group": group}
    )
    if is_new:
        _record_member(Act.MEMBER_ADDED, membership, role=membership.role)
    elif group:
        set_group(membership=membership, group=group)
    give_pseudonyms(study)
    return membership


def add_visitor(*, study: Study, person: User, group: str, **quota: int | None) -> None:
    """Add a new user as an annotator with a quota (max_pairs, max_images, n_known).

    The transaction has locked the study.
    """
    membership = Membership.objects.create(
        study=study, person=person, role=Role.ANNOTATOR, group=group, **quota
    )
    _record_member(Act.MEMBER_ADDED, membership, role=membership.role)
    give_pseudonyms_under_lock(study)


@transaction.atomic
def set_group(*, membership: Membership, group: str) -> None:
    """Set the group of annotators that a member belongs to; empty: none."""
    refuse_unseen(group, StudyRefused)
    if group != membership.group:
        membership.group = group
        membership.save(update_fields=["group"])
        _record_member(Act.GROUP_CHANGED, membership)


@transaction.atomic
def change_role(*, membership: Membership, role: str) -> None:
    """Change a member's role; their answers are kept.

    Raises StudyRefused if the person already has that role, too.
    """
    before, role = membership.role, Role(role)
    if role == before:
        return
    others = Membership.objects.filter(study=membership.study_id, person=membership.person_id)
    if others.filter(role=role).exists():
        raise StudyRefused(
            _("{person} is {label} in this study already.").format(
                person=membership.person, label=role.label
            )
        )
    give_pseudonyms(membership.study)
    membership.role = role
    membership.save(update_fields=["role"])
    _record_member(Act.ROLE_CHANGED, membership, before=before, role=role)


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """Remove a member. They lose access; their answers are kept."""
    give_pseudonyms(membership.study)
    _record_member(Act.MEMBER_REMOVED, membership, role=membership.role)
    membership.delete()


def _record_member(act: Act, membership: Membership, **details: str) -> None:
    study = membership.study
    record(act, study=study, about=membership.person, what=study.name, details=details)


@transaction.atomic
def set_state(*, study: Study, state: str, on_blank_pages: bool = False) -> None:
    """Open the study for answers, or close it; the answers are kept.

    Raises StudyRefused if a study with answers from elsewhere is opened, or a new one without a
    single photograph unless ``on_blank_pages`` says that outlines are to be shown on blank pages.
    """
    if study.state == state:
        return
    if study.is_external and state == Study.State.OPEN:
        raise StudyRefused(
            _("The answers were collected elsewhere. Set up another study to ask people here.")
        )
    is_new = study.state == Study.State.DRAFT and state == Study.State.OPEN
    if is_new and not on_blank_pages and not has_photographs(study):
        raise StudyRefused(
            _(
                "None of the images has a photograph. Load photographs, or ask for outlines on blank "
                "pages."
            )
        )
    study.state = Study.State(state)
    study.save(update_fields=["state"])
    if study.state != Study.State.OPEN:
        record(Act.STUDY_CLOSED, study=study, what=study.name)
        return
    record(Act.STUDY_OPENED, study=study, what=study.name, details=_rule(study))


def _rule(study: Study) -> dict[str, Any]:
    """Return the rule by which a study will end, for the log."""
    if not study.ends_by_rule:
        return {}
    rule = [setting.name for setting in SETTINGS if setting.locks_at is Lock.OPENING]
    return {name: getattr(study, name) for name in rule}


def has_photographs(study: Study) -> bool:
    """Return whether any image of the study has a photograph."""
    return study.images.exclude(sha256="").exists()


@transaction.atomic
def end_study(*, study: Study, n_answers: int, why: str) -> bool:
    """Close a study by its rule; return False if it is already closed."""
    now = timezone.now()
    open_still = Study.objects.filter(pk=study.pk, state=Study.State.OPEN, ended__isnull=True)
    if not open_still.update(state=Study.State.CLOSED, ended=now):
        return False
    study.state, study.ended = Study.State.CLOSED, now
    details = {"rule": study.ends_by, "answers": n_answers, "why": why}
    record(Act.STUDY_CLOSED, study=study, what=study.name, details=details)
    return True
