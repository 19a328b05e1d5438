"""The command `tare`: one file a verb. Numbers go to stdout, words to stderr."""
