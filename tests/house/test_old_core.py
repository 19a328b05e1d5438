"""A compiled core that is older than its sources is refused, not used."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tare import _core
from tests.conftest import ROOT


def imported(clone):
    code = "import tare; print(tare.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'AP').means())"
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(clone / "src"), *sys.path[1:]])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_core_that_is_older_than_its_sources_is_refused(tmp_path):
    kept = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=kept)
    shutil.copytree(ROOT / "cpp", tmp_path / "cpp")
    shutil.copy(ROOT / "CMakeLists.txt", tmp_path)
    core = tmp_path / "src" / "tare" / Path(_core.__file__).name
    shutil.copyfile(_core.__file__, core)
    assert imported(tmp_path).returncode == 0

    changed = tmp_path / "cpp" / "core" / "new.hpp"
    changed.write_text("// changed after the core was compiled")
    later = core.stat().st_mtime + 10
    os.utime(changed, (later, later))
    refused = imported(tmp_path)
    assert refused.returncode != 0
    assert "cpp/core/new.hpp is newer than the compiled core" in refused.stderr.replace("\\", "/")
    assert "make demo" in refused.stderr
