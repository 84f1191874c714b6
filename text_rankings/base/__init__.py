"""The base of all packages: chunks of computation, and messages to be translated."""
