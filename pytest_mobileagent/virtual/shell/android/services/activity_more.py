"""The rarer commands of am: what an intent is as a URI, standby, debugging, users."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from pytest_mobileagent.virtual.content.intent import MAIN, Intent, short
from pytest_mobileagent.virtual.shell.android.intents import parse_intent
from pytest_mobileagent.virtual.shell.android.services.activity import service

if TYPE_CHECKING:
    from typing import Any

    from pytest_mobileagent.virtual.shell.android.service import Arguments
    from pytest_mobileagent.virtual.shell.commands import Context

LETTERS = {bool: "B", int: "i", float: "f", str: "S"}  # of extras in a URI


def _nothing(_: str, args: Arguments) -> bool:  # noqa: ARG001 - no options but the intent's
    return False


def to_uri(intent: Intent) -> str:
    """Write an intent as the URI that Intent.toUri gives."""
    data, parts = intent.data, list[str]()
    if intent.action and intent.action != MAIN:
        parts.append(f"action={quote(intent.action)}")
    parts += [f"category={quote(each)}" for each in intent.categories]
    if intent.type:
        parts.append(f"type={quote(intent.type, safe='/')}")
    if intent.flags:
        parts.append(f"launchFlags={intent.flags:#x}")
    if intent.package:
        parts.append(f"package={intent.package}")
    if intent.component:
        parts.append(f"component={quote(short(intent.component), safe='/')}")
    parts += [_extra(name, value) for name, value in intent.extras.items()]
    return f"{data}#Intent;{''.join(f'{part};' for part in parts)}end"


def _extra(name: str, value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{LETTERS.get(type(value), 'S')}.{quote(name)}={quote(text)}"


@service.command("to-uri")
def to_uri_command(_ctx: Context, args: Arguments) -> str:
    """Print an intent as a URI."""
    return f"{to_uri(parse_intent(args, _nothing))}\n"


@service.command("to-intent-uri")
def to_intent_uri(_ctx: Context, args: Arguments) -> str:
    """Print an intent as an intent: URI."""
    intent = parse_intent(args, _nothing)
    scheme, colon, rest = intent.data.partition(":")
    uri = to_uri(intent).removeprefix(intent.data)
    if colon:
        uri = f"{rest}{uri.replace('#Intent;', f'#Intent;scheme={scheme};', 1)}"
    return f"intent:{uri}\n"


@service.command("set-debug-app", "clear-debug-app")
def debug_app(ctx: Context, args: Arguments) -> None:
    """Choose the app that waits for a debugger, of which this phone has none."""
    words = [word for word in args.rest() if not word.startswith("-")]
    if words:
        ctx.phone.settings.put("global", "debug_app", words[0])
    else:
        ctx.phone.settings.delete("global", "debug_app")


@service.command("wait-for-broadcast-idle", "wait-for-broadcast-barrier")
def wait_for_broadcasts(_ctx: Context, args: Arguments) -> str:
    """Wait until all broadcasts are delivered, as they are at once here."""
    args.rest()
    return "All broadcast queues are idle!\n"


@service.command("get-started-user-state")
def user_state(_ctx: Context, args: Arguments) -> str:
    """Tell how far a user has been started."""
    user = args.required()
    state = "RUNNING_UNLOCKED" if user == "0" else f"User is not started: {user}"
    return f"{state}\n"


@service.command("is-user-stopped")
def is_user_stopped(_ctx: Context, args: Arguments) -> str:
    """Tell whether a user is stopped."""
    return f"{str(args.required() != '0').lower()}\n"
