"""The base of all packages: chunks of computing, and messages for translators."""
