"""Analysis: the numbers and sentences of a whole report."""
