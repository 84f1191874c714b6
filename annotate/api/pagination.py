"""Pagination that is stable while rows come and go: a cursor names the row to continue after."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError as NotValid
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

_BAD_CURSOR = {"cursor": "This cursor is not one that a list gave. Begin without it."}


class Pages(CursorPagination):
    """Keyset pages; a view's ``ordering`` starts with a column that distinguishes its rows."""

    page_size: int = 50
    max_page_size: int = 200
    page_size_query_param = "limit"
    page_size_query_description = f"Rows of a page, 1 to {max_page_size}."
    cursor_query_description = "Where to go on, as “next” and “previous” have it."

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> tuple[str, ...]:
        return tuple(view.get_ordering())

    def get_page_size(self, request: Request) -> int:
        given = request.query_params.get(self.page_size_query_param)
        if given is None:
            return self.page_size
        if not (given.isascii() and given.isdigit() and 1 <= int(given[:9]) <= self.max_page_size):
            raise ValidationError({"limit": f"A whole number from 1 to {self.max_page_size}."})
        return int(given)

    def decode_cursor(self, request: Request) -> Cursor | None:
        try:
            cursor = super().decode_cursor(request)
        except NotFound as fault:
            raise ValidationError(_BAD_CURSOR) from fault
        if cursor is not None and "\0" in str(cursor.position or ""):
            raise ValidationError(_BAD_CURSOR)
        return cursor

    def paginate_queryset(
        self, queryset: QuerySet[Any, Any] | Sequence[Any], request: Request, view: Any = None
    ) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (TypeError, ValueError, OverflowError, NotValid) as fault:
            # A forged cursor may hold a position of another type than the list's column.
            if self.cursor_query_param in request.query_params:
                raise ValidationError(_BAD_CURSOR) from fault
            raise

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        cursor, limit = super().get_schema_operation_parameters(view)
        limit["schema"] |= {"minimum": 1, "maximum": self.max_page_size, "default": self.page_size}
        return [cursor, limit]
