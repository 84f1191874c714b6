"""How static files are stored on a server."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModulesManifestStorage(CompressedManifestStaticFilesStorage):
    """Hashed names for what modules import too, so that browsers may keep every file for ever."""

    support_js_module_import_aggregation = True
