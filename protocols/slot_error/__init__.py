"""The slot error rate: items, their pairs and counts, ontologies, files of documents ([BB13]_)."""
