"""Makes a miniature of Mobile-Bench-v2 in the layout that its released code reads.

The pages are those of two apps of the virtual phone: 30 each, which a seeded walk visits. There are
20 tasks of each split. As in the release, indexes are JSON in JSON, a noisy task is in GB18030, and
names contain zeros: that of an app, and those of actions. Source of the layout:
gezelligheid0314/Mobile-Bench-v2, appagent/*.py, mobileagent/*.py, utils.py and eval.py.
"""

from __future__ import annotations

import io
import json
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PIL import Image, ImageDraw

from pytest_mobileagent.screen.xml import in_appiums_dialect
from pytest_mobileagent.virtual.app.loading import load_apps
from pytest_mobileagent.virtual.boot import boot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone

SIZE = (720, 1280)
APPS = {"wuba": "com.wuba", "map10": "com.autonavi.minimap"}
_FIXTURES = Path(__file__).parents[2] / "fixtures" / "apps"
_NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
_WORDS = ("公园", "自行车")


class Line(NamedTuple):
    """An element that the release knows: its line of HTML, and its box."""

    html: str
    kind: str
    says: str
    box: tuple[int, int, int, int]
    can_click: bool
    can_scroll: bool

    @property
    def center(self) -> tuple[int, int]:
        left, top, right, bottom = self.box
        return (left + right) // 2, (top + bottom) // 2


class Deed(NamedTuple):
    """An action of the release, in its words and in ours, and what it is called in a task."""

    action: str
    kind: str
    line: Line
    value: str
    said: str


@dataclass
class Page:
    name: str
    dump: str
    png: bytes
    deeds: list[Deed]
    way: list[Deed] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return len(self.way)


def lines_of(source: str) -> list[Line]:
    """Return the lines of a page's HTML, in order: visible leaves, and what can be scrolled."""
    return [*_lines(ET.fromstring(source), clickable=False)]


def _lines(node: ET.Element, *, clickable: bool) -> Iterator[Line]:
    clickable = clickable or node.get("clickable") == "true"
    scrolls = node.get("scrollable") == "true"
    said, described = (node.get(name, "").replace("\n", "") for name in ("text", "content-desc"))
    name = node.tag.lower()
    is_visible = bool(said or described) or "button" in name or "edittext" in name
    is_leaf = not len(node)
    if (is_leaf and is_visible) or scrolls:
        tags = {"button": "button", "edittext": "input", "imageview": "img", "textview": "p"}
        tag = next((tag for part, tag in tags.items() if part in name), "div")
        pairs = {"id": node.get("resource-id"), "class": node.get("class"),
                 "description": described, "clickable": "true" if clickable else "",
                 "scrollable": "true" if scrolls else "",
                 "bounds": node.get("bounds") if scrolls else ""}  # fmt: skip
        given = "".join(f' {key}="{value}"' for key, value in pairs.items() if value)
        box = tuple(map(int, re.findall(r"-?\d+", node.get("bounds", ""))))
        html = f"<{tag}{given}> {said} </{tag}>"
        yield Line(html, tag, said or described, box, clickable, scrolls)  # type: ignore[arg-type]
    for child in node:
        yield from _lines(child, clickable=clickable)


