"""`mobileagent rollouts`: serve phones and tasks to those who train agents in other processes."""

from __future__ import annotations

import argparse
import dataclasses
import secrets
import signal
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pytest_mobileagent.arguments import Parser, bad_input, failed, port, positive, program_name
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.errors import InfrastructureError, TaskError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import decimal_number, plural
from pytest_mobileagent.plugin.shutdown import interrupt_when_asked
from pytest_mobileagent.rollout.tasks import By, Reward, load_tasks
from pytest_mobileagent.screen.sight import SIGHTS

if TYPE_CHECKING:
    from collections.abc import Sequence

_WEIGHTS = [each.name for each in dataclasses.fields(Reward)]


def main(arguments: Sequence[str]) -> int:
    """Serve until Ctrl-C, and return the exit status."""
    words = list(arguments)
    cut = words.index("--") if "--" in words else len(words)
    given = _parser().parse_args(words[:cut])
    interrupt_when_asked()
    try:
        check_extra("rollouts", "a server for rollouts")
        return _run(given, words[cut + 1 :])
    except (TaskError, ValueError) as error:
        return bad_input(error)
    except (InfrastructureError, OSError) as error:
        return failed(error)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("rollouts"),
        usage="%(prog)s PATH… [options] [-- options of pytest]",
        description="Serve tasks on phones to programs that train agents. The protocol is that of "
        "OpenEnv; each client has a phone as long as it is connected.",
        epilog="Options of pytest after -- select tasks, such as -- -k alarm --mobile-env=train. "
        "Tasks whose checks ask for fixtures other than judge are left out.",
    )
    names = sorted(dialects())
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="tasks, as pytest collects them: tasks/clock")
    add("--phones", type=positive, default=1, metavar="N", help="how many (default: 1)")
    add("--device", default="virtual", help="their source, written like a run's --mobile-device")
    process = "virtual phones in a process (default: 8)"
    add("--per-process", type=positive, default=8, metavar="N", help=process)
    listen = "where to listen; what is sent is not encrypted (default: 127.0.0.1)"
    add("--host", default="127.0.0.1", metavar="ADDRESS", help=listen)
    add("--port", type=port, default=0, help="default: one that is free")
    share = "what the splits train and test do not share (default: parameters)"
    add("--split", default="parameters", choices=get_args(By), help=share)
    weigh = f"as success=1,progress=0.5; there are {', '.join(_WEIGHTS)}"
    add("--reward", type=_reward, default=Reward(), metavar="WEIGHTS", help=weigh)
    read = 'how to read a step with the data {"text": …}, the words of a model: '
    add("--dialect", choices=names, metavar="NAME", help=read + ", ".join(names))
    see = "what agents see of each screen; without screenshots, phones are faster (default: both)"
    add("--sees", default="both", choices=SIGHTS, help=see)
    judge = "who decides tasks that ask for judge: one model, two that must agree, or a third that "
    judge += "settles disputes (default: nobody, and these tasks are left out)"
    add("--judges", metavar="MODEL,…", help=judge)
    most = "US dollars that the judges may cost; then their episodes are broken (default: no limit)"
    add("--max-cost", type=_dollars, metavar="USD", help=most)
    add("--record", metavar="FOLDER", help="record the episodes as a run in FOLDER")
    return parser


def _run(given: argparse.Namespace, options: list[str]) -> int:
    from pytest_mobileagent.rollout.phone import phones
    from pytest_mobileagent.rollout.recording import ModelJudge, RecordedRollouts
    from pytest_mobileagent.rollout.server import RolloutServer

    more: dict[str, Any] = {"reward": given.reward, "sees": given.sees}
    if given.max_cost is not None and not given.judges:
        raise ValueError("--max-cost limits what --judges may cost, but no judge is named")
    if given.judges:
        check_extra("models", "asking judges")
        more["judge"] = ModelJudge(*given.judges.split(","), max_cost=given.max_cost)
    tasks = load_tasks(*given.paths, options=options, fixtures={"judge"} if given.judges else set())
    if given.dialect:
        more["dialect"] = dialects()[given.dialect]()
    token = secrets.token_urlsafe(16)
    with ExitStack() as stack:
        listener = stack.enter_context(_listener(given.host, given.port))
        try:
            leased = phones(given.phones, given.device, per_process=given.per_process)
            fleet = stack.enter_context(leased)
        except ValueError as error:
            where = f"--device={given.device} --phones={given.phones}"
            raise ValueError(f"{where}: {error}") from error
        if given.record:
            run = RecordedRollouts(Path(given.record), tasks, given.device)
            more["record"] = stack.enter_context(run)
        server = RolloutServer(tasks, fleet, token, given.split, **more)
        stack.callback(server.close)
        host = f"[{given.host}]" if ":" in given.host else given.host
        print(f"{plural(len(tasks), 'task')} on {plural(len(fleet), 'phone')}, until Ctrl-C, at\n")
        print(f"    http://{host}:{listener.getsockname()[1]}/{token}\n", flush=True)
        web = server.web()
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as with nohup
            signal.signal(signal.SIGHUP, web.handle_exit)  # like SIGINT and SIGTERM
        with suppress(KeyboardInterrupt):
            web.run([listener])
    return 0


def _listener(host: str, port: int) -> socket.socket:
    """Listen before clients learn the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise OSError(f"--host={host} --port={port}: {error}") from error
    # Connections inherit this; Nagle's algorithm would delay answers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _dollars(text: str) -> float:
    dollars = decimal_number(text)
    if dollars is None or dollars < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount in US dollars")
    return dollars


def _reward(text: str) -> Reward:
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        number = decimal_number(value)
        if name not in _WEIGHTS or number is None:
            raise argparse.ArgumentTypeError(f"{part!r} is not a weight, such as success=1")
        found[name] = number
    return Reward(**found)
