"""The emulator's controller: screenshots, touches, keys, clipboard and state."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.empty_pb2 import Empty

from pytest_mobileagent.virtual.grpc.fingers import Fingers
from pytest_mobileagent.virtual.grpc.keyboard import Keyboard
from pytest_mobileagent.virtual.grpc.pictures import picture
from pytest_mobileagent.virtual.grpc.protocol import control

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pytest_mobileagent.virtual.phone import Phone

VERSION = "34.2.16.0"  # of the emulator whose behaviour is imitated
FRAME = 1 / 30  # seconds


class Controller:
    """Answers calls; each takes full effect before its response."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._fingers = Fingers(phone)
        self._keyboard = Keyboard(phone)

    async def getStatus(self, _: Any, __: object) -> Any:
        """Return whether the phone has booted, its uptime and its hardware configuration."""
        display = self._phone.display
        made = {
            "hw.lcd.width": display.physical_size[0],
            "hw.lcd.height": display.physical_size[1],
            "hw.lcd.density": display.physical_density,
            "avd.name": self._phone.avd_name,
        }
        entries = [control.Entry(key=key, value=str(value)) for key, value in made.items()]
        return control.EmulatorStatus(
            version=VERSION,
            uptime=int(self._phone.clock.uptime() * 1000),
            booted=not self._phone.init.booting,
            hardwareConfig=control.EntryList(entry=entries),
        )

    async def getVmState(self, _: Any, __: object) -> Any:
        """Return the VM's state, which is always running."""
        return control.VmRunState(state=control.VmRunState.RUNNING)

    async def setVmState(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Empty:
        """Shut the phone down or reboot it."""
        states = control.VmRunState
        match request.state:
            case states.SHUTDOWN | states.TERMINATE:
                self._phone.init.shutdown()
            case states.RESET:
                self._phone.reboot()
            case states.RUNNING:
                pass
            case _:
                await context.abort(grpc.StatusCode.UNIMPLEMENTED, "this machine cannot pause")
        return Empty()

    async def getScreenshot(self, request: Any, _: object) -> Any:
        """Return a screenshot."""
        return picture(self._phone, request)

    async def streamScreenshot(self, request: Any, _: object) -> AsyncIterator[Any]:
        """Yield a screenshot now, and whenever it changes."""
        number, version, shown = 0, -1, b""
        while True:
            if version != self._phone.version:
                version = self._phone.version
                frame = picture(self._phone, request, number)
                if frame.image != shown:
                    yield frame
                    shown, number = frame.image, number + 1
            await asyncio.sleep(FRAME)

    async def sendTouch(self, request: Any, _: object) -> Empty:
        """Put fingers down, move them and lift them."""
        for touch in request.touches:
            self._fingers.touch(touch.identifier, touch.x, touch.y, pressed=touch.pressure != 0)
        return Empty()

    async def sendKey(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Empty:
        """Press a key, or type text."""
        try:
            self._keyboard.take(request)
        except ValueError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        return Empty()

    async def getClipboard(self, _: Any, __: object) -> Any:
        """Return the clipboard's text."""
        return control.ClipData(text=self._phone.clipboard.text)

    async def setClipboard(self, request: Any, _: object) -> Empty:
        """Set the clipboard's text."""
        self._phone.clipboard.text = request.text
        return Empty()
