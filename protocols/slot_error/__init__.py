"""The slot error rate: items with extents and ontology labels ([BB13]_)."""
