"""Small faults put into a copy of the tree, each against the tests of its subject.

    python -m tests.mutants --json before.json
    python -m tests.mutants --json after.json --against before.json
    python -m tests.mutants --only kemeny-members-of-a-height --places

The faults and their tests are in mutants.json; some need a PostgreSQL (POSTGRES_URL). A fault is
found by its text, in any file and with any line breaks, so the same faults apply after files have
moved. If a statement is rewritten, add its new form to the "edits" of its fault.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess  # nosec: git, pytest and node are started on a copy of the tree
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

Outcome = Literal["killed", "survived", "timeout"]

_ROOT = Path(__file__).resolve().parents[2]
_TABLE = Path(__file__).with_name("mutants.json")
_SOURCES = ("annotate", "protocols", "rankings", "text_rankings", "static/js", "tools")
_TIMEOUT_SECONDS = 900
_PYTEST = [
    sys.executable,
    *["-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-n0"],
    "-m",
    "not browser",
]
# The same generated examples in the same order: whether a fault is caught must not be luck.
_STEADY = ["-p", "no:randomly", "--hypothesis-seed=0"]
_NODE = ["node", "--test", "--test-reporter=tap"]


class MutantError(Exception):
    """A fault that cannot be put in, or tests that cannot judge it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: its name, the subject whose tests should see it, and the texts to exchange."""

    id: str
    subject: str
    # As the statement was written when it was drawn, then as it was rewritten since.
    edits: list[dict[Literal["old", "new"], str]]


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict of a subject's tests on a fault; `by` is the first test that failed."""

    id: str
    subject: str
    source: str
    outcome: Outcome
    by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests of a subject: globs of files, of which some may be absent, and pytest's -k.

    With ``postgres`` they run there (POSTGRES_URL): SQLite would forgive the fault.
    """

    files: list[str]
    chosen: str = ""
    postgres: bool = False


def read_table(path: Path = _TABLE) -> tuple[list[Mutant], dict[str, Tests]]:
    """Return the faults, and the tests of each subject."""
    table = json.loads(path.read_text())
    mutants = [Mutant(**row) for row in table["mutants"]]
    return mutants, {subject: Tests(**row) for subject, row in table["tests"].items()}


def sources(tree: Path) -> list[Path]:
    """Return the files in which a fault may be: what is written here and runs."""
    return sorted(
        path
        for folder in _SOURCES
        for path in (tree / folder).rglob("*.*")
        if path.suffix in (".py", ".js") and "migrations" not in path.parts
    )


def place_of(mutant: Mutant, texts: dict[Path, str]) -> tuple[Path, str]:
    """Return the file of a fault and the file's text with the fault in it.

    Raises MutantError unless exactly one edit fits, at exactly one place.
    """
    places = [
        (path, text[: match.start()] + edit["new"] + text[match.end() :])
        for edit in mutant.edits
        for path, text in texts.items()
        for match in _pattern(edit["old"]).finditer(text)
    ]
    if len(places) != 1:
        files = ", ".join(path.name for path, _ in places) or "no file"
        way_out = "add the way it is written now to its edits"
        raise MutantError(f"{mutant.id}: {len(places)} places instead of one ({files}); {way_out}.")
    return places[0]


def _pattern(old: str) -> re.Pattern[str]:
    """Return the pattern of a text that may be broken into other lines."""
    tokens = re.findall(r"\w+|[^\w\s]", old)
    return re.compile(r"(?<!\w)" + r"\s*".join(map(re.escape, tokens)) + r"(?!\w)")


@contextmanager
def copied_tree(root: Path) -> Iterator[Path]:
    """Yield a copy of the last commit, with the environment and the shared documents in place."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        archive = subprocess.check_output(["git", "archive", "HEAD"], cwd=root)
        subprocess.run(["tar", "-x"], cwd=tree, input=archive, check=True)
        (tree / ".venv").symlink_to(root / ".venv")
        (tree.parent / "shared").symlink_to(root.parent / "shared")
        yield tree


