"""Power of paired tests on scores like the given ones."""
