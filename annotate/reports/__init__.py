"""Reports: Best / Worst / Score of each protocol, files, and kept reports."""
