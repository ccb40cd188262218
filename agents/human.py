"""A person, who sees the goal and the phone on a local page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent import Agent
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.record import is_alone, play

if TYPE_CHECKING:
    from pytest_mobileagent import Briefing, Phone


class Human(Agent):
    """Plays tasks on a local page: taps, text, keys, an answer, a question, "impossible".

    People take longer than agents: `--mobile-time-limit=7200` gives them two hours per task. There
    is one page at a time, so only one worker.
    """

    class Options:
        """The options of the page.

        - `browser`: whether to open it in the browser; otherwise its address is only printed.
        - `announce`: a file to write the address to.
        """

        browser: bool = True
        announce: str = ""

    def run(self, briefing: Briefing, phone: Phone) -> None:
        """Show the page until the person, or a limit, ends the task.

        Raises:
            AgentError: if other workers are running as well.
        """
        if not is_alone():
            raise AgentError("a person plays one task at a time: omit -n, or use -n 1")
        options = briefing.options
        announce = Path(options.announce) if options.announce else None
        play(briefing, phone, browser=options.browser, announce=announce)
