"""Backups of the whole site in one archive, for any database."""
