"""cmd notification: posts and lists notifications, and controls who may access them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
    help_text,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.notifications import Notification

SHELL, ID = "com.android.shell", 2020
LISTENERS = "enabled_notification_listeners"
POST_VALUES = (
    "-t", "--title", "-S", "--style", "-i", "--icon", "-I", "--large-icon", "-c",
    "--content-intent",
)  # fmt: skip
ZEN = {
    **dict.fromkeys(("on", "none"), "2"),
    "priority": "1",
    "alarms": "3",
    **dict.fromkeys(("all", "off"), "0"),
}
ONGOING, AUTO_CANCEL = 0x2, 0x10
ZEN_NAMES = {  # the modes, with their names for listeners
    "0": (1, "ZEN_MODE_OFF"),
    "1": (2, "ZEN_MODE_IMPORTANT_INTERRUPTIONS"),
    "2": (3, "ZEN_MODE_NO_INTERRUPTIONS"),
    "3": (4, "ZEN_MODE_ALARMS"),
}
IMPORTANCES = ("NONE", "MIN", "LOW", "DEFAULT", "HIGH", "MAX")
service = Service("notification")


@service.command("post", "notify")
def post(ctx: Context, args: Arguments) -> str:
    """Post a notification of the shell."""
    usage = Refused(help_text("notification_post"), out=True)
    options = args.options(POST_VALUES, ("-v", "--verbose"), lambda _: usage)
    title = options.get("-t") or options.get("--title", "")
    style = options.get("-S") or options.get("--style", "")
    tag, text = args.next(), args.next()
    if tag is None or text is None:
        raise usage
    long_text = text if style.lower() == "bigtext" else ""
    ctx.phone.notifications.post(
        SHELL, tag, title, text, id=ID, channel="shell_cmd", long_text=long_text
    )
    return (
        "posting:\n  Notification(channel=shell_cmd shortcut=null contentView=null vibrate=null"
        " sound=null defaults=0x0 flags=0x0 color=0x00000000 vis=PRIVATE)\n"
    )


@service.command("list")
def list_(ctx: Context, _: Arguments) -> str:
    """List the keys of notifications."""
    return "".join(f"{_key(ctx.phone, each)}\n" for each in ctx.phone.notifications.posted)


@service.command("set_dnd")
def set_dnd(ctx: Context, args: Arguments) -> None:
    """Switch Do Not Disturb."""
    word = args.next()
    if word not in ZEN:
        raise Refused(help_text("notification"), out=True)
    ctx.phone.settings.put("global", "zen_mode", ZEN[word])


@service.command("allow_listener", "disallow_listener")
def change_listeners(ctx: Context, args: Arguments) -> None:
    """Allow or disallow a service to listen to notifications."""
    allowed, wanted = args.last == "allow_listener", args.required()
    kept = ctx.phone.settings.text("secure", LISTENERS).split(":")
    kept = [name for name in kept if name not in ("", wanted)] + [wanted] * allowed
    ctx.phone.settings.put("secure", LISTENERS, ":".join(kept))


def _key(phone: Phone, each: Notification) -> str:
    return each.system_key(phone.packages[each.package].uid)


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Describe all notifications, or those of a package."""
    phone, redact = ctx.phone, not {"--noredact", "--reveal"} & set(args)
    names = [word for word in args if not word.startswith("-")]
    shown = [each for each in phone.notifications.posted if not names or each.package in names]
    listed = "".join(_one(phone, each, redact=redact) for each in shown)
    filter_, zen = ZEN_NAMES.get(phone.settings.text("global", "zen_mode", "0"), ZEN_NAMES["0"])
    listed = f"  Notification List:\n{listed}  \n" if shown else ""
    return fill("notification", listed=listed, filter=filter_, zen=zen)


def _one(phone: Phone, each: Notification, *, redact: bool) -> str:
    """Describe a notification."""
    token = crc32(each.key.encode())
    extras = {
        "android.title": each.title,
        "android.text": each.text,
        "android.bigText": each.long_text,
    }
    deeds = "".join(
        f'        [{at}] "{"..." if redact else deed.label}" -> PendingIntent{{{token:x}}}\n'
        for at, deed in enumerate(each.deeds)
    )
    return fill(
        "notification_one",
        one=each,
        token=token,
        key=_key(phone, each),
        tag=each.tag or None,
        count=len(each.deeds),
        uid=phone.packages[each.package].uid,
        flags=ONGOING if each.ongoing else AUTO_CANCEL,
        when=int(each.time * 1000),
        extras="".join(
            f"          {name}=String {f'[length={len(value)}]' if redact else f'({value})'}\n"
            for name, value in extras.items()
            if value
        ),
        actions=f"      actions={{\n{deeds}      }}\n" if deeds else "",
        importance=IMPORTANCES[min(each.importance, 5)],
    )
