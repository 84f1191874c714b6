"""Entries of the log. They are written once, and hold no more about a person than a reference."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotate.append_only import WrittenOnce


class Act(models.TextChoices):
    """Kinds of administrative acts."""

    DATASET_LOADED = "dataset_loaded", _("loaded a dataset")
    PHOTOGRAPHS_LOADED = "photographs_loaded", _("loaded photographs")
    TRUTH_MENDED = "truth_mended", _("corrected a ground truth")
    RESULTS_LOADED = "results_loaded", _("loaded results")
    SCENES_DECLARED = "scenes_declared", _("declared the scenes of images")
    SCORES_LOADED = "scores_loaded", _("loaded scores")
    PEOPLE_LOADED = "people_loaded", _("loaded people")
    STUDY_LOADED = "study_loaded", _("loaded a study from a bundle")
    LOAD_UNDONE = "load_undone", _("undid a load")
    SCORED = "scored", _("scored with a protocol")
    STUDY_CREATED = "study_created", _("set up a study")
    STUDY_CHANGED = "study_changed", _("changed a study")
    STUDY_OPENED = "study_opened", _("opened a study")
    STUDY_CLOSED = "study_closed", _("closed a study")
    LOOK_TAKEN = "look_taken", _("took a planned look at a study")
    METHOD_ADDED = "method_added", _("added a method to a study")
    METHOD_WITHDRAWN = "method_withdrawn", _("withdrew a method from a study")
    MEMBER_ADDED = "member_added", _("added a member")
    ROLE_CHANGED = "role_changed", _("changed a role")
    GROUP_CHANGED = "group_changed", _("changed a member's group")
    MEMBER_REMOVED = "member_removed", _("removed a member")
    INVITED = "invited", _("made an invitation")
    INVITATION_REVOKED = "invitation_revoked", _("revoked an invitation")
    INVITATION_USED = "invitation_used", _("accepted an invitation")
    EXCLUDED = "excluded", _("excluded from reports")
    INCLUDED = "included", _("included in reports again")
    REPORT_KEPT = "report_kept", _("kept a report")
    REPORT_PUBLISHED = "report_published", _("made a report public")
    PUBLICATION_CHANGED = "publication_changed", _("changed a public page")
    LEADERBOARD_PUBLISHED = "board_published", _("made a leaderboard public")
    LEADERBOARD_WITHDRAWN = "board_gone", _("removed a public leaderboard")
    PUBLICATION_WITHDRAWN = "publication_gone", _("removed a public page")
    TOKEN_MADE = "token_made", _("made a token")  # nosec
    TOKEN_REVOKED = "token_revoked", _("revoked a token")  # nosec
    ENTRANCE_MADE = "entrance_made", _("made an entrance")
    ENTRANCE_CHANGED = "entrance_changed", _("changed an entrance")
    IDS_ERASED = "ids_erased", _("erased the ids of participants")
    JUDGE_MADE = "judge_made", _("made a judge")
    JUDGE_CLOSED = "judge_closed", _("closed a judge")
    PICTURES_RELEASED = "pictures_released", _("released a study's pictures")
    RELEASE_ENDED = "release_ended", _("ended the release of pictures")
    ERASED = "erased", _("erased personal data")
    LOCKED_OUT = "locked_out", _("was locked out after failed sign-ins")
    RESCUED = "rescued", _("changed something under /rescue/")


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    def with_names(self) -> "AuditQuerySet":
        """Return the entries, newest first, with the rows that a page shows."""
        return self.select_related("actor", "about", "study").order_by("-pk")

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("the log never changes")

    def delete(self) -> NoReturn:
        raise TypeError("the log never changes")


class AuditEntry(WrittenOnce):
    """One administrative act. It is written once and never changed."""

    created = models.DateTimeField(auto_now_add=True)
    # Empty for a command, and for an act without a signed-in user.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="acts"
    )
    act = models.CharField(max_length=20, choices=Act)
    study = models.ForeignKey(
        "annotate.Study", models.SET_NULL, null=True, blank=True, related_name="audit_entries"
    )
    # The person concerned. Names and addresses are in the account only, so erasure reaches them.
    about = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="acts_about"
    )
    what = models.CharField(max_length=300, blank=True)
    details = models.JSONField(default=dict, blank=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = _("audit entries")
        indexes = [
            models.Index(fields=["study", "-id"], name="the_log_of_a_study"),
            models.Index(fields=["act", "-id"], name="the_log_by_kind"),
            models.Index(fields=["-created"], name="the_log_by_date"),
        ]

    def __str__(self) -> str:
        return f"{self.actor or 'the system'} {self.get_act_display()}"

    def shown_details(self) -> list[tuple[str, str]]:
        """Return the details as a page shows them: a list as its parts, a truth value as a word."""
        return [
            (name, ", ".join(map(str, value)) if isinstance(value, list) else _words(value))
            for name, value in self.details.items()
        ]

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("the log never changes")


def _words(value: Any) -> str:
    if isinstance(value, bool):
        value = _("yes") if value else _("no")
    return str(value)
