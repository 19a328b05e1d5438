"""`tare score`: `verb` declares the options, `run` does the work."""
