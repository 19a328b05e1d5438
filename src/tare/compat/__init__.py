"""The Python interfaces of other programs, computed by tare.

Each module has the names and signatures of one program and is imported on first use. `install` lets
other code use one of them unchanged.
"""
