"""Jobs: rows of long work that a queue hands to standing workers."""
