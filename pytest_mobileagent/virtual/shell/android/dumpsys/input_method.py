"""dumpsys input_method: which keyboard, and whether it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context


async def dump(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell the state of the soft keyboard."""
    ime, windows = ctx.phone.ime, ctx.phone.windows
    box = windows.focused() if windows.focused_field() else None
    shown = str(ime.shown).lower()
    view = f"{box.view.kind}{{{crc32(box.key.encode()):x} VFED..CL.}}" if box else "null"
    connection = (
        "RemoteInputConnectionImpl{connection=InputConnection finished=false"
        " mParentInputMethodManager.isActive()=true mServedView=" + view + "}"
        if box
        else "null"
    )
    return (
        "Current Input Method Manager state:\n"
        f"  Input Methods: mMethodMapUpdateCount={len(ime.installed())}\n"
        f"  mCurMethodId={ime.current}\n"
        f"  mCurFocusedWindowClient={windows.active.package}\n"
        f"  mShowRequested={shown}\n  mShowExplicitlyRequested={shown}\n  mShowForced=false\n"
        f"  mInputShown={shown}\n"
        f"Client:\n  mServedView={view}\n  mServedInputConnection={connection}\n"
        f"Input method service state:\n  mIsInputViewShown={shown}\n"
    )
