"""Loading of people: each row of a CSV (username, role, study, if wanted group) gives a membership."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.studies.models import Membership, Role, Study
from annotate.studies.services import add_member, remove_member
from protocols.formats.containers.files import read_whole
from protocols.formats.problems import Nearest, Problems, quoted
from text_rankings.base.names import has_unseen

from .reports import Checked
from .staging import Given, Progress, Rows

COLUMNS: Final = ("username", "role", "study")
_GROUP: Final = "group"
_MAX_GROUP: Final = 120
_MAX_BYTES: Final = 4 * 1024 * 1024


def check_people(given: Given) -> Checked:
    """Read the members of studies. The rows are username, role, the study's slug and group."""
    problems = Problems(given.file.name)
    members: list[Sequence[str]] = []
    text = _text(given, problems)
    if text is not None:
        members = list(_rows(text, problems))
    if not members and not problems.has_errors:
        problems.error("S3", _("no one"), _("at least one line below the header"))
    given.rows.write(iter(members))
    counts = {"people": len(members), "studies": len({row[2] for row in members})}
    return Checked(given.rows, problems, counts)


def _text(given: Given, problems: Problems) -> str | None:
    content = read_whole(given.path, problems, _MAX_BYTES, _("a CSV file"))
    if content is None:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        problems.error("L9", _("bytes that are not UTF-8"), _("a CSV file in UTF-8"))
        return None
    if "\0" in text:
        problems.error("A1", _("a binary file"), _("a CSV file"))
        return None
    return text


def _rows(text: str, problems: Problems) -> Iterator[Sequence[str]]:
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ",")
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        lacking = [column for column in COLUMNS if column not in header]
        if lacking:
            found = _("a header without {columns}").format(columns=", ".join(lacking))
            problems.error("L1", found, ",".join(COLUMNS), line=1, text=first)
            return
        columns = (*COLUMNS, *([_GROUP] if _GROUP in header else []))
        places = [header.index(column) for column in columns]
        row_of = _Reader(problems)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                row = row_of.read(cells, places, reader.line_num)
                if row is not None:
                    yield row
    except csv.Error as fault:
        problems.error(
            "L1", _("a line that is not CSV ({why})").format(why=fault), "CSV", line=reader.line_num
        )


class _Reader:
    """Reader that checks each row against the active users and the studies."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        studies = Study.objects.values_list("name", "slug")
        self._study = {word.casefold(): slug for name, slug in studies for word in (name, slug)}
        self._nearest = Nearest(slug for _name, slug in studies)
        people = User.objects.filter(is_active=True).values_list("username", flat=True)
        self._people = set(people)
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def read(self, cells: Sequence[str], places: Sequence[int], line: int) -> Sequence[str] | None:
        faults: list[tuple[str, str, str]] = []
        row: Sequence[str] = ()
        if len(cells) <= max(places):
            found = ngettext("{n} cell", "{n} cells", len(cells)).format(n=len(cells))
            faults.append(("L1", found, ", ".join(COLUMNS)))
        else:
            username, role, study, group = [*(cells[at].strip() for at in places), ""][:4]
            row = username, role.lower(), self._study.get(study.casefold(), ""), group
            faults += self._faults(row, study)
        for code, found, expected in faults:
            self._problems.error(code, found, expected, line=line, text=",".join(cells))
        return None if faults else row

    def _faults(self, row: Sequence[str], study: str) -> Iterator[tuple[str, str, str]]:
        """Yield code, what was found, and what is expected; the row has the slug of the study."""
        username, role, slug, group = row
        if not slug:
            found = _("the study {study}").format(study=quoted(study))
            hint = self._nearest.hint(study)
            yield "S1", found, _("an existing study{hint}").format(hint=hint)
        if role not in Role.values:
            wanted = _("{one} or {other}").format(one=Role.values[0], other=Role.values[1])
            yield "S1", _("the role {role}").format(role=quoted(role)), wanted
        if username not in self._people:
            # A load cannot invite: an invitation's link is shown once, to the user who creates it.
            named = _("no user named {username}").format(username=quoted(username))
            wanted = _("an existing username; invite others, many at once, from the study's page")
            yield "S1", named if username else _("no username"), wanted
        if len(group) > _MAX_GROUP or has_unseen(group):
            wanted = _("at most {n} characters, all of them shown").format(n=_MAX_GROUP)
            yield "S1", _("the group {group}").format(group=quoted(group)), wanted
        key = username.casefold(), role, slug
        self._seen[key] += 1
        if self._seen[key] > 1:
            yield "N3", _("{username} a second time").format(username=username), _("once")


def write_people(rows: Rows, progress: Progress) -> tuple[list[int], dict[str, int]]:
    """Add these people as members; return the keys of new memberships, and counts."""
    studies = {study.slug: study for study in Study.objects.all()}
    counts = {"members": 0, "members_already": 0}
    new: list[int] = []
    for done, (username, role, slug, group) in enumerate(rows, 1):
        study = studies[slug]
        before = study.memberships.filter(person__username=username, role=role).exists()
        membership = add_member(study=study, username=username, role=role, group=group)
        counts["members_already" if before else "members"] += 1
        if not before:
            new.append(membership.pk)
        progress(done, done)
    return new, counts


def remove_people(memberships: Sequence[int]) -> None:
    for membership in Membership.objects.filter(pk__in=memberships).select_related("study"):
        remove_member(membership=membership)


def who_worked(memberships: Sequence[int]) -> list[str]:
    """Return those of these members who have an assignment, each with the study."""
    of_them = Membership.objects.filter(pk__in=memberships).select_related("study", "person")
    return [
        _("{person} in {study}").format(person=membership.person, study=membership.study)
        for membership in of_them
        if membership.study.assignments.filter(annotator=membership.person).exists()
    ]
