"""Jobs: long-running work, stored as rows, that a queue hands to permanent workers."""
