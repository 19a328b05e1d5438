"""What is imported when: the first import costs next to nothing."""

import subprocess
import sys

import pytest

import tare

HEAVY = {
    "numpy",
    "polars",
    "narwhals",
    "scipy",
    "pandas",
    "pyarrow",
    "rich",
    "cyclopts",
    "zstandard",
    "isal",
}


def imported_by(code: str) -> set[str]:
    """The heavy packages that are there after some code ran."""
    asked = f"import sys; {code}; print(*({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=600, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("code", ["import tare", "import tare._cli.main", "import tare; dir(tare)"])
def test_nothing_heavy_is_imported_at_first(code):
    assert imported_by(code) == set()


def test_help_and_version_need_no_numbers():
    for arguments in ("['--help']", "['--version']"):
        heavy = imported_by(f"from tare._cli.main import main; main({arguments})")
        assert heavy <= {"rich", "cyclopts"}


def test_the_help_of_a_verb_loads_its_function_and_no_data():
    heavy = imported_by("from tare._cli.main import main; main(['score', '--help'])")
    assert heavy <= {"rich", "cyclopts", "numpy"}


def test_scoring_a_text_needs_no_data_frames(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\n")
    paths = f"{str(tmp_path / 'qrels')!r}, {str(tmp_path / 'run')!r}"
    assert imported_by(f"import tare; tare.evaluate({paths}, 'AP').means()") == {"numpy"}
    verb = f"from tare._cli.main import main; main(['score', {paths}, '-m', 'AP'])"
    assert imported_by(verb) <= {"numpy", "rich", "cyclopts"}


def test_a_gate_on_saved_scores_loads_polars_alone(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\np 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\np Q0 a 1 2 t\n")
    qrels, run, saved = (str(tmp_path / name) for name in ("qrels", "run", "saved.parquet"))
    tare.evaluate(qrels, run, "AP").save(saved)
    words = ["gate", qrels, run, "--baseline", saved, "-m", "AP:0.01"]
    heavy = imported_by(f"from tare._cli.main import main; main({words})")
    assert "polars" in heavy
    assert not heavy & {"narwhals", "pandas", "pyarrow", "scipy"}
