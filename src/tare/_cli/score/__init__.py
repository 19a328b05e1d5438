"""`tare score`: score runs against judgements.

The simplest calls are made without loading the parser of the command line, so this package imports
nothing by itself: `verb` declares the options, `run` does the work.
"""
