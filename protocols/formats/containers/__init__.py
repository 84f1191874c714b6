"""Containers: archives, documents and the regions collected from them."""
