"""Storage of static files on a server."""

from collections.abc import Callable
from typing import Any, Final

import rcssmin
import rjsmin
from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

_OURS: Final[dict[str, Callable[[str], str]]] = {"js/": rjsmin.jsmin, "css/": rcssmin.cssmin}


class ModulesManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # the library has no types
    """Hashed names for what modules import too, so that browsers may keep every file for ever.

    Our own scripts and styles are stored without comments and indentation; what libraries bring
    stays as they packed it.
    """

    support_js_module_import_aggregation = True

    def _save(self, name: str, content: File[bytes]) -> Any:
        for folder, smaller in _OURS.items():
            if name.startswith(folder):
                content.seek(0)
                content = ContentFile(smaller(content.read().decode()).encode())
        return super()._save(name, content)
