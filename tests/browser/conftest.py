from playwright.sync_api import expect

# Long enough for a machine that does other work as well; a test that passes does not wait for it.
expect.set_options(timeout=30_000)
