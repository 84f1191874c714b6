"""The forms of the site."""

import importlib
from pathlib import Path

from django.forms import BaseForm

ROOT = Path(__file__).resolve().parents[2]


def forms() -> dict[str, type[BaseForm]]:
    found = {}
    for path in sorted(ROOT.joinpath("annotate").rglob("*forms.py")):
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for name, value in vars(module).items():
            if (
                isinstance(value, type)
                and issubclass(value, BaseForm)
                and hasattr(value, "base_fields")
                and value.__module__ == module.__name__
            ):
                found[f"{module.__name__}.{name}".removeprefix("annotate.")] = value
    return found


FORMS = forms()
