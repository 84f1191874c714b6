"""The site: people compare results, follow studies and load data."""
