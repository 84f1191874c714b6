"""Storage of static files on a server."""

from importlib.util import find_spec
from typing import Any, Final

from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

_OURS: Final = {("js/", ".js"): "application/javascript", ("css/", ".css"): "text/css"}


def packed(kind: str, content: str) -> str:
    """Minify a script or style; return it unchanged if the minifier is not installed."""
    # It is not built for every system that developers use.
    if find_spec("minify") is None:
        return content
    import minify

    return str(minify.string(kind, content))


class ModulesManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # the library has no types
    """Storage with hashed names, also in modules' imports, so browsers may keep files for ever.

    Our own scripts and styles are minified: no comments, short local names. Files of libraries stay
    as their authors packed them.
    """

    support_js_module_import_aggregation = True

    def _save(self, name: str, content: File[bytes]) -> Any:
        for (folder, ending), kind in _OURS.items():
            if name.startswith(folder) and name.endswith(ending):
                content.seek(0)
                content = ContentFile(packed(kind, content.read().decode()).encode())
        return super()._save(name, content)
