"""`make fuzz`: every reader, the grammar and every verb, each in a separate process."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.fuzz.all_targets import all_targets

ROOT = Path(__file__).resolve().parents[2]
HANG = 5.0
PATIENCE = 600.0  # seconds without progress on a busy machine


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has used."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def child(
    target: str, seed: int, first: int, count: int, kept: Path
) -> tuple[dict[str, Any] | None, int, str]:
    """Return what a process counted, or None with the input at which it stopped and the reason."""
    with (
        tempfile.NamedTemporaryFile() as counter,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+", errors="replace") as said,
    ):
        counter.write(bytes(16))
        counter.flush()
        arguments = [target, str(seed), str(first), str(count), str(kept), counter.name]
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.trial", *arguments],
            cwd=ROOT,
            stdout=out,
            stderr=said,
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                "MALLOC_ARENA_MAX": "2",
            },  # every arena reserves memory, which is limited
        )
        seen, since, used = -1, time.monotonic(), 0.0
        why = ""
        while process.poll() is None:
            time.sleep(0.1)
            state = Path(counter.name).read_bytes()
            now = int.from_bytes(state[:8], "little")
            if now != seen:
                seen, since, used = now, time.monotonic(), processor_time(process.pid)
            elif seen > 0 and not state[8]:
                busy = processor_time(process.pid) - used
                if busy > 2 * HANG or time.monotonic() - since > PATIENCE:
                    why = f"hang: {busy:.0f} s busy, {time.monotonic() - since:.0f} s waited"
                    process.kill()
                    break
        code = process.wait()
        number = int.from_bytes(Path(counter.name).read_bytes()[:8], "little")
        out.seek(0)
        lines = out.read().strip().splitlines()
        said.seek(max(0, said.seek(0, os.SEEK_END) - 3000))
        last_words = said.read()
    if code == 0 and lines:
        return json.loads(lines[-1]), number, ""
    return None, number, (why or f"crash: exit code {code}") + "\n" + last_words


def trials(target: str, seed: int, first: int, count: int, kept: Path) -> dict[str, Any]:
    """Try all inputs of a target; after a crash or a hang, a new process continues with the next input."""
    outcomes: Counter[str] = Counter()
    last, slowest, peak = first + count, 0.0, 0
    several: Counter[str] = Counter()
    began = time.monotonic()
    stops = 0
    while first < last:
        found, number, why = child(target, seed, first, last - first, kept)
        if found is None:
            stops += 1
            outcomes["!" + why.split(":")[0]] += 1
            kept.mkdir(parents=True, exist_ok=True)
            with (kept / "stops.txt").open("a") as file:
                file.write(f"{target} seed {seed} input {number}: {why}\n")
            outcomes["read or refused before a stop"] += max(0, number - first)
            first = number + 1
            if stops >= 10:
                break
            continue
        outcomes.update(found["outcomes"])
        several.update({k: found[k] for k in ("several_shares", "several_blocks")})
        slowest, peak = max(slowest, found["slowest_s"]), max(peak, found["peak_mb"])
        first = last
    return {
        "inputs": sum(outcomes.values()),
        "read": outcomes["read"],
        "refused": sum(n for k, n in outcomes.items() if k.startswith("refused")),
        "forbidden": {k: n for k, n in outcomes.items() if k.startswith("!")},
        "several_shares": several["several_shares"],
        "several_blocks": several["several_blocks"],
        "outcomes": dict(outcomes.most_common()),
        "slowest_s": slowest,
        "peak_mb": peak,
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> int:
    """Print one line per target; the exit code is 1 after a forbidden outcome."""
    options = argparse.ArgumentParser(prog="make fuzz")
    options.add_argument("--inputs", type=int, default=100_000, help="per reader; fewer for others")
    options.add_argument("--first", type=int, default=0, help="inputs that were tried before")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--only", action="append", help="targets whose names contain this")
    options.add_argument("--kept", type=Path, default=ROOT / "build" / "fuzz")
    options.add_argument("--save", type=Path)
    given = options.parse_args()
    wanted = given.only or [""]
    targets = all_targets()
    names = list(dict.fromkeys(n for part in wanted for n in targets if part in n))
    results: dict[str, Any] = {}
    print(
        f"{'target':30}{'inputs':>9}{'read':>9}{'refused':>9}{'shares':>9}{'blocks':>9}{'forbidden':>10}{'slowest':>9}{'peak MB':>9}{'s':>8}"
    )
    bad = 0

    def tried(name: str) -> dict[str, Any]:
        first, last = (int(n * targets[name].share) for n in (given.first, given.inputs))
        return trials(name, given.seed, first, max(1, last - first), given.kept)

    pool = ThreadPoolExecutor(given.jobs)  # each thread waits for one process
    for name, found in zip(names, pool.map(tried, names), strict=True):
        results[name] = found
        wrong = sum(found["forbidden"].values())
        bad += wrong
        print(
            f"{name:30}{found['inputs']:>9,}{found['read']:>9,}{found['refused']:>9,}{found['several_shares']:>9,}{found['several_blocks']:>9,}{wrong:>10,}"
            f"{found['slowest_s']:>8.2f}s{found['peak_mb']:>9,}{found['seconds']:>8.0f}"
            + (f"  {found['forbidden']}" if wrong else ""),
            flush=True,
        )
        if given.save:
            known = json.loads(given.save.read_text()) if given.save.exists() else {}
            known["figures"] = {**known.get("figures", {}), name: found}
            given.save.write_text(json.dumps(known, indent=1) + "\n")
    print(
        f"{sum(r['inputs'] for r in results.values()):,} inputs, {bad:,} forbidden outcomes; failed inputs in {given.kept}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
