"""Gathers the work of all subjects that runs outside requests."""

from annotate.imports import dry_run, loading
from annotate.jobs.registry import register

register("imports.check", dry_run.check)
register("imports.load", loading.load)
