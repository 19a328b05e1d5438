"""Licences of installed packages, as their metadata name them, else as their licence files read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from importlib import metadata

UNKNOWN = "unknown"
LONGEST = 60  # a longer entry is the text of a licence, not its name
PHRASES = (
    (r"Apache License\s+Version 2\.0", "Apache-2.0"),
    (r"Permission is hereby granted, free of charge", "MIT"),
    (r"Neither the name of .{1,200} may be used to endorse", "BSD-3-Clause"),
    (r"Redistribution and use in source and binary forms", "BSD-2-Clause"),
    (r"GNU LESSER GENERAL PUBLIC LICENSE", "LGPL"),
    (r"GNU GENERAL PUBLIC LICENSE", "GPL"),
    (r"Mozilla Public License", "MPL-2.0"),
    (r"PYTHON SOFTWARE FOUNDATION LICENSE", "PSF-2.0"),
)


def recognised(text: str) -> str:
    """The licence whose words stand in a text."""
    joined = " ".join(text.split())
    return next((name for phrase, name in PHRASES if re.search(phrase, joined)), UNKNOWN)


def licence_of(package: str) -> str:
    """The licence of an installed package, by its name."""
    about = metadata.metadata(package)
    if expression := about.get("License-Expression"):
        return str(expression)
    named = [
        entry.rsplit(" :: ", 1)[1]
        for entry in about.get_all("Classifier") or []
        if entry.startswith("License :: ") and entry != "License :: OSI Approved"
    ]
    if named:
        return " or ".join(named)
    given = str(about.get("License") or "").strip()
    if given and len(given) <= LONGEST and "\n" not in given and given.upper() != "UNKNOWN":
        return given
    texts = [given] if given else []
    for file in metadata.distribution(package).files or []:
        if re.search(r"(?i)\b(licen[cs]e|copying)[^/]*$", str(file)):
            try:
                texts.append(file.read_text())
            except (OSError, UnicodeDecodeError):
                continue
    return next((found for text in texts if (found := recognised(text)) != UNKNOWN), UNKNOWN)


def by_licence(packages: Iterable[str]) -> dict[str, list[str]]:
    """{licence: packages}, in alphabetical order."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in sorted(packages):
        found[licence_of(package)].append(package)
    return dict(sorted(found.items()))
