"""A gate for builds: does a candidate lose against its baseline?"""
