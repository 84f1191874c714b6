"""The structure of the code: contracts of imports, relations of models, sizes of rooms and functions.

The contracts are in pyproject.toml; import-linter holds them.
"""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from tests.support.cases import cases
from tools import rooms

ROOT = Path(__file__).resolve().parents[1]
OURS = {"annotate", "protocols", "rankings", "text_rankings", "tools"}
CONTRACTS = rooms.contracts()
# From the bottom up, as the contract of the subjects has them.
SUBJECTS = tuple(
    layer.removeprefix("annotate.")
    for layer in reversed(CONTRACTS["Subjects of the site"]["layers"][1:-1])
)
# The log is the lowest subject, and its rows point at the study that they are about.
POINTS_UP = {("audit", "Study")}


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a module's source, parsed once for all rules."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports_of(path: Path, root: Path) -> Iterator[str]:
    """Every imported module, those inside functions too; relative ones resolved."""
    name = module_name(path, root)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            module = ".".join([*base, node.module or ""] if node.level else [node.module or ""])
            module = module.rstrip(".")
            for alias in node.names:
                inner = root.joinpath(*module.split("."), alias.name)
                is_module = inner.with_suffix(".py").exists() or inner.is_dir()
                yield f"{module}.{alias.name}" if is_module else module


def modules(root: Path, packages: set[str] = OURS) -> Iterator[tuple[str, Path]]:
    for package in sorted(packages):
        for path in sorted(root.joinpath(package).rglob("*.py")):
            name = module_name(path, root)
            if ".migrations" not in name:
                yield name, path


def subject_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "annotate" and len(parts) > 1 and parts[1] in SUBJECTS else None


def lint_imports(root: Path) -> str:
    """Check the contracts in a folder and return the report, on one line."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return " ".join(done.stdout.split())


def relations() -> dict[str, int]:
    """Return the names under which a model is reached from a model of another subject. Each has the
    lowest place of a subject that owns a relation of this name.
    """
    owners: dict[str, int] = {}
    for model in apps.get_app_config("annotate").get_models(include_auto_created=True):
        owner = subject_of(model.__module__)
        for field in model._meta.get_fields():
            if not field.is_relation or field.auto_created or owner is None:
                continue
            reverse = field.remote_field
            target = subject_of(reverse.model.__module__) or "audit"
            if reverse.hidden or SUBJECTS.index(target) >= SUBJECTS.index(owner):
                continue
            for name in {reverse.get_accessor_name(), field.related_query_name()}:
                owners[name] = min(SUBJECTS.index(owner), owners.get(name, len(SUBJECTS)))
    return owners


def reached_by_name(path: Path) -> Iterator[tuple[str, int]]:
    """Every attribute, keyword and string in which a relation's name could stand, with its line."""
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg and "__" in keyword.arg:
                    yield from ((part, node.lineno) for part in keyword.arg.split("__"))
            is_query = isinstance(node.func, ast.Attribute) and node.func.attr in QUERIES
            for argument in node.args if is_query or isinstance(node.func, ast.Name) else ():
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield from ((part, node.lineno) for part in argument.value.split("__"))


QUERIES = {
    *("values", "values_list", "annotate", "filter", "exclude", "order_by", "only", "defer"),
    *("select_related", "prefetch_related", "get", "Count"),
}


def reaches_upwards(root: Path) -> list[str]:
    owners = relations()
    found = []
    for name, path in modules(root, {"annotate"}):
        subject = subject_of(name)
        if subject is None:
            continue
        at = SUBJECTS.index(subject)
        own_names = {imported.rpartition(".")[2] for imported in imports_of(path, root)}
        found += [
            f"{name}:{line} reaches up to {SUBJECTS[owners[word]]} by {word}"
            for word, line in reached_by_name(path)
            if owners.get(word, -1) > at and word not in own_names
        ]
    return found


def test_all_contracts_of_imports_are_kept():
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in lint_imports(ROOT)


def test_every_module_of_the_site_is_a_subject_or_gathers_them():
    named = " ".join(CONTRACTS["Subjects of the site"]["layers"]).replace("annotate.", "")
    there = {path.stem for path in (ROOT / "annotate").glob("[a-z]*.py")} | {
        path.parent.name for path in (ROOT / "annotate").glob("*/__init__.py")
    }
    assert there - {"migrations"} <= set(named.replace(":", " ").replace("|", " ").split())


