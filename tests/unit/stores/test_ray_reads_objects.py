"""Workers of Ray read ranges of objects themselves: the same numbers as from files, and no mixture of versions."""

from __future__ import annotations

import numpy as np
import pytest

import tare
from tare._kernels.threads_and_blocks import cut
from tare.errors import UnreadableError
from tests.unit.stores.conftest import environment
from tests.unit.stores.small_runs import NEW, OLD, QRELS, SMALL, table_of

pytest.importorskip("ray", reason="the extra ray is not installed")

from tare.engines import Ray

pytestmark = pytest.mark.slow  # another Ray is started, with the credentials
MEASURES = ["AP", "nDCG@10", "NumRet"]


@pytest.fixture(scope="module")
def engine(_door):
    """Ray on this machine; its workers get the credentials from their environment."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environment(_door).items():
            patched.setenv(name, value)
        with Ray(workers=2, store="100MB", memory="1GB") as made:
            yield made


@pytest.mark.parametrize("kind", ["run", "parquet"])
def test_workers_read_ranges_and_give_the_numbers_of_files(engine, store, tmp_path, kind):
    data = OLD if kind == "run" else table_of(OLD)
    (tmp_path / f"a.{kind}").write_bytes(data)
    expected = tare.evaluate(QRELS, tmp_path / f"a.{kind}", MEASURES)
    address = store.put(f"a.{kind}", data)
    with cut(SMALL):
        found = tare.evaluate(QRELS, address, MEASURES, engine=engine)
    assert np.array_equal(found.values, expected.values)
    assert (found.systems, found.items) == (expected.systems, expected.items)
    assert found.signatures == expected.signatures
    reads = [request.range for request in store.requests if request.method == "GET"]
    assert len(reads) > 4
    assert None not in reads
    if kind == "run":  # of a small table, the end that is read first is all of it
        assert (0, len(data) - 1) not in reads


def test_an_object_that_is_replaced_while_workers_read_is_refused(engine, store):
    address = store.put("now.run", OLD)

    def replaced(request):
        if request.number == 4:  # the first part is read
            store.put("now.run", NEW)

    store.before = replaced
    with cut(SMALL):
        with pytest.raises(UnreadableError, match="changed while it was read"):
            tare.evaluate(QRELS, address, "AP", engine=engine)
        store.before = None
        found = tare.evaluate(QRELS, address, "AP", engine=engine).values
    assert np.array_equal(found, tare.evaluate(QRELS, address, "AP").values)
