"""The data of an episode for the page: its screens, and the actions on them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import in_words
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.exchanges import STREAM as CALLS
from pytest_mobileagent.episode.findings import last_trial
from pytest_mobileagent.episode.migrate import migrate
from pytest_mobileagent.episode.reader import records_of, whole
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import opened
from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.report.html.trajectory import (
    JUDGES,
    Exchanges,
    Texts,
    mark,
    opinions,
    size_of,
    tree,
)
from pytest_mobileagent.report.metrics.behaviour import is_obeyed
from pytest_mobileagent.report.result import no_effect, unfocused
from pytest_mobileagent.report.text.narration import ending
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.screen.picture import HEADER
from pytest_mobileagent.verdict import CHECK, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode import Step
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.verdict import Verdict

    Record = Mapping[str, Any]


_MOST_FILES = 200


def episode_data(folder: Path, page: Path) -> dict[str, Any]:
    """Return the data of the episode in a folder for the page; paths are relative to `page`.

    Of a damaged one, the page shows what can be read: "damaged" says why, "missing" lists files.
    """
    given = verdicts(folder)
    texts, pictures = Texts(), Pictures(folder, page)
    judging = Exchanges(folder / JUDGES, texts, pictures.path)
    data = {"frames": [], **_verdict_data(given)}
    try:
        data |= _recorded(folder, texts, pictures)
        data["frames"] += _wall(folder, pictures)
        add_matches(data["frames"], given)
    except RecordError as error:
        data["damaged"] = str(error)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
        data["damaged"] = f"its record is incomplete: {type(error).__name__}: {error}"
    except RecursionError:
        data["damaged"] = "its record is nested too deeply"
    data["judging"] = judging.all()
    own = {"files": _files(folder), "folder": pictures.relative(folder)}
    return {**data, **own, "missing": sorted(set(pictures.missing)), "texts": texts.all}


def _files(folder: Path) -> list[tuple[str, int]]:
    """Return the names and sizes of an episode's own files, without its links to screens."""
    found = list[tuple[str, int]]()
    for path in sorted(folder.glob("*")) + sorted(folder.glob("program/*")):
        with suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found.append((path.relative_to(folder).as_posix(), status.st_size))
    return found[:_MOST_FILES]


def _recorded(folder: Path, texts: Texts, pictures: Pictures) -> dict[str, Any]:
    records = records_of(folder)
    seen = [record for record in migrate(records) if record["record"] == "observation"]
    known = {number: pictures.screen(record) for number, record in enumerate(seen, 1)}
    episode = whole(folder, EpisodeRecord, records, known)
    exchanges = Exchanges(folder / CALLS, texts, pictures.path)
    device, reset = episode.device, episode.reset
    return {
        "goal": episode.goal,
        "agent": episode.agent,
        "device": f"{device.model}, Android {device.android} ({device.serial})",
        "node": episode.node,
        "versions": ", ".join(f"{name} {version}" for name, version in episode.versions.items()),
        "size": list(device.size),
        "ending": ending(episode),
        "termination": str(episode.extra.get("termination") or episode.termination),
        "error": episode.error,
        "answer": episode.answer,
        "seed": episode.seed,
        "parameters": to_wire(episode.case.parameters),
        "reset": reset.to_json() if reset else None,
        "golden_steps": episode.case.task.shortest,
        "step_limit": episode.step_limit,
        "probes": to_wire(episode.initial_probes),
        "frames": frames(episode, seen, pictures, exchanges),
    }


def _verdict_data(given: Sequence[Verdict]) -> dict[str, Any]:
    """Return the opinions on the episode, and the progress of its check from the last verdict."""
    each = opinions(given)
    checks = [verdict for verdict in given if verdict.scorer == CHECK]
    for opinion in each:
        opinion["evidence"].pop("held", None)
        opinion["evidence"].pop("source", None)
    return {
        "opinions": to_wire(each),
        "subgoals": _last("subgoals", checks, list),
        "held": _last("held", checks, list),
        "source": _last("source", checks, dict),
    }


def _last(name: str, given: Sequence[Verdict], kind: type) -> Any:
    found = (v.evidence[name] for v in reversed(given) if isinstance(v.evidence.get(name), kind))
    return to_wire(next(found, None))


