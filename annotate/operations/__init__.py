"""Operation of the site: backups and health checks."""
