"""The version, written by the build: looking it up in the metadata takes 20 ms."""

version = "0.3.0"
