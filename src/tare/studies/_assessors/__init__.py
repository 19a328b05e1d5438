"""Which assessors agree with themselves."""
