"""Base of the commands: refusals, and a database or disk that cannot serve, end in a sentence."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, DataError, IntegrityError, connection

from annotate.errors import Refusal, is_disk_full, is_read_only
from annotate.imports.errors import NotLoaded
from annotate.operations.health.versions import Misfit, misfit

from .reporting import write_problems


class SiteCommand(BaseCommand):
    """A command that needs a database of this version, and says what to do without one."""

    needs_this_version = True

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            if self.needs_this_version and (found := misfit()):
                raise refused(found)
            return super().execute(*args, **options)
        except BrokenPipeError:
            raise
        except Refusal as refusal:
            if isinstance(refusal, NotLoaded):
                write_problems(self.stderr, refusal.problems)
            raise CommandError(str(refusal), returncode=2) from refusal
        except (DatabaseError, OSError) as fault:
            raise CommandError(sentence(fault)) from fault


def refused(found: Misfit) -> CommandError:
    """Return the error that ends a command on a database of another version."""
    said = f"{found.said[0].upper()}{found.said[1:]}"
    if found.kind == "older":
        return CommandError(
            f"{said}. Copy it with the program that made it ({settings.MANAGE} backup site.zip), then bring "
            f"it up to this version: {settings.MANAGE} set_up --migrate"
        )
    next_step = "Make its tables: " if found.kind == "empty" else ""
    return CommandError(f"{said}. {next_step}{found.advice}")


def sentence(fault: DatabaseError | OSError) -> str:
    """Return what to do about a database or disk that cannot serve.

    Raises the fault itself if it means a mistake in the program or in its data.
    """
    if isinstance(fault, IntegrityError | DataError):
        raise fault
    doctor = f"{settings.MANAGE} doctor"
    if is_disk_full(fault):
        return f"The disk is full. Make room on it, then run this again; {doctor} says how much there is."
    if isinstance(fault, OSError):
        return f"{fault.filename or 'A file'}: {fault.strerror or fault}. Next: {doctor}"
    if is_read_only(fault):
        name = connection.settings_dict["NAME"]
        return f"The database {name} is read-only. Allow this user to write it and its folder, then: {doctor}"
    first_line = str(fault).strip().partition("\n")[0]
    return f"The database answers: {first_line}. Check that it runs, and check DATABASE_URL, then: {doctor}"
