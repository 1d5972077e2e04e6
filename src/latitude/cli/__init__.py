"""The `latitude` command: one module per subcommand."""
