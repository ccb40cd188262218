r"""ColorBench: a graph of pages of one phone, and tasks that are done when milestones are reached.

    data/graph.json     {"a.jpg": {"b.jpg": [{"action_type": "click", "bbox": [l, t, r, b], …}, …]}}
    data/tasks.json     [{"task_id": 1, "query": …, "optimal_steps": 12, "app_num": 1,
                          "milestone": [{"ability": "search", "page_node": ["b.jpg", …]}, …]}, …]
    data/graph_image/   a.jpg, b.jpg, …

A page is named after its picture. Each action in a list leads from the outer page to the inner one;
an empty list is no edge. Apps are opened, by their names, from the page that opens most of them,
which is the phone's home and the first page of every task. A milestone is reached on any of its
pages, and a task is done when all of its milestones were reached, in any order.

Sources: ColorBench (arXiv 2510.14621); src/test/graph_tools.py, src/test/parse_result.py and
config/default.yaml of MadeAgents/ColorBench. Its tasks.json of April 2026 lacks a comma.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pytest_mobileagent._task.wording import literal
from pytest_mobileagent.action import Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.release import inside, size_of
from pytest_mobileagent.dataset.formats.streams import text_of
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.fileio import read_bytes
from pytest_mobileagent.jsonable import Each, check
from pytest_mobileagent.screen import picture as pictures
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.dataset.graph import GraphWriter

_STEP_LIMIT = 40
_NO_COMMA = re.compile(r'(?<=\d)\n(?=\s*")')  # between two fields


class Release(Base):
    """The repository of ColorBench, or its folder `data`, with the pictures in `graph_image`."""

    title: ClassVar[str] = "ColorBench"
    licence: ClassVar[str] = "Apache-2.0 (that of the pictures is not stated in the repository)"
    holds: ClassVar[str] = "data/graph.json, data/tasks.json and data/graph_image"
    rule: ClassVar[str] = "graph:keywords"
    language: ClassVar[str] = "zh"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the folder has the graph, and tasks beside it."""
        data = _data(path)
        return (data / "graph.json").is_file() and (data / "tasks.json").is_file()

    def add_to(self, writer: GraphWriter) -> int:
        """Write the pages, the edges and the tasks of the release."""
        file, tasks = (_data(self.path) / name for name in ("graph.json", "tasks.json"))
        graph = _read(file, Each(Each([dict])))
        ways = ((page, each) for page, targets in graph.items() for each in targets.values())
        opened = Counter(page for page, way in ways for each in way if "app" in each)
        home = next(iter(dict(opened.most_common(1))), "")
        names = dict.fromkeys(chain([home], graph, *graph.values()))
        sizes = {name: size for name in names if (size := self._add_page(writer, name, file))}
        for source, targets in graph.items():
            for target, actions in targets.items():
                if source in sizes and target in sizes:
                    where = f"{file}, from {source} to {target}"
                    for golden in self._edges(where, actions, sizes[source]):
                        writer.edge(source, golden, target)
        writer.head(home=home, rule=self.rule)
        entries = enumerate(_read(tasks, [dict]), 1)
        return sum(self._add_task(writer, f"{tasks}, entry {n}", each, home) for n, each in entries)

    def _add_page(self, writer: GraphWriter, name: str, file: Path) -> Size | None:
        """Write a page; return the size of its picture, or None if it has none and is skipped."""
        picture = inside(file.parent / "graph_image", name, str(file))
        try:
            size = size_of(picture) if picture.suffix == ".png" else None
            content = picture if size else _as_png(picture)
        except OSError as error:
            why = f"the picture {picture} cannot be read: {error.strerror or error}"
            self.problems.broken(str(file), why, "pages without a picture")
            return None
        writer.page(name, png=content, xml=None)
        return size or pictures.size_of(cast("bytes", content))

    def _edges(self, where: str, actions: Any, size: Size) -> Iterator[Golden]:
        for each in actions:
            try:
                yield Golden(_action(each), size, _boxes(each))
            except (LookupError, TypeError, ValueError) as error:
                self.problems.broken(where, f"no action can be read from {each!r}: {error!r}")

    def _add_task(self, writer: GraphWriter, where: str, task: Any, home: str) -> bool:
        try:
            milestones = [each.get("page_node") for each in task["milestone"]]
            apps, steps = int(task["app_num"]), int(task["optimal_steps"])
            row: dict[str, Any] = {"id": str(task["task_id"]), "goal": literal(task["query"])}
            abilities = sorted({each["ability"] for each in task["milestone"]})
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            self.problems.broken(where, f"it is not a task: {error!r}", "malformed tasks")
            return False
        for pages in milestones:
            if not any(page in writer for page in pages or ()):
                answer = "tasks with an answer, which the release never counts"
                nowhere = "tasks with a milestone on no page of the graph"
                self.problems.missed(where, nowhere if pages else answer)
                return False
        row |= {
            "language": self.language,
            "source": self.title,
            "kind": "operation" if apps == 1 else "cross-app",
            "tags": ["single-app" if apps == 1 else "cross-app", *abilities],
            "golden_steps": steps,
            "step_limit": max(steps, _STEP_LIMIT),
            "snapshot": home,
            "milestones": milestones,
            "rule": self.rule,
        }
        writer.task(row)
        return True


def _data(path: Path) -> Path:
    return path / "data" if (path / "data").is_dir() else path


def _read(file: Path, kind: Any) -> Any:
    text = text_of(file)
    try:
        return check(json.loads(_NO_COMMA.sub(",\n", text)), kind, file.name)
    except (ValueError, TypeError, RecursionError) as error:
        raise GraphError(f"{file}:{getattr(error, 'lineno', 1)}: {error}") from None


def _action(each: Mapping[str, Any]) -> Action:
    match each["action_type"]:
        case "click":
            return Tap(*_point(each))
        case "long_press":
            return LongPress(*_point(each))
        case "swipe":
            return Scroll(each["direction"])
        case "type":
            return Type(each["text"])
        case "open":
            return Open(each["app"])
        case "wait":
            return Wait(1.0)
    raise ValueError(f"there is no action {each['action_type']!r}")


def _boxes(each: Mapping[str, Any]) -> tuple[Bounds, ...]:
    if "bbox" not in each:
        return ()
    left, top, right, bottom = map(int, each["bbox"])
    return (Bounds(left, top, right + 1, bottom + 1),)  # the release's edges are inside


def _point(each: Mapping[str, Any]) -> tuple[int, int]:
    x, y = (each["x"], each["y"]) if "x" in each else _boxes(each)[0].center
    return max(0, int(x)), max(0, int(y))


def _as_png(picture: Path) -> bytes:
    from PIL import Image  # heavy, so loaded only when it is used

    target = io.BytesIO()
    with Image.open(io.BytesIO(read_bytes(picture))) as image:
        image.convert("RGB").save(target, "PNG", compress_level=1)
    return target.getvalue()
