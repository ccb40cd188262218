"""The commands `mobileagent COMMAND` and `python -m pytest_mobileagent COMMAND`."""

from __future__ import annotations

import importlib
import os
import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import program_name
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.dataset.export import Source

_USAGE = """usage: {program} COMMAND

commands:
  bundle        write runs to one file that others can check
  calibrate     compare judges with the decisions of people
  compare       compare runs, and check a gate
  contaminate   put ads over the targets of recorded trajectories
  device        start a virtual phone
  doctor        check a device, or list the tasks that can run on it
  draft-check   have a model write a check for a recorded task
  environments  draw random environments for --mobile-env
  export        write recorded episodes as a data set for training
  flips         find out why verdicts differ between epochs: judge, phone, or agent
  graph         make a graph of recorded pages, on which agents run without a phone
  init          create a project: an app, an agent and two tasks
  instruct      have models write instructions for recorded trajectories, as new tasks
  mcp           serve a device to MCP clients, or connect a client to a served device
  merge         merge several runs, such as shards, into one
  pack          pack the screens of runs: a third of the bytes, the same pixels
  record        record a task by clicking on a phone
  report        write tables of several runs, a leaderboard, or the page of a run
  review        decide episodes that checks and judges left open, on a local page
  rollouts      serve tasks on phones to programs that train agents
  setup-avd     create an AVD from a recipe, with apps and settings in a snapshot
  show          open the page of a run or an episode in the browser
  verify        check a bundle of runs with the checks of this project

COMMAND --help lists the options of a command. --version prints the version.
"""


def main(arguments: list[str]) -> int:
    """Run a command and return its exit status: 1 if its reader, such as `head`, has gone away."""
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except MemoryError:
        why = "there is not enough memory (`ulimit -v` shows this shell's limit)"
        sys.stderr.write(f"error: {why}\n")
        return 1
    except BrokenPipeError:
        if not _has_lost_its_reader():
            raise
        return 1


def _has_lost_its_reader() -> bool:
    """Return whether standard output has been closed at its other end; if so, discard the rest."""
    poll = select.poll()
    poll.register(sys.stdout, 0)
    is_lost = any(events & select.POLLERR for _, events in poll.poll(0))
    if is_lost:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return is_lost


def _run(arguments: list[str]) -> int:
    command, *rest = arguments or [""]
    usage = _USAGE.format(program=program_name())
    if command in {"-h", "--help"}:
        sys.stdout.write(usage)
        return 0
    if command == "--version":
        from importlib.metadata import version  # slow, and starting a phone should be fast

        sys.stdout.write(f"pytest-mobileagent {version('pytest-mobileagent')}\n")
        return 0
    if command in _OWN:
        return _OWN[command](rest)
    if command in _COMMANDS:
        module, *needed = _COMMANDS[command]
        given = [_late(each) if isinstance(each, str) else each for each in needed]
        status: int = importlib.import_module(module).main(rest, *given)
        return status
    sys.stderr.write(usage)
    if command:
        sys.stderr.write(f"\nthere is no command {command!r}\n")
    return 2


def script() -> int:
    """Run the console script `mobileagent`, which is equivalent to running the module.

    As with `python -m`, a project's agents can be named by their modules in the current folder.
    """
    if not sys.flags.safe_path:
        sys.path.insert(0, str(Path.cwd()))
    return main(sys.argv[1:])


def _late(name: str) -> Callable[..., Any]:
    """Return a function of this package, which is imported only when it is called."""
    module, _, function = name.rpartition(".")

    def call(*given: Any) -> Any:
        return getattr(importlib.import_module(module), function)(*given)

    return call


def _setting(name: str) -> tuple[str, Path] | None:
    """Return a setting of this project, such as its gate or what it redacts, and its origin."""
    found: tuple[str, Path] | None = _late(_SETTINGS)().get(name)
    return found


def _runs() -> Path:
    """Return the folder of this project's runs."""
    runs: Path = _late(_PROJECT)().runs
    return runs


