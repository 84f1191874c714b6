"""The name that users import: shared ground of the libraries (`base`) and the site (`site`)."""
