"""File formats, one per module; each reads a source into a polars frame and writes a frame."""
