"""Writing: regions as files, and conversion between formats."""