class Walker:
    """Walks through one app, and collects its pages in the order in which they are found."""

    def __init__(self, phone: Phone, name: str) -> None:
        self.phone, self.name, self.random = phone, name, random.Random(name)
        self.pages: list[Page] = []
        self.ids: dict[str, int] = {}
        phone.snapshots.load("default_boot")
        phone.activities.launch(APPS[name])
        self._add(f"{name}0", [])

    def walk(self, page: Page, steps: int) -> list[Page]:
        """Take random actions, each of which leads to a new page; return these pages."""
        found: list[Page] = []
        for _ in range(steps):
            page = self._step(page)
            found.append(page)
        return found

    def _step(self, page: Page) -> Page:
        known = {each.name for each in self.pages}
        for deed in self.random.sample(page.deeds, len(page.deeds)):
            name = f"{page.name}_{self.ids[deed.action]}"
            self.phone.snapshots.load(page.name)
            self._do(deed)
            source = self._source()
            if name in known or source == page.dump or APPS[self.name] not in source:
                continue
            made = self._add(name, [*page.way, deed])
            if made.deeds:
                return made
            self.pages.pop()
        raise AssertionError(f"nothing leads on from {page.name}")

    def _do(self, deed: Deed) -> None:
        x, y = deed.line.center
        if deed.kind == "scroll":
            quarter = (deed.line.box[3] - deed.line.box[1]) // 4
            far = quarter if deed.value == "up" else -quarter
            self.phone.swipe(x, y + far, x, y - far, 300)
            return
        self.phone.tap(x, y)
        if deed.kind == "input":
            self.phone.ime.commit(deed.value)

    def _source(self) -> str:
        return in_appiums_dialect(self.phone.dump(), SIZE)

    def _add(self, name: str, way: list[Deed]) -> Page:
        source = self._source()
        deeds = list(self._deeds(source))
        for deed in deeds:
            self.ids.setdefault(deed.action, len(self.ids))
        page = Page(name, source, self.phone.screenshot(), deeds, way)
        self.phone.snapshots.save(name)
        self.pages.append(page)
        return page

    def _deeds(self, source: str) -> Iterator[Deed]:
        lines = lines_of(source)
        texts = [line.html for line in lines]
        for line in lines:
            if texts.count(line.html) > 1 or line.box[3] > 1180 or line.box[1] < 50:
                continue  # several elements, or one beneath the bars of the phone
            if line.kind == "input":
                for word in _WORDS:
                    action = f"input({line.html}, '{word}')"
                    yield Deed(action, "input", line, word, f"输入“{word}”")
            elif line.can_scroll:
                x, y = line.center
                quarter = (line.box[3] - line.box[1]) // 4
                ends = ([x, y + quarter], [x, y - quarter])
                yield Deed(f"scroll({ends})", "scroll", line, "up", "向上滑动页面")
            elif line.can_click:
                yield Deed(f"click({line.html})", "click", line, "", f"点击“{line.says}”")


def tree(walker: Walker) -> list[Page]:
    """Walk to 30 pages: ten are 4 to 6 actions from the first one, and ten are 7 to 11."""
    first = walker.pages[0]
    long = walker.walk(first, 11)
    other = walker.walk(long[2], 8)
    for page in (long[2], long[3], other[0], other[1], long[0], long[0], *[first] * 4):
        walker.walk(page, 1)
    return walker.pages


def write_json(path: Path, value: Any, *, twice: bool = False, encoding: str = "utf-8") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False)
    path.write_text(json.dumps(text) if twice else text, encoding)


def write_app(folder: Path, walker: Walker) -> None:
    for page in walker.pages:
        place = folder / page.name / page.name
        place.parent.mkdir(parents=True)
        Path(f"{place}-screen.png").write_bytes(page.png)
        Path(f"{place}-xml.txt").write_text(page.dump, "utf-8")
        html = "\n".join(line.html for line in lines_of(page.dump))
        Path(f"{place}-html.txt").write_text(f"{html}\n", "utf-8")
    names = [page.name for page in walker.pages]
    steps = [(*name.rpartition("_")[::2], name) for name in names[1:]]
    triples = [[source, int(action), name] for source, action, name in steps]
    ids = walker.ids
    valid = {page.name: [str(ids[deed.action]) for deed in page.deeds] for page in walker.pages}
    first: dict[str, str] = {}
    unique = {page.name: first.setdefault(page.dump, page.name) for page in walker.pages}
    write_json(folder / "all_action_id.json", ids, twice=True)
    write_json(folder / "all_page_id.json", {n: i for i, n in enumerate(names)}, twice=True)
    write_json(folder / "data_all2unique.json", unique, twice=True)
    write_json(folder / "all_triple.json", {"num": len(triples), "data": triples})
    data = [{"name": name, "action_valid": ids} for name, ids in valid.items()]
    write_json(folder / "all_page_actions.json", {"data": data})


def listed(number: int, page: Page) -> dict[str, Any]:
    steps = [f"{step}. {deed.said}。" for step, deed in enumerate(page.way, 1)]
    goal = f"任务{number}：请依次完成{page.depth}步，最后{page.way[-1].said}。"
    return {"name": page.name, "task": "\n".join([*steps, goal])}


