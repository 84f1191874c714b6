"""Rescue work under /rescue/: every table is readable, and append-only tables cannot be changed."""

from typing import Any, Final

from allauth.mfa import admin as library
from allauth.mfa.models import Authenticator
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest

from annotate.accounts.models import Invitation, Preferences
from annotate.api.models import GivenAnswer
from annotate.api.tokens.models import Token
from annotate.audit.models import Act, AuditEntry
from annotate.audit.services import record
from annotate.challenges.models import (
    Challenge,
    ChallengeArchive,
    ChallengeChange,
    ChallengeMember,
    Entry,
    EntryScore,
    Team,
)
from annotate.datasets.models import Dataset, Image, ImageFacts, Method, Result
from annotate.design.setup.models import NewStudy
from annotate.imports.models import Draft, DraftFile, Finding, Import
from annotate.jobs.models import Job, Worker
from annotate.judging.models import Assignment, Judgement, Note, Screen, Skip, Withdrawal
from annotate.leaderboards.models import PublicBoard
from annotate.learning.models import FirstVisit
from annotate.publication.models import PublicPage
from annotate.recruiting.models import Arrival, Entrance
from annotate.reports.models import KeptReport
from annotate.scoring.models import ImageLoss, ProtocolRun, Score
from annotate.stopping.models import Look
from annotate.studies.models import Exclusion, Membership, Pseudonym, Study, StudyImage
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


def _read_only(
    model: type[models.Model],
    shown: str,
    filters: str,
    searched: str,
    *,
    related: str = "",
    hidden: str = "",
) -> None:
    """Register an append-only table: columns and filters of its list, and what a search looks in.

    `related` names the tables that a row's text needs and no column shows; `hidden` fields are
    not shown.
    """
    fields = {field.name for field in model._meta.concrete_fields if field.is_relation}
    columns = shown.split()
    options = {
        "list_display": columns,
        "list_filter": filters.split(),
        "search_fields": searched.split(),
        "list_select_related": [*fields.intersection(columns), *related.split()],
        "exclude": hidden.split(),
    }
    admin.site.register(model, ReadOnlyAdmin, **options)


_OF_AN_ANSWER: Final = "assignment__study assignment__image assignment__annotator"

_read_only(Image, "name dataset position width height", "dataset", "name sha256")
_read_only(Result, "image method n_regions had_file", "had_file method", "image__name method__name")
_read_only(NewStudy, "__str__ person dataset changed", "dataset", "person__username dataset__name")
_read_only(StudyImage, "image study n_complete", "study", "image__name study__name")
_read_only(Pseudonym, "__str__ study person", "role study", "person__username study__name")
_read_only(
    Exclusion,
    "person study is_excluded reason created_by created",
    "is_excluded study",
    "person__username study__name reason",
)
# Tokens are created and revoked only by their user, and end with the account.
_read_only(
    Token,
    "name person beginning created expires last_used",
    "created",
    "name person__username beginning",
)
_read_only(GivenAnswer, "person key status created", "status", "person__username key")
_read_only(
    Invitation,
    "email study role made_by created expires used revoked",
    "role study",
    "email made_by__username used_by__username",
)
_read_only(
    FirstVisit,
    "annotator study consented practice finished",
    "practice study",
    "annotator__username study__name",
)
_read_only(
    Assignment,
    "study image annotator position state created finished",
    "state study",
    "image__name annotator__username",
)
_read_only(
    Screen,
    "public_id assignment number purpose state created",
    "state purpose",
    "public_id assignment__image__name assignment__annotator__username",
    related=f"{_OF_AN_ANSWER} left__image left__method right__image right__method",
)
_read_only(
    Judgement,
    "assignment number recall precision preference created",
    "recall precision preference",
    "assignment__image__name assignment__annotator__username",
    related=_OF_AN_ANSWER,
)
_read_only(
    Skip,
    "assignment number reason text created",
    "reason",
    "assignment__image__name assignment__annotator__username",
    related=_OF_AN_ANSWER,
)
# Notes are written on the comparison page and never changed.
_read_only(
    Note,
    "screen text discuss created",
    "discuss",
    "text screen__assignment__image__name",
    related="screen__assignment__study screen__assignment__image screen__assignment__annotator",
)
_read_only(
    Withdrawal,
    "assignment number created",
    "created",
    "assignment__image__name assignment__annotator__username",
    related=_OF_AN_ANSWER,
)
_read_only(Import, "dataset kind person created", "kind dataset", "dataset__name person__username")
_read_only(
    Draft,
    "__str__ person state dataset created changed",
    "state",
    "name dataset__name person__username",
)
_read_only(
    DraftFile,
    "name draft kind format title bytes created",
    "kind",
    "name title sha256",
    related="draft__dataset",
)
_read_only(
    Finding,
    "code severity archive entry line found",
    "severity code",
    "archive entry found",
    related="draft__dataset file",
)
_read_only(
    Job,
    "kind state person done total created finished failure",
    "state kind",
    "kind title person__username failure",
)
_read_only(Worker, "name version started heartbeat ended", "version", "name")
_read_only(
    ProtocolRun, "name dataset protocol origin version created", "origin dataset", "name protocol"
)
_read_only(
    Score,
    "run result recall precision f_score",
    "run",
    "result__image__name result__method__name run__name",
    related="run__dataset result__image result__method",
)
_read_only(
    ImageLoss,
    "run result cause loss",
    "cause run",
    "result__image__name result__method__name run__name",
    related="run__dataset result__image result__method",
)
_read_only(
    ImageFacts,
    "image n_words height_px n_turned scripts",
    "image__dataset",
    "image__name",
    related="image__dataset",
)
_read_only(
    Entrance, "name study platform state places created", "platform state", "name slug study__name"
)
# Only the payment list names the platform's ids.
_read_only(
    Arrival,
    "entrance study consented outcome n_pairs",
    "outcome platform",
    "entrance__name study__name",
    hidden="participant submission",
)
_read_only(Challenge, "title dataset opens freezes closes", "dataset", "title slug")
_read_only(ChallengeMember, "person challenge role team", "role challenge", "person__username")
_read_only(Team, "name challenge number is_trial", "challenge", "name", hidden="code")
_read_only(Entry, "team number state is_final created", "state", "team__name sha256")
_read_only(
    EntryScore,
    "entry protocol split f_score",
    "split",
    "entry__team__name protocol",
    related="entry__team",
    hidden="tallies",
)
_read_only(ChallengeChange, "challenge setting created", "challenge", "setting")
_read_only(ChallengeArchive, "challenge checksum created", "created", "checksum", hidden="content")
_read_only(PublicBoard, "dataset created", "dataset", "dataset__name")
_read_only(
    PublicPage,
    "report title is_listed doi download created created_by",
    "is_listed download",
    "title doi",
    related="report__study",
)
_read_only(Look, "study number due taken n_counted", "study", "study__name")
# Megabytes of text; the report has a page of its own.
_read_only(
    KeptReport,
    "study created created_by checksum software_version",
    "study",
    "study__name checksum",
    hidden="content",
)
_read_only(
    AuditEntry,
    "created actor act study about what",
    "act study",
    "actor__username about__username what",
)

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
