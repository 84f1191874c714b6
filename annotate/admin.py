"""Rescue work under /rescue/: every table is readable, and append-only tables cannot be changed."""

from typing import Any

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


@admin.register(Image)
class ImageAdmin(ReadOnlyAdmin):
    list_display = ("name", "dataset", "position", "width", "height")
    list_filter = ("dataset",)
    list_select_related = ("dataset",)
    search_fields = ("name", "sha256")


@admin.register(Method)
class MethodAdmin(RescueAdmin):
    list_display = ("name", "slug", "dataset", "created")
    list_filter = ("dataset",)
    list_select_related = ("dataset",)
    search_fields = ("name", "slug")


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    list_display = ("image", "method", "n_regions", "had_file")
    list_filter = ("had_file", "method")
    list_select_related = ("image", "method")
    search_fields = ("image__name", "method__name")


@admin.register(Study)
class StudyAdmin(RescueAdmin):
    list_display = ("name", "dataset", "state", "strategy", "min_annotators", "created")
    list_filter = ("state", "strategy", "dataset")
    list_select_related = ("dataset",)
    search_fields = ("name", "slug")
    # Sides and orders are drawn from the seed, and methods join and leave through a service.
    readonly_fields = ("seed", "dataset", "methods")


@admin.register(NewStudy)
class NewStudyAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "person", "dataset", "changed")
    list_filter = ("dataset",)
    list_select_related = ("person", "dataset")
    search_fields = ("person__username", "dataset__name")


@admin.register(StudyImage)
class StudyImageAdmin(ReadOnlyAdmin):
    list_display = ("image", "study", "n_complete")
    list_filter = ("study",)
    list_select_related = ("image", "study")
    search_fields = ("image__name", "study__name")


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


