"""Assignments, screens and the log of answers. The answers are events: added, never changed."""

import secrets
from itertools import combinations
from typing import Any, Final, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotate.datasets.models import Image, Result
from annotate.studies.models import Study
from protocols.core.degradation import WORSE_IN
from protocols.core.errors import RegionError
from protocols.core.regions import decode_regions
from rankings.elicitation.careful import Rules
from rankings.elicitation.partial_order import Verdict as PlannerVerdict


class Verdict(models.TextChoices):
    LEFT = "left", _("Left better")
    EQUAL = "equal", _("Equal")
    RIGHT = "right", _("Right better")


# Names from rankings.elicitation.log.CRITERIA.
CRITERION_NAMES: Final = {
    "recall": _("Recall"),
    "precision": _("Precision"),
    "preference": _("Preference"),
}
A_DAY_SECONDS: Final = 86_400
_MOST_PLACES: Final = 100_000
_MOST_PIXELS: Final = 1_000_000
_LARGEST_SCALE: Final = 1_000
# Offered first among the reasons for skipping, but stored as an answer: equal by every criterion.
LOOK_THE_SAME: Final = ("same", _("They look the same"))


def unknown_seen() -> dict[str, Any]:
    """Return the stored value of an answer whose page could not record visibility."""
    return {"first": "unknown"}


def check_seen(seen: Any) -> None:
    """Raise ValidationError unless the value is unknown, or gives the seconds of both results.

    {"first": "left", "right" or "both", "left": seconds, "right": seconds}: the seconds for which
    each result was painted over its photograph inside the window. {"first": "unknown"}: not
    recorded.
    """
    if seen == unknown_seen():
        return
    is_known = (
        isinstance(seen, dict)
        and seen.keys() == {"first", "left", "right"}
        and seen["first"] in ("left", "right", "both")
        and all(
            type(seen[side]) in (int, float) and 0 < seen[side] <= A_DAY_SECONDS
            for side in ("left", "right")
        )
    )
    if not is_known:
        raise ValidationError(_("It does not say for how long each result was shown."))


def check_places(places: Any) -> None:
    """Refuse a value other than {"n": places that differ, "seen": those gone to}, with 1 <= seen <= n."""
    is_good = (
        isinstance(places, dict)
        and places.keys() == {"n", "seen"}
        and all(type(number) is int for number in places.values())
        and 1 <= places["seen"] <= places["n"] <= _MOST_PLACES
    )
    if not is_good:
        raise ValidationError(_("It does not say how many places were looked at."))


def check_layout(layout: Any) -> None:
    """Refuse a value other than {"panes": "beside", "stacked" or "one", "scale": a number}.

    The scale of the whole photograph, before anybody zooms, in CSS pixels per image pixel.
    """
    is_good = (
        isinstance(layout, dict)
        and layout.keys() == {"panes", "scale"}
        and layout["panes"] in ("beside", "stacked", "one")
        and type(layout["scale"]) in (int, float)
        and 0 < layout["scale"] <= _LARGEST_SCALE
    )
    if not is_good:
        raise ValidationError(_("It does not say how the results were laid out."))


def check_place(place: Any) -> None:
    """Refuse a value other than {"side": "left" or "right", "at": [x, y] in image pixels}."""
    is_good = (
        isinstance(place, dict)
        and place.keys() == {"side", "at"}
        and place["side"] in ("left", "right")
        and isinstance(place["at"], list)
        and len(place["at"]) == 2
        and all(type(value) in (int, float) and abs(value) < _MOST_PIXELS for value in place["at"])
    )
    if not is_good:
        raise ValidationError(_("It does not say on which result, and where."))


def check_known(known: Any) -> None:
    """Refuse known-answer pairs without the fields that attention_checks.known_pairs writes."""
    pairs: list[Any] = known if isinstance(known, list) else [None]
    for pair in pairs:
        is_whole = (
            isinstance(pair, dict)
            and pair.keys() == {"place", "result", "side", "kind", "dose", "regions"}
            and all(type(pair[name]) is int for name in ("place", "result", "dose"))
            and min(pair["place"], pair["dose"]) >= 0
            and pair["side"] in ("left", "right")
            and pair["kind"] in WORSE_IN
        )
        if not is_whole:
            raise ValidationError(_("A known-answer pair is incomplete."))
        try:
            decode_regions(pair["regions"])
        except RegionError as fault:
            raise ValidationError(_("A known-answer pair: {fault}").format(fault=fault)) from fault


