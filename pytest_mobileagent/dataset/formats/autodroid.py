r"""AutoDroid's transition graphs: the pages that random walks found in apps, as text.

    memory/utgs/APP/utg.yaml, or utg_APP.json
    {"records": [{"State": "<p id=0>Notes</p>\n<button id=1 text='Search'></button>\n…",
                  "Choice": 1, "Input": "null", "new_state_str": …, "state_str": …}, …]}

A record is one step of the walk: the page, the number of the chosen element, and the text typed
into it, if any. The next record has the resulting page; the last step chooses -1. Despite its name,
`new_state_str` is the id of the record's own page, since all records with an id have the same page.
The element "go back" stands for the back key. The text has no positions, so elements are laid out
one below the other, in the order of their ids. Source: MobileLLM/AutoDroid, memory/utgs.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from xml.sax.saxutils import quoteattr

from pytest_mobileagent.action import Key, Type
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.streams import items, text_of
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.dataset.graph import GraphWriter

_SIZE = (1080, 2400)
_ROW = 120  # the height of an element in pixels, if the page has enough room
_ELEMENT = re.compile(
    r"<(?P<kind>button|checkbox|p|input|scrollbar) id=(?P<id>\d+)(?P<rest>[^>]*)>(?P<text>.*?)"
    r"</(?P=kind)>",
    re.DOTALL,
)
_TEXT = re.compile(r"text='(.*?)'")
_CLASSES = {
    "button": "android.widget.Button",
    "checkbox": "android.widget.CheckBox",
    "p": "android.widget.TextView",
    "input": "android.widget.EditText",
    "scrollbar": "android.widget.ScrollView",
}
_BACK = "go back"


class _Element(NamedTuple):
    kind: str
    text: str
    description: str
    is_checked: bool
    bounds: Bounds


class _Record(NamedTuple):
    """A step of a walk: the element that was chosen on a page."""

    page: str
    state: str
    choice: int
    typed: str
    where: str


class Release(Base):
    """A file of one walk, a folder of such files, or the folder `memory/utgs`."""

    title: ClassVar[str] = "AutoDroid"
    licence: ClassVar[str] = "MIT"
    holds: ClassVar[str] = "utg_APP.json, or APP/utg.yaml"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the path has a file of a walk."""
        return bool(_files(path))

    def add_to(self, writer: GraphWriter) -> int:
        """Write the walks of all apps, and return 0, since the release has no tasks."""
        snapshots = {}
        for file in _files(self.path):
            app = file.stem.removeprefix("utg_") if file.stem != "utg" else file.parent.name
            if first := self._write(writer, app, list(self._records(file, app))):
                snapshots[app] = first
        writer.head(snapshots=snapshots)
        return 0

    def _write(self, writer: GraphWriter, app: str, records: list[_Record]) -> str:
        """Write the walk of an app, and return its first page, or an empty string."""
        pages: dict[str, dict[int, _Element]] = {}
        for record in records:
            if record.page in pages:
                continue
            pages[record.page] = elements = elements_of(record.state)
            writer.page(record.page, png=None, xml=_hierarchy(elements, app), size=_SIZE)
        targets = defaultdict[tuple[str, int, str], Counter[str]](Counter)
        for record, following in pairwise(records):
            if record.choice in pages[record.page]:
                targets[record.page, record.choice, record.typed][following.page] += 1
            elif record.choice >= 0:
                why = f"there is no element {record.choice} on its page"
                self.problems.broken(record.where, why, "broken edges")
        for (page, choice, typed), found in targets.items():
            target, count = found.most_common(1)[0]
            chosen = pages[page][choice]
            golden = Golden(_action(chosen, typed), _SIZE, (chosen.bounds,))
            writer.edge(page, golden, target, count)
            for _ in range(len(found) - 1):
                self.problems.missed(f"page {page}", "edges that contradict a more frequent one")
        return records[0].page if records else ""

    def _records(self, file: Path, app: str) -> Iterator[_Record]:
        for where, each in _entries(file):
            match each:
                case {"State": str(state), "Choice": int(choice), "new_state_str": str(name)}:
                    typed = each.get("Input")
                    is_typed = isinstance(typed, str) and typed != "null"
                    page = f"{app}-{name[:12]}"
                    yield _Record(page, state, choice, typed if is_typed else "", where)
                case _:
                    why = "a record needs a State, a Choice and a new_state_str"
                    self.problems.broken(where, why, "broken edges")


def elements_of(state: str) -> dict[int, _Element]:
    """Return the elements in a page's text by id, laid out one below the other."""
    found = list(_ELEMENT.finditer(state))
    height = min(_ROW, _SIZE[1] // max(1, len(found)))
    elements = {}
    for row, each in enumerate(found):
        described = _TEXT.search(each["rest"])
        elements[int(each["id"])] = _Element(
            each["kind"],
            each["text"].replace("<br>", "\n").strip(),
            described[1] if described else "",
            "checked=True" in each["rest"],
            Bounds(0, row * height, _SIZE[0], (row + 1) * height),
        )
    return elements


def _action(chosen: _Element, typed: str) -> Action:
    if chosen.text == _BACK:
        return Key("back")
    return Type(typed, at=chosen.bounds.center) if typed else Tap(*chosen.bounds.center)


def _hierarchy(elements: dict[int, _Element], app: str) -> str:
    parts = ["<hierarchy rotation='0'>"]
    for each in elements.values():
        if each.text == _BACK:
            continue  # a key of the phone, not an element of the page
        box = each.bounds
        parts.append(
            f"<node class='{_CLASSES[each.kind]}' package={quoteattr(app)} "
            f"text={quoteattr(each.text)} content-desc={quoteattr(each.description)} "
            f"clickable='{'false' if each.kind == 'p' else 'true'}' enabled='true' "
            f"checkable='{'true' if each.kind == 'checkbox' else 'false'}' "
            f"checked='{'true' if each.is_checked else 'false'}' bounds='{box.describe()}'/>"
        )
    return "".join([*parts, "</hierarchy>"])


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if re.fullmatch(r"utg.*\.(json|ya?ml)", path.name) else []
    return sorted([*path.glob("utg*.json"), *path.glob("*/utg.yaml"), *path.glob("utg*.yaml")])


def _entries(file: Path) -> Iterator[tuple[str, Any]]:
    if file.suffix == ".json":
        yield from items(file, "records")
        return
    try:
        yaml: Any = importlib.import_module("yaml")  # needed only for the original's files
    except ImportError:
        raise GraphError(f"{file}:1: reading YAML needs PyYAML: pip install pyyaml") from None
    try:
        records = yaml.safe_load(text_of(file))["records"]
        yield from ((f"{file}, record {n}", each) for n, each in enumerate(records, 1))
    except (yaml.YAMLError, LookupError, TypeError) as error:
        raise GraphError(f"{file}:1: it has no records: {' '.join(str(error).split())}") from None
