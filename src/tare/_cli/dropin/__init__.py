"""Drop-in replacements for other programs: each parses its own arguments, as the program does."""
