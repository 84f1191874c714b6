"""Storage of static files on a server."""

from importlib.util import find_spec
from typing import Any, Final

from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

_OURS: Final = {("js/", ".js"): "application/javascript", ("css/", ".css"): "text/css"}


def packed(kind: str, content: str) -> str:
    """Return a script or style without what browsers do not need; as it is where the packer is not."""
    # There is no build of it for every system that people develop on.
    if find_spec("minify") is None:
        return content
    import minify

    return str(minify.string(kind, content))


class ModulesManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # the library has no types
    """Hashed names for what modules import too, so that browsers may keep every file for ever.

    Our own scripts and styles are stored without comments, and local names are short; what libraries
    bring stays as they packed it.
    """

    support_js_module_import_aggregation = True

    def _save(self, name: str, content: File[bytes]) -> Any:
        for (folder, ending), kind in _OURS.items():
            if name.startswith(folder) and name.endswith(ending):
                content.seek(0)
                content = ContentFile(packed(kind, content.read().decode()).encode())
        return super()._save(name, content)
