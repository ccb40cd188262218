"""cmd notification: posts and lists notifications, and says who may do what with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.dumpsys.notification import one
from pytest_mobileagent.virtual.shell.android.service import FAILED, Arguments, Service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context
    from pytest_mobileagent.virtual.system.notifications import Notification

HELP = """usage: cmd notification SUBCMD [args]

SUBCMDs:
  allow_listener COMPONENT [user_id (current user if not specified)]
  disallow_listener COMPONENT [user_id (current user if not specified)]
  allow_assistant COMPONENT [user_id (current user if not specified)]
  remove_assistant COMPONENT [user_id (current user if not specified)]
  set_dnd [on|none (same as on)|priority|alarms|all|off (same as all)]
  allow_dnd PACKAGE [user_id (current user if not specified)]
  disallow_dnd PACKAGE [user_id (current user if not specified)]
  post [--help | flags] TAG TEXT
  list
  get <notification-key>
  snooze --for <msec> <notification-key>"""
POST_USAGE = """usage: cmd notification post [flags] <tag> <text>

flags:
  -h|--help
  -v|--verbose
  -t|--title <text>
  -i|--icon <iconspec>
  -I|--large-icon <iconspec>
  -S|--style <style> [styleargs]
  -c|--content-intent <intentspec>

styles: (default none)
  bigtext
  bigpicture --picture <iconspec>
  inbox --line <text> --line <text> ...
  messaging --conversation <title> --message <who>:<text> ...
  media
"""
SHELL, ID = "com.android.shell", 2020
ZEN = {
    **dict.fromkeys(("on", "none"), "2"),
    "priority": "1",
    "alarms": "3",
    **dict.fromkeys(("all", "off"), "0"),
}
LISTENERS, POLICY = "enabled_notification_listeners", "enabled_notification_policy_access_packages"
service = Service("notification", HELP)


@dataclass(slots=True)
class _Draft:
    """A notification while the flags that describe it are read."""

    title: str = ""
    style: str = ""
    lines: list[str] = field(default_factory=list)


@service.command("post", "notify")
async def post(ctx: Context, args: Arguments) -> int:
    """Post a notification of the shell's."""
    draft = _Draft()
    while option := args.option():
        match option:
            case "-h" | "--help":
                await ctx.out(POST_USAGE)
                return FAILED
            case "-v" | "--verbose":
                pass
            case "-t" | "--title" | "title":
                draft.title = args.required()
            case "-S" | "--style":
                draft.style = args.required().lower()
            case "--line" | "--message":
                draft.lines.append(args.required().replace(":", ": ", option == "--message"))
            case "--conversation":
                draft.title = draft.title or args.required()
            case "-i" | "--icon" | "-I" | "--large-icon" | "--picture":
                args.required()
            case _:
                await ctx.out(POST_USAGE)
                return FAILED
    tag, text = args.next(), args.next()
    if tag is None or text is None:
        await ctx.out(POST_USAGE)
        return FAILED
    long_text = "\n".join(draft.lines) or (text if draft.style == "bigtext" else "")
    ctx.phone.notifications.post(
        SHELL, tag, draft.title, text, id=ID, channel="shell_cmd", long_text=long_text
    )
    await ctx.out(
        "posting:\n  Notification(channel=shell_cmd shortcut=null contentView=null vibrate=null"
        " sound=null defaults=0x0 flags=0x0 color=0x00000000 vis=PRIVATE)\n"
    )
    return 0


@service.command("list")
async def list_(ctx: Context, _: Arguments) -> int:
    """List the keys of notifications."""
    await ctx.out("".join(f"{_key(ctx.phone, each)}\n" for each in ctx.phone.notifications.posted))
    return 0


@service.command("get")
async def get(ctx: Context, args: Arguments) -> int:
    """Describe one notification."""
    wanted = args.required()
    found = _find(ctx.phone, wanted)
    if found is None:
        await ctx.out(f"No notification with key: {wanted}\n")
        return FAILED
    await ctx.out(one(ctx.phone, found, redact=False))
    return 0


@service.command("snooze")
async def snooze(ctx: Context, args: Arguments) -> int:
    """Take a notification away for some time, after which it is not brought back here."""
    words = args.rest()
    found = _find(ctx.phone, words[-1]) if words else None
    if found is None:
        await ctx.out("usage: cmd notification snooze --for <msec> <notification-key>\n")
        return FAILED
    ctx.phone.notifications.cancel(found.package, found.tag)
    await ctx.out(f"snoozing <{words[-1]}> for {words[1] if words[1:2] else 0} ms\n")
    return 0


@service.command("set_dnd")
async def set_dnd(ctx: Context, args: Arguments) -> int:
    """Switch Do Not Disturb."""
    word = args.next()
    if word not in ZEN:
        await ctx.out(f"{HELP}\n")
        return FAILED
    ctx.phone.settings.put("global", "zen_mode", ZEN[word])
    return 0


def _members(command: str, key: str, *, add: bool) -> None:
    """Register a command that puts a name into a setting that is a list, or takes it out."""

    @service.command(command)
    async def change(ctx: Context, args: Arguments) -> int:
        wanted = args.required()
        kept = [name for name in ctx.phone.settings.text("secure", key).split(":") if name]
        kept = [name for name in kept if name != wanted] + ([wanted] if add else [])
        ctx.phone.settings.put("secure", key, ":".join(kept))
        return 0


_members("allow_listener", LISTENERS, add=True)
_members("disallow_listener", LISTENERS, add=False)
_members("allow_assistant", "enabled_notification_assistant", add=True)
_members("remove_assistant", "enabled_notification_assistant", add=False)
_members("allow_dnd", POLICY, add=True)
_members("disallow_dnd", POLICY, add=False)


def _key(phone: Phone, each: Notification) -> str:
    return each.system_key(phone.packages[each.package].uid)


def _find(phone: Phone, key: str) -> Notification | None:
    return next((each for each in phone.notifications.posted if _key(phone, each) == key), None)
