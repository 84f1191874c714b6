"""Whether the database has the tables of this version of the program."""

from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Misfit:
    """A database of another version, and the next step."""

    kind: Literal["empty", "older", "foreign"]
    said: str
    advice: str


def misfit() -> Misfit | None:
    """Return why the database does not fit the program, or None if it does.

    Raises DatabaseError if the database cannot be read.
    """
    executor = MigrationExecutor(connection)
    graph, applied = executor.loader.graph, executor.loader.applied_migrations
    apps = {app for app, _name in graph.nodes}
    if not applied:
        advice = f"{settings.MANAGE} set_up"
        return Misfit("empty", _("the database is empty"), advice)
    if any(app in apps and (app, name) not in graph.nodes for app, name in applied):
        return Misfit(
            "foreign",
            _("the database was made by migrations that this program does not have"),
            _(
                "Start the version of the program that created it, or restore a backup made by this one."
            ),
        )
    if executor.migration_plan(graph.leaf_nodes()):
        advice = f"{settings.MANAGE} migrate"
        return Misfit("older", _("the database is older than the program"), advice)
    return None
