"""Health of the site: for proxies, monitoring, admins and the command `doctor`."""
