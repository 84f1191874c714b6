"""Pages that gather several subjects: the start page, the pages of a dataset, the log of acts."""
