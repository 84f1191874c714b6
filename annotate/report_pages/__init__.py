"""Pages of a report: the answer, its figure and tables, and the open questions."""
