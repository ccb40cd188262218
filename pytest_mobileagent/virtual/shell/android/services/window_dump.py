"""dumpsys window: which window has the focus, and which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import short
from pytest_mobileagent.virtual.shell.android.services.window import service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context
    from pytest_mobileagent.virtual.system.activities.tasks import Record
    from pytest_mobileagent.virtual.system.window.window import Window

TYPES = {  # all but the shade behind a dialog, which is no window but drawn by the compositor
    "activity": "BASE_APPLICATION",
    "dialog": "APPLICATION",
    "headsup": "NOTIFICATION_SHADE",
    "keyboard": "INPUT_METHOD",
    "keyguard": "NOTIFICATION_SHADE",
    "menu": "APPLICATION_SUB_PANEL",
    "navigation": "NAVIGATION_BAR",
    "shade": "NOTIFICATION_SHADE",
    "status": "STATUS_BAR",
    "toast": "TOAST",
    "wallpaper": "WALLPAPER",
}


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell about displays, windows, or both."""
    match args:
        case ["displays" | "d", *_]:
            return _displays(ctx.phone)
        case ["windows" | "w" | "visible", *_]:
            return _windows(ctx.phone)
    return _policy(ctx.phone) + _windows(ctx.phone) + _displays(ctx.phone)


def _policy(phone: Phone) -> str:
    keyguard, awake = phone.keyguard, _word(phone.power.awake)
    locked, secure = _word(keyguard.locked), _word(keyguard.secure)
    state = "ON" if phone.power.awake else "OFF"
    interactive = "AWAKE" if phone.power.awake else "SLEEP"
    shown, occluded = _word(keyguard.showing), _word(keyguard.locked and not keyguard.showing)
    return (
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n"
        f"    mAwake={awake}\n    mDreamingLockscreen={locked}\n"
        f"    mShowingLockscreen={locked} mShowingDream=false mDreamingSleepToken=null\n"
        f"    KeyguardServiceDelegate\n      showing={locked}\n"
        f"      showingAndNotOccluded={shown}\n"
        f"      inputRestricted={locked}\n      occluded={occluded}\n      secure={secure}\n"
        f"      dreaming=false\n      systemIsReady=true\n      isKeyguardShowing={locked}\n"
        f"      screenState=SCREEN_STATE_{state}\n"
        f"      interactiveState=INTERACTIVE_STATE_{interactive}\n\n"
    )


def _word(flag: bool) -> str:
    return str(flag).lower()


def _windows(phone: Phone) -> str:
    windows = [window for window in phone.windows.stack if window.kind in TYPES]
    blocks = [_window(phone, window, at) for at, window in reversed(list(enumerate(windows)))]
    return "WINDOW MANAGER WINDOWS (dumpsys window windows)\n" + "".join(blocks) + "\n"


def _window(phone: Phone, window: Window, at: int) -> str:
    session = f"Session{{{window.record.token} {phone.proc.pid(window.package)}:u0a10}}"
    client = f"android.os.BinderProxy@{token(window)}"
    left, top, right, bottom = window.box.bounds
    frame = f"[{left},{top}][{right},{bottom}]"
    screen = f"[0,0][{phone.display.metrics.width_px},{phone.display.metrics.height_px}]"
    return (
        f"  Window #{at} {name(window)}:\n"
        f"    mDisplayId=0 rootTaskId={_task(phone, window)} mSession={session} mClient={client}\n"
        f"    mOwnerUid={_uid(phone, window.package)} showForAllUsers=false"
        f" package={window.package} appop=NONE\n"
        f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty={TYPES[window.kind]}}}\n"
        f"    mRequestedWidth={right - left} mRequestedHeight={bottom - top}\n"
        f"    Frames: parent={screen} display={screen} frame={frame} last={frame}"
        " insetsChanged=false\n"
        "    mViewVisibility=0x0 mHaveFrame=true mObscured=false\n"
    )


def _displays(phone: Phone) -> str:
    metrics = phone.display.metrics
    size = f"{metrics.width_px}x{metrics.height_px}"
    physical = "{}x{}".format(*phone.display.physical_size)
    density = phone.display.density
    focused = name(phone.windows.active) if phone.power.awake else "null"
    return (
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n"
        "  Display: mDisplayId=0 (organized)\n"
        f"    init={physical} {phone.display.physical_density}dpi cur={size} app={size}"
        f" rng={size}-{size}\n"
        f"    base={size} {density}dpi\n"
        f"    mCurrentRotation=ROTATION_{90 * phone.display.rotation}\n"
        f"  mCurrentFocus={focused}\n"
        f"  mFocusedApp={record(phone, phone.activities.top)}\n"
        f"  mInputMethodTarget={focused if phone.ime.shown else 'null'}\n\n"
    )


def name(window: Window) -> str:
    """Name a window as Android does."""
    title = window.title
    if window.kind == "menu":
        title = f"PopupWindow:{token(window)}"
    return f"Window{{{token(window)} u0 {title}}}"


def token(window: Window) -> str:
    """Give a hash that stays the same for as long as the window is there."""
    seed = sum((at + 1) * ord(char) for at, char in enumerate(window.kind))
    return f"{(window.record.number * 0x9E3779B1 + seed * 0x85EBCA6B) & 0xFFFFFFF:x}"


def record(phone: Phone, top: Record) -> str:
    """Name an activity record, with the extra brace that 14 prints."""
    task = phone.activities.task_of(top)
    return f"ActivityRecord{{{top.token} u0 {short(top.component)}}} t{task.number}}}"


def _task(phone: Phone, window: Window) -> int:
    return phone.activities.task_of(window.record).number


def _uid(phone: Phone, package: str) -> int:
    return phone.packages[package].uid if package in phone.packages else 1000
