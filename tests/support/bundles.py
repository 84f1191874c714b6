"""Bundles of studies: written, unpacked, packed again, and refused."""

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from annotate.datasets import orphans
from annotate.datasets.models import Image, image_storage
from annotate.exchange.bundles import CHECKSUMS
from annotate.exchange.bundles.reading import import_study
from annotate.exchange.bundles.writing import write_bundle
from annotate.imports.errors import NotLoaded
from annotate.studies.models import Study
from tests.support.worked import n_rows


def bundle_of(study: Study, **options: bool) -> bytes:
    """Return a study as a zip."""
    stream = io.BytesIO()
    write_bundle(study, stream, **options)
    return stream.getvalue()


def members_of(content: bytes) -> dict[str, bytes]:
    """Return the entries of a zip by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: dict[str, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream


def summed(members: dict[str, bytes]) -> dict[str, bytes]:
    """Return the entries with matching checksums, as an attacker would make them."""
    others = {name: content for name, content in members.items() if name != CHECKSUMS}
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in others.items()]
    return {**others, CHECKSUMS: "".join(sums).encode()}


def lines_of(members: dict[str, bytes], part: str) -> list[Any]:
    return [json.loads(line) for line in members[part].splitlines()]


def as_lines(rows: Iterable[object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def forget_photographs() -> None:
    shutil.rmtree(image_storage().location)


def refused(members: dict[str, bytes] | bytes) -> str:
    """Check that an import is refused and loads nothing; return the message."""
    before = n_rows()
    source = zipped(members) if isinstance(members, dict) else io.BytesIO(members)
    with pytest.raises(NotLoaded) as refusal:
        import_study(source)
    assert n_rows() == before
    if not Image.objects.exists():
        orphans.sweep(grace=-60)
        folder = Path(image_storage().location)
        assert not [path for path in folder.rglob("*") if path.is_file()]
    sentence = str(refusal.value)
    assert sentence.endswith("Nothing was loaded.")
    assert "\n" not in sentence
    return sentence
