"""Pages of docs/validation: what a benchmark printed, with its command, commit, machine and date.

``python -m benchmarks.load --seconds 20 --write`` runs the benchmark without ``--write`` and keeps
its output, unless it fails.
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "validation"
# It may name a host and a password.
_DATABASE = re.compile(r"\bpostgres(ql)?://\S+")


def run(main: Callable[[], Any], page: str = "") -> None:
    """Run a benchmark's main function; with ``--write`` also write its page. Ends the process.

    The page is named after the module unless its name is given.
    """
    given = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(given) == len(sys.argv) - 1:
        sys.exit(main())
    module = sys.modules["__main__"]
    spec = module.__spec__
    if spec is None:
        sys.exit("Run it as a module: python -m benchmarks.NAME --write")
    name = spec.name.removesuffix(".__main__")
    path = FOLDER / f"{page or name.rpartition('.')[2]}.md"
    sys.exit(_write(name, path, str(module.__doc__), given))


def _write(name: str, path: Path, explained: str, given: Sequence[str]) -> int:
    # Noted first: the tree may change while a benchmark runs.
    commit = commit_now()
    command, said = [sys.executable, "-m", name, *given], []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            said.append(line.rstrip())
    if process.returncode:
        print("It failed; its page stays as it was.", file=sys.stderr)
        return process.returncode
    FOLDER.mkdir(exist_ok=True)
    path.write_text(page_of(name, explained, given, said, commit), encoding="utf-8")
    print(f"Written to {path.relative_to(ROOT)}.")
    return 0


def page_of(
    name: str, explained: str, given: Sequence[str], said: Sequence[str], commit: str
) -> str:
    """Return the page of one run in Markdown."""
    summary = explained.strip().splitlines()[0]
    asked = _DATABASE.sub("URL", " ".join(["python -m", name, *given, "--write"]))
    stamp = f"`{asked}`, {datetime.now(UTC):%-d %B %Y}, commit {commit}: {_machine()}."
    return "\n".join([f"# `{name}`", "", summary, "", stamp, "", "```text", *said, "```", ""])


def commit_now() -> str:
    commit, changed = (_git("rev-parse", "--short", "HEAD"), _git("status", "--porcelain"))
    return f"{commit}, with changes that are not committed" if changed else commit


def _git(*arguments: str) -> str:
    asked = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def _machine() -> str:
    n_cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    busy = os.getloadavg()[0]
    return (
        f"{n_cores} cores ({platform.machine()}), {memory:.0f} GiB of memory, {platform.system()}, "
        f"Python {platform.python_version()}; {busy:.1f} processes on average in the last minute"
    )