class Pictures:
    """The screens of an episode by name, some of them `missing`; paths are relative to `page`."""

    def __init__(self, episode: Path, page: Path) -> None:
        self._store = ScreenStore.of_episode(episode)
        self._page = page
        self._base = self.relative(self._store.folder)
        self.missing: list[str] = []

    def relative(self, path: Path) -> str:
        """Return a path relative to the page."""
        return os.path.relpath(path, self._page).replace(os.sep, "/")

    def path(self, name: str) -> str:
        """Return the path of a picture by the name of its file."""
        return f"{self._base}/{os.path.basename(name)}"  # noqa: PTH119 - not a local path

    def png(self, name: str) -> str | None:
        """Return the path of a screenshot; None if it is missing, "" if none was taken."""
        if not name:
            return ""
        file = self._store.file(name, ".png")
        return None if self._store.path(name, ".png").name in self.missing else self.path(file.name)

    def screen(self, record: Record) -> Screen:
        """Return the screen of an observation, with only the header and the name of its picture.

        These are enough to distinguish pictures. A missing file is treated as empty.
        """
        name = str(record["png"])
        png = self._read(name, ".png", self._header) if name else b""
        xml = self._read(str(record["xml"]), ".xml", self._store.read).decode("utf-8", "replace")
        known: dict[str, Any] = {n: str(record.get(n, "")) for n in ("package", "activity")}
        own = record.get("beneath")
        known["beneath"] = self.screen(own) if isinstance(own, dict) else None
        if not name:
            return Screen(xml, b"", **known, extent=tuple(record["size"]))
        return Screen.recorded(xml, name, lambda: png, **known)

    def _header(self, name: str, suffix: str) -> bytes:
        path = self._store.file(name, suffix)
        if path.is_symlink():
            return self._store.read(name, suffix)[:HEADER]
        with opened(path) as file:
            return file.read(HEADER)

    def _read(self, name: str, suffix: str, read: Callable[[str, str], bytes]) -> bytes:
        own = os.path.basename(name)  # noqa: PTH119 - see `path`
        try:
            return read(own, suffix)
        except (OSError, ValueError):
            self.missing.append(self._store.path(own, suffix).name)
            return b""


def frames(
    episode: EpisodeRecord, seen: Sequence[Record], pictures: Pictures, exchanges: Exchanges
) -> list[dict[str, Any]]:
    """Return a frame for each observation `seen` before a step, and one for the last result."""
    found, probes, at = [], episode.initial_probes, 0.0
    unknown = [False] * len(episode.steps) if episode.is_on_path else None
    idle, blind = unknown or no_effect(episode), unknown or unfocused(episode)
    for number, step in enumerate(episode.steps):
        frame = {
            **_screen(seen[number], step.screen, pictures),
            **_done(step, exchanges),
            "obeyed": is_obeyed(episode.steps, number),
            "step": number + 1,
            "after": pictures.png(seen[number + 1]["png"]) if number + 1 < len(seen) else None,
            "at": round(at, 3),
            "probes": to_wire(step.probes),
            "changed": sorted(n for n, v in step.probes.items() if v != probes.get(n)),
            "no_effect": idle[number],
            "unfocused": blind[number],
        }
        found.append(frame)
        probes, at = step.probes, at + step.seconds_thinking + step.seconds_acting
    if len(seen) > len(episode.steps):
        last = seen[len(episode.steps)]
        calls = [exchanges.of_call(call) for call in episode.unused]
        nothing = {**_NOTHING, "calls": calls, "at": round(at, 3), "probes": to_wire(probes)}
        found.append({**_screen(last, episode.seen[-1], pictures), **nothing})
    elif episode.unused and found:
        found[-1]["calls"] += [exchanges.of_call(call) for call in episode.unused]
    return found


_NOTHING: dict[str, Any] = {
    "step": None, "actions": [], "after": None, "said": "", "notice": "", "reply": None,
    "thinking": 0, "acting": 0, "counts": False, "events": [], "crashes": [], "log": [],
    "changed": [], "no_effect": False, "unfocused": False, "noise": None, "obeyed": False,
}  # fmt: skip


