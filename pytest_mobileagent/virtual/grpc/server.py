"""The phone's gRPC server: the emulator's controller and its snapshots."""

from __future__ import annotations

import asyncio
import ctypes
import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import grpc
import grpc.aio
from google.protobuf.empty_pb2 import Empty
from PIL import Image

from pytest_mobileagent.virtual.grpc import control, control_services
from pytest_mobileagent.virtual.system.input.dispatcher import NAMES
from pytest_mobileagent.virtual.system.input.keys import CODES, MODIFIERS, typeable
from pytest_mobileagent.virtual.ui.screenshot import png

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.snapshots import Snapshots

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


Point = tuple[int, int]


class Fingers:
    """A single finger taps, holds and swipes as it moves; two pinch once both are lifted."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._down: set[int] = set()
        self._ways: dict[int, list[Point]] = {}  # of all fingers since the first one touched

    def touch(self, number: int, x: int, y: int, *, pressed: bool) -> None:
        """Put a finger down, move it, or lift it from where it is."""
        finger, point = self._phone.finger, self._turned(x, y)
        if pressed and number not in self._down:
            self._down.add(number)
            self._ways[number] = [point]
            if len(self._ways) == 1:
                finger.down(*point)
            else:
                finger.cancel()
        elif pressed:
            self._ways[number].append(point)
            if len(self._ways) == 1:
                finger.move(*point)
        elif number in self._down:
            self._down.remove(number)
            if not self._down:
                self._lifted()

    def _lifted(self) -> None:
        (first, *others), self._ways = self._ways.values(), {}
        if not others:
            self._phone.finger.up(*first[-1])
            return
        before, after = (math.dist(first[at], others[0][at]) for at in (0, -1))
        if before:
            x, y = ((a + b) / 2 for a, b in zip(first[0], others[0][0], strict=True))
            self._phone.pinch(x, y, after / before)

    def _turned(self, x: int, y: int) -> Point:
        """Convert a point of the glass, which does not rotate, to one of the rotated display."""
        metrics, rotation = self._phone.display.metrics, self._phone.display.rotation
        last_x, last_y = metrics.width_px - 1, metrics.height_px - 1
        return ((x, y), (y, last_y - x), (last_x - x, last_y - y), (last_x - y, x))[rotation]


# Offsets of the kinds of key codes from those of the kernel.
_SHIFT: Final = {control.KeyboardEvent.Evdev: 0, control.KeyboardEvent.XKB: 8}
_NAMES: Final = {  # names of the web's keys, with Android's
    "AppSwitch": "APP_SWITCH",
    "ArrowDown": "DPAD_DOWN",
    "ArrowLeft": "DPAD_LEFT",
    "ArrowRight": "DPAD_RIGHT",
    "ArrowUp": "DPAD_UP",
    "AudioVolumeDown": "VOLUME_DOWN",
    "AudioVolumeUp": "VOLUME_UP",
    "Backspace": "DEL",
    "Delete": "FORWARD_DEL",
    "End": "MOVE_END",
    "Enter": "ENTER",
    "Escape": "ESCAPE",
    "GoBack": "BACK",
    "GoHome": "HOME",
    "Home": "MOVE_HOME",
    "PageDown": "PAGE_DOWN",
    "PageUp": "PAGE_UP",
    "Power": "POWER",
    "Tab": "TAB",
}


class Keyboard:
    """Presses keys as they go down, with the modifiers held meanwhile."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._meta = 0

    def take(self, event: Any) -> None:
        """Handle an event: text takes precedence over codes; ValueError for unknown codes."""
        if event.text:
            self._phone.type_text("".join(letter for letter in event.text if typeable(letter)))
        elif event.keyCode:
            if event.codeType not in _SHIFT:
                raise ValueError("key codes are known of the kinds Evdev and XKB")
            self._press(NAMES.get(event.keyCode - _SHIFT[event.codeType]), event)
        elif event.key in _NAMES:
            self._press(_NAMES[event.key], event)
        elif len(event.key) == 1 and typeable(event.key) and not _goes_up(event):
            self._phone.type_text(event.key)

    def _press(self, name: str | None, event: Any) -> None:
        if name is None:  # unknown to the kernel
            return
        modifier = MODIFIERS.get(CODES[name], 0)
        if modifier:
            self._meta = self._meta & ~modifier if _goes_up(event) else self._meta | modifier
        elif not _goes_up(event):
            self._phone.key(f"KEYCODE_{name}", self._meta)  # a plain 1 would be a code


