"""The site's API, as far as a judge needs it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from .errors import Refused, Stopped
from .web import Lost, insist, send

_TIMEOUT_SECONDS: Final = 120.0


@dataclass
class Site:
    address: str
    token: str

    def released_hosts(self, study: str) -> list[str]:
        """Return the hosts to which the study's pictures are released now; raise Refused if none."""
        status, data = self._call("GET", f"studies/{quote(study, safe='')}/release")
        if status == 404:
            raise Refused(
                f"No release of pictures is in force for the study {study}, or it is not yours. "
                "An admin makes one."
            )
        hosts: list[str] = self._checked(status, data)["hosts"]
        return hosts

    def judge(self, study: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Make the judge of these settings, or find it; raise Refused if the site does not take them."""
        status, data = self._call("POST", f"studies/{quote(study, safe='')}/judges", settings)
        if status == 422:
            raise Refused(_said(data))
        made: dict[str, Any] = self._checked(status, data)
        return made

    def tasks(self, judge: int, limit: int) -> dict[str, Any]:
        status, data = self._call("GET", f"judges/{judge}/tasks?limit={limit}")
        tasks: dict[str, Any] = self._checked(status, data)
        return tasks

    def picture(self, judge: int, task: str, part: str) -> bytes:
        address = f"judges/{judge}/tasks/{quote(task)}/pictures/{part}"
        status, data = self._call("GET", address)
        if status != 200:
            raise Stopped(_said(data))
        content: bytes = data
        return content

    def store(self, judge: int, answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Store answers and return what became of each."""
        status, data = self._call("POST", f"judges/{judge}/answers", {"answers": [*answers]})
        stored: list[dict[str, Any]] = self._checked(status, data)["results"]
        return stored

    def _call(self, method: str, path: str, sent: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "*/*"}
        body = None
        if sent is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(sent).encode()
        address = f"{self.address.rstrip('/')}/api/v1/{path}"
        found = insist(
            lambda: send(method, address, headers=headers, body=body, timeout=_TIMEOUT_SECONDS)
        )
        if isinstance(found, Lost):
            raise Stopped(f"The site does not answer: {found}")
        is_picture = found.headers.get("content-type") == "image/png"
        return found.status, found.body if is_picture else found.data()

    def _checked(self, status: int, data: Any) -> Any:
        if status in (401, 403):
            raise Refused(_said(data))
        if not 200 <= status < 300 or data is None:
            raise Stopped(f"The site answered {status}: {_said(data)}")
        return data


def _said(data: Any) -> str:
    """Return the sentence of a problem document, with the fields it points at."""
    if not isinstance(data, dict):
        return "It is not the API of a site of this program."
    errors = data.get("errors") or []
    places = [f"{one.get('pointer', '')}: {one.get('detail', '')}" for one in errors]
    return "; ".join([str(data.get("detail", "")), *places])
