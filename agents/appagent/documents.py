"""AppAgent's documents about elements: one file per element, by gesture."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.perception import parse_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent import Element, Screen
    from pytest_mobileagent.perception import Mark

Gesture = Literal["tap", "text", "v_swipe", "h_swipe", "long_press"]
_NONE: Mapping[str, str] = dict.fromkeys(("tap", "text", "v_swipe", "h_swipe", "long_press"), "")
_LONGEST_NAME = 200
_LONGEST_FILE = 100_000
# The text that introduces each gesture to the model.
_INTRODUCTIONS = {
    "tap": "It can be tapped.",
    "text": "Text can be typed into it, which is good for this:",
    "long_press": "It can be pressed long.",
    "v_swipe": "It can be swiped up and down as it is, without a tap before.",
    "h_swipe": "It can be swiped left and right as it is, without a tap before.",
}


@dataclass(frozen=True, slots=True)
class Documents:
    """A folder of documents, in the format of the released code.

    A file is a Python dictionary literal that maps a gesture to its effect; it is named after the
    element (see `names_of`). Exploring writes into a folder per app package, because elements of
    different apps may have the same name; reading also finds files in the folder itself, where the
    original stores the documents of one app.
    """

    folder: Path

    def read(self, name: str, package: str) -> Mapping[str, str]:
        """Return what is known about an element, by gesture; empty if no file can be read."""
        file = f"{name}.txt"
        for path in (self.folder / _safe(package) / file, self.folder / file):
            try:
                text = path.read_text("utf-8")
                found = ast.literal_eval(text) if len(text) <= _LONGEST_FILE else None
            except (OSError, ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                continue
            if isinstance(found, dict):
                return {key: str(found.get(key) or "") for key in _NONE}
        return _NONE

    def write(self, name: str, package: str, gesture: Gesture, words: str) -> None:
        """Write the effect of a gesture on an element, unless it is already known."""
        known = self.read(name, package)
        if known[gesture]:
            return
        folder = self.folder / _safe(package)
        folder.mkdir(parents=True, exist_ok=True)
        # Several episodes may explore the same app, so a file is written atomically.
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, delete=False) as file:
            file.write(repr({**known, gesture: words}))
        os.replace(file.name, folder / f"{name}.txt")  # noqa: PTH105


def documented(documents: Documents, marks: Sequence[Mark], screen: Screen) -> str:
    """Return what is known about the marked elements, in the format of the prompt."""
    entries = []
    for label, name in names_of(marks, screen).items():
        known = documents.read(name, screen.package)
        lines = [f"{_INTRODUCTIONS[key]} {words}" for key, words in known.items() if words]
        if lines:
            entries.append("\n".join([f"Element {label}:", *lines]))
    return "\n\n".join(entries)


def names_of(marks: Sequence[Mark], screen: Screen) -> Mapping[str, str]:
    """Return the names by which marked elements are recognised, by label.

    A name has the resource id, or else the class and size, and a short description, preceded by
    those of the parent, and followed by Android's index among the parent's children. Source:
    `get_id_from_element` and `traverse_tree` of the released code. Characters that file names
    cannot contain are replaced.
    """
    nodes = list(parse_tree(screen.xml).iter("*"))[1:]
    pairs = zip(screen.elements, nodes, strict=False)  # both are in document order
    indices = {id(element): node.get("index", "0") for element, node in pairs}
    return {
        mark.label: _name(mark.element, indices.get(id(mark.element), "0"))
        for mark in marks
        if mark.element is not None
    }


def _name(element: Element, index: str) -> str:
    parent = element.parent
    within = parent is not None and parent.parent is not None
    before = f"{_own_name(parent)}_" if parent is not None and within else ""
    return _safe(f"{before}{_own_name(element)}_{index}")


def _own_name(element: Element) -> str:
    if element.resource_id:
        name = element.resource_id.replace(":", ".").replace("/", "_")
    else:
        name = f"{element.class_name}_{element.bounds.width}_{element.bounds.height}"
    if element.content_desc and len(element.content_desc) < 20:
        described = element.content_desc.replace("/", "_").replace(" ", "").replace(":", "_")
        name += f"_{described}"
    return name


def _safe(name: str) -> str:
    """Return a safe file name, which cannot lead to another folder."""
    safe = re.sub(r"[\x00-\x1f\x7f/\\:*?\"<>|\ud800-\udfff]", "_", name)
    safe = "_" if safe.strip(".") == "" else safe
    if len(safe.encode()) <= _LONGEST_NAME:
        return safe
    digest = hashlib.sha256(safe.encode()).hexdigest()[:16]
    return safe.encode()[: _LONGEST_NAME - 20].decode(errors="ignore") + "_" + digest
