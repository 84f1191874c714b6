"""Gathers the work of all subjects that runs outside requests."""

from annotate.imports import work as imports
from annotate.jobs.registry import register

register("imports.check", imports.check)
register("imports.load", imports.load)
