"""Values of a YAML file, checked by rules that are written as YAML, too."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from text_rankings.base.suggestions import did_you_mean

from ..core.errors import ProtocolError

FILES: Final = Path(__file__).with_name("files")
_KINDS: Final[Mapping[str, tuple[Any, str]]] = {
    "text": (str, "text"),
    "whole": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "switch": (bool, "true or false"),
    "list": (list, "a list"),
    "mapping": (dict, "a mapping of names to values"),
    "any": (object, "a value"),
}
# Return what a value means, or raise ValueError; by the name that rules give them.
Conversions = Mapping[str, Callable[[Any], Any]]


class SettingsError(ProtocolError):
    """A setting that cannot be used; the sentence begins with its key."""

    def __init__(self, key: str, why: str) -> None:
        self.key, self.why = key, why
        super().__init__(f"{key}: {why}" if key else why)


def checked(
    content: Any, rules: Mapping[str, Any], convert: Conversions, key: str = ""
) -> dict[str, Any]:
    """Return the values of a mapping, with defaults for those that are missing.

    A rule says what a value ``is``, its ``least`` and ``most`` (number, characters or entries), its
    ``choices``, an expression that it is ``like``, the rules of ``each`` entry, and a conversion
    (``as``). Raises SettingsError for the first key without a rule, or value against one.
    """
    if not isinstance(content, dict):
        raise SettingsError(key or "the file", "must be a mapping of names to values")
    path = f"{key}." if key else ""
    if unknown := next((name for name in content if name not in rules), None):
        hint = did_you_mean(str(unknown), rules)
        raise SettingsError(f"{path}{unknown}", f"there is no such setting{hint}")
    values: dict[str, Any] = {}
    for name, rule in rules.items():
        value = content.get(name)
        if value in (None, "") and "default" in rule:
            value = rule["default"]
        elif value is None:
            raise SettingsError(f"{path}{name}", "is missing")
        if value is not None:
            value = _checked_value(value, rule, convert, f"{path}{name}")
        values[name] = value
    return values


def _checked_value(value: Any, rule: Mapping[str, Any], convert: Conversions, key: str) -> Any:
    if why := _fault(value, rule):
        raise SettingsError(key, f"must {why}, got {str(value)[:80]!r}")
    if "each" in rule:
        entries = value if isinstance(value, dict) else dict(enumerate(value, 1))
        found = {
            at: checked(of, rule["each"], convert, f"{key}.{at}") for at, of in entries.items()
        }
        return found if isinstance(value, dict) else list(found.values())
    try:
        return convert[rule["as"]](value) if "as" in rule else value
    except SettingsError as fault:
        raise SettingsError(f"{key}.{fault.key}", fault.why) from fault
    except ValueError as fault:
        raise SettingsError(key, f"{fault}, got {str(value)!r}") from fault


def _fault(value: Any, rule: Mapping[str, Any]) -> str:
    """Return what a value must be, if it is not; "" if it is."""
    kind, words = _KINDS[rule["is"]]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        return f"be {words}"
    if "choices" in rule and value not in rule["choices"]:
        return f"be one of {', '.join(rule['choices'])}"
    if "like" in rule and not re.fullmatch(rule["like"], str(value)):
        return str(rule["says"])
    is_number = rule["is"] in ("whole", "number")
    if not is_number and rule["is"] not in ("text", "list"):
        return ""
    least = rule.get("least", 0 if is_number or "default" in rule else 1)
    most = rule.get("most", 1_000_000)
    size = value if is_number else len(value.strip() if isinstance(value, str) else value)
    unit = {"text": " characters", "list": " entries"}.get(rule["is"], "")
    verb = "be from" if is_number else "have"
    return "" if least <= size <= most else f"{verb} {least} to {most}{unit}"


@cache
def shipped(name: str) -> Any:
    """Return the content of one of our YAML files; do not change it."""
    return read_yaml((FILES / name).read_text(encoding="utf-8"), name)


def read_yaml(text: str, name: str) -> Any:
    """Return the content of a YAML file; raise SettingsError with its line if it is none."""
    yaml = _yaml()
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as fault:
        mark = getattr(fault, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        why = getattr(fault, "problem", None) or str(fault)
        raise SettingsError(f"{name}{line}", f"not YAML: {why}") from fault


def write_yaml(content: Any) -> str:
    """Return content as YAML, which quotes texts that look like times."""
    written: str = _yaml().safe_dump(content, sort_keys=False, allow_unicode=True)
    return written


def _yaml() -> Any:
    try:
        import yaml
    except ImportError as fault:
        need = "Codabench's files need PyYAML; install text-detection-rankings[codabench]"
        raise SettingsError("", need) from fault
    return yaml
