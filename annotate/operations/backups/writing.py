"""Writing of a snapshot of the site, while people continue to work."""

import json
import os
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from annotate.datasets.models import Image, stored_path
from annotate.jobs.versions import VERSION
from annotate.reports.snapshots import snapshot

from .rows import columns, encoded_rows, kept_models

FORMAT: Final = "text-detection-rankings site 1"
MANIFEST: Final = "manifest.json"
PHOTOGRAPHS: Final = "photographs/"


def applied() -> list[list[str]]:
    """Return the migrations that were applied to the database."""
    return sorted(list(key) for key in MigrationRecorder(connection).applied_migrations())


def write_backup(stream: IO[bytes], *, photographs: bool = True) -> dict[str, int]:
    """Write every row, and every photograph that an image shows; return how many of each.

    The rows are a consistent snapshot. Photographs come after them: none that a row names is
    deleted within a day. The manifest, with the checksum of every table, comes last, so that an
    archive that was cut short has none. Raises OSError for a full disk.
    """
    counts: dict[str, int] = {}
    sums: dict[str, str] = {}
    with zipfile.ZipFile(stream, "w") as archive:
        with snapshot():
            taken = timezone.now()
            tables: dict[str, list[str]] = {}
            for model in kept_models():
                label = model._meta.label_lower
                tables[label] = columns(model)
                name = f"tables/{label}.jsonl"
                counts[label], sums[name] = _write(archive, name, encoded_rows(model))
            hashes = list(
                Image.objects.exclude(sha256="")
                .order_by("sha256")
                .values_list("sha256", flat=True)
                .distinct()
            )
        missing = []
        for digest in hashes if photographs else []:
            path = stored_path(digest)
            if path.exists():
                archive.write(path, PHOTOGRAPHS + digest)
            else:
                missing.append(digest)
        manifest: dict[str, Any] = {
            "format": FORMAT,
            "program": VERSION,
            "build": settings.BUILD,
            "taken": taken.isoformat(),
            "migrations": applied(),
            "tables": tables,
            "counts": counts,
            "sums": sums,
            "photographs": photographs,
            "missing_photographs": missing,
        }
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    n_photographs = len(hashes) - len(missing) if photographs else 0
    return counts | {"photographs": n_photographs}


def write_file(path: Path, *, photographs: bool) -> dict[str, int]:
    """Write a backup that is complete or absent: under a temporary name, and moved into place.

    Raises OSError or DatabaseError for a full disk.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            counts = write_backup(stream, photographs=photographs)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return counts


def _write(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> tuple[int, str]:
    entry = zipfile.ZipInfo(name, timezone.now().timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    digest = sha256()
    n_lines = 0
    with archive.open(entry, "w", force_zip64=True) as file:
        for line in lines:
            file.write(line)
            digest.update(line)
            n_lines += 1
    return n_lines, digest.hexdigest()
