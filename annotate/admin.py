"""Rescue work under /rescue/: every table is readable, and append-only tables cannot be changed."""

from collections.abc import Iterator
from typing import Any, Final, cast

from allauth.mfa import admin as library
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from annotate.accounts.models import Preferences
from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Method
from annotate.recruiting.models import Arrival
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Membership, Study
from annotate.studies.services import remove_member


class RescueAdmin(admin.ModelAdmin[models.Model]):
    """One page of rows costs a fixed number of queries, and every change is in our own log."""

    list_per_page = 50
    # Counting millions of rows twice for a page makes Django's admin slow.
    show_full_result_count = False

    def get_list_select_related(self, request: HttpRequest) -> Any:
        names = self.list_select_related
        return False if isinstance(names, bool) else list(names) or False

    def log_addition(self, request: HttpRequest, obj: models.Model, message: Any) -> None:  # type: ignore[override]  # our log is another table
        self._record(obj, "added", message)

    def log_change(self, request: HttpRequest, obj: models.Model, message: Any) -> None:  # type: ignore[override]  # our log is another table
        self._record(obj, "changed", message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:  # type: ignore[override]  # our log is another table
        for obj in queryset:
            self._record(obj, "deleted", [])

    def _record(self, obj: models.Model, how: str, message: Any) -> None:
        fields = [
            name
            for part in (message if isinstance(message, list) else [])
            for name in part.get("changed", {}).get("fields", [])
        ]
        # The number, not the name: an erased person must not live on in the log.
        about = obj if isinstance(obj, User) else None
        record(
            Act.RESCUED,
            # Stored texts are English.
            what=f"{obj._meta.verbose_name_raw} {obj.pk} {how}",
            about=about if how != "deleted" else None,
            details={"fields": fields} if fields else {},
        )


class ReadOnlyAdmin(RescueAdmin):
    """Admin pages that show append-only tables read-only."""

    def _never(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = _never


@admin.register(Dataset)
class DatasetAdmin(RescueAdmin):
    list_display = ("name", "slug", "line_format", "box_convention", "created")
    list_filter = ("line_format", "box_convention")
    search_fields = ("name", "slug")


@admin.register(Method)
class MethodAdmin(RescueAdmin):
    list_display = ("name", "slug", "dataset", "created")
    list_filter = ("dataset",)
    list_select_related = ("dataset",)
    search_fields = ("name", "slug")


@admin.register(Study)
class StudyAdmin(RescueAdmin):
    list_display = ("name", "dataset", "state", "strategy", "min_annotators", "created")
    list_filter = ("state", "strategy", "dataset")
    list_select_related = ("dataset",)
    search_fields = ("name", "slug")
    # Sides and orders are drawn from the seed, and methods join and leave through a service.
    readonly_fields = ("seed", "dataset", "methods")


@admin.register(Membership)
class MembershipAdmin(RescueAdmin):
    list_display = ("person", "study", "role", "created")
    list_filter = ("role", "study")
    list_select_related = ("person", "study")
    search_fields = ("person__username", "study__name")
    autocomplete_fields = ("person", "study")

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        """Remove a member as the pages do: the pseudonym of an annotator with answers stays."""
        if isinstance(obj, Membership):
            remove_member(membership=obj)

    def delete_queryset(
        self, request: HttpRequest, queryset: models.QuerySet[models.Model]
    ) -> None:
        for membership in queryset:
            self.delete_model(request, membership)


@admin.register(Preferences)
class PreferencesAdmin(RescueAdmin):
    list_display = ("person", "theme", "advance", "single_keys")
    list_filter = ("theme",)
    list_select_related = ("person",)
    search_fields = ("person__username",)
    autocomplete_fields = ("person",)


# Secrets, ids of platforms, and texts of megabytes.
_HIDDEN: Final = {
    Arrival: ("participant", "submission"),
    KeptReport: ("content",),
}
_N_COLUMNS: Final = 8
# Names of rows, by which the rows that refer to them are found.
_NAMES: Final = ("name", "title", "username")
_GROUPS: Final = (Dataset, Study, ProtocolRun)
_LONG: Final = (models.TextField, models.JSONField, models.BinaryField)


def _relations(model: type[models.Model], depth: int = 3) -> Iterator[str]:
    """Yield the paths of the rows that a row's text may name."""
    for field in model._meta.concrete_fields:
        if field.related_model and depth:
            yield field.name
            yield from (f"{field.name}__{path}" for path in _relations(_target(field), depth - 1))


def _names(model: type[models.Model], depth: int = 2) -> Iterator[str]:
    """Yield the paths of the names of a row, and of the rows that it refers to."""
    for field in model._meta.concrete_fields:
        if field.name in _NAMES:
            yield field.name
        elif field.related_model and depth:
            yield from (f"{field.name}__{path}" for path in _names(_target(field), depth - 1))


def _target(field: "models.Field[Any, Any]") -> type[models.Model]:
    return cast(type[models.Model], field.related_model)


def _is_for_filters(field: "models.Field[Any, Any]") -> bool:
    if field.related_model:
        return _target(field) in _GROUPS
    return bool(field.choices) or isinstance(field, models.BooleanField | models.DateTimeField)


def _register_read_only(model: type[models.Model]) -> None:
    """Register an append-only table; its list shows, filters and searches by the kinds of its fields."""
    hidden = _HIDDEN.get(model, ())
    fields = [field for field in model._meta.concrete_fields if field.name not in hidden]
    short = [field for field in fields if not isinstance(field, _LONG) and not field.primary_key]
    columns = [field.name for field in short][:_N_COLUMNS]
    texts = [field.name for field in fields if isinstance(field, models.CharField)]
    options = {
        "list_display": columns or ["__str__"],
        "list_filter": [field.name for field in short if _is_for_filters(field)]
        or [path for path in _relations(model) if path.endswith("__dataset")],
        "search_fields": list(dict.fromkeys([*texts, *_names(model)])),
        "list_select_related": [
            path for path in _relations(model) if path.partition("__")[0] in columns
        ],
        "exclude": hidden,
    }
    admin.site.register(model, ReadOnlyAdmin, **options)


for own in apps.get_app_config("annotate").get_models():
    if not admin.site.is_registered(own):
        _register_read_only(own)

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(RescueAdmin, UserAdmin[User]):
    """People are never deleted: their answers would lose their annotator. They erase their own data."""

    def save_model(self, request: HttpRequest, obj: models.Model, form: Any, change: bool) -> None:
        """Keep staff and superuser status together: an admin has both, a former admin has neither.

        Django grants every permission to a superuser, also to one without staff status.
        """
        if isinstance(obj, User) and obj.is_staff != obj.is_superuser:
            obj.is_staff = obj.is_superuser = False
            messages.warning(
                request,
                "An admin has both staff and superuser status. This account has neither now.",
            )
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


admin.site.unregister(Authenticator)


@admin.register(Authenticator)
class AuthenticatorAdmin(RescueAdmin, library.AuthenticatorAdmin):  # type: ignore[misc]  # the library has no types
    """A form to remove a user's second factor; the secret itself is not shown."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    list_select_related = ("user",)
    search_fields = ("user__username",)
    exclude = ("data",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
