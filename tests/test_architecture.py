"""The directions of imports: pure packages know no Django, and arrows point down."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PURE = {"protocols", "rankings"}
NUMERIC = {"numpy", "scipy", "shapely", "krippendorff"}
OURS = {"protocols", "rankings", "annotate", "config"}
# From the bottom up: a subject may import those before it, within what MAY_USE says.
SUBJECTS = (
    "audit",
    "rest",
    "tokens",
    "datasets",
    "jobs",
    "studies",
    "learning",
    "scoring",
    "imports",
    "judging",
    "accounts",
    "reports",
    "guide",
    "demo",
)
MAY_USE = {
    "rest": {"protocols.core.regions"},
    "tokens": set(),
    "datasets": {"protocols.core.regions", "protocols.formats"},
    "audit": set(),
    "jobs": set(),
    "studies": {"annotate.datasets", "protocols"},
    "learning": {"annotate.studies"},
    "scoring": {"annotate.datasets", "annotate.jobs", "protocols"},
    "imports": {
        "annotate.datasets",
        "annotate.jobs",
        "annotate.scoring",
        "annotate.studies",
        "protocols",
    },
    "judging": {
        "annotate.datasets",
        "annotate.learning",
        "annotate.studies",
        "protocols",
        "rankings",
    },
    "accounts": {"annotate.judging", "annotate.studies"},
    "reports": {"annotate", "protocols", "rankings"},
    "guide": {"protocols"},
    "demo": {"annotate", "protocols", "rankings"},
}
# Inside a subject: each layer may import those after it.
LAYERS = (
    ("urls", "admin"),
    ("views", "api", "reporting"),
    ("forms", "serializers", "exports", "context"),
    ("screens",),
    ("middleware", "signups"),
    ("services", "selectors", "permissions", "photographs"),
    ("changes",),
    ("replay", "drawing", "adapter"),
    ("models",),
    ("errors",),
)
# These gather the subjects for Django, and the commands stand above all of them.
GATHERERS = {
    "annotate.models",
    "annotate.urls",
    "annotate.api_urls",
    "annotate.admin",
    "annotate.work",
}
# What every api module is made of.
OF_THE_API = "annotate.rest"
ACCESS_RULES = "annotate.studies.permissions"
# Every subject writes its acts to the log.
LOG = {"annotate.audit.services", "annotate.audit.models"}


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, root: Path):
    """Every imported module, those inside functions too; relative ones resolved."""
    name = module_name(path, root)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


def subject_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "annotate" and len(parts) > 1 and parts[1] in SUBJECTS else None


def within(module: str, allowed: set[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


def layer_of(module: str) -> int | None:
    last = module.rpartition(".")[2]
    return next((at for at, names in enumerate(LAYERS) if last in names), None)


def wrong_arrows(root: Path) -> list[str]:
    found = []
    for package in sorted(OURS):
        for path in sorted(root.joinpath(package).rglob("*.py")):
            name = module_name(path, root)
            if ".migrations" in name:
                continue
            found += [
                f"{name} -> {target}"
                for target in imports_of(path, root)
                if not allowed(name, target)
            ]
    return found


def allowed(name: str, target: str) -> bool:
    top, target_top = name.split(".")[0], target.split(".")[0]
    if top in PURE:
        foreign = (OURS - {top}) | {"django", "rest_framework", "PIL", "csp", "allauth"}
        return target_top not in foreign
    if target_top in NUMERIC and top == "annotate":
        return subject_of(name) == "demo"  # drawing and judging scenes is geometry
    if target_top not in OURS or top == "config":
        return True
    subject, target_subject = subject_of(name), subject_of(target)
    if subject is None:
        is_command = name.startswith("annotate.management.")
        return name in GATHERERS or is_command or target_subject is None
    if target_subject == subject:
        own, its = layer_of(name), layer_of(target)
        return own is None or its is None or own <= its
    is_view = layer_of(name) == 1
    if within(target, LOG):
        return True
    if target == "annotate.errors" or (is_view and within(target, {ACCESS_RULES})):
        return True
    if within(target, {OF_THE_API}):
        return name.rpartition(".")[2] in ("api", "serializers") or subject == "tokens"
    return within(target, MAY_USE[subject]) and target_subject != "demo"


def test_no_arrow_points_up():
    assert wrong_arrows(ROOT) == []


def test_every_subject_that_exists_is_in_the_table():
    folders = {path.parent.name for path in ROOT.glob("annotate/*/__init__.py")}
    assert folders - {"management", "migrations"} <= set(SUBJECTS)


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
            "rankings/orders.py",
            "from annotate.errors import Refusal",
            "rankings.orders -> annotate.errors",
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
            "import rankings.orders",
            "annotate.studies.services -> rankings.orders",
        ),
        (
            "annotate/studies/services.py",
            "from annotate.rest.errors import Conflict",
            "annotate.studies.services -> annotate.rest.errors",
        ),
        (
            "annotate/rest/views.py",
            "from annotate.studies import api",
            "annotate.rest.views -> annotate.studies",
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
