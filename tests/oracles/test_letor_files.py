"""LETOR files as published: the counts that their descriptions give, and scikit-learn's reading."""

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from tare._data import read_letor
from tests.conftest import REAL_DATA

DATA = REAL_DATA / "letor"

pytestmark = pytest.mark.usefixtures("real_data")

# File, rows, queries, features, grades.
COUNTS = [
    ("mq2008/train.txt.gz", 9_630, 471, 46, {0, 1, 2}),
    ("mq2008/test.txt.gz", 2_874, 156, 46, {0, 1, 2}),
    ("mq2007/S1.txt.gz", 11_781, 339, 46, {0, 1, 2}),
    ("mq2007/S2.txt.gz", 11_969, 339, 46, {0, 1, 2}),
    ("mq2007/S3.txt.gz", 11_779, 338, 46, {0, 1, 2}),
    ("lightgbm/rank.train.gz", 3_005, 201, 300, {0, 1, 2, 3, 4}),
    ("lightgbm/rank.test.gz", 768, 50, 300, {0, 1, 2, 3, 4}),
]


@pytest.mark.parametrize(("file", "rows", "queries", "features", "grades"), COUNTS)
def test_counts(file, rows, queries, features, grades):
    letor = read_letor(DATA / file)
    assert (len(letor), len(letor.queries), letor.n_features) == (rows, queries, features)
    assert set(letor.grades.tolist()) == grades
    assert letor.first_feature == 1
    assert not [finding for finding in letor.findings if finding.severity != "note"]
    qrels = letor.qrels()
    assert (len(qrels), len(qrels.items)) == (rows, queries)


@pytest.mark.parametrize(("file", "without"), [("train.txt.gz", 132), ("test.txt.gz", 51)])
def test_queries_without_a_relevant_document(file, without):
    letor = read_letor(DATA / "mq2008" / file)
    best = np.maximum.reduceat(letor.grades, letor.offsets[:-1])
    assert (best == 0).sum() == without


@pytest.mark.parametrize("file", [file for file, *_ in COUNTS])
def test_same_as_scikit_learn(file):
    letor = read_letor(DATA / file)
    with gzip.open(DATA / file) as unpacked:
        x, y, qid = load_svmlight_file(
            unpacked, dtype=np.float32, query_id=True, zero_based=False, n_features=letor.n_features
        )
    assert letor.features.tobytes() == np.asarray(x.toarray(), dtype=np.float32).tobytes()
    assert letor.grades.tolist() == y.tolist()
    if "lightgbm" not in file:
        counts = np.diff(letor.offsets)
        assert np.repeat([int(query) for query in letor.queries], counts).tolist() == qid.tolist()


@pytest.mark.parametrize("file", ["mq2008/test.txt.gz", "mq2007/S1.txt.gz"])
def test_documents(file):
    letor = read_letor(DATA / file, documents=True)
    assert not letor.findings
    assert all(document.startswith("GX") for document in letor.documents)
    run = letor.run(feature=40)
    assert len(run) == len(letor)


def test_written_and_read_again(tmp_path):
    letor = read_letor(DATA / "mq2008/test.txt.gz", documents=True)
    letor.write(tmp_path / "again.txt")
    again = read_letor(tmp_path / "again.txt", documents=True)
    assert again.features.tobytes() == letor.features.tobytes()
    assert again.grades.tobytes() == letor.grades.tobytes()
    assert (again.queries, again.documents) == (letor.queries, letor.documents)
