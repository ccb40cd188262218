"""service: the list of services, and calls of them by number."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_mobileagent.virtual.shell.android.dumpsys import running
from pytest_mobileagent.virtual.shell.commands import Context, command

USAGE = """Usage: service [-h|-?]
       service list
       service check SERVICE
       service call SERVICE CODE [i32 N | i64 N | f N | d N | s16 STR | null | fd f | nfd n | afd f ] ...
Options:
   i32: Write the 32-bit integer N into the send parcel.
   s16: Write the UTF-16 string STR into the send parcel.
"""  # noqa: E501 - as it is printed
DONE = "Result: Parcel(00000000    '....')\n"
UNKNOWN_TRANSACTION = 'Result: Parcel(Error: 0xffffffffffffffb6 "Not a data message")\n'
INTERFACES = {
    "activity": "android.app.IActivityManager",
    "alarm": "android.app.IAlarmManager",
    "audio": "android.media.IAudioService",
    "connectivity": "android.net.IConnectivityManager",
    "display": "android.hardware.display.IDisplayManager",
    "input": "android.hardware.input.IInputManager",
    "input_method": "com.android.internal.view.IInputMethodManager",
    "location": "android.location.ILocationManager",
    "lock_settings": "com.android.internal.widget.ILockSettings",
    "notification": "android.app.INotificationManager",
    "package": "android.content.pm.IPackageManager",
    "phone": "com.android.internal.telephony.ITelephony",
    "power": "android.os.IPowerManager",
    "statusbar": "com.android.internal.statusbar.IStatusBarService",
    "uimode": "android.app.IUiModeManager",
    "user": "android.os.IUserManager",
    "wifi": "android.net.wifi.IWifiManager",
    "window": "android.view.IWindowManager",
}
SET_TIME_ZONE = ("alarm", "3")
EXPAND, COLLAPSE = ("statusbar", "1"), ("statusbar", "2")


@command("service")
async def service(ctx: Context, args: list[str]) -> int:
    """List services, look for one, or call one."""
    names = running()
    match args:
        case ["list"]:
            await ctx.out(f"Found {len(names)} services:\n")
            for at, name in enumerate(names):
                await ctx.out(f"{at}\t{name}: [{INTERFACES.get(name, '')}]\n")
            return 0
        case ["check", name, *_]:
            await ctx.out(f"Service {name}: {'found' if name in names else 'not found'}\n")
            return 0
        case ["check"]:
            await ctx.err("service: No service specified for check\n")
        case ["call", name, code, *words]:
            if name not in names:
                await ctx.err(f"service: Service {name} does not exist\n")
                return 10
            return await _call(ctx, (name, code), words)
        case ["call", *_]:
            await ctx.err("service: No service specified for call\n")
        case [word, *_] if word not in ("-h", "-?"):
            await ctx.err(f"service: Unknown command {word}\n")
    await ctx.out(USAGE)
    return 0 if args[:1] in (["-h"], ["-?"]) else 10


async def _call(ctx: Context, call: tuple[str, str], words: list[str]) -> int:
    """Make one of the few calls that scripts make; any other is one that no service knows."""
    if call == SET_TIME_ZONE and words[:1] == ["s16"] and len(words) > 1:
        try:
            ZoneInfo(words[1])
            ctx.phone.props.set("persist.sys.timezone", words[1])
        except (ZoneInfoNotFoundError, ValueError):
            pass  # Android ignores it too
    elif call == EXPAND:
        ctx.phone.shade.pull()
    elif call == COLLAPSE:
        ctx.phone.shade.close()
    else:
        await ctx.out(UNKNOWN_TRANSACTION)
        return 0
    await ctx.out(DONE)
    return 0
