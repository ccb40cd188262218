"""dumpsys notification: what is posted; texts only with --noredact."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context
    from pytest_mobileagent.virtual.system.notifications import Notification

ONGOING, AUTO_CANCEL = 0x2, 0x10
ZEN = {"0": "ZEN_MODE_OFF", "1": "ZEN_MODE_IMPORTANT_INTERRUPTIONS",
       "2": "ZEN_MODE_NO_INTERRUPTIONS", "3": "ZEN_MODE_ALARMS"}  # fmt: skip


async def dump(ctx: Context, args: list[str]) -> str:
    """Tell about every notification, or those of one package."""
    phone, redact = ctx.phone, not {"--noredact", "--reveal"} & set(args)
    names = [word for word in args if not word.startswith("-")]
    shown = [each for each in phone.notifications.posted if not names or each.package in names]
    listed = "".join(one(phone, each, redact=redact) for each in shown)
    zen = ZEN.get(phone.settings.text("global", "zen_mode", "0"), "ZEN_MODE_OFF")
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
