"""Rankings and distances: what is a ranking, and how far apart are two of them?"""
