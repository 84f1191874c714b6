"""Notebooks without a server: run their cells in order, and store the outputs in the file.

``python -m tools.notebooks docs/tutorials/eight-detectors.ipynb`` updates the outputs.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def executed(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run every cell of code in one namespace; return the outputs of each."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    return [
        _outputs("".join(cell["source"]), namespace)
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def _outputs(source: str, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell and return its outputs, with the value of a last expression as in notebooks."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "<cell>", "exec"), namespace)  # nosec B102: the cells are ours
        shown = (
            eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)  # nosec B307
            if isinstance(last, ast.Expr)
            else None
        )
    outputs: list[dict[str, Any]] = []
    if said.getvalue():
        text = said.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if shown is not None:
        outputs.append({"output_type": "display_data", "metadata": {}, "data": _mime_bundle(shown)})
    return outputs


def _mime_bundle(shown: Any) -> dict[str, list[str]]:
    if type(shown).__module__.startswith("altair."):
        import vl_convert

        drawn = vl_convert.vegalite_to_svg(shown.to_dict())
        return {"image/svg+xml": drawn.splitlines(keepends=True)}
    return {"text/plain": repr(shown).splitlines(keepends=True)}


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, outputs) in enumerate(zip(cells, executed(notebook), strict=True), 1):
            cell["outputs"], cell["execution_count"] = outputs, number
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
