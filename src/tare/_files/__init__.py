"""Files, objects of stores and standard input: opened, read ahead, written safely."""
