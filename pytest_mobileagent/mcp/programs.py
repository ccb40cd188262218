"""How the phone of an episode is served to the program that plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.mcp.clients import stdio_command, write_configuration
from pytest_mobileagent.mcp.endpoint import McpEndpoint
from pytest_mobileagent.mcp.phone import SessionPhone

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.program.runner.watch import Watch


class ProgramServers:
    """Serves the phones of programs' episodes: the `McpServers` of their settings."""

    def server(self, watch: Watch, *, show: bool) -> McpEndpoint:
        """Return a server for an episode; with `show`, the result of every act has a picture."""
        return McpEndpoint(SessionPhone(watch), show=show)

    def configure(self, path: Path, url: str) -> list[str]:
        """Write what clients read to find `url`; return the command of a server over stdio."""
        write_configuration(path, url)
        return stdio_command(path)
