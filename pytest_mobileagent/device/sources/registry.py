"""From what a user wrote to the source of devices that it names."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import TYPE_CHECKING

from pytest_mobileagent.device import sources
from pytest_mobileagent.device.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

_BARE = "serial"  # what a text without a prefix is: the serial of an attached device


def built_in() -> dict[str, type[Source]]:
    """Return the sources of this package, by their prefixes."""
    found: dict[str, type[Source]] = {}
    for module in pkgutil.iter_modules(sources.__path__, f"{sources.__name__}."):
        for item in vars(importlib.import_module(module.name)).values():
            if isinstance(item, type) and item.__module__ == module.name and Source in item.__mro__:
                source: type[Source] = item
                if source is not Source:
                    found[source.form.partition(":")[0]] = source
    return dict(sorted(found.items(), key=lambda one: one[0] != "virtual"))


def parse_device(text: str, more: Mapping[str, type[Source]] | None = None) -> Source:
    """Return the source that a DEVICE names: PREFIX, PREFIX:TEXT or a bare serial.

    `more` holds sources by their prefixes, those of a project's conftest.py.

    Raises:
        ValueError: it names none; the text goes on after the option's name and value.
    """
    known = {**built_in(), **(more or {})}
    prefix, _, rest = (part.strip() for part in text.partition(":"))
    if prefix in known:
        return known[prefix](rest)
    if ":" not in text and (near := difflib.get_close_matches(text, known, 1, 0.8)):
        msg = (
            f"names no kind of devices: did you mean `{known[near[0]].form}`? "
            f"A device of this serial is `{_BARE}:{text}`"
        )
        raise ValueError(msg)
    if not prefix.isidentifier() or ":" not in text or _is_server(rest):
        return known[_BARE](text)
    raise ValueError(_forms(prefix, known))


def forms(more: Mapping[str, type[Source]] | None = None) -> str:
    """Say what a DEVICE can be."""
    known = {**built_in(), **(more or {})}
    return "; ".join(f"`{source.form}`, {source.help}" for source in known.values())


def _is_server(rest: str) -> bool:
    """Whether this follows the name of a host: a port, and perhaps the serial of a device there."""
    return rest.partition("/")[0].partition(",")[0].isdigit()


def _forms(prefix: str, known: Mapping[str, type[Source]]) -> str:
    near = difflib.get_close_matches(prefix, known, 1)
    hint = f"did you mean `{known[near[0]].form}`? It can be " if near else "it can be "
    return f"names no kind of devices: {hint}{forms(known)}"
