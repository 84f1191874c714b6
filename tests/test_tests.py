"""Rules of the tests themselves."""

import re
from pathlib import Path

from tests.support.cases import cases

_FOLDER = Path(__file__).resolve().parent
_MODULES = sorted(path.relative_to(_FOLDER).as_posix() for path in _FOLDER.rglob("*.py"))
_OF_A_TEST_MODULE = re.compile(r"^\s*(from|import) (tests)?\.[\w.]*test_", re.MULTILINE)
_STOPWATCH = re.compile(r"perf_counter|process_time|timeit")


@cases("module", _MODULES)
def test_no_module_imports_from_a_test_module_or_takes_the_time(module):
    text = (_FOLDER / module).read_text(encoding="utf-8")
    assert not _OF_A_TEST_MODULE.search(text), "what two modules need stands in tests/support"
    if module != Path(__file__).name:
        assert not _STOPWATCH.search(text), "times are measured in benchmarks/"


@cases(
    "line", ["from tests.annotate.test_x import y", "from .test_x import y", "import tests.test_x"]
)
def test_an_import_from_a_test_module_is_seen(line):
    assert _OF_A_TEST_MODULE.search(f"import os\n{line}\n")
