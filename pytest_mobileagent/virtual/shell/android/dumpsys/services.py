"""dumpsys of the smaller services: audio, alarm, user, account, media_session, jobs and usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.audio import STREAMS

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

RINGER = {"0": "SILENT", "1": "VIBRATE", "2": "NORMAL"}


async def audio(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell the volumes."""
    phone = ctx.phone
    blocks = "".join(
        f"- {stream.name}:\n   Muted: {str(phone.audio.volume(stream) == 0).lower()}\n"
        f"   Min: {stream.low}\n   Max: {stream.high}\n"
        f"   streamVolume:{phone.audio.volume(stream)}\n"
        f"   Current: 2 (speaker): {phone.audio.volume(stream)}\n   Devices: speaker\n"
        for stream in STREAMS
    )
    mode = RINGER.get(phone.settings.text("global", "mode_ringer", "2"), "NORMAL")
    call = {"IDLE": "MODE_NORMAL", "RINGING": "MODE_RINGTONE", "OFFHOOK": "MODE_IN_CALL"}
    return (
        f"\nStream volumes (device: index)\n{blocks}\n- mute affected streams = 0x2e\n\n"
        f"Ringer mode:\n- mode (internal) = {mode}\n- mode (external) = {mode}\n"
        f"\nAudio mode:\n- Requested mode = {call[phone.telephony.state]}\n"
        "\nAudio Focus stack entries (last is top of stack):\n"
        "\n  players:\n\n  ducked players piids:\n"
    )


async def alarm(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell the time as the alarm manager sees it, and that it holds no alarms by itself."""
    phone = ctx.phone
    now, uptime = int(phone.clock.time() * 1000), int(phone.clock.uptime() * 1000)
    shown = f"{phone.clock.now():%Y-%m-%d %H:%M:%S}.{now % 1000:03}"
    following = phone.settings.text("system", "next_alarm_formatted") or "none"
    return (
        "Current Alarm Manager state:\n"
        f"  nowRTC={now}={shown} nowELAPSED={uptime}\n"
        f"  mLastTimeChangeClockTime={now}\n"
        f"  Current timezone: {phone.clock.timezone}\n"
        f"  Next alarm clock information:\n    user:0 {following}\n"
        "  0 pending alarms:\n"
    )


async def user(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell that there is one user, the owner."""
    locked = ctx.phone.keyguard.secure and ctx.phone.keyguard.locked
    return (
        "Current user: 0\n\nUsers:\n  UserInfo{0:Owner:c13} serialNo=0 isPrimary=true\n"
        "    Type: android.os.usertype.full.SYSTEM\n    Flags: 3091 (ADMIN|FULL|INITIALIZED|"
        "MAIN|PRIMARY|SYSTEM)\n    State: RUNNING_UNLOCKED\n"
        f"    Has lock credential: {str(ctx.phone.keyguard.secure).lower()}\n"
        f"    Device locked: {str(locked).lower()}\n\n"
        "  Max users: 4 (limit reached: false)\n"
    )


async def account(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell that nobody is signed in."""
    return (
        "User UserInfo{0:Owner:c13}:\n  Accounts: 0\n\n  AccountId, Action_Type, timestamp, UID,"
        " TableName, Key\n  Accounts History\n\n  Active Sessions: 0\n\n"
        "  RegisteredServicesCache: 0 services\n"
    )


async def media_session(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - no options
    """Tell that nothing plays."""
    return (
        "MEDIA SESSION SERVICE (dumpsys media_session)\n\n0 sessions listeners.\n"
        "Global priority session is null\nUser Records:\nRecord for full_user=0\n"
        "  Volume key long-press listener: null\n  Media key listener: null\n"
        "  Media button session is null\n  Sessions Stack - have 0 sessions:\n"
    )


async def jobscheduler(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - no options
    """Tell that no app has scheduled a job: apps of this phone cannot."""
    return (
        "Settings:\n    min_ready_non_active_jobs_count=5\n\nStarted users: 0\n\n"
        "Registered 0 jobs:\n  None.\n\nPending queue:\n  None\n\nActive jobs:\n  N/A\n"
    )


async def usagestats(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell which apps have a task, the latest first."""
    tasks = ctx.phone.activities.recent()
    rows = "".join(
        f'      package={task.package} totalTimeUsed="00:00" lastTimeUsed="{task.used}"\n'
        for task in tasks
    )
    return f"user=0 {{\n  In-memory daily stats\n    packages\n{rows}}}\n"


async def input_(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell the input devices, and how the display is turned."""
    metrics, display = ctx.phone.display.metrics, ctx.phone.display
    natural = display.size_override or display.physical_size
    focus = ctx.phone.windows.active.title if ctx.phone.power.awake else ""
    return (
        "INPUT MANAGER (dumpsys input)\n\nInput Manager State:\n  Interactive: "
        f"{str(ctx.phone.power.awake).lower()}\n\nEvent Hub State:\n  Devices:\n"
        "    -1: Virtual\n    1: virtio_input_keyboard\n      Path: /dev/input/event0\n"
        "    2: virtio_input_multi_touch_1\n      Path: /dev/input/event1\n\n"
        "Input Reader State:\n  Device 2: virtio_input_multi_touch_1\n    IsExternal: false\n"
        "    Sources: KEYBOARD | TOUCHSCREEN\n    Touch Input Mapper (mode - DIRECT):\n"
        f"      SurfaceWidth: {metrics.width_px}px\n      SurfaceHeight: {metrics.height_px}px\n"
        f"      SurfaceOrientation: {display.rotation}\n"
        f"      InputDeviceOrientation: {display.rotation}\n"
        "      X: min=0, max=32767, flat=0, fuzz=0, resolution=0\n"
        "      Y: min=0, max=32767, flat=0, fuzz=0, resolution=0\n"
        f"    Viewport INTERNAL: displayId=0, port=0, orientation={display.rotation},"
        f" logicalFrame=[0, 0, {metrics.width_px}, {metrics.height_px}],"
        f" physicalFrame=[0, 0, {natural[0]}, {natural[1]}],"
        f" deviceSize=[{natural[0]}, {natural[1]}], isActive=[1]\n\n"
        f"Input Dispatcher State:\n  FocusedWindows:\n    displayId=0, name='{focus}'\n"
    )
