"""Inference: which protocol is closer to people, and for which annotators and images."""
