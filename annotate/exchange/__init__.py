"""Taking a study out and in: raw data and bundles."""
