"""Settings, addresses, server and program of the site."""
