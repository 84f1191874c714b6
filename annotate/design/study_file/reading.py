"""Reading study files: TOML, checked against the schema that is shipped with the site."""

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _

from .errors import FileRefused

SCHEMA: Final = Path(__file__).with_name("study.schema.json")
_MAX_BYTES: Final = 1024**2
_HEADER: Final = re.compile(r"^\s*\[(\[)?\s*([\w.\"-]+)\s*\]?\]")
_KEY: Final = re.compile(r"^\s*([\w\"-]+)\s*=")
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


@dataclass(frozen=True)
class StudyFile:
    """The content of a study file, and the line of each of its keys."""

    path: Path
    content: dict[str, Any]
    lines: dict[str, int]

    def refused(self, key: str, why: str) -> FileRefused:
        """Return the refusal of a key, with its line or that of the nearest table around it."""
        at = key
        while at not in self.lines and "." in at:
            at = at.rpartition(".")[0]
        line = f":{self.lines[at]}" if at in self.lines else ""
        return FileRefused(f"{self.path}{line}: {key}: {why}")

    def file(self, key: str, name: str) -> Path:
        """Return a file or folder that a key names, relative to the study file."""
        path = self.path.parent / Path(name).expanduser()
        if not path.exists():
            raise self.refused(key, _("there is no file or folder {path}.").format(path=path))
        return path


def read(path: Path) -> StudyFile:
    """Read a study file, which is not checked yet. Raises FileRefused with file and line."""
    try:
        text = _text(path)
        # Dates of TOML become text, as JSON Schema has them.
        content = json.loads(json.dumps(tomllib.loads(text), default=str))
    except OSError as fault:
        raise FileRefused(f"{path}: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise FileRefused(_("{path}: not UTF-8.").format(path=path)) from fault
    except RecursionError as fault:
        raise FileRefused(
            _("{path}: lists or tables that are nested too deep.").format(path=path)
        ) from fault
    except tomllib.TOMLDecodeError as fault:
        line = re.search(r"line (\d+)", str(fault))
        raise FileRefused(f"{path}{':' + line[1] if line else ''}: {fault}") from fault
    except ValueError as fault:  # Python converts no more than 4,300 digits
        raise FileRefused(_("{path}: a number that is too long.").format(path=path)) from fault
    return StudyFile(path, content, _lines_of(text))


def _text(path: Path) -> str:
    """Return a file's text. Raises FileRefused for pipes, devices and files of more than a megabyte."""
    if path.exists() and not path.is_file():
        raise FileRefused(_("{path}: no file that can be read whole.").format(path=path))
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise FileRefused(
            _("{path}: more than 1 MB; a study file names its data.").format(path=path)
        )
    return content.decode()


def named_protocol(one: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the slug and the parameters of a protocol, as a study file names it."""
    if isinstance(one, str):
        return one, {}
    return one["slug"], {name: value for name, value in one.items() if name != "slug"}


def checked(file: StudyFile) -> StudyFile:
    """Return the file if its content follows the schema.

    Raises FileRefused with file, line and key of the first fault.
    """
    _check(file, "", file.content, schema())
    return file


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of study files."""
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return found


def _lines_of(text: str) -> dict[str, int]:
    """Return the line of each table and key, by its path: ``entrance.0.places``."""
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = header[2].replace('"', "")
            if header[1]:
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            name = key[1].strip('"')
            lines.setdefault(f"{table}.{name}" if table else name, number)
    return lines


def _check(file: StudyFile, key: str, value: Any, rule: dict[str, Any]) -> None:
    """Check a value by the part of JSON Schema that our schema uses."""
    if "oneOf" in rule:
        fitting = [one for one in rule["oneOf"] if _is_type(value, one)]
        if not fitting:
            raise file.refused(key, _expected(rule))
        return _check(file, key, value, fitting[0])
    if not _is_type(value, rule):
        raise file.refused(key, _expected(rule))
    if "enum" in rule and value not in rule["enum"]:
        raise file.refused(key, _expected(rule))
    if "minimum" in rule and not rule["minimum"] <= value <= rule.get("maximum", value):
        raise file.refused(key, _expected(rule))
    if isinstance(value, list):
        for number, each in enumerate(value):
            _check(file, f"{key}.{number}", each, rule["items"])
    if isinstance(value, dict):
        _check_table(file, key, value, rule)
    return None


def _check_table(file: StudyFile, key: str, table: dict[str, Any], rule: dict[str, Any]) -> None:
    known, more = rule.get("properties", {}), rule.get("additionalProperties")
    for name, value in table.items():
        inner = f"{key}.{name}" if key else name
        if name in known:
            _check(file, inner, value, known[name])
        elif isinstance(more, dict):
            _check(file, inner, value, more)
        else:
            near = difflib.get_close_matches(name, known, 1)
            hint = _("Did you mean {name}?").format(name=near[0]) if near else ", ".join(known)
            raise file.refused(inner, _("there is no such key. {hint}").format(hint=hint))
    for name in rule.get("required", ()):
        if name not in table:
            raise file.refused(f"{key}.{name}" if key else name, _("this key is required."))


def _is_type(value: Any, rule: dict[str, Any]) -> bool:
    expected = _TYPES[rule["type"]]
    return isinstance(value, expected) and (rule["type"] == "boolean" or type(value) is not bool)


def _expected(rule: dict[str, Any]) -> str:
    description = rule.get("description", "")
    # Descriptions of settings are sentences; those of files and lists are phrases.
    said = rule.get("enum") or [description if description[:1].islower() else rule.get("type", "")]
    if "minimum" in rule:
        said = [_("a number from {least}").format(least=rule["minimum"])]
    return _("expected {what}.").format(what=", ".join(map(str, said)))