@admin.register(Pseudonym)
class PseudonymAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "study", "person")
    list_filter = ("role", "study")
    list_select_related = ("study", "person")
    search_fields = ("person__username", "study__name")


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ("person", "study", "is_excluded", "reason", "created_by", "created")
    list_filter = ("is_excluded", "study")
    list_select_related = ("person", "study", "created_by")
    search_fields = ("person__username", "study__name", "reason")


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Tokens are created and revoked only by their user, and end with the account."""

    list_display = ("name", "person", "beginning", "created", "expires", "last_used")
    list_filter = ("created",)
    list_select_related = ("person",)
    search_fields = ("name", "person__username", "beginning")


@admin.register(GivenAnswer)
class GivenAnswerAdmin(ReadOnlyAdmin):
    list_display = ("person", "key", "status", "created")
    list_filter = ("status",)
    list_select_related = ("person",)
    search_fields = ("person__username", "key")


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ("email", "study", "role", "made_by", "created", "expires", "used", "revoked")
    list_filter = ("role", "study")
    list_select_related = ("study", "made_by")
    search_fields = ("email", "made_by__username", "used_by__username")


@admin.register(FirstVisit)
class FirstVisitAdmin(ReadOnlyAdmin):
    list_display = ("annotator", "study", "consented", "practice", "finished")
    list_filter = ("practice", "study")
    list_select_related = ("annotator", "study")
    search_fields = ("annotator__username", "study__name")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("study", "image", "annotator", "position", "state", "created", "finished")
    list_filter = ("state", "study")
    list_select_related = ("study", "image", "annotator")
    search_fields = ("image__name", "annotator__username")


@admin.register(Screen)
class ScreenAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "assignment", "number", "purpose", "state", "created")
    list_filter = ("state", "purpose")
    list_select_related = (
        "assignment__study",
        "assignment__image",
        "assignment__annotator",
        "left__image",
        "left__method",
        "right__image",
        "right__method",
    )
    search_fields = ("public_id", "assignment__image__name", "assignment__annotator__username")


class EventAdmin(ReadOnlyAdmin):
    """Events are added by answering and never changed."""

    list_select_related = ("assignment__study", "assignment__image", "assignment__annotator")
    search_fields = ("assignment__image__name", "assignment__annotator__username")


@admin.register(Judgement)
class JudgementAdmin(EventAdmin):
    list_display = ("assignment", "number", "recall", "precision", "preference", "created")
    list_filter = ("recall", "precision", "preference")


@admin.register(Skip)
class SkipAdmin(EventAdmin):
    list_display = ("assignment", "number", "reason", "text", "created")
    list_filter = ("reason",)


@admin.register(Note)
class NoteAdmin(ReadOnlyAdmin):
    """Notes are written on the comparison page and never changed."""

    list_display = ("screen", "text", "discuss", "created")
    list_filter = ("discuss",)
    list_select_related = (
        "screen__assignment__study",
        "screen__assignment__image",
        "screen__assignment__annotator",
    )
    search_fields = ("text", "screen__assignment__image__name")


@admin.register(Withdrawal)
class WithdrawalAdmin(EventAdmin):
    list_display = ("assignment", "number", "created")
    list_filter = ("created",)


@admin.register(Preferences)
class PreferencesAdmin(RescueAdmin):
    list_display = ("person", "theme", "advance", "single_keys")
    list_filter = ("theme",)
    list_select_related = ("person",)
    search_fields = ("person__username",)
    autocomplete_fields = ("person",)


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin):
    list_display = ("dataset", "kind", "person", "created")
    list_filter = ("kind", "dataset")
    list_select_related = ("dataset", "person")
    search_fields = ("dataset__name", "person__username")


@admin.register(Draft)
class DraftAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "person", "state", "dataset", "created", "changed")
    list_filter = ("state",)
    list_select_related = ("person", "dataset")
    search_fields = ("name", "dataset__name", "person__username")


@admin.register(DraftFile)
class DraftFileAdmin(ReadOnlyAdmin):
    list_display = ("name", "draft", "kind", "format", "title", "bytes", "created")
    list_filter = ("kind",)
    list_select_related = ("draft__dataset",)
    search_fields = ("name", "title", "sha256")


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    list_display = ("code", "severity", "archive", "entry", "line", "found")
    list_filter = ("severity", "code")
    list_select_related = ("draft__dataset", "file")
    search_fields = ("archive", "entry", "found")


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("kind", "state", "person", "done", "total", "created", "finished", "failure")
    list_filter = ("state", "kind")
    list_select_related = ("person",)
    search_fields = ("kind", "title", "person__username", "failure")


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "started", "heartbeat", "ended")
    list_filter = ("version",)
    search_fields = ("name",)


@admin.register(ProtocolRun)
class ProtocolRunAdmin(ReadOnlyAdmin):
    list_display = ("name", "dataset", "protocol", "origin", "version", "created")
    list_filter = ("origin", "dataset")
    list_select_related = ("dataset",)
    search_fields = ("name", "protocol")


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    list_display = ("run", "result", "recall", "precision", "f_score")
    list_filter = ("run",)
    list_select_related = ("run__dataset", "result__image", "result__method")
    search_fields = ("result__image__name", "result__method__name", "run__name")


@admin.register(ImageLoss)
class ImageLossAdmin(ReadOnlyAdmin):
    list_display = ("run", "result", "cause", "loss")
    list_filter = ("cause", "run")
    list_select_related = ("run__dataset", "result__image", "result__method")
    search_fields = ("result__image__name", "result__method__name", "run__name")


@admin.register(ImageFacts)
class ImageFactsAdmin(ReadOnlyAdmin):
    list_display = ("image", "n_words", "height_px", "n_turned", "scripts")
    list_filter = ("image__dataset",)
    list_select_related = ("image__dataset",)
    search_fields = ("image__name",)


@admin.register(Entrance)
class EntranceAdmin(ReadOnlyAdmin):
    list_display = ("name", "study", "platform", "state", "places", "created")
    list_filter = ("platform", "state")
    list_select_related = ("study",)
    search_fields = ("name", "slug", "study__name")


@admin.register(Arrival)
class ArrivalAdmin(ReadOnlyAdmin):
    list_display = ("entrance", "study", "consented", "outcome", "n_pairs")
    list_filter = ("outcome", "platform")
    list_select_related = ("entrance", "study")
    search_fields = ("entrance__name", "study__name")
    # Only the payment list names the platform's ids.
    exclude = ("participant", "submission")


@admin.register(PublicBoard)
class PublicBoardAdmin(ReadOnlyAdmin):
    list_display = ("dataset", "created")
    list_filter = ("dataset",)
    list_select_related = ("dataset",)
    search_fields = ("dataset__name",)


@admin.register(PublicPage)
class PublicPageAdmin(ReadOnlyAdmin):
    list_display = ("report", "title", "is_listed", "doi", "download", "created", "created_by")
    list_filter = ("is_listed", "download")
    list_select_related = ("report__study", "created_by")
    search_fields = ("title", "doi")


@admin.register(KeptReport)
class KeptReportAdmin(ReadOnlyAdmin):
    list_display = ("study", "created", "created_by", "checksum", "software_version")
    list_filter = ("study",)
    list_select_related = ("study", "created_by")
    search_fields = ("study__name", "checksum")
    # Megabytes of text; the report has a page of its own.
    exclude = ("content",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("created", "actor", "act", "study", "about", "what")
    list_filter = ("act", "study")
    list_select_related = ("actor", "study", "about")
    search_fields = ("actor__username", "about__username", "what")


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
