"""The documents design: unbiased over all samples of small designs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tare._decide.judge_corrected import (
    DocumentSample,
    fit_documents,
    people_alone_by_document,
    query_values,
)


def small(rng, systems=2, documents=4):
    """Weights, human and judge gains of one query."""
    weights = rng.random((systems, documents)) * (rng.random((systems, documents)) < 0.8)
    return weights, rng.integers(0, 3, documents) * 1.0, rng.integers(0, 3, documents) * 1.0


def drawn(query, chosen, chance):
    weights, human, judge = query
    there = np.isin(np.arange(weights.shape[1]), chosen)
    people = (weights * human * there / chance).sum(axis=1)
    alone = (weights * judge).sum(axis=1)
    return people, (weights * judge * there / chance).sum(axis=1) - alone, alone


def every_sample(queries, size):
    """All samples of `size` documents from every query, each equally likely."""
    documents = queries[0][0].shape[1]
    choices = list(itertools.combinations(range(documents), size))
    for picks in itertools.product(choices, repeat=len(queries)):
        parts = [drawn(q, p, size / documents) for q, p in zip(queries, picks, strict=True)]
        yield DocumentSample(*(np.stack([p[k] for p in parts], axis=1) for k in range(3)))


@pytest.mark.parametrize("weight", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_unbiased_over_all_samples(weight, count):
    rng = np.random.default_rng(count)
    queries = [small(rng, documents=4) for _ in range(count)]
    truth = np.mean([(w * g).sum(axis=1) for w, g, _ in queries], axis=0)
    total, number = np.zeros(2), 0
    for sample in every_sample(queries, 2):
        total += query_values(sample, weight)[1].mean(axis=-1)
        number += 1
    assert number == 6**count
    np.testing.assert_allclose(total / number, truth, atol=1e-12)


def test_unbiased_with_unequal_probabilities():
    """Poisson sampling: each document is drawn with its own probability."""
    rng = np.random.default_rng(9)
    queries = [small(rng, documents=3) for _ in range(4)]
    chance = np.array([0.2, 0.5, 0.9])
    truth = np.mean([(w * g).sum(axis=1) for w, g, _ in queries], axis=0)
    subsets = [[k for k in range(3) if mask >> k & 1] for mask in range(8)]
    probability = [
        np.prod([chance[k] if k in s else 1 - chance[k] for k in range(3)]) for s in subsets
    ]
    total = np.zeros(2)
    for picks in itertools.product(range(8), repeat=4):
        parts = [drawn(q, subsets[p], chance) for q, p in zip(queries, picks, strict=True)]
        sample = DocumentSample(*(np.stack([p[k] for p in parts], axis=1) for k in range(3)))
        likely = np.prod([probability[p] for p in picks])
        total += likely * query_values(sample)[1].mean(axis=-1)
    np.testing.assert_allclose(total, truth, atol=1e-12)


def test_differences_of_grades_instead_of_gains_would_be_biased():
    """The measure's own gain matters: 2^g − 1 of a difference is not the difference of gains."""
    grades, guesses = np.array([2.0]), np.array([1.0])
    right = (2**grades - 1) - (2**guesses - 1)
    assert right[0] != (2 ** (grades - guesses) - 1)[0]


def test_the_error_is_the_spread_between_queries():
    rng = np.random.default_rng(2)
    sample = DocumentSample(*(rng.random((3, 40)) for _ in range(3)))
    fit = fit_documents(sample, "t", 1.0)
    values = sample.people - sample.control
    np.testing.assert_allclose(fit.value, values.mean(axis=1))
    np.testing.assert_allclose(
        fit.systems().error, values.std(axis=1, ddof=1) / np.sqrt(40), atol=1e-14
    )
    assert (fit.systems().freedom == 39).all()
    assert (fit_documents(sample, "t").systems().freedom == 39).all()
    assert (people_alone_by_document(sample).value == sample.people.mean(axis=1)).all()
