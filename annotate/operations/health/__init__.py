"""Health of the site: for proxies, monitoring, admins and `manage.py doctor`."""
