"""Programs for developers of this software; the site needs none of them."""