def _screen(record: Record, screen: Screen, pictures: Pictures) -> dict[str, Any]:
    size = size_of(screen)
    return {
        "png": pictures.png(str(record["png"])),
        "size": list(size) if size else None,
        "package": str(record.get("package", "")),
        "activity": str(record.get("activity", "")),
        "time": record.get("time"),
        "tree": tree(screen),
        "unseen": screen.notice,
    }


def _done(step: Step, exchanges: Exchanges) -> dict[str, Any]:
    return {
        "actions": to_wire(_actions(step)),
        "said": step.said,
        "notice": step.notice,
        "reply": step.reply,
        "thinking": round(step.seconds_thinking, 3),
        "acting": round(step.seconds_acting, 3),
        "counts": step.counts,
        "is_golden": step.golden is not None,
        "noise": step.noise and step.noise.to_json(),
        "calls": [exchanges.of_call(call) for call in step.calls],
        "events": [_event(event) for event in step.events],
        "crashes": [{**crash.to_json(), "text": str(crash)} for crash in step.crashes],
        "log": [str(line) for line in step.log],
    }


def _actions(step: Step) -> list[dict[str, Any]]:
    """Return the agent's actions, followed by the golden action if it was executed instead."""
    decided = [(action, place < len(step.done)) for place, action in enumerate(step.actions)]
    if step.golden is not None:
        same = step.actions == step.done
        decided = [(action, same) for action in step.actions]
        decided += [] if same else [(step.golden.action, True)]
    found = []
    for place, (action, was_done) in enumerate(decided):
        marked = mark(action, step.screen) or {"at": None, "to": None}
        golden = "golden: " if place >= len(step.actions) else ""
        words = {"text": f"{golden}{in_words(action, step.screen)}", "done": was_done}
        found.append({**words, **marked, "kind": type(action).__name__.lower()})
    return found


def _wall(folder: Path, pictures: Pictures) -> list[dict[str, Any]]:
    """Return the frame of a wall trial, in which the app was opened again; empty without one."""
    trial = last_trial(folder)
    if trial is None or not trial.png:
        return []
    record = trial.to_json()
    nothing = {**_NOTHING, "calls": [], "at": None, "probes": {}}
    screen = _screen(record, pictures.screen(record), pictures)
    return [{**screen, **nothing, "wall": {"stands": trial.stands, "text": str(trial)}}]


def add_matches(frames: Sequence[dict[str, Any]], verdicts: Sequence[Verdict]) -> None:
    """Add to the frames of golden steps whether the agent matched them in the last comparison."""
    found = [v.evidence["matches"]["steps"] for v in verdicts if "matches" in v.evidence]
    golden = [frame for frame in frames if frame.pop("is_golden", False)]
    for frame, match in zip(golden, found[-1] if found else (), strict=False):
        frame["match"] = match["exact"] if match["counts"] else None


def _event(event: Event) -> dict[str, Any]:
    return {
        "type": event.type,
        "text": " ".join(event.text) or event.content_description,
        "resource_id": event.resource_id,
        "package": event.package,
    }


_MOST_WORDS = 20_000  # characters of an episode that the page searches


def words_of(data: Mapping[str, Any]) -> list[str]:
    """Return the text of each frame of an episode that the page searches for words.

    `data` is the result of `episode_data`. The first text contains the goal. Each contains the
    agent's message, the notice, the user's reply, and the texts that are new on the screen.
    """
    known, room = {None, ""}, _MOST_WORDS
    found = []
    for frame in data.get("frames") or ():
        added = list[str]()
        messages = (frame.get(name) for name in ("said", "notice", "unseen", "reply"))
        for text in (*messages, *_texts(frame.get("tree"))):
            if text in known:
                continue
            if len(text) > room:
                break
            known.add(text)
            added.append(text)
            room -= len(text)
        found.append("\n".join(added))
    first, *others = found or [""]
    return ["\n".join(filter(None, (str(data.get("goal") or ""), first))), *others]


def _texts(root: Any) -> Iterator[str]:
    """Yield the texts and descriptions in a tree of elements (see `trajectory.tree`)."""
    pending = [root] if root else []
    while pending:
        _, text, _, description, *_, children = pending.pop()
        yield from (each for each in (text, description) if each)
        pending += reversed(children)