def _goes_up(event: Any) -> bool:
    return bool(event.eventType == control.KeyboardEvent.keyup)


def picture(phone: Phone, wanted: Any, number: int = 0) -> Any:
    """Return the screen as it is rotated, scaled to fit the requested width and height."""
    kinds = control.ImageFormat
    image = phone.sight.picture()
    width, height = fitted(image.size, wanted.width, wanted.height)
    if (width, height) != image.size:
        image = image.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
    if wanted.format == kinds.PNG:
        data = png(image)
    else:
        data = image.convert("RGB" if wanted.format == kinds.RGB888 else "RGBA").tobytes()
    turned = control.Rotation(rotation=phone.display.rotation)
    size = {"width": width, "height": height}
    made = kinds(format=wanted.format, rotation=turned, **size)
    time = int(phone.clock.time() * 1_000_000)
    return control.Image(format=made, image=data, seq=number, timestampUs=time, **size)


def fitted(size: tuple[int, int], width: int, height: int) -> tuple[int, int]:
    """Scale a size so that it exceeds neither width nor height, unless they are 0."""
    limits = [limit / own for limit, own in zip((width, height), size, strict=True) if limit]
    scale = min(limits, default=1.0)
    return max(1, int(size[0] * scale)), max(1, int(size[1] * scale))


_GRACE = 0.2  # seconds for calls to finish when the phone shuts down
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's mallopt
_OPTIONS = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1))


@asynccontextmanager
async def serve(phone: Phone, port: int, *, read_only: bool = False) -> AsyncIterator[int]:
    """Serve on `port` (0: a free one), and yield it; OSError if it is taken."""
    _keep_memory()
    server = grpc.aio.server(options=_OPTIONS)
    control_services.add_EmulatorControllerServicer_to_server(Controller(phone), server)
    snapshots = SnapshotService(phone.snapshots, read_only=read_only)
    control_services.add_SnapshotServiceServicer_to_server(snapshots, server)
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError:
        raise OSError(f"port {port} cannot be used (--grpc=0 finds a free one)") from None
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(_GRACE)


def _keep_memory() -> None:
    """Reuse memory between pictures: allocating it each time took 60 of a picture's 80 ms."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_TRIM_THRESHOLD, 256 << 20)
        mallopt(_MMAP_THRESHOLD, 32 << 20)


class SnapshotService:
    """Lists, loads, saves and deletes snapshots; on a `read_only` emulator, only lists them."""

    def __init__(self, snapshots: Snapshots, *, read_only: bool) -> None:
        self._snapshots = snapshots
        self._read_only = read_only

    async def ListSnapshots(self, _: Any, __: object) -> Any:
        """Return all snapshots, the oldest first; each can be loaded."""
        kinds = control.SnapshotDetails
        listed = []
        for name, each in self._snapshots.items():
            about = control.Snapshot(creation_time=int(each.time), logical_name=name)
            status = kinds.Loaded if name == self._snapshots.loaded else kinds.Compatible
            listed.append(kinds(snapshot_id=name, details=about, status=status))
        return control.SnapshotList(snapshots=listed)

    async def LoadSnapshot(self, request: Any, _: object) -> Any:
        """Load a snapshot."""
        return self._do("load", self._snapshots.load, request.snapshot_id)

    async def SaveSnapshot(self, request: Any, _: object) -> Any:
        """Save the current state as a snapshot."""
        return self._do("save", self._snapshots.save, request.snapshot_id)

    async def DeleteSnapshot(self, request: Any, _: object) -> Any:
        """Delete a snapshot."""
        return self._do("delete", self._snapshots.delete, request.snapshot_id)

    def _do(self, what: str, act: Callable[[str], None], name: str) -> Any:
        error = ""
        if self._read_only:
            error = f'Snapshot {what} is disabled because "-read-only" was specified'
        else:
            try:
                act(name)
            except KeyError:
                error = f"Snapshot {what} failure: snapshot doesn't exist"
        return control.SnapshotPackage(snapshot_id=name, success=not error, err=error.encode())
