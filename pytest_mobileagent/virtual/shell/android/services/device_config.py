"""device_config: the flags that servers would set, kept beside the settings."""

from __future__ import annotations

from pytest_mobileagent.virtual.content.settings import CONFIG
from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

WORDS = {"get": 2, "put": 3, "delete": 2, "list": 0}  # that a command needs at least
service = Service("device_config", script="device_config")


@service.command(*WORDS)
def run(ctx: Context, args: Arguments) -> str:
    """Tell, set, remove or list flags."""
    verb, words, flags = args.last, args.rest(), ctx.phone.settings
    if len(words) < WORDS[verb]:
        raise Refused("Bad arguments")
    name = "/".join(words[:2])
    match verb:
        case "get":
            return f"{flags.text(CONFIG, name, 'null')}\n"
        case "put":
            flags.put(CONFIG, name, words[2])
        case "delete":
            done = "Successfully deleted" if flags.delete(CONFIG, name) else "Failed to delete"
            return f"{done} {words[1]} from {words[0]}\n"
        case "list":
            start = f"{words[0]}/" if words else ""
            pairs = sorted(flags.list(CONFIG).items())
            return "".join(
                f"{k.removeprefix(start)}={v}\n" for k, v in pairs if k.startswith(start)
            )
    return ""
