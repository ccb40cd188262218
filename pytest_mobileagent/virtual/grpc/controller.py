"""The emulator's controller: what it shows, its touches and keys, its clipboard and its state."""

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

VERSION = "34.2.16.0"  # of the emulator that this one behaves like
FRAME = 1 / 30  # seconds


class Controller:
    """Answers calls; each of them is done when its answer comes."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._fingers = Fingers(phone)
        self._keyboard = Keyboard(phone)

    async def getStatus(self, _: Any, __: object) -> Any:
        """Say that the phone is up, and how it is made."""
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
            booted=not self._phone.booting,
            hardwareConfig=control.EntryList(entry=entries),
        )

    async def getVmState(self, _: Any, __: object) -> Any:
        """Say that the machine runs."""
        return control.VmRunState(state=control.VmRunState.RUNNING)

    async def setVmState(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Empty:
        """Switch the phone off, or off and on again."""
        states = control.VmRunState
        match request.state:
            case states.SHUTDOWN | states.TERMINATE:
                self._phone.shutdown()
            case states.RESET:
                self._phone.reboot()
            case states.RUNNING:
                pass
            case _:
                await context.abort(grpc.StatusCode.UNIMPLEMENTED, "this machine cannot pause")
        return Empty()

    async def getScreenshot(self, request: Any, _: object) -> Any:
        """Give what is on the screen."""
        return picture(self._phone, request)

    async def streamScreenshot(self, request: Any, _: object) -> AsyncIterator[Any]:
        """Give what is on the screen now, and whenever that is something else."""
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
        """Put fingers down, move them, lift them."""
        for touch in request.touches:
            self._fingers.touch(touch.identifier, touch.x, touch.y, pressed=touch.pressure != 0)
        return Empty()

    async def sendKey(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Empty:
        """Press a key, or type."""
        try:
            self._keyboard.take(request)
        except ValueError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        return Empty()

    async def getClipboard(self, _: Any, __: object) -> Any:
        """Give what was last copied."""
        return control.ClipData(text=self._phone.clipboard.text)

    async def setClipboard(self, request: Any, _: object) -> Empty:
        """Copy a text."""
        self._phone.clipboard.text = request.text
        return Empty()
