"""Raw data, import and export of study bundles, files of datasets."""
