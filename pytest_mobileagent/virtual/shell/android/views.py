"""The views of an activity, in the words of View.toString, for `dumpsys activity top`."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.activities.tasks import Record


def hierarchy(phone: Phone, top: Record) -> str:
    """Tell the views of an activity whose window is there; of no other."""
    stack = phone.windows.stack
    shown = next((w for w in stack if w.kind == "activity" and w.record is top), None)
    if shown is None:
        return ""
    root = Node.tree(shown.box, shown.package)
    window = shown.title.rpartition(".")[2]
    decor = f"      DecorView@{_hash(top, 'decor')}[{window}]\n"
    return "    View Hierarchy:\n" + decor + "".join(_lines(root, top, (0, 0), 8))


def _lines(node: Node, top: Record, origin: tuple[int, int], indent: int) -> Iterator[str]:
    left, top_, right, bottom = node.box.bounds
    x, y = origin
    place = f"{left - x},{top_ - y}-{right - x},{bottom - y}"
    name = node.resource_id
    number = (
        f" #{0x7F000000 | zlib.crc32(name.encode()) & 0xFFFFFF:x} {_short(name)}" if name else ""
    )
    view = f"{_hash(top, node.path)} {_flags(node)} {place}{number}"
    yield f"{' ' * indent}{node.class_name}{{{view}}}\n"
    for child in node.children:
        yield from _lines(child, top, (left, top_), indent + 2)


def _flags(node: Node) -> str:
    """Give what the view can do, then what state it is in."""
    can = [
        "V" if node.visible else "I",
        "F" if node.focusable else ".",
        "E" if node.enabled else ".",
        "." if node.text or node.children else "D",
        ".",
        "V" if node.scrollable else ".",
        "C" if node.clickable else ".",
        "L" if node.long_clickable else ".",
        ".",
    ]
    state = [".", "F" if node.focused else ".", "S" if node.selected else ".", *"....."]
    return f"{''.join(can)} {''.join(state)}"


def _short(resource_id: str) -> str:
    """Leave the package out of an id of the app's own, as the resources do."""
    package, _, rest = resource_id.partition(":")
    return resource_id if package == "android" else f"app:{rest}"


def _hash(top: Record, path: str) -> str:
    return f"{zlib.crc32(f'{top.number}/{path}'.encode()) & 0xFFFFFFF:x}"
