"""A newcomer pastes what the tutorial and the README say, one command after the other."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import tare
from tests.clusters import quiet_port
from tests.conftest import ROOT

SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def pasted(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs commands as a newcomer's shell would, stopping at the first that fails."""
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "100"}
    return subprocess.run(
        ["bash", "-ec", commands],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_every_command_of_the_tutorial_works_in_its_order(tmp_path):
    text = (ROOT / "docs" / "tutorial" / "first-evaluation.md").read_text(encoding="utf-8")
    blocks = SHELL.findall(text)
    assert len(blocks) == 5
    for block in blocks:
        done = pasted(block, tmp_path)
        assert done.returncode == 0, (block, done.stderr)
        assert done.stdout
    assert (tmp_path / "report.html").stat().st_size > 100_000
    assert list((tmp_path / "figures").glob("*.svg"))


def test_the_commands_of_the_readme_work(tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shell = text.split("## From the shell")[1].split("\n## ")[0]
    commands = [line.strip() for line in shell.splitlines() if line.startswith("    tare ")]
    assert len(commands) >= 5
    made = pasted("tare demo && cp tare-demo/qrels.txt . && cp -r tare-demo/runs .", tmp_path)
    assert made.returncode == 0, made.stderr
    for name, source in (("bm25", "lexical"), ("dense", "dense")):
        (tmp_path / f"{name}.run").write_bytes((tmp_path / "runs" / f"{source}.run").read_bytes())
    (tmp_path / "system.txt").write_text("The cat sat.\nA dog ran away.\n")
    (tmp_path / "reference.txt").write_text("The cat sat down.\nThe dog ran.\n")
    (tmp_path / "source.txt").write_text("A cat sat down on a mat.\nThe dog ran and ran.\n")
    for folder in ("peers", "models"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.txt").write_text("The cat sat down.\n")
    (tmp_path / "settings.xml").write_text(
        '<ROUGE-EVAL version="1.5.5"><EVAL ID="1"><PEER-ROOT>peers</PEER-ROOT>'
        '<MODEL-ROOT>models</MODEL-ROOT><INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>'
        '<PEERS><P ID="A">one.txt</P></PEERS><MODELS><M ID="B">one.txt</M></MODELS></EVAL></ROUGE-EVAL>'
    )
    for command in commands:
        if any(
            name in command for name in ("train", "fold", "msmarco", "judge")
        ):  # needs data of its own
            continue
        done = pasted(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr)


def test_every_command_of_the_page_on_object_stores_works(tmp_path, monkeypatch):
    """The page starts a server of S3, so the block is pasted as a whole."""
    pytest.importorskip("moto", reason="moto is the store of the example")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("MOTO_PORT", str(free.getsockname()[1]))
    text = (ROOT / "docs" / "how-to" / "object-stores.md").read_text(encoding="utf-8")
    (block,) = SHELL.findall(text)
    done = pasted(block, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "lexical" in done.stdout
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moto.log", "tare-demo"]


@pytest.mark.slow
def test_every_command_of_the_page_on_engines_works(tmp_path, monkeypatch):
    """The page starts a cluster of four nodes, so each block is pasted as a whole."""
    pytest.importorskip("ray", reason="the extra ray is not installed")
    monkeypatch.setenv("HEAD_PORT", str(quiet_port()))
    text = (ROOT / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
    blocks = SHELL.findall(text)
    assert len(blocks) == 2
    printed = []
    for block in blocks:
        done = pasted(block, tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        printed.append(done.stdout.splitlines()[-3:])
    assert printed[0] == printed[1]  # a cluster and a batch job give the same numbers
    logs = {"head.log", "node-2.log", "node-3.log", "node-4.log"}
    assert {path.name for path in tmp_path.iterdir()} == {
        "tare-demo",
        "parts",
        "scores.parquet",
    } | logs


def test_every_command_of_the_page_on_gates_works(tmp_path):
    text = (ROOT / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")
    blocks = SHELL.findall(text)
    assert len(blocks) == 4
    for block in blocks:
        done = pasted(block, tmp_path)
        assert done.returncode == 0, (block, done.stderr)
    assert {"main.parquet", "summary.md", "gate.xml"} <= {path.name for path in tmp_path.iterdir()}


SBATCH = """#!/bin/sh
# Runs a job at once, and each task of an array in its turn; prints the number of the job.
echo "$*" >> submitted
while [ $# -gt 0 ]; do
  case $1 in --array=0-*) last=${1#--array=0-} ;; --wrap) job=$2 ;; esac
  shift
done
for i in $(seq 0 ${last:-0}); do SLURM_ARRAY_TASK_ID=$i sh -ec "$job" >&2 || exit 1; done
echo 4711
"""


def test_the_jobs_of_batch_systems_do_what_the_page_says(tmp_path, monkeypatch):
    """sbatch is a script that runs jobs at once, and a pod is a process."""
    yaml = pytest.importorskip("yaml")
    text = (ROOT / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
    (slurm,) = re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (job,) = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\nq3 0 b 1\n")
    (tmp_path / "huge.run").write_text(
        "".join(f"q{q} Q0 a 1 2 t\nq{q} Q0 b 2 1 t\n" for q in (1, 2, 3))
    )
    (tmp_path / "sbatch").write_text(SBATCH)
    (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    few = slurm.replace("0-99", "0-1").replace("--of 100", "--of 2")
    done = pasted(few, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "--dependency=afterok:4711 " in (tmp_path / "submitted").read_text()
    scores = tare.Scores.load(tmp_path / "scores.parquet")
    assert scores["AP"].mean == pytest.approx((1 + 1 + 0.5) / 3)
    pods = yaml.safe_load(job)["spec"]
    assert (pods["completionMode"], pods["completions"]) == ("Indexed", 100)
    shell, option, command = pods["template"]["spec"]["containers"][0]["command"]
    assert (shell, option) == ("sh", "-c")
    for index in range(2):
        monkeypatch.setenv("JOB_COMPLETION_INDEX", str(index))
        local = command.replace("s3://bucket/parts", "pods").replace("s3://bucket/", "")
        done = pasted(local.replace("--of 100", "--of 2"), tmp_path)
        assert done.returncode == 0, done.stderr
    made = [{path.name for path in (tmp_path / name).iterdir()} for name in ("parts", "pods")]
    assert made[0] == made[1] == {"part-00000-of-00002.npz", "part-00001-of-00002.npz"}
