"""The directions of imports: pure packages know no Django, and arrows point down, also those of relations."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[1]
OURS = {"engine", "protocols", "rankings", "annotate", "config", "tools"}
PURE = {"engine", "protocols", "rankings"}
NUMERIC = {"numpy", "scipy", "shapely"}
# From the bottom up: a subject may import those before it, and nothing after it.
SUBJECTS = (
    "audit",
    "rest",
    "tokens",
    "datasets",
    "jobs",
    "studies",
    "accounts",
    "scoring",
    "guide",
    "judging",
    "learning",
    "imports",
    "privacy",
    "reports",
    "deciding",
    "progress",
    "evidence",
    "figures",
    "planning",
    "findings",
    "questions",
    "exchange",
    "publication",
    "setup",
    "overview",
    "backups",
    "health",
    "demo",
)
# What a subject may use of the pure packages; those that are not named use none.
PURE_USED = {
    "rest": {"protocols.core.regions"},
    "datasets": {"protocols.core.regions", "protocols.formats"},
    "studies": {"protocols"},
    "accounts": {"rankings.elicitation.log"},
    "scoring": {"text_rankings.base.chunks", "protocols"},
    "guide": {"protocols"},
    "imports": {"protocols"},
    # Of rankings the program's version.
    "jobs": {"engine", "rankings"},
    "judging": {"text_rankings.base.i18n", "protocols", "rankings"},
    "deciding": {"rankings"},
    "reports": {
        "text_rankings.base.i18n",
        "protocols.core.regions",
        "protocols.registry",
        "rankings",
    },
    "evidence": {"text_rankings.base.i18n", "protocols", "rankings"},
    "figures": {"text_rankings.base.i18n", "rankings"},
    "planning": {"rankings"},
    "findings": {"text_rankings.base.i18n", "rankings"},
    "questions": {"text_rankings.base.chunks", "protocols", "rankings"},
    "exchange": {"protocols", "rankings"},
    "publication": {"rankings"},
    "overview": {"protocols.core.regions"},
    "health": {"protocols.registry", "protocols.formats"},
    "demo": {"protocols", "rankings"},
}
# Inside a subject, from the top down; a module may import those of its own line and of the lines after it.
LAYERS: tuple[set[str], ...] = (
    {"urls", "dataset_urls", "log_urls", "public_urls"},
    {"views", "api", "dataset_views", "log_views", "public_views"},
    {"context", "middleware", "authentication"},
    {"forms", "serializers", "log_forms"},
    {"adapter"},
    {"work"},
    {"presentation", "exports", "mail"},
    {"services", "selectors"},
    {"models"},
    {"errors"},
)
# Modules that hold one rule of their subject each stand with the services, in an order of their own: a
# module may import those named after it in its subject. A folder has one place; no circles in it either.
RULES: dict[str, tuple[str, ...]] = {
    "rest": (
        *("schema", "throttling", "scopes", "problems", "parsers", "pagination", "idempotency"),
        *("fields", "addresses"),
    ),
    "datasets": ("exports", "photographs", "unused", "thumbnails", "selectors", "drawing"),
    "jobs": (
        *(
            "consumer",
            "services",
            "queue",
            "running",
            "access",
            "presence",
            "results",
            "engine",
        ),
        *("notices", "registry", "versions"),
    ),
    "studies": ("services", "draws", "exclusions", "pseudonyms"),
    "scoring": ("services", "readiness", "computing"),
    "guide": ("presets", "services", "playground", "markdown"),
    "accounts": (
        "services",
        "lost_passwords",
        "known_browsers",
        "languages",
        "sessions",
        "session_store",
    ),
    "judging": (
        *("services", "methods", "planning", "visits", "turns", "changes", "own", "sharing"),
        "replay",
        "known",
    ),
    "learning": ("selectors", "services", "pairs", "pictures", "consent"),
    "imports": (
        *("at_once", "loading", "dry_run", "drafts", "undoing", "plans", "guessing", "publishing"),
        *("people", "checking", "staging"),
    ),
    "privacy": ("personal_data",),
    "reports": (
        *(
            "pilots",
            "services",
            "origins",
            "properties",
            "cached",
            "tallies",
            "pairs",
            "counted",
            "differing",
        ),
        "snapshots",
    ),
    "evidence": ("images", "annotators", "stored", "links"),
    "figures": (
        *(
            "standings",
            "building",
            "files",
            "kinds",
            "parts",
            "data",
            "figure",
            "words",
            "papers",
            "numbers",
        ),
    ),
    "questions": ("services", "variants"),
    "exchange": ("bundles", "causes", "own", "raw", "rows", "columns"),
    "publication": ("services", "descriptions", "papers", "files"),
    "setup": ("preview", "services", "choosing"),
    "overview": ("completeness",),
    "backups": ("daily", "restoring", "writing", "rows"),
    "health": ("metrics", "checks"),
}
# Bottom of the site: every subject may use them, they use nothing of the site.
COMMON = {
    "annotate.errors",
    "annotate.access",
    "annotate.prepared_sql",
    "annotate.requests",
    "annotate.retold",
    "annotate.append_only",
}
# They gather the subjects for Django; commands stand above all subjects.
GATHERERS = {
    "annotate",
    "annotate.admin",
    "annotate.api_urls",
    "annotate.apps",
    "annotate.models",
    "annotate.permissions",
    "annotate.urls",
    "annotate.work",
}
# Who acted in which study: the log is the lowest subject, its rows point at what is acted on.
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


def within(module: str, allowed: set[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


def place_of(module: str) -> tuple[int, int] | None:
    """Return layer and, among the rules of a subject, place; None for a module without a layer."""
    subject = subject_of(module)
    inner = module.removeprefix(f"annotate.{subject}").lstrip(".")
    if not inner:  # the subject's own __init__ holds its docstring
        return (len(LAYERS), 0)
    last = inner.rpartition(".")[2]
    for at, rule in enumerate(RULES.get(subject or "", ())):
        if inner == rule or inner.startswith(f"{rule}."):
            return (LAYER_OF_RULES, at)
    for layer, names in enumerate(LAYERS):
        if last in names:
            return (layer, 0)
    return None


LAYER_OF_RULES = next(at for at, names in enumerate(LAYERS) if "services" in names)


def wrong_arrows(root: Path) -> list[str]:
    return [
        f"{name} -> {target}"
        for name, path in modules(root)
        for target in imports_of(path, root)
        if not allowed(name, target)
    ]


def allowed(name: str, target: str) -> bool:
    top, target_top = name.split(".")[0], target.split(".")[0]
    if top in PURE:
        foreign = (OURS - {top, "engine"}) | {"django", "rest_framework", "PIL", "csp", "allauth"}
        return target_top not in foreign
    if target_top in NUMERIC and top == "annotate":
        return False
    if target_top not in OURS or top in ("config", "tools"):
        return True
    if target_top in ("config", "tools"):
        return False
    subject, target_subject = subject_of(name), subject_of(target)
    if subject is None:
        is_above = name in GATHERERS or name.startswith("annotate.management.")
        return is_above or target_top in PURE or target in COMMON | {"annotate"}
    if target_top in PURE:
        return within(target, PURE_USED.get(subject, set()))
    if target_subject is None:
        return target in COMMON
    if target_subject == subject:
        own, its = place_of(name), place_of(target)
        return own is None or its is None or own <= its
    return SUBJECTS.index(target_subject) < SUBJECTS.index(subject)


def circles(root: Path) -> list[str]:
    """Modules that import each other, directly or by way of others."""
    arrows = {name: {*imports_of(path, root)} - {name} for name, path in modules(root)}

    def reached_from(start: str) -> set[str]:
        reached: set[str] = set()
        waiting = [start]
        while waiting:
            for target in arrows.get(waiting.pop(), set()) - reached:
                reached.add(target)
                waiting.append(target)
        return reached

    return sorted(name for name in arrows if name in reached_from(name))


def relations() -> dict[str, int]:
    """Return each name under which a model is reached from a model of another subject, with the
    lowest place of a subject that owns a relation of this name."""
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


def test_no_arrow_points_up():
    assert wrong_arrows(ROOT) == []


def test_no_module_is_without_a_layer():
    without = [
        name for name, _ in modules(ROOT, {"annotate"}) if subject_of(name) and not place_of(name)
    ]
    assert without == []


def test_every_module_belongs_to_a_subject_or_gathers_them():
    homeless = [
        name
        for name, _ in modules(ROOT, {"annotate"})
        if subject_of(name) is None
        and name not in GATHERERS | COMMON
        and not name.startswith("annotate.management")
    ]
    assert homeless == []


def test_no_modules_import_each_other_in_a_circle():
    assert circles(ROOT) == []


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


@pytest.mark.parametrize("path", python_files(), ids=lambda path: module_name(path, ROOT))
def test_files_and_functions_are_short(path):
    """What functions say of themselves may be as long as it needs, and does not count."""
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
    ("path", "line", "arrow"),
    [
        ("protocols/iou.py", "import django", "protocols.iou -> django"),
        (
            "protocols/iou.py",
            "def f():\n    from rankings import orders",
            "protocols.iou -> rankings",
        ),
        (
            "rankings/orders/buckets.py",
            "from annotate.errors import Refusal",
            "rankings.orders.buckets -> annotate.errors",
        ),
        (
            "annotate/judging/services.py",
            "from annotate.reports import services",
            "annotate.judging.services -> annotate.reports",
        ),
        (
            "annotate/datasets/services.py",
            "from ..judging.models import Screen",
            "annotate.datasets.services -> annotate.judging.models",
        ),
        (
            "annotate/studies/models.py",
            "from . import views",
            "annotate.studies.models -> annotate.studies.views",
        ),
        (
            "annotate/studies/services.py",
            "import rankings.orders.buckets",
            "annotate.studies.services -> rankings.orders.buckets",
        ),
        (
            "annotate/datasets/services.py",
            "import numpy",
            "annotate.datasets.services -> numpy",
        ),
        (
            "annotate/api/views.py",
            "from annotate.studies import api",
            "annotate.api.views -> annotate.studies",
        ),
        (
            "annotate/studies/views.py",
            "from annotate.permissions import Permissions",
            "annotate.studies.views -> annotate.permissions",
        ),
        (
            "annotate/access.py",
            "from annotate.studies.models import Study",
            "annotate.access -> annotate.studies.models",
        ),
    ],
)
def test_a_wrong_arrow_is_found(tmp_path, path, line, arrow):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(line)
    if "views" in line:
        file.with_name("views.py").write_text("")
    assert [found for found in wrong_arrows(tmp_path) if found.startswith(arrow)]


def test_a_circle_is_found(tmp_path):
    folder = tmp_path / "rankings"
    folder.mkdir()
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        folder.joinpath(f"{name}.py").write_text(f"from . import {other}\n")
    folder.joinpath("d.py").write_text("from . import a\n")
    assert circles(tmp_path) == ["rankings.a", "rankings.b", "rankings.c"]


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
