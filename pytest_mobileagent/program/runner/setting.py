"""What a program is played with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.llm.models import ModelSettings
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.program.adapter.adapter import Adapter
    from pytest_mobileagent.program.runner.watch import Watch


class McpServer(Protocol):
    """The phone of an episode as a server of tools, which a program may ask for."""

    async def start(self) -> int:
        """Start serving, and return the port.

        Raises:
            MissingExtraError: its library is not installed.
            OSError: there is no port to be had.
        """

    async def stop(self) -> None:
        """Break off what is served, and release the port."""


class McpServers(Protocol):
    """How the phone is served to programs that are clients of MCP."""

    def server(self, watch: Watch, *, show: bool) -> McpServer:
        """Return a server for an episode; with `show`, the result of every act has a picture."""

    def configure(self, path: Path, url: str) -> list[str]:
        """Write what clients read to find `url`; return the command of a server over stdio."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a program is played with.

    - `mcp`: how the phone is served to it. `models`: prices, budgets and the like; `model` stands
      in for those that it asks.
    - `pictures`: the run's folder of screens. `run`: the mark of the run's processes.
    - `here`: the folder in which pytest was started. `scratch`: one that goes with the run, however
      that ends.
    """

    program: Adapter
    mcp: McpServers
    models: ModelSettings
    model: ModelReference | None
    pictures: Path
    run: str
    here: Path
    scratch: Path | None = None
