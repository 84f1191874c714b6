"""Pages that gather several subjects: start page, pages of a dataset, the log."""
