"""Assessors: how consistent they are, and what changes without the least consistent."""
