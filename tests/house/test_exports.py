"""The names that `tare` offers."""

import importlib
import pkgutil

import pytest

import tare

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tare.__path__, "tare.")
    if module.name not in ("tare._core", "tare._version")
)


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


@pytest.mark.parametrize("name", MODULES)
def test_every_module_names_what_it_offers(name):
    module = importlib.import_module(name)
    for offered in getattr(module, "__all__", []):
        assert hasattr(module, offered)
    if not hasattr(module, "__path__"):
        assert module.__all__
