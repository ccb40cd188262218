"""Displays and layers, as what draws them has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.screen import DISPLAY
from pytest_mobileagent.virtual.shell.android.service import Context, Service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

GLES = (  # as an emulator without a graphics card has it
    "Google (Google Inc. (Google)), Android Emulator OpenGL ES Translator (ANGLE (Google, Vulkan"
    " 1.3.0 (SwiftShader Device (LLVM 10.0.0) (0x0000C0DE)), SwiftShader driver)), OpenGL ES 3.1"
    " (OpenGL ES 3.1.0 (ANGLE 2.1.0))"
)
service = Service("SurfaceFlinger", interface="android.ui.ISurfaceComposer")


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell the displays and layers."""
    phone, display_id = ctx.phone, DISPLAY
    name = f'Display {display_id} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
    match args:
        case ["--display-id", *_]:
            return name
        case ["--list", *_]:
            return "".join(f"{line}\n" for line in _layers(phone))
        case ["--latency", *_]:
            return "16666666\n"
    metrics = phone.display.metrics
    layers = "".join(f"+ Layer ({line})\n" for line in _layers(phone))
    return (
        f"Build configuration: [sf PRESENT_TIME_OFFSET=0 FORCE_HWC_FOR_RBG_TO_YUV=0]\n"
        f"Display identification data:\n{name}\n"
        f"GLES: {GLES}\n\n"
        f"Visible layers (count = {layers.count('+')})\n{layers}"
        f"Displays (1 entries)\n+ DisplayDevice{{{display_id}, internal, primary,"
        f' "EMU_display_0"}}\n   powerMode={"On" if phone.power.awake else "Off"} (2)\n'
        f"   ({metrics.width_px}x{metrics.height_px}), orientation={phone.display.rotation}\n"
        "refresh-rate              : 60.000002 fps\n"
    )


def _layers(phone: Phone) -> list[str]:
    return [f"{window.title}#{at}" for at, window in enumerate(phone.windows.stack)]
