"""The names that `tare` offers."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import tare
from tests.house.public_names import ABSENT, NAMES

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tare.__path__, "tare.")
    if module.name not in {"tare._core", "tare._version", *ABSENT}
)

LAZY = ("tare.stats", "tare.studies", "tare.chance", "tare.engines", "tare._measures", "tare._data")


@pytest.mark.parametrize("package", LAZY)
def test_lazy_packages_offer_the_names_of_their_tables(package):
    module = importlib.import_module(package)
    assert set(module.__all__) == set(module._MODULES)
    assert dir(module) == sorted(module.__all__)
    for name, where in module._MODULES.items():
        assert getattr(module, name) is getattr(importlib.import_module(where), name)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_one_study_does_not_load_the_others():
    code = (
        "import sys, tare.studies, tare.stats; tare.gate, tare.stats.student\n"
        "print(*(m for m in sys.modules if m.startswith(('tare.studies._l', 'tare.stats._regression', 'scipy'))))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


@pytest.mark.parametrize("module", NAMES)
def test_the_public_names_are_those_of_the_list(module):
    loaded = importlib.import_module(module)
    assert sorted(loaded.__all__) == NAMES[module]
    assert [name for name in NAMES[module] if not hasattr(loaded, name)] == []


def test_every_public_module_is_in_the_list():
    public = {name for name in MODULES if "._" not in name}
    assert public == set(NAMES) - {"tare"} | {"tare.compat.rouge_score"}


def test_the_list_of_names_is_that_of_the_table():
    assert tare.__all__ == sorted(tare.__all__)
    assert set(tare.__all__) == set(tare._MODULES) | set(tare._PACKAGES) | {"__version__"}
    assert dir(tare) == tare.__all__


@pytest.mark.parametrize("name", tare.__all__)
def test_every_name_can_be_had(name):
    assert getattr(tare, name) is not None
    if name in tare._MODULES:
        module = importlib.import_module(tare._MODULES[name])
        assert name in module.__all__


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="module 'tare' has no attribute 'nothing'"):
        _ = tare.nothing


def test_every_module_names_what_it_offers():
    wrong = []
    for name in MODULES:
        module = importlib.import_module(name)
        offered = getattr(module, "__all__", [])
        wrong += [f"{name}.{one}" for one in offered if not hasattr(module, one)]
        if not offered and not hasattr(module, "__path__"):
            wrong.append(f"{name} has no __all__")
    assert wrong == []


def test_no_name_hides_a_module():
    """`import a.b` and `from a import b` must find the same thing, whatever was imported before."""
    wrong = []
    for name in MODULES:
        package, _, own = name.rpartition(".")
        outer, module = importlib.import_module(package), importlib.import_module(name)
        if getattr(outer, own) is not module:
            wrong.append(f"{name} is hidden by the name {own} of {package}")
        elif own in getattr(outer, "_MODULES", ()):
            wrong.append(f"{name} hides the lazy name {own} of {package}")
    assert wrong == []