def _export(arguments: list[str]) -> int:
    """Export runs as a data set, by default without what the project redacts."""
    from pytest_mobileagent.dataset.export import main as export
    from pytest_mobileagent.report.recorded_run import find_run, finished_episodes

    runs: list[Path] = []

    def episodes(path: Path) -> Iterator[Source]:
        runs.append(find_run(path))
        return finished_episodes(path)

    status = export(arguments, episodes, _setting)
    for run in dict.fromkeys(runs):
        _pack(run)
    return status


def _pack(run: Path) -> None:
    """Pack the screens of a large run that a command has touched, if the project packs them."""
    from pytest_mobileagent.episode.packing import is_left, pack_rest

    if is_left(run):
        try:
            packs = _setting("mobile_pack_screens")
        except SystemExit:  # the command itself needs no project
            packs = None
        if packs is None or packs[0] != "false":
            pack_rest(run)


def _device(arguments: list[str]) -> int:
    """Start a virtual phone, by default with the project's apps."""
    from pytest_mobileagent.extras import MissingExtraError, check_extra
    from pytest_mobileagent.virtual.main import main as device  # only what is used is imported

    named = {word.split("=")[0] for word in arguments}
    if not named & {"-h", "--help"}:
        try:
            check_extra("virtual", "the virtual device")
            if "--grpc" in named:
                check_extra("grpc", "--grpc")
        except MissingExtraError as error:
            sys.stderr.write(f"error: {printable(str(error))}\n")
            return 1
    if not named & {"-h", "--help", "--apps"}:
        for path in _late(_PROJECT)().apps:
            arguments = [*arguments, "--apps", str(path)]
    return device(arguments, program_name("device"))


_PROJECT = "pytest_mobileagent.plugin.settings.this_project"
_SETTINGS = "pytest_mobileagent.plugin.settings.project_settings"
_EPISODES = "pytest_mobileagent.report.recorded_run.finished_episodes"
_OWN = {"device": _device, "export": _export}
# The module of each other command's `main`, and what it needs from rooms that it does not know:
# functions here, or names of functions. Only the chosen one is imported.
_COMMANDS: dict[str, tuple[Any, ...]] = {
    "bundle": ("pytest_mobileagent.report.bundle.writing",),
    "calibrate": ("pytest_mobileagent.judge.calibration", _SETTINGS),
    "compare": ("pytest_mobileagent.report.comparison.compare_command", _setting),
    "contaminate": ("pytest_mobileagent.dataset.contaminate",),
    "doctor": (
        "pytest_mobileagent.device.doctor",
        _PROJECT,
        "pytest_mobileagent.plugin.preflight.select",
        "pytest_mobileagent.report.recorded_run.app_versions",
    ),
    "draft-check": ("pytest_mobileagent.draft.draft_check", _SETTINGS),
    "environments": ("pytest_mobileagent.environment",),
    "flips": ("pytest_mobileagent.report.flips_command",),
    "graph": (
        "pytest_mobileagent.dataset.graph_command",
        _EPISODES,
        "pytest_mobileagent.report.recorded_run.has_run",
        _setting,
    ),
    "init": ("pytest_mobileagent.init",),
    "instruct": ("pytest_mobileagent.instruct", _EPISODES, _SETTINGS),
    "mcp": ("pytest_mobileagent.mcp", _PROJECT),
    "merge": ("pytest_mobileagent.report.merging", _pack),
    "pack": (
        "pytest_mobileagent.episode.packing",
        "pytest_mobileagent.report.recorded_run.find_run",
    ),
    "record": ("pytest_mobileagent.record.record", _PROJECT, _SETTINGS),
    "report": ("pytest_mobileagent.report.export", _runs),
    "review": ("pytest_mobileagent.review", _runs),
    "rollouts": ("pytest_mobileagent.rollout.command",),
    "setup-avd": ("pytest_mobileagent.device.setup_avd",),
    "show": ("pytest_mobileagent.report.html.show_command", _runs),
    "verify": ("pytest_mobileagent.report.bundle.verify",),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
