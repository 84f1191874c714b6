"""The job that checks and scores an entry. It belongs to the site: its times say nothing to teams."""

import math
from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.scoring.services import NotScored
from protocols.core.errors import ProtocolError
from protocols.core.geometry_errors import BEYOND_COMPUTING
from text_rankings.base.i18n import gettext as _
from text_rankings.base.i18n import gettext_noop

from . import files
from .checking import Checked, check
from .final import load_finals, make_study
from .models import TOLD_EVERY, Challenge, Entry, EntryScore
from .scoring import protocols_of, scores_of
from .services import KIND, start_scoring

# One sentence for every fault: other words could tell of a hidden region.
_CANNOT: Final = gettext_noop("The entry could not be scored. Ask the organisers.")
_ATTEMPTS: Final = 3


def score(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job; a second run of a scored, refused or withdrawn entry changes nothing."""
    waiting = Entry.objects.select_related("team__challenge__dataset")
    entry = waiting.filter(pk=arguments["entry"], state=Entry.State.CHECKING).first()
    if entry is None:
        with running.publishing():
            return
    checked, scores = _outcome(entry, running)
    with running.publishing():
        locked = Entry.objects.select_for_update().filter(pk=entry.pk).first()
        # Withdrawn or erased in between.
        if locked is None or locked.state != Entry.State.CHECKING:
            return
        locked.findings, locked.counts = checked.findings, checked.counts
        locked.state = Entry.State.REFUSED if checked.is_refused else Entry.State.SCORED
        if not checked.is_refused:
            passed = (timezone.now() - locked.created) / TOLD_EVERY
            locked.told = locked.created + math.ceil(passed) * TOLD_EVERY
        locked.save()
        for one in scores:
            one.entry = locked
        EntryScore.objects.bulk_create(scores)


def _outcome(entry: Entry, running: Running) -> tuple[Checked, list[EntryScore]]:
    challenge, rows = entry.team.challenge, files.rows_of(entry.key)
    path = files.upload_of(entry.key)
    checked = Checked()
    if not path.exists():
        checked.refuse(_("The file is no longer here. Upload it again."))
        return checked, []
    sizes = challenge.dataset.images.in_order().values_list("name", "width", "height")
    images = {name: (w, h) if w is not None and h is not None else None for name, w, h in sizes}
    checked = check(
        path,
        name=entry.file_name,
        format=entry.format,
        images=images,
        line_format=challenge.dataset.line_format,
        protocols=protocols_of(challenge),
        rows=rows,
        progress=lambda done, total: running.tell(done, total, _("Files read")),
    )
    if checked.is_refused:
        return checked, []
    try:
        with computing() as executor:
            return checked, list(
                scores_of(
                    challenge,
                    rows,
                    executor,
                    lambda done, total: running.tell(done, total, _("Results scored")),
                )
            )
    except (ProtocolError, NotScored, *BEYOND_COMPUTING):
        checked.refuse(_CANNOT)
        return checked, []


def open_study(arguments: Mapping[str, Any], running: Running) -> None:
    """Load the final entries and make a study on them, once."""
    challenge = Challenge.objects.select_related("dataset").get(pk=arguments["challenge"])
    if challenge.study is None and running.person is not None:
        # All in one transaction: without the study, its methods are not loaded either.
        with running.publishing() as outcome:
            names = load_finals(challenge, running.person)
            study = make_study(challenge, names, arguments["difference"], running.person)
            outcome.text = _("The study is made. Add people, and open it.")
            outcome.address = reverse("studies:detail", args=[study.slug])


def start_lost() -> None:
    """Start the entries again whose job failed or was lost; one that failed three times is refused."""
    of_kind = Job.objects.filter(kind=KIND)
    at_work = set(of_kind.open().values_list("arguments__entry", flat=True))
    for entry in Entry.objects.filter(state=Entry.State.CHECKING).exclude(pk__in=at_work):
        n_failed = of_kind.filter(arguments__entry=entry.pk, state=Job.State.FAILED).count()
        if n_failed < _ATTEMPTS:
            with transaction.atomic():
                start_scoring(entry)
        else:
            refused = Checked()
            refused.refuse(_CANNOT)
            waiting = Entry.objects.filter(pk=entry.pk, state=Entry.State.CHECKING)
            waiting.update(state=Entry.State.REFUSED, findings=refused.findings)
