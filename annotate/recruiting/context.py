"""Whether a page is for a participant, who sees no menu."""

from django.http import HttpRequest


def participant(request: HttpRequest) -> dict[str, bool]:
    return {"is_participant": getattr(request, "arrival", None) is not None}