def check_drawn(drawn: Any) -> None:
    """Refuse a value that does not give the methods of a visit and the probability of each pair.

    {"methods": ids of the methods drawn, "from": of all candidates, "pairs": [method, method,
    probability] for every two drawn, "runs": ids of the protocol runs that weighted the draw}.
    """
    try:
        methods, others, runs = drawn["methods"], drawn["from"], drawn["runs"]
        chances = {frozenset(pair): chance for *pair, chance in drawn["pairs"]}
        is_good = (
            drawn.keys() == {"methods", "from", "pairs", "runs"}
            and {*methods} <= {*others}
            and len(drawn["pairs"]) == len(chances)
            and all(type(key) is int for key in (*others, *runs))
            and chances.keys() == {frozenset(pair) for pair in combinations(methods, 2)}
            and len(chances) == len(methods) * (len(methods) - 1) // 2 > 0
            and all(type(chance) in (int, float) and 0 < chance <= 1 for chance in chances.values())
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        is_good = False
    if not is_good:
        raise ValidationError(
            _("It does not give every pair that was drawn a probability above 0.")
        )


def check_slip_prior(prior: Any) -> None:
    """Refuse a value other than two numbers of answers, some of them expected to be wrong."""
    try:
        n_slips, n_answers = prior
        Rules(n_slips=n_slips, n_answers=n_answers)
    except (TypeError, ValueError) as fault:
        raise ValidationError(_("It does not count an annotator's wrong answers.")) from fault


class Assignment(models.Model):
    """One image to be ranked by one annotator within a study: all methods on it, or a sample."""

    class State(models.TextChoices):
        IN_WORK = "in_work", _("in progress")
        COMPLETE = "complete", _("complete")
        # Pairs skipped twice are left open; it does not count towards min_annotators.
        INCOMPLETE = "incomplete", _("incomplete")

    study = models.ForeignKey(Study, models.PROTECT, related_name="assignments")
    image = models.ForeignKey(Image, models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="assignments"
    )
    # 1 for the first image this annotator ranked in the study.
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.IN_WORK)
    # [[result id, ...], ...]: the planner's items in order; results that look alike share one.
    items = models.JSONField()
    # Null: all methods are asked. Else the drawn methods, see check_drawn; the items hold no other.
    drawn = models.JSONField(null=True, blank=True, validators=[check_drawn])
    # Items without any remaining method; relations that follow through them remain known.
    hidden = models.JSONField(default=list, blank=True)
    # {criterion: [[method id, ...], ...]}: a cache of the replayed log, null until complete.
    rankings = models.JSONField(null=True, blank=True)
    # [expected wrong answers, all answers] of this annotator's earlier images, which the careful
    # order starts from; null before the first, and under other orders.
    slip_prior = models.JSONField(null=True, blank=True, validators=[check_slip_prior])
    # Pairs with a known answer, in order: see attention_checks.py. They are not in the ranking.
    known = models.JSONField(default=list, blank=True, validators=[check_known])
    # Criteria in which a confirmed contradiction was left unresolved; a cache, too.
    unsettled = models.JSONField(default=list, blank=True)
    # Numbers of screens answered and skipped, stored at the end; until then they are counted.
    n_answered = models.PositiveIntegerField(default=0)
    n_skipped = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            # Covers all that a study's progress counts, so that the rows themselves are not read.
            models.Index(
                fields=["study", "annotator", "state", "finished", "n_answered", "n_skipped"],
                name="progress_of_a_study",
            ),
            models.Index(
                fields=["study", "image"],
                condition=~Q(state="complete"),
                name="rankings_not_complete",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "image", "annotator"],
                name="an_annotator_ranks_an_image_of_a_study_once",
            ),
            models.UniqueConstraint(
                fields=["study", "annotator", "position"],
                name="an_annotator_ranks_images_one_after_the_other",
            ),
            models.CheckConstraint(
                condition=Q(state="complete", rankings__isnull=False)
                | ~Q(state="complete") & Q(rankings__isnull=True),
                name="exactly_complete_assignments_have_rankings",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.image} by {self.annotator} in {self.study}"


