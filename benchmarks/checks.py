"""Measures how fast recorded episodes are loaded and checked with all prefixes, without OCR."""

from __future__ import annotations

import re
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent import Episode, Finish, Screen, Tap, Type, load
from pytest_mobileagent._task import Task
from pytest_mobileagent._task.solution import Move
from pytest_mobileagent.agent.agent import Scripted
from pytest_mobileagent.check.temporal import first_success
from pytest_mobileagent.screen.explain import collect_misses
from pytest_mobileagent.testing import FakePhone, make_screen, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent import Action

EPISODES = 12
STEPS = 10
ROWS = 64  # of a screen, each with three elements: 194 nodes, including the root and the mark
SHIFT = 7  # the pixels by which the list is scrolled after every other step


def made(shift: int) -> str:
    """Return a list whose rows have a picture and two texts, scrolled by `shift` pixels."""
    flags = ("checkable", "checked", "focusable", "focused", "long-clickable", "selected")
    attributes = 'package="a" enabled="true" password="false" scrollable="false" '
    attributes += " ".join(f'{flag}="false"' for flag in flags)
    rows = (
        f'<node class="a.Row" resource-id="a:id/row" clickable="true" {attributes}'
        f' bounds="[0,{60 * row - shift}][1080,{60 * row + 60 - shift}]">'
        f'<node class="a.Icon" content-desc="Row {row}" {attributes} bounds="[0,0][48,48]"/>'
        f'<node class="a.Text" text="Row number {row} of this list" {attributes}'
        f' bounds="[50,{60 * row - shift}][900,{60 * row + 50 - shift}]"/></node>'
        for row in range(ROWS)
    )
    return f"<hierarchy rotation='0'>{''.join(rows)}</hierarchy>"


def screens(episode: int, picture: bytes) -> Iterator[Screen]:
    """Yield the screens of an episode, all of which are different, also between episodes."""
    for step in range(STEPS + 1):
        mark = f'<node class="a.Text" text="episode {episode}, step {step}" bounds="[0,0][9,9]"/>'
        xml = made(SHIFT * (step // 2)).replace("</hierarchy>", f"{mark}</hierarchy>")
        yield Screen(
            xml, picture + f"{episode} {step}".encode(), package="a", time=datetime(2026, 1, 1)
        )


def move(action: Action) -> Move:
    """Return a move that does the same action on any screen."""
    return Move("act", lambda _: action)


def record(folder: Path) -> list[Path]:
    """Record episodes with pictures of 300 kB, and return their folders."""
    picture = make_screen().png + bytes(300_000)
    actions: list[Action] = [Tap(5, 5) if step % 2 else Type("Oslo") for step in range(STEPS)]
    moves = [move(action) for action in actions]
    task = Task("Do it.", solution=[*moves, Move("end", lambda _: Finish("1.2 GB"), True)])
    folders = []
    for number in range(EPISODES):
        run = folder / str(number)
        play(Scripted, task, phone=FakePhone(screens(number, picture)), folder=run)
        folders.append(run / "episodes" / "play.0")
    return folders


def on_last_screen(episode: Episode) -> None:
    assert episode.screen.find(text=re.compile(rf"step {STEPS}$"))


def with_id(episode: Episode) -> None:
    assert episode.screen.get(resource_id="nowhere")


def tapped(episode: Episode) -> None:
    assert episode.tapped(text=re.compile("step 9$"))
    assert episode.typed("Oslo")


def saw(episode: Episode) -> None:
    assert episode.saw(text="nobody says this")


def answered(episode: Episode) -> None:
    assert episode.answers("1.2 GB")


def below(episode: Episode) -> None:
    screen = episode.screen
    assert screen.find_all(class_name="TextView", below=screen.elements[0])
    assert screen.find(text="nobody says this", after=screen.elements[0])


BODIES = [on_last_screen, with_id, tapped, saw, answered, below]


def holds(body: Callable[[Episode], None], episode: Episode) -> bool:
    """Return whether a body passes, recording its misses like the plugin."""
    with collect_misses():
        try:
            body(episode)
        except AssertionError:
            return False
    return True


def measure(body: Callable[[Episode], None], folders: list[Path]) -> tuple[float, float]:
    """Return the processor time in seconds to load and to check one episode."""
    begun = time.process_time()
    episodes = [load(folder) for folder in folders]
    loaded = time.process_time()
    for episode in episodes:
        whole = holds(body, episode)
        first_success(lambda prefix: holds(body, prefix), episode, whole=whole)
    checked = time.process_time()
    return (loaded - begun) / len(folders), (checked - loaded) / len(folders)


def main() -> None:
    """Measure each body on all episodes, which are loaded again for each body."""
    with tempfile.TemporaryDirectory() as temporary:
        folders = record(Path(temporary))
        measure(answered, folders)
        total = 0.0
        for body in BODIES:
            loading, checking = measure(body, folders)
            total += loading + checking
            show(body.__name__, loading, checking, loading + checking)
        sys.stdout.write(f"{'all':16} {len(BODIES) / total:55.0f} episodes/s per core\n")


def show(name: str, loading: float, checking: float, both: float) -> None:
    """Print one line."""
    times = f"{1000 * loading:6.2f} ms loaded  {1000 * checking:6.2f} ms checked"
    sys.stdout.write(f"{name:16} {times}  {1 / both:8.0f} episodes/s per core\n")


if __name__ == "__main__":
    main()
