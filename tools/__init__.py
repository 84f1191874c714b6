"""Programs for those who develop this software; the site needs none of them."""