def _new_opaque_id() -> str:
    return secrets.token_urlsafe(12)


class Screen(models.Model):
    """Two results side by side, shown to one annotator."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        ANSWERED = "answered", _("answered")
        SKIPPED = "skipped", _("skipped")
        # An undo went back past it before it was answered.
        RETIRED = "retired", _("retired")

    class Purpose(models.TextChoices):
        PLACE = "place", _("place a result")
        NEAR = "near", _("re-check of neighbours")
        REPEAT = "repeat", _("re-check of an earlier pair")
        AGAIN = "again", _("repeat of a doubtful pair")
        REPAIR = "repair", _("question reopened by a repair")
        # Left and right are the same result; one side shows a degraded copy of it.
        KNOWN = "known", _("pair whose answer is known")

    # Identifier in URLs and pages: it reveals nothing.
    public_id = models.CharField(max_length=24, unique=True, default=_new_opaque_id, editable=False)
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="screens")
    number = models.PositiveIntegerField()
    left = models.ForeignKey(Result, models.PROTECT, related_name="+")
    right = models.ForeignKey(Result, models.PROTECT, related_name="+")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.PLACE)
    strategy = models.CharField(max_length=10)
    # Index of the known-answer pair in the assignment; None for other screens.
    known = models.PositiveSmallIntegerField(null=True, blank=True)
    # The side shown first if a page has room for only one; drawn at random like the sides.
    first = models.CharField(
        max_length=5, choices=[("left", _("Left")), ("right", _("Right"))], default="left"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "number"], name="a_screen_number_is_used_once"
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(state="waiting"),
                name="one_screen_of_an_assignment_waits",
            ),
            models.CheckConstraint(
                condition=Q(purpose="known", known__isnull=False, left=F("right"))
                | ~Q(purpose="known") & Q(known__isnull=True) & ~Q(left=F("right")),
                name="a_screen_shows_two_results_or_one_and_its_copy",
            ),
        ]

    def __str__(self) -> str:
        return f"screen {self.number} of {self.assignment}"

    @property
    def is_check(self) -> bool:
        """Return whether a screen is a re-check."""
        return self.purpose in (self.Purpose.NEAR, self.Purpose.REPEAT, self.Purpose.AGAIN)


class _Event(models.Model):
    """An entry in an assignment's log. Events are added and never changed."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="%(class)ss")
    # Position in the assignment's log, counted over all kinds of events.
    number = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "number"], name="a_%(class)s_has_its_place_in_the_log"
            )
        ]


class Judgement(_Event):
    """One annotator's answer to one screen. A Withdrawal ends it."""

    screen = models.ForeignKey(Screen, models.PROTECT, related_name="judgements")
    # How many answers and skips of this screen were withdrawn before; with the constraint below the
    # database itself refuses a second answer in force.
    attempt = models.PositiveSmallIntegerField(default=0)
    # Empty: not asked, because it followed from earlier answers.
    recall = models.CharField(max_length=5, choices=Verdict, blank=True)
    precision = models.CharField(max_length=5, choices=Verdict, blank=True)
    preference = models.CharField(max_length=5, choices=Verdict, blank=True)
    # The annotator chose LOOK_THE_SAME, which is equal by every criterion asked.
    looks_same = models.BooleanField(default=False)
    # Active time; None if the page could not measure it (no JavaScript).
    seconds_taken = models.FloatField(null=True, blank=True)
    # {aid: seconds it was visible}: ground truth, match colours, differences ...
    aids = models.JSONField(default=dict, blank=True)
    # Seconds that each result was visible, and the side shown first: see check_seen.
    seen = models.JSONField(default=unknown_seen, validators=[check_seen])
    # Places of difference that the annotator went through, see check_places; None if they did not.
    places = models.JSONField(null=True, blank=True, validators=[check_places])
    # The layout of the page at the time of the answer, see check_layout; None: not known.
    layout = models.JSONField(null=True, blank=True, validators=[check_layout])

    class Meta(_Event.Meta):
        constraints = [
            *_Event.Meta.constraints,
            models.UniqueConstraint(
                fields=["screen", "attempt"], name="a_screen_has_one_judgement_in_force"
            ),
            models.CheckConstraint(
                condition=~Q(recall="", precision="", preference=""),
                name="a_judgement_answers_something",
            ),
        ]

    def __str__(self) -> str:
        return f"judgement {self.number} of {self.assignment}"

    @property
    def verdicts(self) -> dict[str, PlannerVerdict]:
        """The criteria that were asked, with their answers."""
        answers = {
            "recall": self.recall,
            "precision": self.precision,
            "preference": self.preference,
        }
        return {
            criterion: cast(PlannerVerdict, verdict)
            for criterion, verdict in answers.items()
            if verdict
        }


