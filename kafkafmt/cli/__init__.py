"""The `kafkafmt` command: one module for each subcommand, loaded when it is called, and one `Output` for all rows."""
