"""The name that users import: ``score``, ``compare``, ``rank`` and ``report``, each loaded when it is called.

Examples
--------
>>> import text_rankings as tr
>>> truth = {"street": [[0, 0, 100, 40], [0, 60, 50, 90]]}
>>> tr.score(truth, {"street": [[0, 0, 100, 40]]}, "iou").overall.recall
0.5
"""

from importlib import import_module

# As of typing, which takes longer to load than all else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api.comparing import compare as compare
    from .api.ranking import rank as rank
    from .api.reporting import report as report
    from .api.scoring import score as score

# Modules of the functions; nothing is loaded before the first use.
_MODULES = {
    "score": "scoring",
    "compare": "comparing",
    "rank": "ranking",
    "report": "reporting",
}
__all__ = ["compare", "rank", "report", "score"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.api.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
