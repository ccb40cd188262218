"""Synthetic screens that satisfy a test body, and variants in which something is missing.

A case is a success: its screens, the touches on them, and the answer. `spoilt` changes the elements
one by one: each is omitted, reworded or left untouched, and then the body must not pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from pytest_mobileagent import Finish, Tap
from pytest_mobileagent.testing.phones import as_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent import Episode

FLAGS = ("selected", "checked", "clickable")


@dataclass(frozen=True)
class Node:
    """An element of a synthetic screen; `fact` is whether the body must check it."""

    id: str = ""
    text: str = ""
    desc: str = ""
    cls: str = "View"
    flags: frozenset[str] = frozenset()
    inside: tuple[Node, ...] = ()
    touch: bool = False
    fact: bool = True


@dataclass(frozen=True)
class Case:
    """A way to do the task whose id begins its name: the screens, the touches, and the answer."""

    name: str
    screens: tuple[tuple[Node, ...], ...]
    answer: str = ""

    @property
    def task(self) -> str:
        return self.name.split()[0]


def n(id: str = "", text: str = "", desc: str = "", cls: str = "View", **more: Any) -> Node:
    flags = frozenset(flag for flag in FLAGS if more.pop(flag, False))
    return Node(id, text, desc, cls, flags, tuple(more.pop("inside", ())), **more)


def at_last(name: str, *nodes: Node, answer: str = "") -> Case:
    return Case(name, (nodes,), answer)


def way(name: str, *screens: tuple[Node, ...], answer: str = "") -> Case:
    return Case(name, screens, answer)


def played(case: Case, package: str, make_episode: Callable[..., Episode]) -> Episode:
    """Return the episode of a case, with a touch on each screen except the last."""
    drawn = [drawing(screen, package) for screen in case.screens]
    touches = [Tap(*point) for _, point in drawn]
    screens = tuple(as_screen(xml) for xml, _ in drawn)
    if touches[-1] != Tap(*ASIDE):  # the last touch leads to an empty screen
        screens = (*screens, as_screen(drawing((), package)[0]))
    steps = [*touches[: len(screens) - 1], Finish(case.answer)]
    return make_episode(*steps, screens=screens, started=screens[0].time)


ASIDE = (1070, 2390)  # a point with no element


def drawing(screen: tuple[Node, ...], package: str) -> tuple[str, tuple[int, int]]:
    """Return the hierarchy of a screen, line by line, and the centre of the touched element."""
    point, line = ASIDE, 0

    def draw(node: Node) -> str:
        nonlocal point, line
        top = line
        inside = "".join(map(draw, node.inside))
        line = max(line, top + 1)
        bounds = f"[0,{top * 40}][1000,{line * 40}]"
        if node.touch:
            point = (500, top * 40 + 20)
        is_whole = not node.id or ":" in node.id or "-" in node.id
        name = node.id if is_whole else f"{package}:id/{node.id}"
        flags = " ".join(f'{flag}="{str(flag in node.flags).lower()}"' for flag in FLAGS)
        return (
            f"<node resource-id={quoteattr(name)} text={quoteattr(node.text)} bounds='{bounds}' "
            f"content-desc={quoteattr(node.desc)} class='android.widget.{node.cls}' {flags} "
            f"package={quoteattr(package)} enabled='true'>{inside}</node>"
        )

    drawn = "".join(map(draw, screen))
    root = (
        f"<node class='a.V' bounds='[0,0][1080,2400]' package={quoteattr(package)}>{drawn}</node>"
    )
    return f"<hierarchy rotation='0'>{root}</hierarchy>", point


def spoilt(case: Case) -> Iterator[tuple[str, Case]]:
    """Yield variants of a case in which something is missing, each with a description of it."""
    if case.answer:
        yield "another answer", replace(case, answer="It is 98765.")
    for place, screen in enumerate(case.screens):
        for what, other in _spoilt(screen):
            screens = (*case.screens[:place], other, *case.screens[place + 1 :])
            yield f"{what} on screen {place + 1}", replace(case, screens=screens)


def _spoilt(nodes: tuple[Node, ...]) -> Iterator[tuple[str, tuple[Node, ...]]]:
    for place, node in enumerate(nodes):
        before, after = nodes[:place], nodes[place + 1 :]
        named = node.id or node.text or node.desc or node.cls
        if node.fact:
            yield f"no {named}", (*before, *after)
            if node.text:
                yield f"other text of {named}", (*before, replace(node, text="Z"), *after)
            if node.desc:
                yield f"other description of {named}", (*before, replace(node, desc="Z"), *after)
            for flag in node.flags - {"clickable"}:
                flags = replace(node, flags=node.flags - {flag})
                yield f"{named} not {flag}", (*before, flags, *after)
        if node.touch:
            yield f"{named} untouched", (*before, replace(node, touch=False), *after)
        for what, inside in _spoilt(node.inside):
            yield what, (*before, replace(node, inside=inside), *after)
