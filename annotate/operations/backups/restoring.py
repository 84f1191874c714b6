"""Restoring of an archive into an empty site: all rows, exactly as they were, or none."""

import json
import zipfile
from collections.abc import Callable
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from annotate.datasets.photographs import giving_back, store

from .errors import NotRestored
from .rows import columns, is_empty, kept_models, set_next_keys, store_rows
from .writing import FORMAT, MANIFEST, PHOTOGRAPHS, applied

Tell = Callable[[str], None]


def restore(path: Path, tell: Tell = lambda doing: None) -> dict[str, int]:
    """Restore a site that `write_backup` wrote; return the number of rows of each table.

    All checksums are compared first; the rows are stored in one transaction. Raises NotRestored if
    the site has data, or the archive is damaged, cut short, or of another version of the tables.
    """
    if not is_empty():
        raise NotRestored(
            f"This site holds data already. Restore into a new database, after `{settings.MANAGE} migrate`."
        )
    try:
        with zipfile.ZipFile(path) as archive, giving_back():
            manifest = _manifest(archive)
            tell("Comparing checksums")
            _compare_sums(archive, manifest)
            tell("Storing photographs")
            for name in archive.namelist():
                if name.startswith(PHOTOGRAPHS):
                    store(name.removeprefix(PHOTOGRAPHS), archive.read(name))
            return _store(archive, manifest, tell)
    except (zipfile.BadZipFile, EOFError) as fault:
        raise NotRestored(f"{path.name} is no whole archive: {fault}.") from fault


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    # A photograph may hold an archive, which is found where the end of this one is missing.
    if min((entry.header_offset for entry in archive.infolist()), default=1) > 0:
        raise NotRestored("The archive was cut short.")
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError) as fault:
        raise NotRestored("The archive has no readable manifest: it was cut short.") from fault
    if manifest.get("format") != FORMAT:
        raise NotRestored("This is no backup of a site.")
    tables = {model._meta.label_lower: columns(model) for model in kept_models()}
    if manifest["migrations"] != applied() or manifest["tables"] != tables:
        program, build = manifest["program"], manifest.get("build", "")
        made_by = f"version {program}" + (f", build {build}" if build else "")
        raise NotRestored(
            f"The backup was made by {made_by}, whose tables are not those of {settings.PROGRAM}. "
            f"Install {made_by}, and restore the backup into a new database with it; this version "
            f"brings that up to its own tables by `{settings.MANAGE} set_up --migrate`."
        )
    return manifest


def _compare_sums(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    for name, wanted in manifest["sums"].items():
        try:
            with archive.open(name) as file:
                digest = file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it can be read into a buffer
        except KeyError as fault:
            raise NotRestored(f"{name} is missing in the archive.") from fault
        if digest != wanted:
            raise NotRestored(f"{name} is damaged: its checksum is another.")
    for name in archive.namelist():
        digest_of_name = name.removeprefix(PHOTOGRAPHS)
        if digest_of_name != name and sha256(archive.read(name)).hexdigest() != digest_of_name:
            raise NotRestored(f"{name} is damaged: its checksum is another.")


def _store(archive: zipfile.ZipFile, manifest: dict[str, Any], tell: Tell) -> dict[str, int]:
    counts: dict[str, int] = {}
    try:
        with transaction.atomic():
            for model in kept_models():
                label = model._meta.label_lower
                tell(f"Storing {label}")
                with archive.open(f"tables/{label}.jsonl") as file:
                    counts[label] = store_rows(model, file)
            if counts != manifest["counts"]:
                raise NotRestored("The archive holds other numbers of rows than it says.")
            set_next_keys()
    except (IntegrityError, ValueError, KeyError) as fault:
        raise NotRestored(f"The rows do not fit each other: {fault}.") from fault
    return counts
