"""`python -m pytest_mobileagent bundle`: runs in one file that others can check.

Also writes trajectories for publication: a folder for each task, with plain JSON and pictures.
"""

from __future__ import annotations

import sys
import zipfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import to_json
from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.chain import CHAIN, last_digest, portable
from pytest_mobileagent.episode.packing import pack_run
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.runs import INDEX, QUESTIONS, RUN
from pytest_mobileagent.episode.screens import FOLDER
from pytest_mobileagent.episode.secrets import holds_key
from pytest_mobileagent.errors import HostError, RecordError, ScreenError
from pytest_mobileagent.fileio import (
    MOST_BYTES,
    is_below,
    new_folder,
    read_bytes,
    read_text,
    replacing,
    write_bytes,
    write_text,
    writing,
)
from pytest_mobileagent.jsonable import plural, printable, to_text
from pytest_mobileagent.report.bundle import ABOUT, SCHEMA_VERSION, SUFFIX, is_bundle
from pytest_mobileagent.report.html.run_page import write_page
from pytest_mobileagent.report.recorded_run import (
    REPORT,
    find_run,
    finished_tasks,
    recorded_run,
    report_of,
)
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.pull_request import SUMMARY

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.report.entry import Entry

_OF_RUN = (RUN, INDEX, CHAIN, REPORT, PAGE, SUMMARY, QUESTIONS)
_UNPROVEN = (
    "without its screens, nobody can run its checks again, ask judges about it, or see what the "
    "agent saw"
)


def write_bundle(runs: Sequence[Path], target: Path, *, screens: bool = True) -> list[str]:
    """Write the runs in some folders to a bundle; return the names of files that are left out.

    Their screens are packed first. Files that are no text, such as an agent's own, are left out.

    Raises:
        HostError: if a file holds a key, or the bundle cannot be written; there is none then.
        OSError, RecordError: if a run cannot be read.
    """
    if twice := [run for run in runs if [each.name for each in runs].count(run.name) > 1]:
        raise HostError(f"two of the runs are named {twice[0].name}: name each run once")
    left_out: list[str] = []
    with writing(target), replacing(target) as file, zipfile.ZipFile(file, "w") as archive:
        for run in runs:
            if screens:
                pack_run(run)
            if not (run / PAGE).is_file():
                write_page(run, report_of(run))
            for path in _files(run, screens=screens):
                name = f"{run.name}/{path.relative_to(run).as_posix()}"
                content = _content(path, run, name)
                if content is None:
                    left_out.append(name)
                else:
                    how = zipfile.ZIP_STORED if path.parent.name == FOLDER else zipfile.ZIP_DEFLATED
                    archive.writestr(zipfile.ZipInfo(name), content, how)
        about = {
            "schema_version": SCHEMA_VERSION,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": version("pytest-mobileagent"),
            "runs": [run.name for run in runs],
            "screens": screens,
            "left_out": left_out,
        }
        archive.writestr(zipfile.ZipInfo(ABOUT), to_text(about, indent=2) + "\n")
    return left_out


def _files(run: Path, *, screens: bool) -> Iterator[Path]:
    """Yield the files of a run: every attempt, broken and repeated ones, too."""
    yield from (run / name for name in _OF_RUN if (run / name).is_file())
    for folder in ("episodes", FOLDER) if screens else ("episodes",):
        for path in sorted((run / folder).rglob("*")):
            is_ours = not path.name.startswith(".") and is_below(path, run)
            is_other_name = folder != FOLDER and path.parent.name == FOLDER  # of a screen
            if is_ours and not is_other_name and path.is_file():
                yield path


def _content(path: Path, run: Path, name: str) -> bytes | None:
    """Return the content of a file for a bundle; None if it is to be left out.

    Raises:
        HostError: if it contains a key.
    """
    if path.parent == run / FOLDER:
        return read_bytes(path)
    if path.stat().st_size > MOST_BYTES:
        return None
    try:
        return _publishable(read_text(path), run, name).encode()
    except UnicodeDecodeError:
        return None


def _publishable(text: str, run: Path, name: str) -> str:
    """Return a text of a run without paths of the machine; `name` is that of its file.

    Raises:
        HostError: if it contains a key.
    """
    if holds_key(text):
        msg = f"{name} holds a key, or what looks like one: nothing is written. Run with "
        raise HostError(f"{msg}--mobile-redact, or remove the file")
    return portable(text, run)


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
        write_text(made / "README.md", _README.format(count=count, agents=agents, suites=listed))
    return count


def _write(episode: EpisodeRecord, task: Entry, run: Path, place: Path, *, screens: bool) -> None:
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
    text = _publishable(to_text(whole, indent=2), run, f"{place.name}/trajectory.json")
    write_text(place / "trajectory.json", text + "\n")


def main(arguments: Sequence[str]) -> int:
    """Write a bundle, or trajectories, and return the exit status."""
    given = _parser().parse_args(arguments)
    target = Path(given.output)
    try:
        if not given.trajectories and not target.name.endswith(SUFFIX):
            raise HostError(f"{target}: the name of a bundle ends in {SUFFIX}")  # noqa: TRY301
        if bundled := next((run for run in given.runs if is_bundle(Path(run))), None):
            raise HostError(f"{bundled} is a bundle already")  # noqa: TRY301
        runs = [find_run(Path(run)) for run in given.runs]
        if given.trajectories:
            count = write_trajectories(runs, target, screens=not given.without_screens)
            sys.stdout.write(printable(f"{target}: {plural(count, 'trajectory')}") + "\n")
            return 0
        left_out = write_bundle(runs, target, screens=not given.without_screens)
    except (OSError, HostError, RecordError) as error:
        return failed(error)
    for name in left_out:
        sys.stderr.write(f"note: {printable(name)} is no text, or too large: left out\n")
    if given.without_screens:
        sys.stderr.write(f"note: {_UNPROVEN}\n")
    size = f"{target.stat().st_size / 1e6:.1f} MB"
    sys.stdout.write(printable(f"{target}: {plural(len(runs), 'run')}, {size}") + "\n")
    for run in runs:
        digest = last_digest(run) or "no chain of digests: recorded by an older version"
        sys.stdout.write(printable(f"digest of {run.name}: {digest}") + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("bundle"),
        description="Write runs to one file that others can check (`verify`) and compare: report, "
        "every attempt, prompts, screens, versions and the command. Paths of this machine are "
        "left out; if a file holds a key, nothing is written.",
    )
    add = parser.add_argument
    run = "the folder of a run, or a folder of runs, whose newest run is used"
    add("runs", nargs="+", metavar="RUN", help=run)
    output = f"the file to write, NAME{SUFFIX}; with --trajectories, a folder: new or empty"
    add("-o", "--output", required=True, metavar="FILE", help=output)
    add("--without-screens", action="store_true", help=f"a small bundle: {_UNPROVEN}")
    trajectories = "write the trajectories for publication instead: a folder for each task, with "
    add("--trajectories", action="store_true", help=f"{trajectories}plain JSON and pictures")
    return parser
