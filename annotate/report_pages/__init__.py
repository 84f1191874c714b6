"""The report as a page: the answer and its figure first, then the table, then parts with all behind it."""
