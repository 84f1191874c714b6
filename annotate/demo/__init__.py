"""The demo: an archive of an answered study, a study to try, and its accounts."""
