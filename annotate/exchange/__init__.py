"""Raw data, bundles of studies in and out, files of datasets."""
