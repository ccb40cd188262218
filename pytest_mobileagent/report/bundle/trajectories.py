"""Trajectories for publication: a folder for each task, with plain JSON and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import to_json
from pytest_mobileagent.episode.chain import portable
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.redaction import holds_key
from pytest_mobileagent.errors import HostError, RecordError, ScreenError
from pytest_mobileagent.fileio import new_folder, write_bytes, write_text
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.recorded_run import finished_tasks, recorded_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry

_README = """# Trajectories

{count} episodes of {agents}, recorded with pytest-mobileagent: a folder for each, with
`trajectory.json` and a picture of each screen.

- `goal`, `success` (true, false or null), `outcome`, `termination`, `answer`: what was asked, and
  how it ended.
- `steps`: at each, the picture and the hierarchy (`.xml`) that the agent saw, what it said, and its
  actions. Coordinates are in pixels of the picture. `final` is the last screen.

## Licence

The tasks of these suites, and the texts and pictures of the apps that they use, have the licence of
their authors. Fill in what applies before you publish:

{suites}
"""


def write_trajectories(given: Sequence[Path], target: Path, *, screens: bool = True) -> int:
    """Write the finished episodes of runs to a new or empty folder; return their number.

    Raises:
        HostError: if the folder is not empty or cannot be written, or an episode holds a key.
        OSError, RecordError: if a run cannot be read.
    """
    recorded = [recorded_run(run) for run in given]
    count = 0
    with new_folder(target) as made:
        for run in recorded:
            for task, folder in finished_tasks(run):
                place = made / (run.folder.name if len(recorded) > 1 else "") / folder.name
                _write(read(folder, EpisodeRecord), task, run.folder, place, screens=screens)
                count += 1
        suites = sorted({task.suite or "" for run in recorded for task in run.tasks} - {""})
        agents = ", ".join(sorted({str(run.about.get("agent")) for run in recorded}))
        listed = "\n".join(f"- {suite}: (its licence)" for suite in suites)
        text = _README.format(count=count, agents=agents, suites=listed)
        write_text(made / "README.md", text)
    return count


def _write(episode: EpisodeRecord, task: Entry, run: Path, place: Path, *, screens: bool) -> None:
    """Write an episode into a new folder."""
    place.mkdir(parents=True)
    shown = [*(step.screen for step in episode.steps), episode.screen]
    files = []
    for number, screen in enumerate(shown):
        names: dict[str, str] = {}
        try:
            contents = {"picture": (".png", screen.png), "hierarchy": (".xml", screen.xml.encode())}
        except (OSError, ValueError, ScreenError) as error:
            raise RecordError(f"{place.name}: screen {number} cannot be read: {error}") from error
        for what, (suffix, content) in contents.items():
            if content and screens:
                packed = content.startswith(b"RIFF")
                names[what] = f"{number:03}{'.webp' if packed else suffix}"
                write_bytes(place / names[what], content)
        files.append(names)
    steps: list[dict[str, Any]] = [
        {**names, "said": step.said, "actions": [to_json(action) for action in step.actions]}
        for names, step in zip(files, episode.steps, strict=False)
    ]
    whole = {
        "task": task.key,
        "suite": task.suite,
        "goal": episode.goal,
        "agent": episode.agent,
        "success": task.success,
        "outcome": task.outcome,
        "termination": str(episode.termination),
        "answer": task.answer,
        "size": list(episode.device.size),
        "steps": steps,
        "final": files[-1],
    }
    text = publishable(to_text(whole, indent=2), run, f"{place.name}/trajectory.json")
    write_text(place / "trajectory.json", text + "\n")


def publishable(text: str, run: Path, name: str) -> str:
    """Return a text of a run without paths of the machine; `name` is that of its file.

    Raises:
        HostError: if it contains a key.
    """
    if holds_key(text):
        msg = f"{name} holds a key, or what looks like one: nothing is written. Run with "
        raise HostError(f"{msg}--mobile-redact, or remove the file")
    return portable(text, run)
