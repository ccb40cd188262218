"""How MCP clients find the phone: a configuration, or a command that they start."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def configuration(url: str) -> dict[str, Any]:
    """Return the configuration that Claude Code and others read, with a server named "phone"."""
    return {"mcpServers": {"phone": {"type": "http", "url": url}}}


def write_configuration(path: Path, url: str) -> None:
    """Write the configuration to a file that nobody else can read: the URL holds a token."""
    path.touch(mode=0o600)
    path.write_text(json.dumps(configuration(url), indent=2) + "\n", "utf-8")


def url_of(configuration: Any) -> str:
    """Return the URL that a configuration names; empty if there is none."""
    match configuration:
        case {"mcpServers": {"phone": {"url": str(url)}}}:
            return url
    return ""


def stdio_command(configuration: Path) -> list[str]:
    """Return the words of a command that serves a configuration's server over standard streams.

    Unlike the URL, the file's name may be visible to all users of the machine.
    """
    return [sys.executable, "-m", "pytest_mobileagent", "mcp", "--connect", str(configuration)]
