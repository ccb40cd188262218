"""Playing a task by hand: the page shows the phone and the goal, and a person acts."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.fileio import write_text
from pytest_mobileagent.record.server import RecordServer
from pytest_mobileagent.record.service import PlayService
from pytest_mobileagent.report.html.show_command import open_page

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.agent.phone import Phone


def play(
    briefing: Briefing, phone: Phone, *, browser: bool = True, announce: Path | None = None
) -> None:
    """Play a task by hand on the page; the actions are recorded like those of an agent.

    The URL is printed on the terminal, and written to the file `announce` if given.

    Raises:
        EpisodeOver: when the person has ended the task, or a limit is reached.
        AgentError: if the page cannot be served.
    """
    service = PlayService(briefing, phone)
    try:
        server = RecordServer(service)
    except OSError as error:
        raise AgentError(f"the page cannot be served: {error}") from error
    with server:
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        _announce(f"play: {server.url}    {briefing.goal}", server.url, announce)
        if browser:
            open_page(server.invitation())
        try:
            service.work()
        finally:
            server.shutdown()


def _announce(text: str, url: str, file: Path | None) -> None:
    """Print the URL on the terminal itself, because an agent's output goes to the record."""
    if file is not None:
        write_text(file, f"{url}\n")
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:  # noqa: PTH123 - not a file
            terminal.write(f"\n{text}\n")
    except OSError:
        print(text, file=sys.stderr)


def is_alone() -> bool:
    """Return whether this is the only worker: a person can play only one task at a time."""
    return int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) == 1
