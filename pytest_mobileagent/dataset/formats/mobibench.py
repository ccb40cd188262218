"""MobiBench: recorded paths on which a step may have several right answers.

    APP/7/instruction.txt, 0.png, 0.xml, 0_answers.json, 1.png, …
    [{"type": "Click", "bounds": "[466,2148][613,2295]", "params": {}, "default": true}, …]

The golden action is the default answer, or else the first. All answers are `accepted` and lead to
the next page, and so do the actions that the released evaluation does not tell from them.

Sources: MobiBench (arXiv 2512.12634); dataset/README.md, dataset/samples and the readers
environment/agentbench/agentbench_env.py and benchmark/agentbench/benchmark_agentbench.py in a copy
of the authors' repository (sjjeon0925/Mobi-Bench).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from pytest_mobileagent.action import Finish, Key, Open, Type
from pytest_mobileagent.action.gestures import Direction, LongPress, Scroll, Tap
from pytest_mobileagent.action.matching import Golden, golden_from_json, golden_to_json
from pytest_mobileagent.dataset.formats import entries
from pytest_mobileagent.dataset.formats.release import Demonstration, ReleasePage, size_of
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.streams import text_of
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.jsonable import check
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.dataset.graph import GraphWriter


_ANSWER = {"type": str, "bounds": str, "params": {"text": str}}


class Release(Base):
    """A folder of apps, with a folder for each task."""

    title: ClassVar[str] = "MobiBench"
    holds: ClassVar[str] = "APP/NUMBER/0.png with 0.xml, 0_answers.json and instruction.txt"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the path has a folder with the answers of a first step."""
        return path.is_dir() and any(_folders(path))

    def demonstrations(self) -> Iterator[Demonstration]:
        """Yield the paths, app by app."""
        for folder in sorted(_folders(self.path)):
            try:
                yield self._demonstration(folder)
            except (OSError, LookupError, TypeError, ValueError, GraphError) as error:
                self.problems.broken(str(folder), f"no step can be read: {error!r}", "broken paths")

    def add(self, writer: GraphWriter, each: Demonstration) -> bool:
        """Write a path, and edges for the other right answers on its pages."""
        if not super().add(writer, each):
            return False
        for page, following in pairwise(each.pages):
            for other in each.columns["accepted"][page.id]:
                writer.edge(page.id, golden_from_json(other), following.id)
        return True

    def _demonstration(self, folder: Path) -> Demonstration:
        app, name = folder.parent.name, "-".join(folder.relative_to(self.path).parts)
        pages, golden, accepted = list[ReleasePage](), list[Golden](), {}
        while (file := folder / f"{len(pages)}_answers.json").is_file():
            picture = folder / f"{len(pages)}.png"
            if (size := size_of(picture)) is None:
                raise GraphError(f"{picture.name} is not a PNG image")
            answers = check(entries(file), [_ANSWER], file.name)
            answers.sort(key=lambda each: not each.get("default"))
            right = [each for answer in answers for each in _right(answer, app, size)]
            page = f"{name}-{len(pages)}"
            pages.append(ReleasePage(page, picture, picture.with_suffix(".xml"), size))
            golden.append(right[0])
            accepted[page] = [golden_to_json(each) for each in right[1:]]
        goal = " ".join(text_of(folder / "instruction.txt").split())
        more = {"tags": [app], "accepted": accepted}
        return Demonstration(name, goal, tuple(pages), tuple(golden), more, where=str(folder))


def _folders(path: Path) -> Iterator[Path]:
    return (file.parent for file in path.glob("*/*/0_answers.json"))


def _right(answer: Mapping[str, Any], app: str, size: Size) -> list[Golden]:
    """Return the actions that count as an answer, the first of which is golden."""
    kind = answer["type"].lower().replace(" ", "").replace("_", "")
    scrolls = [Scroll(way) for way in get_args(Direction)]
    anywhere: dict[str, list[Any]] = {"scroll": scrolls, "swipe": scrolls, "finish": [Finish()]}
    anywhere |= {"navigateback": [Key("back")], "openapp": [Open(app)]}
    if kind in anywhere:
        return [Golden(each, size) for each in anywhere[kind]]
    left, top, right, bottom = map(int, re.findall(r"\d+", answer["bounds"]))
    box = Bounds(left, top, right + 1, bottom + 1)  # the release's edges are inside
    if kind == "input":
        return [Golden(Type(answer["params"]["text"], at=box.center), size, (box,))]
    press = LongPress(*box.center)
    there: dict[str, list[Any]] = {"click": [Tap(*box.center), press], "longclick": [press]}
    return [Golden(each, size, (box,)) for each in there[kind]]
