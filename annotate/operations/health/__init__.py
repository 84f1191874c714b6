"""Whether the site is well: for a proxy, for monitoring, for admins."""
