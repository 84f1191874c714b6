"""Additions to the documentation site: folders in the navigation, and pages made of other files."""

import base64
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

# Docstrings are read from the repository, whichever way MkDocs is started.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

_FENCE = "```"
_PYTHON: Final = "reference/python.md"
# The bibliographies of the packages, which documents link to in the repository.
_SOURCES: Final = {
    f"../../{package}/REFERENCES.md": f"../reference/sources-{package}.md"
    for package in ("protocols", "rankings")
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace each folder in the navigation (``explanation/``) by its pages not yet listed."""
    listed = set(re.findall(r"[\w/-]+\.md", json.dumps(config.nav)))
    config.nav = _unfolded(config.nav, Path(config.docs_dir), listed)
    return config


def _unfolded(entry: Any, folder: Path, listed: set[str]) -> Any:
    if isinstance(entry, dict):
        return {title: _unfolded(of, folder, listed) for title, of in entry.items()}
    if isinstance(entry, str):
        return _pages(entry, folder, listed) if entry.endswith("/") else entry
    parts = []
    for one in entry:
        made = _unfolded(one, folder, listed)
        parts += made if isinstance(made, list) else [made]
    return parts


def _pages(entry: str, folder: Path, listed: set[str]) -> list[str]:
    names = sorted(path.name for path in folder.joinpath(entry).glob("*.md"))
    # README is the folder's own page.
    names.sort(key=lambda name: name != "README.md")
    return [page for name in names if (page := f"{entry}{name}") not in listed]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        notebook = json.loads(Path(str(file.abs_src_path)).read_text(encoding="utf-8"))
        name = file.src_uri.removesuffix(".ipynb") + ".md"
        files.append(File.generated(config, name, content=as_markdown(notebook)))
    python = files.get_file_from_path(_PYTHON)
    if python is not None:
        for module, name in objects(python.content_string):
            text = f"`from {module} import {name}`\n\n::: {module}.{name}\n"
            files.append(File.generated(config, f"reference/python/{name}.md", content=text))
    for name, text in _of_the_code():
        files.append(File.generated(config, name, content=text))
    for link, name in _SOURCES.items():
        text = Path(config.docs_dir, link.removeprefix("../")).read_text(encoding="utf-8")
        files.append(File.generated(config, name.removeprefix("../"), content=text))
    return files


def _of_the_code() -> Iterator[tuple[str, str]]:
    """Yield pages of commands, formats, settings and protocols in full; the repository has them in short."""
    made = importlib.import_module("docs.make_reference")
    yield "reference/commands.md", made.commands_page()
    yield "formats.md", made.formats_page()
    yield "reference/settings.md", made.settings_page()
    for slug in made.registry.PROTOCOLS:
        page = Path(made.DOCS, "protocols", f"{slug}.md").read_text(encoding="utf-8")
        table = f"## Parameters\n\n{made.parameters(made.registry.get(slug))}\n## Worked example"
        yield f"protocols/{slug}.md", page.replace("## Worked example", table)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Give every object of the Python reference a page, and lead to bibliographies on the site."""
    for link, name in _SOURCES.items():
        markdown = markdown.replace(f"]({link})", f"]({name})")
    # Other documents of the repository are not on the site.
    markdown = re.sub(
        r"\[([^\]]+)\]\((?:\.\./)+((?:\.github/|findings/)?(?:[A-Z]+\.md|\w+\.sh))(?:#[\w-]+)?\)",
        r"\1 (`\2`)",
        markdown,
    )
    if page.file.src_uri == _PYTHON:
        for module in re.findall(r"^## (\S+)$", markdown, flags=re.MULTILINE):
            line = _sentence(importlib.import_module(module))
            markdown = markdown.replace(f"## {module}\n", f"## {module}\n\n{line}\n")
        for module, name in objects(markdown):
            line = _sentence(getattr(importlib.import_module(module), name))
            markdown = markdown.replace(
                f"\n- {name}\n", f"\n- [{name}](python/{name}.md): {line}\n"
            )
    return markdown


def _sentence(of: object) -> str:
    return " ".join((inspect.getdoc(of) or "").partition("\n\n")[0].split())


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Show references and roles of reStructuredText in docstrings as plain text and code."""
    if not page.file.src_uri.startswith("reference/python"):
        return html
    html = re.sub(r"\[(\w+)\]_", r"[\1]", html)
    return re.sub(r":\w+:<code>[.~]*", "<code>", html)


def objects(reference: str) -> Iterator[tuple[str, str]]:
    """Yield module and name of each object that the page of the Python interface lists."""
    module = ""
    for head, name in re.findall(r"^(?:## (\S+)|- (\w+))$", reference, flags=re.MULTILINE):
        module = head or module
        if name:
            yield module, name


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
