"""Output: tables as CSV, JSON, LaTeX and Markdown."""
