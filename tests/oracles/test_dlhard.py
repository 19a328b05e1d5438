"""Fourteen runs of DL-HARD as trec_eval 9 scored them.

Made by trec_eval 9.0.x with `-c -q -m all_trec -l 2`; kept beside the runs as *.eval.gz. Under -c
its num_rel of all queries does not heed -l, so that cell has grades above 0.
"""

import gzip

import pytest

import tare
from tare._cli.dropin.trec_eval import main
from tests.conftest import REAL_DATA

FOLDER = REAL_DATA / "trec/dlhard"
QRELS = FOLDER / "dl_hard-doc.qrels"
RUNS = sorted(p.name.removesuffix(".eval.gz") for p in FOLDER.glob("runs/*.eval.gz"))

pytestmark = pytest.mark.usefixtures("real_data")


def cells_of(text: bytes) -> dict[tuple[str, str], str]:
    """Values by name and query."""
    rows = [line.split("\t") for line in text.decode().splitlines()]
    return {(name.strip(), query): value for name, query, value in rows}


def expected_of(run: str) -> bytes:
    with gzip.open(FOLDER / "runs" / f"{run}.eval.gz") as file:
        return file.read()


@pytest.mark.parametrize("run", RUNS)
def test_command_prints_every_byte(run, capfdbinary):
    arguments = ["--compat", "9", "-c", "-q", "-m", "all_trec", "-l2"]
    assert main([*arguments, str(QRELS), str(FOLDER / "runs" / f"{run}.gz")]) == 0
    assert capfdbinary.readouterr().out == expected_of(run)


@pytest.mark.parametrize("run", RUNS)
def test_compat_10_differs_in_recall_points_alone(run, capfdbinary):
    arguments = ["-q", "-c", "-m", "all_trec", "-l2"]
    assert main([*arguments, str(QRELS), str(FOLDER / "runs" / f"{run}.gz")]) == 0
    found, expected = cells_of(capfdbinary.readouterr().out), cells_of(expected_of(run))
    assert len(expected) == 4644
    different = {name for name, query in expected if found[name, query] != expected[name, query]}
    assert all(name.startswith(("iprec_at_recall", "11pt_avg")) for name in different)
    assert {name for name, _ in set(found) - set(expected)} == {
        *("rbp", "rbp_resid", "unj_5", "unj_10", "unj_20")
    }


def with_options(name: str) -> str | None:
    """The measure of one of trec_eval's names, relevant from grade 2 on, points as in version 9."""
    if name in ("runid", "num_q", "relstring"):  # no measures of a ranking
        return None
    measure = tare.parse(name)
    parameters = dict(measure.parameters)
    takes = {p.name for p in measure.definition.parameters}
    if "rel" in takes:
        parameters["rel"] = 2
    if "rounding" in takes:
        parameters["rounding"] = "up"
    return str(tare._measures.make(measure.name, parameters, cutoff=measure.cutoff))


@pytest.fixture(scope="module")
def qrels():
    return tare.read_qrels(QRELS)


@pytest.mark.parametrize("run", RUNS)
def test_evaluate_gives_every_cell(run, qrels):
    expected = cells_of(expected_of(run))
    names = {name: with_options(name) for name, _ in expected}
    scores = tare.evaluate(
        qrels, FOLDER / "runs" / f"{run}.gz", sorted({m for m in names.values() if m}), precision=32
    )
    place = {query: i for i, query in enumerate(scores.items)}
    column = {measure: scores.values[0, :, m] for m, measure in enumerate(scores.measures)}
    compared = 0
    for (name, query), text in expected.items():
        if query == "all" or names[name] is None:
            continue
        value = column[names[name]][place[query]]
        assert text == (f"{value:.0f}" if name.startswith("num_") else f"{value:.4f}"), name
        compared += 1
    assert compared == 4500
