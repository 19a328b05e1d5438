"""The command `tare`: one module per verb. Numbers go to stdout, messages to stderr."""
