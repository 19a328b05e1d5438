"""`tare rouge` from files to output; the expected text is what ROUGE-1.5.5.pl printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tare._cli.dropin.rouge import main

TEXTS = {
    "p1": "Police killed the gunman.\nThe city sleeps.\n",
    "m1": "The gunman was killed by police.\nCities sleep.\n",
    "m2": "Police ended the siege.\n",
    "p2": "The gunman police killed.\n",
    "m3": "Police killed the gunman.\n",
    "list": "# peer models\np1 m1 m2\np2 m3\n",
}
# perl ROUGE-1.5.5.pl -e data -n 2 -w 1.2 -2 4 -u -d -z SPL list
EXPECTED = """\
---------------------------------------------
X ROUGE-1 Average_R: 0.75000 (95%-conf.int. 0.50000 - 1.00000)
X ROUGE-1 Average_P: 0.71429 (95%-conf.int. 0.42857 - 1.00000)
X ROUGE-1 Average_F: 0.73077 (95%-conf.int. 0.46154 - 1.00000)
.............................................
X ROUGE-1 Eval 1.X R:0.50000 P:0.42857 F:0.46154
X ROUGE-1 Eval 2.X R:1.00000 P:1.00000 F:1.00000
---------------------------------------------
X ROUGE-2 Average_R: 0.38334 (95%-conf.int. 0.10000 - 0.66667)
X ROUGE-2 Average_P: 0.37500 (95%-conf.int. 0.08333 - 0.66667)
X ROUGE-2 Average_F: 0.37879 (95%-conf.int. 0.09091 - 0.66667)
.............................................
X ROUGE-2 Eval 1.X R:0.10000 P:0.08333 F:0.09091
X ROUGE-2 Eval 2.X R:0.66667 P:0.66667 F:0.66667
---------------------------------------------
X ROUGE-L Average_R: 0.41666 (95%-conf.int. 0.33333 - 0.50000)
X ROUGE-L Average_P: 0.39285 (95%-conf.int. 0.28571 - 0.50000)
X ROUGE-L Average_F: 0.40384 (95%-conf.int. 0.30769 - 0.50000)
.............................................
X ROUGE-L Eval 1.X R:0.33333 P:0.28571 F:0.30769
X ROUGE-L Eval 2.X R:0.50000 P:0.50000 F:0.50000
---------------------------------------------
X ROUGE-W-1.2 Average_R: 0.30510 (95%-conf.int. 0.23126 - 0.37893)
X ROUGE-W-1.2 Average_P: 0.38511 (95%-conf.int. 0.27022 - 0.50000)
X ROUGE-W-1.2 Average_F: 0.34018 (95%-conf.int. 0.24923 - 0.43113)
.............................................
X ROUGE-W-1.2 Eval 1.X R:0.23126 P:0.27022 F:0.24923
X ROUGE-W-1.2 Eval 2.X R:0.37893 P:0.50000 F:0.43113
---------------------------------------------
X ROUGE-SU4 Average_R: 0.31978 (95%-conf.int. 0.19512 - 0.44444)
X ROUGE-SU4 Average_P: 0.29914 (95%-conf.int. 0.15385 - 0.44444)
X ROUGE-SU4 Average_F: 0.30824 (95%-conf.int. 0.17204 - 0.44444)
.............................................
X ROUGE-SU4 Eval 1.X R:0.19512 P:0.15385 F:0.17204
X ROUGE-SU4 Eval 2.X R:0.44444 P:0.44444 F:0.44444
"""
SETTINGS = """\
<ROUGE-EVAL version="1.0">
<EVAL ID="1">
<PEER-ROOT>.</PEER-ROOT><MODEL-ROOT>.</MODEL-ROOT><INPUT-FORMAT TYPE="SPL"/>
<PEERS><P ID="X">p1</P></PEERS><MODELS><M ID="A">m1</M><M ID="B">m2</M></MODELS>
</EVAL>
<EVAL ID="2">
<PEER-ROOT>.</PEER-ROOT><MODEL-ROOT>.</MODEL-ROOT><INPUT-FORMAT TYPE="SPL"/>
<PEERS><P ID="X">p2</P></PEERS><MODELS><M ID="A">m3</M></MODELS>
</EVAL>
</ROUGE-EVAL>
"""
OPTIONS = ["-n", "2", "-w", "1.2", "-2", "4", "-u", "-d"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "settings.xml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    for variable in ("ROUGE_EVAL_HOME", "ROUGE_HOME", "RED_EVAL_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def test_a_list_of_files(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*OPTIONS, "-z", "SPL", "list"]) == 0
    assert capfd.readouterr().out == EXPECTED


def test_settings(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*OPTIONS, "-a", "settings.xml"]) == 0
    assert capfd.readouterr().out == EXPECTED
    assert main([*OPTIONS, "settings.xml", "X"]) == 0
    assert capfd.readouterr().out == EXPECTED


def test_an_evaluation_that_a_peer_lacks(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    made = SETTINGS.replace('<P ID="X">p2</P>', '<P ID="Y">p2</P>')
    (folder / "settings.xml").write_text(made)
    assert main(["-n", "1", "-x", "-d", "-a", "settings.xml"]) == 0
    told = capfd.readouterr()
    assert "X ROUGE-1 Average_R: 0.50000" in told.out
    assert "Y ROUGE-1 Average_R: 1.00000" in told.out
    assert "no summary of peer X in evaluation 2" in told.err


def test_options_that_nobody_knows_are_passed_over(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*OPTIONS, "-q", "-z", "SPL", "list"]) == 0
    told = capfd.readouterr()
    assert told.out == EXPECTED
    assert "unknown option -q" in told.err


@pytest.mark.parametrize("option", ["-h", "-H", "--help"])
def test_help(capfd: pytest.CaptureFixture[str], option: str) -> None:
    assert main([option]) == 0
    told = capfd.readouterr().out
    assert told.startswith("Usage: tare rouge")
    assert ("Examples:" in told) == (option != "-h")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-a", "nowhere.xml"], 3, "nowhere.xml cannot be read"),
        (["-a", "list"], 3, "list, line 1: not well-formed XML"),
        (["-z", "SPL", "bad"], 3, "bad, line 1: expected a peer and at least one model"),
        (["-z", "SPL", "lost"], 3, "evaluation 1: file gone"),
        (["-z", "PDF", "list"], 3, "unknown input format 'PDF'"),
        (["-z", "SIMPLE", "list"], 3, "only -3 scores"),
        (["-3", "HM", "-z", "SPL", "list"], 3, "read in the format SIMPLE"),
        (["-3", "HM", "-z", "SIMPLE", "list"], 3, "p1, line 1: expected 3 fields, found 1"),
        (["-s", "-e", "nowhere", "-z", "SPL", "list"], 3, "no smart_common_words.txt there"),
    ],
)
def test_refusals_print_nothing(
    capfd: pytest.CaptureFixture[str], folder: Path, arguments: list[str], code: int, words: str
) -> None:
    (folder / "bad").write_text("p1\n")
    (folder / "lost").write_text("p1 gone\n")
    assert main(arguments) == code
    told = capfd.readouterr()
    assert words in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("<X><PEERS/></X>", "<PEERS> is outside an <EVAL>"),
        ("<X><EVAL/></X>", "<EVAL> has no attribute ID"),
        ('<X><EVAL ID="1"><INPUT-FORMAT TYPE="PDF"/></EVAL></X>', "unknown input format 'PDF'"),
    ],
)
def test_settings_that_are_wrong(
    capfd: pytest.CaptureFixture[str], folder: Path, made: str, words: str
) -> None:
    (folder / "settings.xml").write_text(made)
    assert main(["-a", "settings.xml"]) == 3
    assert words in capfd.readouterr().err


def test_stemming_without_wordnet_is_refused(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tare._cli.dropin.rouge.find_wordnet", lambda: None)
    assert main(["-m", "-z", "SPL", "list"]) == 2
    assert "irregular forms" in capfd.readouterr().err


def test_a_model_without_words_counts_nothing(
    capfd: pytest.CaptureFixture[str], folder: Path
) -> None:
    """ROUGE-1.5.5 dies of it in ROUGE-W: it divides by 0."""
    (folder / "m3").write_text("…\n")
    assert main(["-w", "1.2", "-d", "-z", "SPL", "list"]) == 0
    assert "X ROUGE-W-1.2 Eval 2.X R:0.00000 P:0.00000 F:0.00000" in capfd.readouterr().out
