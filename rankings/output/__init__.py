"""Output: how is a table written as CSV, JSON, LaTeX or Markdown?"""
