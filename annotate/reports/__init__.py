"""The report of a study, Best / Worst / Score of each protocol: its page, its files, kept reports."""
