"""The demo: an archive of a finished study, a study to try, and its accounts."""
