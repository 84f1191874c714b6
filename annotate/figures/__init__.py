"""Figures of a report: data, drawing and captions apart."""
