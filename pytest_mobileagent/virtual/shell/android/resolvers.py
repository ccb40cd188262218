"""The table of activities by what they answer, at the head of dumpsys package."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import short
from pytest_mobileagent.virtual.system.packages.resolution import filters

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.content.filters import Filter


def table(apps: list[App]) -> str:
    """List which activities of some apps answer which schemes and actions."""
    found = [
        (short(kind.component(app.package)), each)
        for app in apps
        for kind in app.activities
        for each in filters(app, kind)
    ]
    schemes: dict[str, list[str]] = {}
    actions: dict[str, list[str]] = {}
    for name, each in found:
        for scheme in each.schemes:
            schemes.setdefault(scheme, []).append(_entry(name, each))
        if not each.schemes and not each.mime_types:
            for action in each.actions:
                actions.setdefault(action, []).append(_entry(name, each))
    parts = [_section("Schemes", schemes), _section("Non-Data Actions", actions)]
    body = "\n".join(part for part in parts if part)
    return f"Activity Resolver Table:\n{body}\n" if body else ""


def _section(title: str, entries: dict[str, list[str]]) -> str:
    if not entries:
        return ""
    lines = [f"      {word}:\n{''.join(each)}" for word, each in entries.items()]
    return f"  {title}:\n{''.join(lines)}"


def _entry(name: str, each: Filter) -> str:
    token, other = (f"{zlib.crc32(text.encode()):07x}"[:7] for text in (name, f"{name} {each}"))
    told = [
        *(f'Action: "{word}"' for word in each.actions),
        *(f'Category: "{word}"' for word in each.categories),
        *(f'Scheme: "{word}"' for word in each.schemes),
        *(f'Authority: "{word}": -1' for word in each.hosts),
        *(f'Path: "PatternMatcher{{GLOB: {word}}}"' for word in each.paths),
        *(f'StaticType: "{word}"' for word in each.mime_types),
    ]
    lines = "".join(f"          {line}\n" for line in told)
    return f"        {token} {name} filter {other}\n{lines}"
