"""A scripted judge that sees: it recognises the screens in its pictures, and answers by them.

It knows SPA-Bench's cross-app tasks that can be played on the virtual phone. It finds out what to
look for from the prompt alone: the part of the task, and the notes on earlier parts. So it fails a
part if the screen that shows it is not among the pictures, or if the notes that it needs are not.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from PIL import Image, ImageChops, ImageStat

from pytest_mobileagent import Screen
from pytest_mobileagent._task.needs import alternatives
from pytest_mobileagent.judge.transcript import outline
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.judge.question import Subtask
    from pytest_mobileagent.llm.model import Request

WIDTH = 240  # pixels, at which screens are compared
ALIKE = 8.0  # the largest mean difference of a screen to its picture, of 255


class Page(NamedTuple):
    """A recorded screen: its app, what it shows, and its picture in grey."""

    package: str
    text: str
    grey: Image.Image


class Sight:
    """Recognises pictures of the screens that were recorded below a folder of runs."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        self.pages: dict[Path, Page] = {}
        self.lock = Lock()  # the server answers several requests at once

    def read(self, picture: bytes) -> Page:
        """Return the screen that a picture shows, whatever was drawn into it or below it."""
        grey = _grey(picture)
        with self.lock:
            self._look()
            page = min(self.pages.values(), key=lambda each: _difference(each, grey))
        assert _difference(page, grey) <= ALIKE
        return page

    def _look(self) -> None:
        """Load the screens that were recorded meanwhile."""
        for path in self.runs.glob("*/episodes/*/screens/*.png"):
            target, hierarchy = path.resolve(), path.with_suffix(".xml")
            if target not in self.pages and hierarchy.exists():
                xml = hierarchy.read_text("utf-8")
                found = re.search(r'package="([^"]+)"', xml)
                package = found[1] if found else ""
                png = target.read_bytes()
                text = outline(Screen(xml, png, package))
                self.pages[target] = Page(package, text, _grey(png))


def _grey(picture: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(picture)).convert("L")
    return image.resize((WIDTH, round(image.height * WIDTH / image.width)))


def _difference(page: Page, shown: Image.Image) -> float:
    """Return how much a picture differs; a strip may be below the screen in it."""
    top = shown.crop((0, 0, WIDTH, page.grey.height))
    return ImageStat.Stat(ImageChops.difference(page.grey, top)).mean[0]


# What shows that a part of a task is done, given the pictures and the notes.

Shows = Callable[[Sequence[Page], str], bool]
DATE = re.compile(r'"(February \d+, \d{4})"')
SAVER_ON = r'"Use Data Saver"\n +LinearLayout #widget_frame\n +Switch #switch_widget checked=true'
TITLE = re.compile(r'description="(.+?) - \d+ hours?,.* - play video"')
UNSEEN = "The screens do not show it."


def _says(pattern: str) -> Shows:
    return lambda pages, _: any(re.search(pattern, page.text) for page in pages)


def _dated(pages: Sequence[Page], notes: str) -> bool:
    found = DATE.search(notes)
    if found is None:
        return False
    day = _day(found[1])
    return any(f'#start_date "{day:%a, %b} {day.day}, {day.year}"' in page.text for page in pages)


def _day(text: str) -> datetime:
    return datetime.strptime(text, "%B %d, %Y").replace(tzinfo=UTC)


def _plays(pages: Sequence[Page], notes: str) -> bool:
    found = re.search(r'"(.+)"', notes)
    shown = found and [page for page in pages if f'"{found[1]}"' in page.text]
    return any('"Pause video"' in page.text for page in shown or ())


PARTS: dict[str, Shows] = {  # by words of the part
    "Data Saver": _says(SAVER_ON),
    "省流模式": _says(SAVER_ON),
    "rings at 6:00 AM": _says(r'"6:00 AM"\n +Switch #onoff checked=true'),
    "启动应用": _says(r'(?s)^app "com\.ss\.android\.ugc\.aweme".*"推荐"'),
    "Find out on which date": _says(r'"Winter Olympics"(.*\n)+.*' + DATE.pattern),
    "Put a reminder": _dated,
    "Find a video": _says(TITLE.pattern),
    "timer of 3 hours": _says(r'#timer_time_text "(3:00:00|2:59:\d\d)"'),
    "Play the": _plays,
}


def _noted(memory: str, pages: Sequence[Page]) -> str:
    text = "\n".join(page.text for page in pages)
    if "Winter Olympics" in memory:
        # An opening is before its closing, so the first date that has not passed is an opening.
        dates = [_day(each) for each in DATE.findall(text)]
        coming = min((day for day in dates if day >= datetime.now(UTC)), default=None)
        return f'It is "{coming:%B} {coming.day}, {coming.year}".' if coming else UNSEEN
    found = TITLE.search(text)
    return f'It is called "{found[1]}".' if found else UNSEEN


def _split(apps: Sequence[str], pages: Sequence[Page]) -> str:
    """Return the first and last screen of each app in turn, from 1."""
    packages, place, lines = [page.package for page in pages], 0, []
    for number, app in enumerate(apps, 1):
        uses = [at for at in range(place, len(packages)) if packages[at] in alternatives(app)]
        if not uses:
            lines.append(f"{number}: none")
            continue
        last = uses[0]
        while last + 1 in uses:
            last += 1
        lines.append(f"{number}: {uses[0] + 1}-{last + 1}")
        place = last + 1
    return "\n".join(lines)


class Seeing:
    """The judge: a function of requests, for a scripted model; it also drafts subtasks."""

    def __init__(self, runs: Path, drafts: dict[str, Sequence[Subtask]]) -> None:
        self.sight = Sight(runs)
        self.drafts = drafts

    def model(self) -> ScriptedModel:
        """Return a scripted model that this judge answers for."""
        return ScriptedModel([self] * 300)

    def __call__(self, request: Request) -> str:
        """Return the reply to a request, in the form that it asks for."""
        text = request.text
        pages = [self.sight.read(image.data) for image in request.images]
        if apps := _fenced(text, "apps"):
            if not pages:
                return self._draft(_fenced(text, "task"), apps.split("\n"), text)
            return _split([line.partition(". ")[2] for line in apps.split("\n")], pages)
        if memory := _fenced(text, "note"):
            return _noted(memory, pages)
        part, notes = _fenced(text, "part"), _fenced(text, "history")
        (shows,) = [shows for words, shows in PARTS.items() if words in part]
        return f"Reason: {part}\nResult: {int(shows(pages, notes))}"

    def _draft(self, goal: str, packages: Sequence[str], text: str) -> str:
        """Return the subtasks of a goal; before they are asked for again, inconsistent ones."""
        drafted = [_as_drafted(each, packages) for each in self.drafts[goal]]
        repaired = "could not be used" in text
        return json.dumps(drafted if repaired else [drafted[0], *drafted], ensure_ascii=False)


def _as_drafted(subtask: Subtask, packages: Sequence[str]) -> dict[str, Any]:
    (app,) = [each for each in packages if each in alternatives(subtask.app)]
    names = ("task", "history", "memory")
    return {"app": app, **{name: getattr(subtask, name) for name in names}}


def _fenced(text: str, label: str) -> str:
    """Return the data of a prompt under a label; "" if there are none."""
    found = re.search(rf"<<<{label} (\w+)\n(.*?)\n{label} \1>>>", text, re.DOTALL)
    lines = found[2].split("\n") if found else []
    return "\n".join(line.removeprefix("| ") for line in lines)
