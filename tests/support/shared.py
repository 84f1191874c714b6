"""Reference values and benchmark data outside the project, if they exist."""

from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[3] / "shared"


def shared_file(*parts: str) -> Path:
    """Return a path below the shared documents, which need not be there."""
    return _SHARED.joinpath(*parts)


def shared_path(*parts: str) -> Path:
    """Return a path below the shared documents; skip the test if it is absent."""
    path = _SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared documents, which are not here")
    return path
