"""Whether the database has the tables of this version of the program."""

from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _

_APP = "annotate"


@dataclass(frozen=True, slots=True)
class Misfit:
    """A database of another version, and the next step."""

    kind: Literal["empty", "older", "newer", "unsupported"]
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
    if any(app == _APP for app, _name in applied) and graph.root_nodes(_APP)[0] not in applied:
        return Misfit(
            "unsupported",
            _("the database is from before the first release, and cannot be migrated"),
            _(
                "Write each study into a file with the program that made it (export_study), make a new "
                "database ({manage} set_up), and load the files there ({manage} import_study FILE)."
            ).format(manage=settings.MANAGE),
        )
    newer = [key for key in applied if key[0] in apps and key not in graph.nodes]
    if newer and not executor.loader.replacements:
        return Misfit(
            "newer",
            _("the database is newer than the program"),
            _(
                "Start the version of the program that created it, or restore a backup made by this one."
            ),
        )
    if executor.migration_plan(graph.leaf_nodes()):
        advice = f"{settings.MANAGE} migrate"
        return Misfit("older", _("the database is older than the program"), advice)
    return None
