"""A gate for regressions: is a candidate not worse than its baseline?"""
