"""Pages that combine several subjects: start page, pages of a dataset, the log."""
