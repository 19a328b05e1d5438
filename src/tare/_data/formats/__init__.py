"""File formats, one a module: each reads a source into a polars frame and writes one."""
