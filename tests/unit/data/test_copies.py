"""What was read can be pickled and copied, for workers elsewhere; the copy is equal in everything."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

import tare
from tare.engines import Local

QRELS = {"q2": {"d1": 1, "d2": 0}, "q1": {"d1": 2}}
# Equal scores in an order that is not that of the ids: ties="order" tells whether it is kept.
RUN = {"q2": {"d9": 1.0, "d2": 1.0, "d1": 1.0}, "q1": {"d1": 0.5, "d0": 0.5}, "q0": {"é": -1.0}}


def _pickled(value: object, protocol: int) -> object:
    return pickle.loads(pickle.dumps(value, protocol))


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": partial(_pickled, protocol=p) for p in (2, 4, 5)},
}


@pytest.fixture(params=COPIES)
def copied(request):
    return COPIES[request.param]


def test_a_run_is_the_same(copied):
    run = tare.read_run(RUN, system="sys")
    other = copied(run)
    assert type(other) is type(run)
    assert other is not run
    assert (other.system, other.name, other.findings) == (run.system, run.name, run.findings)
    assert other.queries == run.queries
    assert other.digest == run.digest
    assert list(other.by_query()) == list(run.by_query())
    for ties in ("trec", "order", "expected"):
        one, two = (tare.evaluate(QRELS, r, ["AP", "nDCG@2"], ties=ties) for r in (run, other))
        assert one.values.tobytes() == two.values.tobytes()
        assert str(one) == str(two)


def test_a_copy_can_be_renamed_alone(copied):
    run = tare.read_run(RUN, system="sys")
    other = copied(run)
    other.system = "other"
    assert run.system == "sys"
    assert copied(run.renamed("third")).system == "third"


def test_a_run_of_a_file_keeps_what_was_found(tmp_path, copied):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1.0 tag\nq1 Q0 d2 2 2.0 tag\n")
    run = tare.read_run(path, system_names="tag")
    assert run.findings
    assert copied(run).findings == run.findings
    assert copied(run).system == "tag"


def test_qrels_are_the_same(copied):
    qrels = tare.read_qrels(QRELS)
    assert copied(qrels).to_dict() == qrels.to_dict()
    assert copied(qrels).digest == qrels.digest


def test_scores_are_the_same_and_stay_read_only(copied):
    scores = tare.evaluate(QRELS, RUN, ["AP", "E(AP)"], pool="judged")
    other = copied(scores)
    assert other.values.tobytes() == scores.values.tobytes()
    assert str(other) == str(scores)
    for made in (scores, other, scores.select(measures=["AP"]), other["AP"]):
        with pytest.raises(ValueError, match="read-only"):
            made.values[0, 0, 0] = 1


def test_scores_of_an_array_leave_it_as_it_was():
    scores = tare.evaluate(QRELS, RUN, ["AP"])
    values = np.array(scores.values)
    made = tare.Scores(scores.systems, scores.items, scores.measures, values, scores.signatures)
    assert not made.values.flags.writeable
    assert values.flags.writeable


def test_scores_that_were_saved_or_came_from_an_engine_are_read_only(tmp_path):
    scores = tare.evaluate(QRELS, RUN, ["AP"])
    scores.save(tmp_path / "s.parquet")
    with Local() as engine:
        away = tare.evaluate(QRELS, RUN, ["AP"], engine=engine)
    for made in (tare.Scores.load(tmp_path / "s.parquet"), away):
        assert not made.values.flags.writeable
