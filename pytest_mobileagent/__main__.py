"""The commands `mobileagent COMMAND` and `python -m pytest_mobileagent COMMAND`."""

from __future__ import annotations

import importlib
import os
import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import program_name
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.dataset.export import Source
    from pytest_mobileagent.plugin.settings import Project

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


# The module that contains each command's `main`; only the chosen one is imported.
_MODULES = {
    "bundle": "pytest_mobileagent.report.bundle.writing",
    "contaminate": "pytest_mobileagent.dataset.contaminate",
    "environments": "pytest_mobileagent.environment.random_environments",
    "flips": "pytest_mobileagent.report.flips_command",
    "init": "pytest_mobileagent.init",
    "pack": "pytest_mobileagent.report.pack_command",
    "rollouts": "pytest_mobileagent.rollout.command",
    "setup-avd": "pytest_mobileagent.device.setup_avd",
    "verify": "pytest_mobileagent.report.bundle.verify",
}


def main(arguments: list[str]) -> int:
    """Run a command and return its exit status: 1 if its reader, such as `head`, has gone away."""
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except MemoryError:
        sys.stderr.write(
            "error: there is not enough memory (`ulimit -v` shows this shell's limit)\n"
        )
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
    if command in _MODULES:
        status: int = importlib.import_module(_MODULES[command]).main(rest)
        return status
    sys.stderr.write(usage)
    if command:
        sys.stderr.write(f"\nthere is no command {command!r}\n")
    return 2


def script() -> int:
    """Run the console script `mobileagent`, which is equivalent to running the module.

    The current folder is added to the module search path, as `python -m` does, so a project's
    agents can be named by their module.
    """
    if not sys.flags.safe_path:
        sys.path.insert(0, str(Path.cwd()))
    return main(sys.argv[1:])


def _calibrate(arguments: list[str]) -> int:
    """Measure judges, by default the project's."""
    from pytest_mobileagent.judge.calibration.calibrate import main as calibrate
    from pytest_mobileagent.plugin.settings import project_settings

    return calibrate(arguments, project_settings)


def _compare(arguments: list[str]) -> int:
    """Compare runs, by default with the project's gate."""
    from pytest_mobileagent.report.comparison.compare_command import main as compare

    def setting(name: str) -> tuple[str, Path] | None:
        from pytest_mobileagent.plugin.settings import project_settings  # slow to import

        return project_settings().get(name)

    return compare(arguments, setting)


def _doctor(arguments: list[str]) -> int:
    """Check a device, which may come from the project's own sources or have its apps."""
    from pytest_mobileagent.device.doctor.doctor import main as doctor
    from pytest_mobileagent.plugin.preflight import select
    from pytest_mobileagent.plugin.settings import this_project
    from pytest_mobileagent.report.recorded_run import app_versions

    return doctor(arguments, this_project, select, app_versions)


def _draft_check(arguments: list[str]) -> int:
    """Draft checks, by default with the project's model."""
    from pytest_mobileagent.draft.draft_check import main as draft_check
    from pytest_mobileagent.plugin.settings import project_settings

    return draft_check(arguments, project_settings)


def _export(arguments: list[str]) -> int:
    """Export runs as a data set, by default without what the project redacts."""
    from pytest_mobileagent.dataset.export import main as export
    from pytest_mobileagent.plugin.settings import project_settings
    from pytest_mobileagent.report.recorded_run import find_run, finished_episodes

    runs: list[Path] = []

    def episodes(path: Path) -> Iterator[Source]:
        runs.append(find_run(path))
        return finished_episodes(path)

    status = export(arguments, episodes, project_settings().get)
    for run in dict.fromkeys(runs):
        _pack(run)
    return status


def _merge(arguments: list[str]) -> int:
    """Merge runs, and pack the screens of the merged run."""
    from pytest_mobileagent.report.merging import main as merge

    return merge(arguments, _pack)


def _pack(run: Path) -> None:
    """Pack the screens of a large run that a command has touched, if the project packs them."""
    from pytest_mobileagent.report.pack_command import is_left, pack_rest

    if is_left(run) and _packs():
        pack_rest(run)


def _packs() -> bool:
    from pytest_mobileagent.plugin.settings import project_settings  # slow to import

    try:
        packs = project_settings().get("mobile_pack_screens")
    except SystemExit:  # the command itself needs no project
        return True
    return packs is None or packs[0] != "false"


def _graph(arguments: list[str]) -> int:
    """Make a graph from runs, by default without what the project redacts."""
    from pytest_mobileagent.dataset.graph_command import main as graph
    from pytest_mobileagent.plugin.settings import project_settings
    from pytest_mobileagent.report.recorded_run import finished_episodes, has_run

    return graph(arguments, finished_episodes, has_run, project_settings().get)


def _instruct(arguments: list[str]) -> int:
    """Write instructions for recordings, by default with the project's models."""
    from pytest_mobileagent.instruct.instruct import main as instruct
    from pytest_mobileagent.plugin.settings import project_settings
    from pytest_mobileagent.report.recorded_run import finished_episodes

    return instruct(arguments, finished_episodes, project_settings)


def _mcp(arguments: list[str]) -> int:
    """Serve a device, which may come from the project's own sources or have its apps."""
    from pytest_mobileagent.mcp.serve import main as mcp

    def project() -> Project:
        from pytest_mobileagent.plugin.settings import this_project  # slow to import

        return this_project()

    return mcp(arguments, project)


def _record(arguments: list[str]) -> int:
    """Record a task on a device, which may come from the project's own sources or have its apps."""
    from pytest_mobileagent.plugin.settings import project_settings, this_project
    from pytest_mobileagent.record.record import main as record

    return record(arguments, this_project, project_settings)


def _report(arguments: list[str]) -> int:
    """Write tables or pages of runs; published scores by default beside this project's newest."""
    from pytest_mobileagent.report.export.report_command import main as report

    return report(arguments, _runs)


def _review(arguments: list[str]) -> int:
    """Serve the review page, by default for a run of this project."""
    from pytest_mobileagent.review.review import main as review

    return review(arguments, _runs)


def _show(arguments: list[str]) -> int:
    """Open the page of a run, by default the newest of this project."""
    from pytest_mobileagent.report.html.show_command import main as show

    return show(arguments, _runs)


def _runs() -> Path:
    """Return the folder of this project's runs."""
    from pytest_mobileagent.plugin.settings import this_project  # slow to import

    return this_project().runs


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
        from pytest_mobileagent.plugin.settings import this_project

        folders = this_project().apps
        arguments = [*arguments, *(w for path in folders for w in ("--apps", str(path)))]
    return device(arguments, program_name("device"))


_OWN = {
    "calibrate": _calibrate,
    "compare": _compare,
    "device": _device,
    "doctor": _doctor,
    "draft-check": _draft_check,
    "export": _export,
    "graph": _graph,
    "instruct": _instruct,
    "mcp": _mcp,
    "merge": _merge,
    "record": _record,
    "report": _report,
    "review": _review,
    "show": _show,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
