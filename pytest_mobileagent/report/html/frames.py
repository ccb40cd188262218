"""The screens of an episode for the page: what was seen, done, asked and heard on each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.fileio import MOST_BYTES, opened
from pytest_mobileagent.plain import to_wire
from pytest_mobileagent.report.html.trajectory import mark, size_of
from pytest_mobileagent.report.html.tree import tree
from pytest_mobileagent.report.metrics.effects import no_effect
from pytest_mobileagent.report.text.words import in_words
from pytest_mobileagent.screen.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.record import EpisodeRecord, Step
    from pytest_mobileagent.report.html.calls import Exchanges

_HEADER = 24  # bytes of a PNG file that tell its size


class Pictures:
    """The screens of an episode by the names in its record; paths are relative to `page`.

    `missing` names the files that are not there.
    """

    def __init__(self, episode: Path, page: Path) -> None:
        self._store = ScreenStore.of_episode(episode)
        self._base = os.path.relpath(self._store.folder, page).replace(os.sep, "/")
        self.missing: list[str] = []

    def path(self, name: str) -> str:
        """Return the path of a picture by its file's name."""
        return f"{self._base}/{os.path.basename(name)}"  # noqa: PTH119 - no path of this system

    def png(self, name: str) -> str | None:
        """Return the path of a screenshot; None if it is not there."""
        known = self._store.path(name, ".png").name
        return None if known in self.missing else self.path(known)

    def screen(self, record: Mapping[str, Any]) -> Screen:
        """Return a screen that an observation tells of, with the size and the name of its picture.

        That is enough to tell pictures apart. A file that is missing is as good as empty.
        """
        name = str(record["png"])
        png = self._read(name, ".png", _HEADER) + name.encode("utf-8", "replace")
        xml = self._read(str(record["xml"]), ".xml", MOST_BYTES).decode("utf-8", "replace")
        return Screen(xml, png, str(record.get("package", "")), str(record.get("activity", "")))

    def _read(self, name: str, suffix: str, most: int) -> bytes:
        path = self._store.path(os.path.basename(name), suffix)  # noqa: PTH119 - see `path`
        try:
            with opened(path) as file:
                return file.read(most)
        except OSError:
            self.missing.append(path.name)
            return b""


def frames(
    episode: EpisodeRecord,
    seen: Sequence[Mapping[str, Any]],
    pictures: Pictures,
    exchanges: Exchanges,
) -> list[dict[str, Any]]:
    """Return a frame for each screen that the agent saw, and one for what the last step led to.

    `seen` are the observations of the episode's record.
    """
    shown, probes, at = [], episode.initial_probes, 0.0
    idle = no_effect(episode)
    for number, step in enumerate(episode.steps):
        after = number + 1 if number + 1 < len(seen) else None
        frame = {
            **_screen(seen[number], step.screen, pictures),
            **_done(step, exchanges),
            "step": number + 1,
            "after": pictures.png(seen[after]["png"]) if after is not None else None,
            "at": round(at, 3),
            "probes": to_wire(step.probes),
            "changed": sorted(n for n, v in step.probes.items() if v != probes.get(n)),
            "no_effect": idle[number],
        }
        shown.append(frame)
        probes, at = step.probes, at + step.seconds_thinking + step.seconds_acting
    if len(seen) > len(episode.steps):
        last = seen[len(episode.steps)]
        calls = [exchanges.shown(call) for call in episode.unused]
        nothing = {**_NOTHING, "calls": calls, "at": round(at, 3), "probes": to_wire(probes)}
        shown.append({**_screen(last, episode.screen, pictures), **nothing})
    elif episode.unused and shown:
        shown[-1]["calls"] += [exchanges.shown(call) for call in episode.unused]
    return shown


_NOTHING: dict[str, Any] = {
    "step": None, "actions": [], "after": None, "said": "", "notice": "", "reply": None,
    "thinking": 0, "acting": 0, "counts": False, "events": [], "changed": [], "no_effect": False,
}  # fmt: skip


def _screen(record: Mapping[str, Any], screen: Screen, pictures: Pictures) -> dict[str, Any]:
    size = size_of(screen)
    return {
        "png": pictures.png(str(record["png"])),
        "size": list(size) if size else None,
        "package": str(record.get("package", "")),
        "activity": str(record.get("activity", "")),
        "time": record.get("time"),
        "tree": tree(screen),
    }


def _done(step: Step, exchanges: Exchanges) -> dict[str, Any]:
    done = len(step.done)
    actions = []
    for place, action in enumerate(step.actions):
        marked = mark(action, step.screen) or {"at": None, "to": None}
        kind = type(action).__name__.lower()
        words = {"text": in_words(action, step.screen), "done": place < done}
        actions.append({**words, **marked, "kind": kind})
    return {
        "actions": to_wire(actions),
        "said": step.said,
        "notice": step.notice,
        "reply": step.reply,
        "thinking": round(step.seconds_thinking, 3),
        "acting": round(step.seconds_acting, 3),
        "counts": step.counts,
        "calls": [exchanges.shown(call) for call in step.calls],
        "events": [_event(event) for event in step.events],
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "type": event.type,
        "text": " ".join(event.text) or event.content_description,
        "resource_id": event.resource_id,
        "package": event.package,
        "time": event.time and event.time.isoformat(),
    }
