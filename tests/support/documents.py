"""Documents that are run unchanged: their files are written, their commands and Python executed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r'^ *```(\w*)(?: title="([^"]+)")?\n(.*?)^ *```$', re.MULTILINE | re.DOTALL)
_SHIMS = {
    "text-protocols": 'exec "$PYTHON" -m protocols "$@"',
    "text-order": 'exec "$PYTHON" -m rankings "$@"',
    "text-rankings": 'exec "$PYTHON" -m text_rankings.site "$@"',
    "python": 'exec "$PYTHON" "$@"',
    # Installs into a folder of the test, from this machine.
    "pip": (
        'case "$2" in .*site*|.) set -- install "$REPOSITORY";; esac; exec "$PYTHON" -m pip "$@" '
        '--quiet --no-deps --no-index --no-build-isolation --target "$PACKAGES"'
    ),
    # The other machines of a cluster are this one.
    "ssh": 'shift; exec sh -c "$*"',
    "sbatch": 'HOME="$PWD" SLURM_CPUS_PER_TASK=1 nohup bash "$1" > slurm.log 2>&1 &',
    # Nothing is encrypted.
    "age": 'if [ "$1" = -d ]; then cat "$4"; else cat; fi',
}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the name of its file (or empty), and its content."""

    language: str
    title: str
    text: str

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0]


def blocks_of(document: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(document.read_text(encoding="utf-8"))]


def run_document(
    document: Path,
    folder: Path,
    *,
    without: Collection[str] = (),
    instead: Mapping[str, str] | None = None,
) -> None:
    """Run every block of a document in a folder, in order.

    ``sh`` is executed, ``python`` is a file if it has a title and else a script, ``text`` is exactly
    the output of the command before it, YAML is parsed, and other languages need a title.
    ``without`` has the first lines of blocks to skip, ``instead`` texts to replace in the others.
    Processes that the blocks leave running are ended.
    """
    shims, packages = folder.parent / "shims", folder.parent / "packages"
    for made in (folder, shims, packages):
        made.mkdir(exist_ok=True)
    for name, line in _SHIMS.items():
        shims.joinpath(name).write_text(f"#!/bin/sh\n{line}\n")
        shims.joinpath(name).chmod(0o755)
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DATABASE_URL", "PYTHONPATH")
    } | {
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "PYTHON": sys.executable,
        "PACKAGES": str(packages),
        "REPOSITORY": str(ROOT),
        "PYTHONPATH": f"{packages}{os.pathsep}{ROOT}",
        "DATA_DIR": str(folder / "data"),
        "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
    }
    said = ""
    groups: list[int] = []
    try:
        for block in blocks_of(document):
            if block.first_line not in without:
                text = block.text
                for told, meant in (instead or {}).items():
                    text = text.replace(told, meant)
                said = _run(
                    replace(block, text=text), document.name, folder, environment, said, groups
                )
    finally:
        for group in groups:
            with suppress(ProcessLookupError):  # nothing was left running
                os.killpg(group, signal.SIGTERM)


def _run(
    block: Block,
    name: str,
    folder: Path,
    environment: dict[str, str],
    said: str,
    groups: list[int],
) -> str:
    """Run one block; return its output or, if it has none, the previous output."""
    if block.title:
        path = folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    elif block.language == "text":
        # A block ends with a line feed, whatever the output ends with.
        assert said.removesuffix("\n") == block.text.removesuffix("\n"), (
            f"{name} says:\n{block.text}\nbut it is:\n{said}"
        )
    elif block.language == "yaml":
        assert list(yaml.safe_load_all(block.text)) != [None]
    elif block.language in ("sh", "python"):
        command = ["bash", "-e", "-c"] if block.language == "sh" else [sys.executable, "-c"]
        with subprocess.Popen(
            [*command, block.text],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as running:
            groups.append(running.pid)
            out, errors = running.communicate(timeout=300)
        assert running.returncode == 0, f"{name}:\n{block.text}\n{out}{errors}"
        return out
    else:
        raise AssertionError(f"{name} has a block of {block.language!r} without a title")
    return said
