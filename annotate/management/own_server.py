"""Django's own server, for one machine: it answers a body that the site refuses without reading it."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.contrib.staticfiles.management.commands.runserver import Command as RunServer

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_TOO_LARGE = str(HTTPStatus.REQUEST_ENTITY_TOO_LARGE.value)


class OwnServer(RunServer):
    def get_handler(self, *args: Any, **options: Any) -> Any:
        return leaving_unread(super().get_handler(*args, **options))


def leaving_unread(application: WsgiApplication) -> WsgiApplication:
    """Let the server close the connection of a refused body, as gunicorn does.

    Django's server reads all that is left of a body into memory, because the next request comes after
    it. It closes the connection after an answer without a length.
    """

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *fault: Any) -> Any:
            if status.startswith(_TOO_LARGE):
                environ["wsgi.input"].limit = 0
                headers = [one for one in headers if one[0].lower() != "content-length"]
            return start_response(status, headers, *fault)

        return application(environ, start)

    return answer
