"""What a name means never depends on which module was imported first."""

import subprocess
import sys

import pytest

from tests.house.public_names import PUBLIC

DEEPEST = (
    "tare._data.judged",
    "tare._kernels",
    "tare._measures.definition",
    "tare._measures.measure",
    "tare._measures.names",
    "tare._measures.ranking.gains",
    "tare._measures.scores",
    "tare._measures.text.rouge",
    "tare.chance._expected_values",
    "tare.chance._net_measures",
    "tare.engines._local",
)
MEASURES = ("V2(AP)", "ROUGE-2", "Net(nDCG@10)")
RESOLVE = f"""
from tare._measures.one_system import opened_engine
from tare._measures.names import parse
print([str(parse(text)) for text in {MEASURES}], parse("E(P@5)").definition.family)
with opened_engine("local") as engine:
    print(engine.name)
"""


def output_of(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", [*PUBLIC, *DEEPEST])
def test_names_resolve_whatever_was_imported_first(module):
    assert output_of(f"import {module}\n{RESOLVE}") == f"{list(MEASURES)} chance\nlocal\n"


def test_every_module_at_once_in_reverse_order():
    imports = "\n".join(f"import {module}" for module in reversed([*PUBLIC, *DEEPEST]))
    assert output_of(f"{imports}\n{RESOLVE}") == f"{list(MEASURES)} chance\nlocal\n"


@pytest.mark.parametrize("name", ["nDCG@10", "Net(nDCG@10)", "Std(AP)", "alpha_nDCG@20", "Prf@10"])
def test_a_measure_of_rankings_loads_no_module_of_texts(name):
    code = f"""
import sys
from tare._measures.names import parse
parse({name!r})
print([m for m in sys.modules if m.startswith("tare._measures.text")])
"""
    assert output_of(code) == "[]\n"


def test_suggestions_load_no_measure():
    code = """
import sys
from tare._measures.names import parse
from tare.errors import MeasureError
try:
    parse("ROUGE-LL")
except MeasureError as error:
    print(error)
rooms = ("ranking", "diversity", "preference", "assessors", "text")
print([m for m in sys.modules if m.startswith(tuple(f"tare._measures.{r}" for r in rooms))])
"""
    text = output_of(code)
    assert "Did you mean 'ROUGE-L'" in text
    assert text.endswith("\n[]\n")


@pytest.mark.parametrize(
    "measures", [[], ["-m", "nDCG@10"], ["-m", "Net(nDCG@10)", "--pool", "judged"]]
)
def test_scoring_a_ranking_loads_no_module_of_texts(tmp_path, measures):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\n")
    arguments = ["score", str(tmp_path / "qrels"), str(tmp_path / "run"), *measures]
    code = f"""
import sys
from tare._cli.main import main
assert main({arguments!r}) == 0
print("loaded:", [m for m in sys.modules if m.startswith("tare._measures.text")])
"""
    assert "loaded: []" in output_of(code)
