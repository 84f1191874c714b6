"""The facade over both libraries: score, compare, rank and report in a line each."""
