"""Platforms that send participants: the names of their parameters, and the way back to them.

Facts of their public documentation of 2026. An entrance stores its own copy, so a change of a
platform is a change of a field, not of this module.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from .models import Platform


@dataclass(frozen=True, slots=True)
class Names:
    """A platform's parameters for the person and the submission, what to paste there, and its way back."""

    person: str = ""
    submission: str = ""
    # The placeholders of an address; empty if the platform appends the parameters itself.
    pasted: str = ""
    way_back: str = ""


NAMES: Final = {
    Platform.PROLIFIC: Names(
        "PROLIFIC_PID",
        "SESSION_ID",
        "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "https://app.prolific.com/submissions/complete?cc={code}",
    ),
    # The frame of the platform posts the code, so there is no way back.
    Platform.MTURK: Names("workerId", "assignmentId"),
    Platform.CONNECT: Names("participantId", "assignmentId"),
    # The address of the credit page is that of the school: {id} is the code of the participant.
    Platform.SONA: Names("survey_code", "", "survey_code=%SURVEY_CODE%"),
    Platform.LINK: Names(),
    Platform.CUSTOM: Names(),
}
_HOSTS: Final = ("app.prolific.com", "connect.cloudresearch.com", "app.respondent.io")
_DOMAINS: Final = (".sona-systems.com",)

PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
# The only hosts that a form of ours posts to, and that may frame a page of ours.
MTURK_HOSTS: Final = ("https://www.mturk.com", "https://workersandbox.mturk.com")
MTURK_FRAMES: Final = (*MTURK_HOSTS, "https://worker.mturk.com")


def is_https(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc


def is_known_host(address: str, allowed: Iterable[str] = ()) -> bool:
    """Return whether an address is of a known platform, or of a host that an admin allowed."""
    host = urlsplit(address).hostname or ""
    return host in (*_HOSTS, *allowed) or host.endswith(_DOMAINS)


def way_back(template: str, code: str, participant: str) -> str:
    """Return the address of the platform with the code and the participant's id filled in."""
    filled = template.replace("{code}", quote(code, safe=""))
    return filled.replace("{id}", quote(participant, safe=""))


def external_submit(submit_to: str) -> str | None:
    """Return where Mechanical Turk's form posts to; None for an address that is not its own."""
    given = submit_to.rstrip("/")
    return f"{given}/mturk/externalSubmit" if given in MTURK_HOSTS else None
