"""The table of names agrees with what the modules define."""

import importlib
import pkgutil

import pytest

import tare
from tare._measures import registry
from tare._measures import registry as catalogue
from tare._measures.definition import Definition
from tare._measures.one_system import engine_names, opened_engine, register_engine
from tare.engines import Local
from tare.errors import OptionError

PACKAGES = ("tare._measures.", "tare.chance.")


def defining_modules() -> dict[str, tuple[Definition, ...]]:
    """Every module with DEFINITIONS, found by looking at all of them."""
    found = {}
    for module in pkgutil.walk_packages(tare.__path__, "tare."):
        if module.name.startswith(PACKAGES):
            made = importlib.import_module(module.name)
            if hasattr(made, "DEFINITIONS"):
                found[module.name] = made.DEFINITIONS
    return found


@pytest.mark.parametrize("module", catalogue.MEASURES)
def test_the_table_lists_what_each_module_defines(module):
    defined = {d.name: d.aliases for d in importlib.import_module(module).DEFINITIONS}
    assert catalogue.MEASURES[module] == defined


def test_every_defined_measure_is_in_the_table():
    listed = {name for names in catalogue.MEASURES.values() for name in names}
    defined = {d.name for entries in defining_modules().values() for d in entries}
    assert defined == listed


def test_every_group_of_a_module_is_in_the_table():
    grouped = {
        name for name in defining_modules() if hasattr(importlib.import_module(name), "GROUP")
    }
    assert grouped == set(catalogue.GROUPS.values())
    for name, module in catalogue.GROUPS.items():
        assert registry.find_group(name) == tuple(importlib.import_module(module).GROUP)


def test_no_name_has_two_meanings():
    names = [
        *catalogue.GROUPS,
        *(n for entries in catalogue.MEASURES.values() for n in entries),
        *(a for entries in catalogue.MEASURES.values() for some in entries.values() for a in some),
    ]
    assert len(names) == len(set(names))


def test_the_registry_gives_what_the_module_defines():
    from tare._measures.ranking import gains

    assert registry.find("NDCG") is next(d for d in gains.DEFINITIONS if d.name == "nDCG")
    assert registry.find("nothing") is None
    assert registry.find_group("nothing") is None


def test_an_engine_can_be_registered_by_name():
    register_engine("one thread", lambda: Local(threads=1))
    try:
        with opened_engine("one thread") as made:
            assert made.workers == 1
        assert engine_names()[:2] == ("local", "ray")
        assert engine_names()[-1] == "one thread"
        with pytest.raises(OptionError, match="an engine named 'local' already exists"):
            register_engine("local", Local)
    finally:
        registry_of_engines = importlib.import_module("tare._measures.one_system")._REGISTERED
        registry_of_engines.pop("one thread")
    with pytest.raises(OptionError, match="engine='locla' is not known.*Did you mean 'local'"):
        tare.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "RR", engine="locla")
