"""The `latitude` command: one module a subcommand."""