class Skip(_Event):
    """The reason why a screen was not answered. It places nothing in the ranking."""

    class Reason(models.TextChoices):
        CANNOT_SEE = "cannot_see", _("I cannot see it well enough")
        NO_TEXT = "no_text", _("There is no text to judge")
        QUESTION = "question", _("The question does not fit")
        BROKEN = "broken", _("Something is broken")
        OTHER = "other", _("Another reason")

    # The choices of the page.
    OFFERED: Final = [LOOK_THE_SAME, *Reason.choices]

    screen = models.ForeignKey(Screen, models.PROTECT, related_name="skips")
    attempt = models.PositiveSmallIntegerField(default=0)
    reason = models.CharField(max_length=10, choices=Reason)
    text = models.CharField(max_length=300, blank=True)
    # The browser's description when a skip reports that something was broken.
    environment = models.JSONField(default=dict, blank=True)

    class Meta(_Event.Meta):
        constraints = [
            *_Event.Meta.constraints,
            models.UniqueConstraint(
                fields=["screen", "attempt"], name="a_screen_has_one_skip_in_force"
            ),
        ]

    def __str__(self) -> str:
        return f"skip {self.number} of {self.assignment}"


class Withdrawal(_Event):
    """The withdrawal of an earlier judgement or skip, which no longer counts."""

    judgement = models.OneToOneField(
        Judgement, models.PROTECT, null=True, blank=True, related_name="withdrawal"
    )
    skip = models.OneToOneField(
        Skip, models.PROTECT, null=True, blank=True, related_name="withdrawal"
    )

    class Meta(_Event.Meta):
        constraints = [
            *_Event.Meta.constraints,
            models.CheckConstraint(
                condition=Q(judgement__isnull=False, skip__isnull=True)
                | Q(judgement__isnull=True, skip__isnull=False),
                name="a_withdrawal_ends_one_judgement_or_skip",
            ),
        ]

    def __str__(self) -> str:
        return f"withdrawal {self.number} of {self.assignment}"


class NoteQuerySet(models.QuerySet["Note"]):
    def of(self, study: Study) -> "NoteQuerySet":
        """Return the notes of a study, the newest first, with what a list of them shows."""
        notes = self.filter(screen__assignment__study=study).order_by("-pk")
        return notes.select_related(
            "screen__assignment__image",
            "screen__assignment__annotator",
            "screen__left__method",
            "screen__right__method",
        ).defer("screen__left__regions", "screen__right__regions")


class Note(models.Model):
    """A remark of an annotator on a pair or a place of a result. It is never part of a ranking."""

    screen = models.ForeignKey(Screen, models.PROTECT, related_name="notes")
    # See check_place; None: the note is about the pair.
    place = models.JSONField(null=True, blank=True, validators=[check_place])
    text = models.CharField(max_length=300)
    # The annotator asks to discuss it.
    discuss = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    objects = NoteQuerySet.as_manager()

    def __str__(self) -> str:
        return self.text

    @property
    def result(self) -> Result | None:
        """The result that the note is pinned to."""
        return getattr(self.screen, self.place["side"]) if self.place else None
