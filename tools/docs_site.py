"""Additions to the documentation site: folders in the navigation, and notebooks as pages."""

import base64
import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_FENCE = "```"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace each folder in the navigation (``explanation/``) by its pages."""
    folder = Path(config.docs_dir)
    for section in config.nav or []:
        for title, entry in section.items():
            if isinstance(entry, str) and entry.endswith("/"):
                pages = sorted(path.name for path in folder.joinpath(entry).glob("*.md"))
                # README is the folder's own page.
                section[title] = [
                    f"{entry}{name}" for name in sorted(pages, key=lambda name: name != "README.md")
                ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        notebook = json.loads(Path(str(file.abs_src_path)).read_text(encoding="utf-8"))
        name = file.src_uri.removesuffix(".ipynb") + ".md"
        files.append(File.generated(config, name, content=as_markdown(notebook)))
    return files


def as_markdown(notebook: dict[str, Any]) -> str:
    """Return a notebook as a Markdown page, with the output and drawings of its cells."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"{_FENCE}python\n{source}\n{_FENCE}")
        for output in cell["outputs"]:
            if "text" in output:
                parts.append(f"{_FENCE}text\n{''.join(output['text']).rstrip()}\n{_FENCE}")
            drawing = output.get("data", {}).get("image/svg+xml")
            if drawing:
                packed = base64.b64encode("".join(drawing).encode()).decode()
                parts.append(f"![What the cell above draws](data:image/svg+xml;base64,{packed})")
    return "\n\n".join(parts) + "\n"
