"""The study of answers: systems, topics and nuggets."""
