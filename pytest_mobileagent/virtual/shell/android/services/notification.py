"""cmd notification: posts and lists notifications, and says who may do what with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zlib import crc32

from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Answer,
    Arguments,
    Context,
    Refused,
    Service,
    help_text,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.notifications import Notification

SHELL, ID = "com.android.shell", 2020
ZEN = {
    **dict.fromkeys(("on", "none"), "2"),
    "priority": "1",
    "alarms": "3",
    **dict.fromkeys(("all", "off"), "0"),
}
LISTENERS, POLICY = "enabled_notification_listeners", "enabled_notification_policy_access_packages"
ONGOING, AUTO_CANCEL = 0x2, 0x10
ZEN_NAMES = {"0": "ZEN_MODE_OFF", "1": "ZEN_MODE_IMPORTANT_INTERRUPTIONS",
       "2": "ZEN_MODE_NO_INTERRUPTIONS", "3": "ZEN_MODE_ALARMS"}  # fmt: skip
service = Service("notification")


@dataclass(slots=True)
class _Draft:
    """A notification while the flags that describe it are read."""

    title: str = ""
    style: str = ""
    lines: list[str] = field(default_factory=list)


@service.command("post", "notify")
async def post(ctx: Context, args: Arguments) -> Answer:
    """Post a notification of the shell's."""
    draft = _Draft()
    while option := args.option():
        match option:
            case "-h" | "--help":
                await ctx.out(help_text("notification_post"))
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
                await ctx.out(help_text("notification_post"))
                return FAILED
    tag, text = args.next(), args.next()
    if tag is None or text is None:
        await ctx.out(help_text("notification_post"))
        return FAILED
    long_text = "\n".join(draft.lines) or (text if draft.style == "bigtext" else "")
    ctx.phone.notifications.post(
        SHELL, tag, draft.title, text, id=ID, channel="shell_cmd", long_text=long_text
    )
    return (
        "posting:\n  Notification(channel=shell_cmd shortcut=null contentView=null vibrate=null"
        " sound=null defaults=0x0 flags=0x0 color=0x00000000 vis=PRIVATE)\n"
    )


@service.command("list")
def list_(ctx: Context, _: Arguments) -> str:
    """List the keys of notifications."""
    return "".join(f"{_key(ctx.phone, each)}\n" for each in ctx.phone.notifications.posted)


@service.command("get")
def get(ctx: Context, args: Arguments) -> str:
    """Describe one notification."""
    wanted = args.required()
    found = _find(ctx.phone, wanted)
    if found is None:
        raise Refused(f"No notification with key: {wanted}", out=True)
    return one(ctx.phone, found, redact=False)


@service.command("set_dnd")
def set_dnd(ctx: Context, args: Arguments) -> None:
    """Switch Do Not Disturb."""
    word = args.next()
    if word not in ZEN:
        raise Refused(help_text("notification").rstrip(), out=True)
    ctx.phone.settings.put("global", "zen_mode", ZEN[word])


def _members(command: str, key: str, *, add: bool) -> None:
    """Register a command that puts a name into a setting that is a list, or takes it out."""

    @service.command(command)
    def change(ctx: Context, args: Arguments) -> None:
        wanted = args.required()
        kept = [name for name in ctx.phone.settings.text("secure", key).split(":") if name]
        kept = [name for name in kept if name != wanted] + ([wanted] if add else [])
        ctx.phone.settings.put("secure", key, ":".join(kept))


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


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell about every notification, or those of one package."""
    phone, redact = ctx.phone, not {"--noredact", "--reveal"} & set(args)
    names = [word for word in args if not word.startswith("-")]
    shown = [each for each in phone.notifications.posted if not names or each.package in names]
    listed = "".join(one(phone, each, redact=redact) for each in shown)
    zen = ZEN_NAMES.get(phone.settings.text("global", "zen_mode", "0"), "ZEN_MODE_OFF")
    return (
        "Current Notification Manager state:\n"
        + (f"  Notification List:\n{listed}  \n" if shown else "")
        + f"  mUseAttentionLight=false\n  mHasLight=true\n  mNotificationPulseEnabled=true\n"
        f"  mSoundNotificationKey=null\n  mVibrateNotificationKey=null\n"
        f"  mDisableNotificationEffects=false\n  mCallState=CALL_STATE_IDLE\n"
        f"  mSystemReady=true\n  mMaxPackageEnqueueRate=5.0\n"
        f"\n  Zen Mode:\n    mInterruptionFilter={_filter(phone)}\n    mZenMode={zen}\n"
    )


def one(phone: Phone, each: Notification, *, redact: bool) -> str:
    """Describe one."""
    uid = phone.packages[each.package].uid
    key, token = each.system_key(uid), crc32(each.key.encode())
    flags = ONGOING if each.ongoing else AUTO_CANCEL
    brief = (
        f"Notification(channel={each.channel} shortcut=null contentView=null vibrate=null"
        f" sound=null defaults=0 flags={flags:#x} color=0x00000000 actions={len(each.deeds)}"
        " vis=PRIVATE)"
    )

    def text(value: str) -> str:
        return f"String [length={len(value)}]" if redact else f"String ({value})"

    extras = [("android.title", each.title), ("android.text", each.text)]
    if each.long_text:
        extras.append(("android.bigText", each.long_text))
    deeds = "".join(
        f'        [{at}] "{"..." if redact else deed.label}" -> PendingIntent{{{token:x}}}\n'
        for at, deed in enumerate(each.deeds)
    )
    return (
        f"    NotificationRecord({token:#010x}: pkg={each.package} user=UserHandle{{0}}"
        f" id={each.id} tag={each.tag or 'null'} importance={each.importance} key={key}: {brief})\n"
        f"      uid={uid} userId=0\n      opPkg={each.package}\n"
        f"      icon=Icon(typ=RESOURCE pkg={each.package} id=0x7f080001)\n"
        f"      flags={flags:#x}\n      pri=0\n      key={key}\n      seen=true\n"
        f"      groupKey={key}\n      notification=\n        when={int(each.time * 1000)}\n"
        f"      extras={{\n"
        + "".join(f"          {name}={text(value)}\n" for name, value in extras if value)
        + "      }\n"
        + (f"      actions={{\n{deeds}      }}\n" if deeds else "")
        + f"      mImportance={_importance(each.importance)}\n"
        f"      effectiveNotificationChannel=NotificationChannel{{mId='{each.channel}',"
        f" mImportance={each.importance}}}\n\n"
    )


def _importance(level: int) -> str:
    return {0: "NONE", 1: "MIN", 2: "LOW", 3: "DEFAULT", 4: "HIGH"}.get(level, "MAX")


def _filter(phone: Phone) -> int:
    return {"0": 1, "1": 2, "2": 3, "3": 4}.get(phone.settings.text("global", "zen_mode", "0"), 1)
