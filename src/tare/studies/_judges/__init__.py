"""The audit of judges: may labels by a model be used in place of labels by people?"""