WRONG = {
    "annotate/reports/services.py": "annotate.judging.views",
    "rankings/orders/buckets.py": "rankings.__main__",
    "protocols/core/geometry.py": "protocols.iou",
    "text_rankings/site/settings.py": "annotate.judging.views",
    "protocols/iou.py": "jinja2",
    "rankings/design/power.py": "protocols.registry",
    "protocols/formats/readers/coco.py": "protocols.formats.writing.regions",
    "annotate/datasets/selectors.py": "annotate.judging.models",
    "annotate/studies/models.py": "annotate.studies.views",
    "annotate/studies/selectors.py": "numpy",
    "annotate/access.py": "annotate.studies.models",
    "text_rankings/base/chunks.py": "shapely",
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory) -> str:
    """Return the report on a copy of the tree with one wrong import in each of several modules."""
    root = tmp_path_factory.mktemp("broken")
    shutil.copy(ROOT / "pyproject.toml", root)
    for package in OURS:
        shutil.copytree(
            ROOT / package,
            root / package,
            ignore=lambda folder, names: [
                name for name in names if not (name.endswith(".py") or Path(folder, name).is_dir())
            ],
        )
    for path, imported in WRONG.items():
        file = root / path
        source = file.read_text() if file.exists() else ""
        file.write_text(f"{source}\n\ndef _wrong():\n    import {imported}\n")
    return lint_imports(root)


@pytest.mark.parametrize(("path", "imported"), WRONG.items())
def test_a_wrong_import_is_found(broken, path, imported):
    module = path.removesuffix(".py").replace("/", ".")
    assert f"{module} -> {imported}" in broken


@cases("name", ["services", "selectors", "models", "errors"])
@cases("imported", ["django.http", "django.shortcuts"])
def test_a_service_knows_no_request(name, imported):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ruff", "check", "--select", "TID251", "--stdin-filename"),
            *(f"annotate/studies/{name}.py", "-"),
        ],
        cwd=ROOT,
        input=f"import {imported}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "A service knows no request." in done.stdout


def test_no_subject_reaches_a_later_one_by_the_name_of_a_relation():
    assert reaches_upwards(ROOT) == []


def test_no_table_points_at_one_of_a_later_subject():
    wrong = {
        (subject_of(model.__module__), field.related_model.__name__)
        for model in apps.get_app_config("annotate").get_models()
        for field in model._meta.concrete_fields
        if field.is_relation
        for its in [subject_of(field.related_model.__module__)]
        if its and SUBJECTS.index(its) > SUBJECTS.index(subject_of(model.__module__) or "")
    }
    assert wrong == POINTS_UP


def test_no_room_holds_more_than_a_sixth():
    lines = dict.fromkeys(SUBJECTS, 0)
    for name, path in modules(ROOT, {"annotate"}):
        if subject := subject_of(name):
            lines[subject] += len(path.read_text(encoding="utf-8").splitlines())
    total = sum(lines.values())
    assert {subject: n for subject, n in lines.items() if n > total / 6} == {}


def python_files() -> list[Path]:
    return [path for _, path in modules(ROOT)]


@cases("path", python_files())
def test_files_and_functions_are_short(path):
    """Docstrings of functions may be as long as necessary, and do not count."""
    n_said = 0
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            said = node.body[0] if ast.get_docstring(node) else None
            n_here = (said.end_lineno or 0) - said.lineno + 1 if said else 0
            assert (node.end_lineno or 0) - node.lineno - n_here < 60, node.name
            n_said += n_here
    n_lines = len(path.read_text(encoding="utf-8").splitlines())
    assert n_lines - n_said <= 450 or path.name in TABLES_OF_DATA


TABLES_OF_DATA: set[str] = set()


@pytest.mark.parametrize(
    "line",
    [
        "study.assignments.count()",
        "Study.objects.filter(assignments__state='complete')",
        "Study.objects.values('assignments__annotator')",
        "Count('assignments')",
    ],
)
def test_a_reach_upwards_by_a_relation_is_found(tmp_path, line):
    file = tmp_path / "annotate" / "studies" / "services.py"
    file.parent.mkdir(parents=True)
    file.write_text(line)
    assert reaches_upwards(tmp_path) == [
        "annotate.studies.services:1 reaches up to judging by assignments"
    ]


def test_a_room_that_the_document_forgets_is_found():
    with pytest.raises(LookupError, match="rooms of annotate"):
        rooms.document("# Architecture")
