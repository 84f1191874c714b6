"""Figures of a report: data, drawings, captions and files."""
