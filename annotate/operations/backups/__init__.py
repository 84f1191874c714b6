"""The whole site as one archive: every row and every photograph, for any of its databases."""