def ambiguous(page: Page) -> dict[str, Any]:
    """Return an entry of the ambiguous split, without a text for the last step."""
    said = [deed.said for deed in page.way]
    return {
        "name": page.name,
        "easy_instruct": f"帮我办一件{page.depth}步的事。",
        "complete_instruct": f"请{'，再'.join(said)}。",
        "step_instruct": [f"{each}。" for each in said[:-1]],
    }


def write_noisy(folder: Path, number: int, page: Page, pages: dict[str, Page]) -> None:
    """Write the way to a page as a noisy task, with an ad over one of its pages."""
    names = page.name.split("_")
    shown = [pages["_".join(names[: n + 1])] for n in range(len(names))]
    with_ad = 1 + number % (page.depth - 1)
    seen = [(each.png, each.dump) for each in shown]
    seen.insert(with_ad, _ad(*seen[with_ad]))
    actions = [_noisy(deed) for deed in page.way]
    actions.insert(with_ad, {"action": "Click", "info": {"coordinate": [600, 420]}})
    goal = f"请在应用里依次完成{page.depth}步，关掉广告，最后{page.way[-1].said}。"
    entry = {
        "user_instruction": {"query": goal},
        "trajectories": [{"action": action} for action in actions],
    }
    write_json(folder / f"data{number}.json", entry, encoding="gb18030")
    for step, (png, source) in enumerate(seen):
        (folder / f"{number}-{step}.png").write_bytes(png)
        # As in the release, some hierarchies are empty, and there are pictures of checks.
        text = "" if (number, step) == (10, 0) else source
        (folder / f"{number}-{step}.xml").write_text(text, "utf-8")
    (folder / f"{number}-1-check.png").write_bytes(page.png)


def _noisy(deed: Deed) -> dict[str, Any]:
    x, y = deed.line.center
    if deed.kind == "input":
        return {"action": "text", "info": {"text": deed.value}}
    if deed.kind == "scroll":
        quarter = (deed.line.box[3] - deed.line.box[1]) // 4
        return {"action": "swipe", "info": {"coordinate": [[x, y + quarter], [x, y - quarter]]}}
    return {"action": "Click", "info": {"coordinate": [x, y]}}


def _ad(png: bytes, source: str) -> tuple[bytes, str]:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((80, 380, 640, 900), "white", "black")
    draw.line((585, 405, 615, 435), "black", 4)
    draw.line((585, 435, 615, 405), "black", 4)
    content = io.BytesIO()
    picture.save(content, "PNG")
    close = (
        '<android.widget.Button class="android.widget.Button" text="" content-desc="关闭广告" '
        'clickable="true" scrollable="false" displayed="true" bounds="[570,390][630,450]"/>'
    )
    return content.getvalue(), source.replace("</hierarchy>", f"{close}</hierarchy>")


def write_copy(folder: Path) -> Path:
    """Write the miniature into a folder, and return it."""
    phone = boot(load_apps(_FIXTURES), time=_NOON, frozen=True, size=SIZE, density=320)
    phone.snapshots.save("default_boot")
    found: list[Page] = []
    for number, name in enumerate(APPS):
        walker = Walker(phone, name)
        found += tree(walker)
        write_app(folder / f"{name}_graph_{8100 + number}", walker)
    simple = [page for page in found if 4 <= page.depth <= 6]
    complicated = [page for page in found if page.depth >= 7]
    entries = [listed(number, page) for number, page in enumerate(simple, 101)]
    write_json(folder / "simple_tasks_sample.json", entries)
    entries = [listed(number, page) for number, page in enumerate(complicated, 201)]
    write_json(folder / "complex_tasks_sample.json", entries, encoding="gb18030")
    write_json(folder / "amb_tasks_sample_1.json", list(map(ambiguous, complicated)))
    noisy = folder / "noisy-instruction-2"
    noisy.mkdir()
    pages = {page.name: page for page in found}
    for number, page in enumerate(simple, 1):
        write_noisy(noisy, number, page, pages)
    return folder
