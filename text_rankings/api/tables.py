"""Results as text, HTML, data frames and plots."""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from protocols.core.errors import MissingPackage
from rankings.output.table import Table, as_columns

_VEGA_LITE: Final = "application/vnd.vegalite.v5+json"
_SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"


def imported(module: str, package: str) -> Any:
    """Return a module of an optional package; raise MissingPackage if it is not installed."""
    try:
        return import_module(module)
    except ImportError as fault:
        raise MissingPackage(f"this needs a package: pip install {package}") from fault


class Shown:
    """A result that is shown as tables: text in a shell, HTML in a notebook."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """Return the tables in the order in which they are shown."""

    def __str__(self) -> str:
        return "\n".join(map(as_columns, self.tables()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "\n".join(map(_as_html, self.tables()))

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the numbers in full precision, a dictionary for each row."""

    def to_pandas(self) -> Any:
        """Return :meth:`rows` as a data frame of pandas.

        Raises MissingPackage if pandas is not installed.
        """
        return imported("pandas", "pandas").DataFrame(self.rows())


def _as_html(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    lines = [
        f"<table><caption>{escape(table.title)}</caption>",
        f"<thead>{row([column.name for column in table.columns], 'th')}</thead>",
        f"<tbody>{''.join(row(cells, 'td') for cells in table.shown)}</tbody></table>",
    ]
    return "".join([*lines, f"<p>{escape(table.note)}</p>" if table.note else ""])


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing as a Vega-Lite specification, which notebooks show without another package."""

    spec: Mapping[str, Any]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {_VEGA_LITE: dict(self.spec), "text/plain": repr(self)}

    def save(self, path: str | Path) -> None:
        """Write the drawing, in the format that the path ends in: .json, .svg or .png.

        Raises ValueError if the path ends in something else. Raises MissingPackage if the package
        that draws is not installed; .json needs none.
        """
        path = Path(path)
        if path.suffix not in (".json", ".svg", ".png"):
            raise ValueError(f"{path} must end in .json, .svg or .png")
        text = json.dumps(dict(self.spec), allow_nan=False)
        if path.suffix == ".json":
            path.write_text(text, encoding="utf-8")
            return
        drawing = imported("vl_convert", "'text-detection-rankings[figures]'")
        if path.suffix == ".svg":
            path.write_text(drawing.vegalite_to_svg(text), encoding="utf-8")
        else:
            path.write_bytes(drawing.vegalite_to_png(text, scale=2))


def dots(rows: Sequence[Mapping[str, Any]], value: str, row: str, colour: str, title: str) -> Plot:
    """Return a plot of a dot for each row, with its interval where there are ``low`` and ``high``.

    Of the keys of rows, ``value`` is the horizontal position, ``row`` the line; the title is that
    of the horizontal axis.
    """

    def encoded(x: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        line = {"field": row, "type": "nominal", "sort": None, "title": None}
        offset = {"field": colour, "type": "nominal"}
        own = {"field": colour, "type": "nominal", "title": colour.capitalize()}
        return {"x": x, "y": line, "yOffset": offset, "color": own, **more}

    x = {"type": "quantitative", "title": title}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "point", "filled": True}, "encoding": encoded({"field": value, **x})}
    ]
    if any(of.get("low") is not None for of in rows):
        limits = encoded({"field": "low", **x}, x2={"field": "high"})
        layers.insert(0, {"mark": "rule", "encoding": limits})
    return Plot({"$schema": _SCHEMA, "data": {"values": list(map(dict, rows))}, "layer": layers})


def records_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame of pandas or polars as dictionaries; missing values are None."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    return [dict(_present(row)) for row in rows]


def _present(row: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        # nan is the only value that differs from itself; pandas has it for a missing one.
        yield str(key), None if value is None or bool(value != value) else value


def is_frame(given: Any) -> bool:
    """Return whether something is a data frame of pandas or polars."""
    return hasattr(given, "columns") and (hasattr(given, "to_dict") or hasattr(given, "to_dicts"))
