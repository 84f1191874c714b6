"""Middleware that attributes log entries to the user of the request."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from .services import acting

Answer = Callable[[HttpRequest], HttpResponse]


def who_acts(get_response: Answer) -> Answer:
    def answer(request: HttpRequest) -> HttpResponse:
        with acting(lambda: getattr(request, "user", None)):
            return get_response(request)

    return answer
