"""The base of all packages: chunks of computation, names, options of commands, and their errors."""
