"""The tests that a change can affect, by the imports of the tree: ``make test-changed``.

Tests reach pages by address and protocols by slug, not by imports. So a change to a subject of the
site also selects the tests of that subject and of the whole site, and a change to `protocols` all
its tests. A file that is not Python, or is outside the packages, selects all fast tests.
"""

import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("annotate", "protocols", "rankings", "tests", "text_rankings", "tools")


def changed() -> list[str]:
    """Return the paths that differ from the last commit, new files included."""
    commands = (
        ["git", "diff", "--name-only", "HEAD"],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    return [
        line
        for command in commands
        for line in subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]


def tests_of(paths: Iterable[str]) -> list[str]:
    """Return the test modules and folders that changes to these paths can affect, sorted."""
    return sorted({test for path in paths for test in _of_path(_graph(), path)})


@cache
def _graph() -> grimp.ImportGraph:
    """Read the imports of the tree, once in a process."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def _of_path(graph: grimp.ImportGraph, path: str) -> Iterator[str]:
    if not path.endswith(".py") or not path.startswith(PACKAGES):
        yield "tests"
        return
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if module.rpartition(".")[2] == "conftest":
        yield path.rpartition("/")[0]
        return
    if module in graph.modules:
        for name in {module, *graph.find_downstream_modules(module)}:
            if name.rpartition(".")[2].startswith("test_"):
                yield f"{name.replace('.', '/')}.py"
    if path.startswith("protocols/"):
        yield "tests/protocols"
    if path.startswith("annotate/"):
        yield from _of_site(path)


def _of_site(path: str) -> Iterator[str]:
    folder = "/".join(["tests", *path.split("/")[:2]])
    if ROOT.joinpath(folder).is_dir():
        yield folder
    yield from (file.relative_to(ROOT).as_posix() for file in ROOT.glob("tests/annotate/test_*.py"))


if __name__ == "__main__":
    print(*tests_of(changed()))
