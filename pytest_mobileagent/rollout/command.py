"""`mobileagent rollouts`: serve phones and tasks to those who train agents in other processes."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import secrets
import signal
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, bad_input, positive, program_name
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.errors import InfrastructureError, TaskError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import decimal_number, plural, printable, whole_number
from pytest_mobileagent.rollout.reward import Reward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.rollout.server import RolloutServer

_WEIGHTS = [each.name for each in dataclasses.fields(Reward)]


def main(arguments: Sequence[str]) -> int:
    """Serve until Ctrl-C, and return the exit status."""
    words = list(arguments)
    cut = words.index("--") if "--" in words else len(words)
    parser = _parser()
    given = parser.parse_args(words[:cut])
    try:
        check_extra("rollouts", "a server for rollouts")
        return _run(given, words[cut + 1 :])
    except (TaskError, ValueError) as error:
        return bad_input(error)
    except (InfrastructureError, OSError) as error:
        print(printable(f"ERROR: {error}"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("rollouts"),
        usage="%(prog)s PATH… [options] [-- options of pytest]",
        description="Serve tasks on phones to programs that train agents. The protocol is that of "
        "OpenEnv; each client has a phone as long as it is connected.",
        epilog="Options of pytest after -- select tasks, such as -- -k alarm --mobile-env=train. "
        "Tasks whose checks ask for fixtures, such as judge, are left out.",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="tasks, as pytest collects them: tasks/clock")
    add("--phones", type=positive, default=1, metavar="N", help="how many (default: 1)")
    add("--device", default="virtual", help="their source, written like a run's --mobile-device")
    add("--per-process", type=positive, default=8, metavar="N",
        help="virtual phones in a process (default: 8)")  # fmt: skip
    add("--host", default="127.0.0.1", metavar="ADDRESS",
        help="where to listen; what is sent is not encrypted (default: 127.0.0.1)")  # fmt: skip
    add("--port", type=_port, default=0, help="default: one that is free")
    add("--split", default="parameters", choices=["parameters", "task", "app"],
        help="what the splits train and test do not share (default: parameters)")  # fmt: skip
    add("--reward", type=_reward, default=Reward(), metavar="WEIGHTS",
        help=f"as success=1,progress=0.5; there are {', '.join(_WEIGHTS)}")  # fmt: skip
    add("--dialect", choices=sorted(dialects()), metavar="NAME",
        help='how to read a step with the data {"text": …}, the words of a model: '
             + ", ".join(sorted(dialects())))  # fmt: skip
    add("--no-pictures", action="store_true", help="send hierarchies only, which is faster")
    add("--record", metavar="FOLDER", help="record the episodes as a run in FOLDER")
    return parser


def _run(given: argparse.Namespace, options: list[str]) -> int:
    from pytest_mobileagent.rollout.leasing import phones
    from pytest_mobileagent.rollout.recording import RecordedRollouts
    from pytest_mobileagent.rollout.server import RolloutServer
    from pytest_mobileagent.rollout.tasks import load_tasks

    tasks = [task for task in load_tasks(*given.paths, options=options) if not task.needs]
    if not tasks:
        raise TaskError(f"{' '.join(given.paths)} has no task whose check needs only the episode")
    token = secrets.token_urlsafe(16)
    with ExitStack() as stack:
        listener = stack.enter_context(_listener(given.host, given.port))
        try:
            leased = phones(given.phones, given.device, per_process=given.per_process)
            fleet = stack.enter_context(leased)
        except ValueError as error:
            where = f"--device={given.device} --phones={given.phones}"
            raise ValueError(f"{where}: {error}") from error
        more: dict[str, Any] = {"reward": given.reward, "pictures": not given.no_pictures}
        if given.dialect:
            more["dialect"] = dialects()[given.dialect]()
        if given.record:
            run = RecordedRollouts(Path(given.record), tasks, given.device)
            more["record"] = stack.enter_context(run)
        server = RolloutServer(tasks, fleet, token, given.split, **more)
        stack.callback(server.close)
        host = f"[{given.host}]" if ":" in given.host else given.host
        print(f"{plural(len(tasks), 'task')} on {plural(len(fleet), 'phone')}, until Ctrl-C, at\n")
        print(f"    http://{host}:{listener.getsockname()[1]}/{token}\n", flush=True)
        asyncio.run(_served(server, listener))
    return 0


async def _served(server: RolloutServer, listener: socket.socket) -> None:
    """Serve until this process is asked to end."""
    web = server.web()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, setattr, web, "should_exit", True)
    await web.serve([listener])


def _listener(host: str, port: int) -> socket.socket:
    # asyncio disables Nagle's algorithm, which delays replies, only if the protocol is explicit.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # before clients learn the address
    except OSError as error:
        listener.close()
        raise OSError(f"--host={host} --port={port}: {error}") from error
    return listener


def _port(text: str) -> int:
    port = whole_number(text)
    if port is None or not 0 <= port < 2**16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return port


def _reward(text: str) -> Reward:
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        number = decimal_number(value)
        if name not in _WEIGHTS or number is None:
            raise argparse.ArgumentTypeError(f"{part!r} is not a weight, such as success=1")
        found[name] = number
    return Reward(**found)
