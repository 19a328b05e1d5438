"""The command `tare`, one file a verb."""
