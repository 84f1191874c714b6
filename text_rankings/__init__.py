"""The name that users import: the base of the libraries, and the site around the app."""
