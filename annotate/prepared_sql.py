"""SQL that Django makes once for each connection; later calls only fill in the values.

Making the SQL of a query with joins takes Django several times as long as SQLite takes to answer it. What is
asked and stored at every answer of every annotator is therefore prepared. PostgreSQL keeps its plans, too.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Field, Model, QuerySet
from django.db.models.sql.subqueries import InsertQuery

_Row = TypeVar("_Row")
_Value = int | str
# SQL, and the fields whose values it takes.
_Filled = tuple[str, list[Field[Any, Any]]]
# Such values are in no query by themselves; each stands for an argument where the SQL is made. Some keys
# have 32 bits.
_NUMBER: Final = 2_123_456_000
_TEXT: Final = "\ue000argument "
# How often PostgreSQL is asked the same before it keeps the plan.
PLANNED_AFTER: Final = 5


class Prepared(Generic[_Row]):
    """``make`` returns a query of its keyword arguments, which are numbers and texts, never None.

    They may only be values that rows are compared with: what makes the SQL another one (a limit, an
    order, a list) is not seen.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, _Row]]) -> None:
        self._make = make

    def __call__(self, **values: _Value) -> list[_Row]:
        with _plan_kept():
            return self._of_this_connection(values).rows(values)

    def _of_this_connection(self, values: Mapping[str, _Value]) -> "_Statement[_Row]":
        statements: dict[int, _Statement[_Row]] = _kept("prepared queries")
        if id(self) not in statements:
            statements[id(self)] = _Statement(self._make, values)
        return statements[id(self)]


class _Statement(Generic[_Row]):
    """A query's SQL for one connection, which belongs to one thread."""

    def __init__(
        self, make: Callable[..., QuerySet[Any, _Row]], values: Mapping[str, _Value]
    ) -> None:
        marks = {name: _mark(at, value) for at, (name, value) in enumerate(values.items())}
        self._queryset = make(**marks)
        self._compiler = self._queryset.query.get_compiler(self._queryset.db)
        self._sql, parameters = self._compiler.as_sql()
        name_of = {mark: name for name, mark in marks.items()}
        self._parameters = [(name_of.get(one), one) for one in parameters]
        missing = set(values) - {name for name, _ in self._parameters}
        if missing:
            raise LookupError(f"the query does not compare rows with {sorted(missing)}")
        # Which values of a row are made into others follows from the columns.
        columns = [column for column, *_ in self._compiler.select[: self._compiler.col_count]]
        converters = self._compiler.get_converters(columns)
        vars(self._compiler)["get_converters"] = lambda _: converters
        vars(self._queryset.query)["get_compiler"] = lambda *_, **__: self._compiler

    def rows(self, values: Mapping[str, _Value]) -> list[_Row]:
        filled = tuple(one if name is None else values[name] for name, one in self._parameters)
        vars(self._compiler)["as_sql"] = lambda *_, **__: (self._sql, filled)
        # What a copy of the queryset would do, without the copy.
        queryset: Any = self._queryset
        return list(queryset._iterable_class(queryset))


def insert(row: Model) -> None:
    """Store a new row as ``save(force_insert=True)`` does, without signals."""
    connection = connections[DEFAULT_DB_ALIAS]
    statements: dict[type[Model], _Filled] = _kept("prepared inserts")
    if type(row) not in statements:
        statements[type(row)] = _insertion(row)
    sql, fields = statements[type(row)]
    values = [field.pre_save(row, True) for field in fields]
    with _plan_kept(), connection.cursor() as cursor:
        pairs = zip(fields, values, strict=True)
        cursor.execute(sql, [field.get_db_prep_save(value, connection) for field, value in pairs])
        [row.pk] = cursor.fetchone()
    row._state.adding, row._state.db = False, connection.alias


def _insertion(row: Model) -> _Filled:
    meta = row._meta
    fields = [field for field in meta.concrete_fields if field is not meta.pk]
    query = InsertQuery(type(row))
    query.insert_values(fields, [row])
    compiler = query.get_compiler(DEFAULT_DB_ALIAS)
    compiler.returning_fields = [meta.pk]
    [(sql, _)] = compiler.as_sql()
    return sql, fields


def set_value(row: Model, name: str, value: object) -> None:
    """Store one field of a row that is there as ``save(update_fields=[name])`` does, without signals."""
    setattr(row, name, value)
    connection = connections[DEFAULT_DB_ALIAS]
    statements: dict[tuple[type[Model], str], _Filled] = _kept("prepared updates")
    if (type(row), name) not in statements:
        statements[type(row), name] = _update(row, name)
    sql, fields = statements[type(row), name]
    values = [one.get_db_prep_save(one.value_from_object(row), connection) for one in fields]
    with _plan_kept(), connection.cursor() as cursor:
        cursor.execute(sql, values)


def _update(row: Model, name: str) -> _Filled:
    meta = row._meta
    fields = [next(one for one in meta.concrete_fields if one.name == name), meta.pk]
    names = [meta.db_table, *(str(one.column) for one in fields)]
    table, column, key = map(connections[DEFAULT_DB_ALIAS].ops.quote_name, names)
    return " ".join(["UPDATE", table, "SET", column, "= %s WHERE", key, "= %s"]), fields


@contextmanager
def _plan_kept() -> Iterator[None]:
    """Let PostgreSQL plan what is asked several times once for each connection (CONN_MAX_AGE).

    The values go beside the SQL then, where Django puts them into it; who counts queries reads the latter.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql" or connection.queries_logged:
        yield
        return
    # An extra, which is there with this database.
    from psycopg import Cursor

    connection.ensure_connection()
    wire = connection.connection
    usual = wire.cursor_factory, wire.prepare_threshold
    wire.cursor_factory, wire.prepare_threshold = Cursor, PLANNED_AFTER
    try:
        yield
    finally:
        wire.cursor_factory, wire.prepare_threshold = usual


def _kept(what: str) -> dict[Any, Any]:
    """Return the dictionary of this thread's connection."""
    kept: dict[Any, Any] = vars(connections[DEFAULT_DB_ALIAS]).setdefault(what, {})
    return kept


def _mark(at: int, value: _Value) -> _Value:
    return _TEXT + str(at) if isinstance(value, str) else _NUMBER + at
