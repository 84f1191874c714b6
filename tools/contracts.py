"""Contracts added to import-linter: libraries that packages may use, and doors of a subject.

`pyproject.toml` states them; `make lint` and `tests/test_architecture.py` check them.
"""

import sys
from typing import Any, Final

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

# Any other module of a subject, such as one that holds a single rule.
_OTHER: Final = "*"


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


class _Listing(Contract):
    """A contract that reports each wrong import on a line of its own."""

    def wrong(self, graph: ImportGraph) -> list[tuple[str, str]]:
        """Return the imports that break the contract, as pairs of importer and imported."""
        raise NotImplementedError

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        wrong = sorted(self.wrong(graph))
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["wrong"]:
            output.print_error(f"{importer} -> {imported}")


class LibrariesContract(_Listing):
    """A contract that packages import only named libraries, and optional ones in named modules."""

    type_name = "libraries"

    packages: Any = fields.SetField(subfield=fields.StringField())
    allowed: Any = fields.SetField(subfield=fields.StringField())
    # "importer -> library"
    optional: Any = fields.SetField(subfield=fields.StringField(), required=False)

    def wrong(self, graph: ImportGraph) -> list[tuple[str, str]]:
        allowed = {*self.allowed, *sys.stdlib_module_names}
        optional = {tuple(pair.split(" -> ")) for pair in self.optional or ()}
        return [
            (importer, imported)
            for importer in graph.modules
            if any(_is_within(importer, package) for package in self.packages)
            for imported in graph.find_modules_directly_imported_by(importer)
            if not any(_is_within(imported, package) for package in self.packages)
            and not any(_is_within(imported, name) for name in allowed)
            and (importer, imported) not in optional
        ]


class DoorsContract(_Listing):
    """A contract that imports go down inside a subject, and enter others by doors or exports."""

    type_name = "doors"

    package: Any = fields.StringField()
    # Names of modules, highest first; "*" is every other name.
    layers: Any = fields.ListField(subfield=fields.StringField())
    doors: Any = fields.SetField(subfield=fields.StringField())
    # Modules and packages that a subject exports by name.
    exports: Any = fields.SetField(subfield=fields.StringField())
    # Folders that are not subjects, such as that of the commands.
    open: Any = fields.SetField(subfield=fields.StringField())
    # "importer -> imported", each with its reason in a comment.
    exceptions: Any = fields.SetField(subfield=fields.StringField(), required=False)

    def wrong(self, graph: ImportGraph) -> list[tuple[str, str]]:
        exceptions = {tuple(pair.split(" -> ")) for pair in self.exceptions or ()}
        found = [
            (importer, imported)
            for importer in graph.modules
            if self._subject(importer)
            for imported in graph.find_modules_directly_imported_by(importer)
            if self._subject(imported) and not self._is_allowed(importer, imported)
        ]
        unused = exceptions - set(found)
        return [*(pair for pair in found if pair not in exceptions), *unused]

    def _is_allowed(self, importer: str, imported: str) -> bool:
        if self._subject(importer) == self._subject(imported):
            return self._layer(importer) <= self._layer(imported)
        is_exported = any(_is_within(imported, name) for name in self.exports)
        return is_exported or imported.rpartition(".")[2] in self.doors

    def _subject(self, module: str) -> str:
        """Return the subject of a module; empty outside of subjects."""
        parts = module.split(".")
        inside = parts[0] == self.package and len(parts) > 2
        return parts[1] if inside and parts[1] not in self.open else ""

    def _layer(self, module: str) -> int:
        name = module.rpartition(".")[2]
        at = {one: at for at, names in enumerate(self.layers) for one in names.split()}
        return at.get(name, at[_OTHER])