def run_tests(tree: Path, tests: Tests) -> tuple[Outcome, str]:
    """Run tests, and return what became of them and the first failure.

    Raises MutantError where there is nothing to run, or the runner itself failed.
    """
    paths = [path for glob in tests.files for path in sorted(tree.glob(glob))]
    files = list(dict.fromkeys(path.relative_to(tree).as_posix() for path in paths))
    if not files:
        raise MutantError(f"No test fits {', '.join(tests.files)}.")
    pytest = [*_PYTEST, *_STEADY, "-k", tests.chosen]
    runner = _NODE if files[0].endswith("js") else pytest
    # A failing example that is kept would be tried first on the next fault.
    shutil.rmtree(tree / ".hypothesis", ignore_errors=True)
    # Faults follow one another within a second, which compiled files would not notice.
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("DATABASE_URL", None)
    if tests.postgres:
        if not env.get("POSTGRES_URL"):
            raise MutantError(f"{files[0]} needs a PostgreSQL: set POSTGRES_URL.")
        env["DATABASE_URL"] = env["POSTGRES_URL"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [*runner, *files], cwd=tree, env=env, stdout=log, stderr=log, start_new_session=True
        )
        try:
            code = process.wait(_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return "timeout", f"no answer within {_TIMEOUT_SECONDS} s"
        finally:
            # Processes that the tests started end with them.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        log.seek(0)
        said = log.read()
    if code == 0:
        return "survived", ""
    # 1: a test failed; 2: pytest could not even read one, which no fault survives.
    if code not in (1, 2):
        raise MutantError(f"The tests could not be run: {said[-500:]}")
    failure = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$|^ *not ok \d+ - (.+)$", said, re.M)
    return "killed", next(filter(None, failure.groups()), "") if failure else said[-200:]


def run_mutants(
    mutants: Sequence[Mutant], all_tests: dict[str, Tests], tree: Path
) -> Iterator[Result | MutantError]:
    """Put one fault after the other into the tree, and yield what the tests of its subject say."""
    texts = {path: path.read_text() for path in sources(tree)}
    without_fault: dict[str, tuple[Outcome, str]] = {}
    for mutant in mutants:
        tests = all_tests[mutant.subject]
        try:
            path, mutated = place_of(mutant, texts)
            # Tests that fail without a fault would seem to catch every one.
            if mutant.subject not in without_fault:
                without_fault[mutant.subject] = run_tests(tree, tests)
            outcome, by = without_fault[mutant.subject]
            if outcome != "survived":
                raise MutantError(f"{mutant.id}: its tests fail without it: {outcome}, {by}")
            started = monotonic()
            path.write_text(mutated)
            try:
                outcome, by = run_tests(tree, tests)
            finally:
                path.write_text(texts[path])
        except MutantError as refusal:
            yield refusal
        else:
            source, seconds = path.relative_to(tree).as_posix(), round(monotonic() - started, 1)
            yield Result(mutant.id, mutant.subject, source, outcome, by, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the faults; return 1 if some that were caught before survive, or could not be run."""
    parser = argparse.ArgumentParser(description="Put known faults in, and see what tests say.")
    parser.add_argument("--only", action="append", help="an id; may be given several times")
    parser.add_argument("--json", type=Path, help="where results go; those of others stay in it")
    parser.add_argument("--against", type=Path, help="results of an earlier run to compare with")
    parser.add_argument("--places", action="store_true", help="only say where each fault stands")
    options = parser.parse_args(arguments)
    table, tests = read_table()
    mutants = [mutant for mutant in table if not options.only or mutant.id in options.only]
    kept = options.json and options.json.exists()
    results = {row["id"]: row for row in json.loads(options.json.read_text())} if kept else {}
    before = json.loads(options.against.read_text()) if options.against else []
    caught = {row["id"] for row in before if row["outcome"] != "survived"}
    n_wrong = 0
    with copied_tree(_ROOT) as tree:
        if options.places:
            texts = {path: path.read_text() for path in sources(tree)}
            for mutant in mutants:
                print(f"{mutant.id}: {place_of(mutant, texts)[0].relative_to(tree)}")
            return 0
        for number, result in enumerate(run_mutants(mutants, tests, tree), 1):
            if isinstance(result, MutantError):
                n_wrong += 1
                print(f"{number}/{len(mutants)} {result}", flush=True)
                continue
            said = f"{result.id}: {result.outcome} in {result.seconds} s {result.by}"
            if result.id in caught and result.outcome == "survived":
                n_wrong += 1
                said += "!! It was caught before. !!"
            print(f"{number}/{len(mutants)} {said}", flush=True)
            results[result.id] = asdict(result)
            if options.json:
                rows = json.dumps(list(results.values()), indent=1, ensure_ascii=False)
                options.json.write_text(rows + "\n")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
