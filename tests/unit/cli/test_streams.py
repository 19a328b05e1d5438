"""The command inside another program, whose streams are not those of the system."""

import contextlib
import io

from tare._cli.main import main


def test_streams_in_memory_have_no_encoding(tmp_path):
    (tmp_path / "q").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "r").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["score", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "AP"])
    assert (code, err.getvalue()) == (0, "")
    assert "1.0" in out.getvalue()


def test_verbs_that_print_bytes(tmp_path):
    (tmp_path / "q").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "r").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["trec_eval", "-m", "map", str(tmp_path / "q"), str(tmp_path / "r")]) == 0
        assert main(["rouge", "-h"]) == 0
    assert out.getvalue().startswith("map")
    assert "ROUGE" in out.getvalue()
