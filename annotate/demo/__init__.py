"""The demo: an archive of a finished study, a study to try, and the people who sign in to them."""
