"""LETOR data whose grades are a function of the features."""

import numpy as np

from tare import Letor

WEIGHTS = np.array([2.0, 1.0, 0.0, 0.0, 0.5])  # feature 3 and 4 say nothing


def planted(queries=40, documents=12, seed=1, noise=0.0, name="planted"):
    """Grades 0, 1, 2: the lower half, the next third, the best sixth by the planted weights."""
    random = np.random.default_rng(seed)
    features = random.random((queries * documents, len(WEIGHTS))).astype(np.float32)
    worth = features @ WEIGHTS + noise * random.standard_normal(len(features))
    grades = np.zeros(len(features))
    for q in range(queries):
        rows = slice(q * documents, (q + 1) * documents)
        places = np.argsort(np.argsort(worth[rows]))
        grades[rows] = (places >= documents / 2) * 1.0 + (places >= documents * 5 / 6)
    offsets = np.arange(queries + 1) * documents
    return Letor(name, features, grades, tuple(f"q{i}" for i in range(queries)), offsets)
