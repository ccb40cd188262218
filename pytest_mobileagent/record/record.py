"""`python -m pytest_mobileagent record`: record a task by clicking on a phone."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Open
from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.device.device import DeviceOptions, system_of
from pytest_mobileagent.device.fleet.leases import leased_device, source_of
from pytest_mobileagent.errors import HostError, MobileAgentError
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.record.recording import Done, Recording, read_draft
from pytest_mobileagent.record.server import RecordServer
from pytest_mobileagent.record.service import RecordService
from pytest_mobileagent.report.html.show_command import open_page

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.leases import Project
    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.llm.models import Settings
    from pytest_mobileagent.record.trial import FileTrials


def main(
    arguments: Sequence[str], project: Callable[[], Project], settings: Callable[[], Settings]
) -> int:
    """Serve the page until the task is written, or until Ctrl-C; return the exit status.

    The status is 1 if the device is unavailable, or if a trial of the task went wrong. `settings`
    returns the project's, which name the model that proposes goals unless an option does.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    output: Path = given.output
    if output.suffix != ".py" or not output.name.startswith("test_"):
        parser.error(f"-o {output}: pytest finds tasks in files named test_*.py")
    if output.exists():
        parser.error(f"{output} already exists and is not overwritten: name a new file")
    try:
        apps, done = _continued(given)
        _say(f"starting {given.device or 'the phone of the project'}")
        model = _model(parser, given, settings)
        return _record(given, apps, done, project(), model)
    except ValueError as error:
        parser.error(f"--device={given.device}: {error}")
    except MobileAgentError as error:
        return failed(error)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("record"),
        description="Show a phone on a local page, and write what you do there as a task: its "
        "solution, and asserts for what has changed. The task is then tested.",
        epilog="Until the task is written, the recording is stored beside it (.recording.json), "
        "from which --continue can resume. See docs/recording.md.",
    )
    add = parser.add_argument
    add("--device", metavar="DEVICE", default="", help="the phone (default: the project's)")
    apps = "an app that the task needs; the first is opened; may be repeated"
    add("--app", metavar="PACKAGE", action="append", default=[], help=apps)
    file = "the file to write: test_*.py"
    add("-o", "--output", metavar="FILE", type=Path, required=True, help=file)
    model = "a model that proposes a goal and a name at the press of a button: PROVIDER:NAME"
    add("--model", metavar="MODEL", help=model)
    add("--prices", type=Path, metavar="FILE", help="a TOML file of your own prices")
    unpriced = "whether a model without a known price may be called (default: the project's, stop)"
    add("--unpriced", choices=("stop", "allow"), help=unpriced)
    again = "continue an unfinished recording"
    add("--continue", dest="draft", metavar="FILE", type=Path, help=again)
    add("--port", type=int, default=0, help="the port of the page (default: a free one)")
    add("--no-browser", action="store_true", help="only print the address")
    return parser


def _continued(given: argparse.Namespace) -> tuple[tuple[str, ...], list[Done]]:
    if given.draft is None:
        return tuple(given.app), []
    apps, done = read_draft(given.draft)
    return (*apps, *(app for app in given.app if app not in apps)), done


def _model(
    parser: argparse.ArgumentParser, given: argparse.Namespace, settings: Callable[[], Settings]
) -> Model | None:
    """Return the model that proposes goals, if any; exit with an error if it cannot be called."""
    if given.model is None:
        return None
    from pytest_mobileagent.record.proposal import proposer  # needs an extra

    try:
        return proposer(given, settings)
    except ValueError as error:
        parser.error(str(error))


def _record(
    given: argparse.Namespace,
    apps: tuple[str, ...],
    done: Sequence[Done],
    project: Project,
    model: Model | None,
) -> int:
    name = given.device or project.device
    source = source_of(name, lambda: project)
    draft = given.output.with_name(f"{given.output.stem}.recording.json")
    if given.draft is None and draft.exists():
        msg = f"{draft} contains an unfinished recording: use --continue {draft}, or delete it"
        raise HostError(msg)
    _make(draft.parent)
    with ExitStack() as stack:
        lease = stack.enter_context(ExitStack())
        device = lease.enter_context(leased_device(source, DeviceOptions(apps=tuple(project.apps))))
        _check(device, apps)
        recording = Recording(device, apps, draft=draft)
        service = RecordService(recording, given.output, name, lease.close, model=model)
        if done:
            _say(f"repeating {plural(len(done), 'action')}")
            recording.resume(done)
        elif apps:
            _say(f"opening {apps[0]}")
            recording.act(Open(apps[0]))
        server = stack.enter_context(RecordServer(service, given.port))
        print(f"record: {server.url}", flush=True)
        if not given.no_browser:
            open_page(server.invitation())
        try:
            service.closed.wait()
        finally:
            if service.trial is not None:
                service.trial.stop()
        return _end(given.output, draft, service.trial)


def _say(words: str) -> None:
    sys.stderr.write(f"{printable(words)} …\n")
    sys.stderr.flush()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{folder} cannot be created: {error.strerror}; name another file with -o"
        raise HostError(msg) from error


def _check(device: Device, apps: Iterable[str]) -> None:
    installed = system_of(device).packages()
    for app in apps:
        if app not in installed:
            near = sorted(each for each in installed if app.rpartition(".")[2] in each)
            hint = f"; there is {near[0]}" if near else ""
            raise HostError(f"--app={app}: {device.info.serial} has no such app{hint}")


def _end(output: Path, draft: Path, trial: FileTrials | None) -> int:
    if trial is None:
        sys.stderr.write("nothing was written\n")
        return 1
    draft.unlink(missing_ok=True)
    words = [f"{'' if each.is_right else 'NOT: '}{each.title}" for each in trial.outcomes]
    print(printable(f"wrote {output}: {', '.join(words)}"))
    print(printable(f"run an agent on it: pytest {output} --agent=NAME"))
    return 0 if trial.passed else 1
