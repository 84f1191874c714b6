"""The start of a process, which loads no library that only some of its work needs."""

import json
import os
import subprocess
import sys

from tests.support.cases import cases

# By what needs them: statistics; drawing; a cluster; tests.
_HEAVY = (
    "scipy",
    "pandas",
    "matplotlib",
    "altair",
    "vl_convert",
    "fontTools",
    "pypdf",
    "dask",
    "distributed",
)
_SITE = "import django; django.setup(); import text_rankings.site.urls, text_rankings.site.wsgi"


def loaded_by(statement):
    """The modules of a process of its own: the tests around have loaded them all."""
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport json, sys; print(json.dumps([*sys.modules]))"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout))


@cases(
    "statement",
    [
        _SITE,
        "import annotate.jobs.engine, protocols.command_line.main, protocols.scoring",
        "import rankings.analysis.analysis",
        "import rankings.__main__",
        "import protocols.registry",
    ],
)
def test_no_heavy_library_is_loaded_before_it_is_needed(statement):
    assert not loaded_by(statement) & {*_HEAVY}


def test_the_pure_packages_alone_load_nothing_else():
    """Their names and versions are there at once."""
    assert not loaded_by("import protocols, rankings") & {"numpy", "shapely", "django", *_HEAVY}


def test_a_report_loads_of_scipy_its_functions_alone():
    """Of statistics and optimisation nothing: they take a second and 60 MiB."""
    work = """
from rankings.analysis.analysis import analyse
rankings = {"recall": {f"i{at}": {a: (("x",), ("y",)) for a in "abc"} for at in range(20)}}
scores = {
    f"i{at}": {p: {"x": (at % n, 1.0), "y": (0.5, 1.0)} for n, p in enumerate("pqr", 2)}
    for at in range(20)
}
analyse(rankings, scores, other_consensuses=("kemeny",))
"""
    loaded = loaded_by(work)
    assert "scipy.special" in loaded
    assert not loaded & {"scipy.stats", "scipy.optimize", "scipy.sparse"}


def test_a_look_at_the_slugs_imports_no_protocol():
    loaded = loaded_by(
        "from protocols import registry; list(registry.PROTOCOLS), registry.is_sentinel('count')"
    )
    assert not loaded & {"protocols.iou", "protocols.core.geometry", "protocols.evaltex.protocol"}


def test_a_protocol_is_imported_without_the_others():
    loaded = loaded_by("from protocols import registry; registry.get('iou')")
    assert "protocols.iou" in loaded
    assert not loaded & {"protocols.tiou", "protocols.evaltex.protocol", "protocols.tedeval"}
