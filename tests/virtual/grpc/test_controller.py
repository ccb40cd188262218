"""The emulator's gRPC controller, called as its clients call it."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from PIL import Image

from pytest_mobileagent.virtual.grpc import control, control_services
from pytest_mobileagent.virtual.grpc.server import fitted, serve
from pytest_mobileagent.virtual.main import boot
from tests.virtual.conftest import APPS, Hand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.phones import Loop

pytestmark = pytest.mark.slow
KEYS = control.KeyboardEvent
FORMATS = control.ImageFormat


class Client:
    """A phone that is served by gRPC, and a channel to it."""

    def __init__(self, loop: Loop, *, read_only: bool = False) -> None:
        self.loop = loop
        self.phone: Phone = loop.call(lambda: boot([APPS]))
        self.served = serve(self.phone, 0, read_only=read_only)
        self.port = loop.run(self.served.__aenter__())
        self.channel = grpc.insecure_channel(
            f"localhost:{self.port}", [("grpc.max_receive_message_length", -1)]
        )
        self.controller: Any = control_services.EmulatorControllerStub(self.channel)
        self.snapshots: Any = control_services.SnapshotServiceStub(self.channel)

    def close(self) -> None:
        self.channel.close()
        self.loop.run(self.served.__aexit__(None, None, None))

    def touch(self, *touches: tuple[int, int, int, int]) -> None:
        """Send an event with some touches: x, y, the finger, the pressure."""
        points = [control.Touch(x=x, y=y, identifier=n, pressure=p) for x, y, n, p in touches]
        self.controller.sendTouch(control.TouchEvent(touches=points))

    def snapshot(self, what: str, name: str = "mine") -> tuple[bool, str]:
        call = getattr(self.snapshots, f"{what}Snapshot")
        done = call(control.SnapshotPackage(snapshot_id=name))
        return done.success, done.err.decode()


@pytest.fixture(scope="module")
def client(loop: Loop) -> Iterator[Client]:
    client = Client(loop)
    yield client
    client.close()


@pytest.fixture
def phone(client: Client) -> Phone:
    """The served phone, at the demo app's first screen."""

    def begin() -> None:
        client.phone.snapshots.load("default_boot")
        client.phone.activities.launch("org.demo")

    client.loop.call(begin)
    return client.phone


def image(answer: Any) -> Image.Image:
    mode = {FORMATS.RGBA8888: "RGBA", FORMATS.RGB888: "RGB"}[answer.format.format]
    return Image.frombytes(mode, (answer.format.width, answer.format.height), answer.image)


def test_its_status(client: Client, phone: Phone) -> None:
    status = client.controller.getStatus(Empty())
    assert (status.booted, status.uptime > 0) == (True, True)
    made = {entry.key: entry.value for entry in status.hardwareConfig.entry}
    assert (made["hw.lcd.width"], made["hw.lcd.height"]) == ("1080", "2400")
    running = control.VmRunState(state=control.VmRunState.RUNNING)
    assert client.controller.getVmState(Empty()) == running


def test_the_screen_in_every_format(client: Client, phone: Phone) -> None:
    seen = client.loop.call(phone.screenshot)
    shown = Image.open(io.BytesIO(seen)).convert("RGB")
    whole = client.controller.getScreenshot(FORMATS(format=FORMATS.RGBA8888))
    assert image(whole).convert("RGB") == shown
    assert image(client.controller.getScreenshot(FORMATS(format=FORMATS.RGB888))) == shown
    picture = client.controller.getScreenshot(FORMATS(format=FORMATS.PNG, width=270))
    assert Image.open(io.BytesIO(picture.image)).size == (270, 600)


@pytest.mark.parametrize(
    ("limits", "size"),
    [((0, 0), (1080, 2400)), ((540, 0), (540, 1200)), ((540, 600), (270, 600)), ((1, 0), (1, 2))],
)
def test_pictures_keep_their_shape(limits: tuple[int, int], size: tuple[int, int]) -> None:
    assert fitted((1080, 2400), *limits) == size


def test_pictures_and_touches_follow_the_rotation(client: Client, phone: Phone) -> None:
    client.loop.call(lambda: phone.settings.put("system", "user_rotation", "1"))
    turned = client.controller.getScreenshot(FORMATS(format=FORMATS.RGB888, width=1200)).format
    assert (turned.width, turned.height, turned.rotation.rotation) == (1200, 540, 1)
    x, y = client.loop.call(lambda: Hand(phone).center("resource-id", "org.demo:id/loud"))
    client.touch((1079 - y, x, 0, 1), (0, 0, 0, 0))  # on the glass, which does not rotate
    assert 'checked="true"' in client.loop.call(
        lambda: Hand(phone).node("resource-id", "org.demo:id/loud")
    )


def test_the_screen_is_streamed_as_it_changes(client: Client, phone: Phone) -> None:
    frames = client.controller.streamScreenshot(FORMATS(format=FORMATS.RGB888, width=108))
    first = next(frames)
    client.controller.sendKey(KEYS(key="GoHome"))
    second = next(frames)
    frames.cancel()
    assert (first.seq, second.seq) == (0, 1)
    assert first.image != second.image


def test_one_finger_taps_and_swipes_and_two_pinch(client: Client, phone: Phone) -> None:
    hand = Hand(phone)
    x, y = client.loop.call(lambda: hand.center("resource-id", "org.demo:id/loud"))
    client.touch((x, y, 3, 1))
    client.touch((x, y, 3, 1))
    client.touch((0, 0, 3, 0))  # a finger is lifted from its last position, whatever the event says
    assert client.loop.call(lambda: hand.nodes("checked", "true"))
    client.touch(*[(540, 2395 - 300 * step, 0, 1) for step in range(6)], (540, 895, 0, 0))
    assert client.loop.call(lambda: phone.activities.top.package) == phone.launcher
    scales: list[float] = []
    phone.pinch = lambda x, y, scale: scales.append(scale)  # type: ignore[method-assign]
    client.touch((500, 900, 0, 1), (500, 1000, 1, 1))
    client.touch((500, 850, 0, 1), (500, 1050, 1, 1))
    client.touch((500, 850, 0, 0), (500, 1050, 1, 0))
    del phone.pinch
    assert scales == [2.0]


@pytest.mark.parametrize(
    "events",
    [
        [KEYS(text="Ab1")],
        [KEYS(key="A"), KEYS(key="b", eventType=KEYS.keypress), KEYS(key="1")],
        [
            KEYS(codeType=KEYS.Evdev, keyCode=42),
            KEYS(codeType=KEYS.Evdev, keyCode=30),
            KEYS(codeType=KEYS.Evdev, eventType=KEYS.keyup, keyCode=42),
            KEYS(codeType=KEYS.XKB, eventType=KEYS.keypress, keyCode=48 + 8),
            KEYS(codeType=KEYS.XKB, eventType=KEYS.keypress, keyCode=2 + 8),
        ],
    ],
    ids=["text", "keys", "codes"],
)
def test_keys_type(client: Client, phone: Phone, events: list[Any]) -> None:
    def edit() -> None:
        hand = Hand(phone)
        hand.tap("content-desc", "Add")
        hand.tap("resource-id", "org.demo:id/title")

    client.loop.call(edit)
    for event in events:
        client.controller.sendKey(event)
    client.controller.sendKey(KEYS(codeType=KEYS.XKB, eventType=KEYS.keyup, keyCode=38))
    assert client.loop.call(lambda: Hand(phone).nodes("text", "Ab1"))


def test_foreign_codes_are_refused(client: Client, phone: Phone) -> None:
    with pytest.raises(grpc.RpcError, match="Evdev and XKB"):
        client.controller.sendKey(KEYS(codeType=KEYS.Mac, keyCode=1))


def test_the_clipboard(client: Client, phone: Phone) -> None:
    client.controller.setClipboard(control.ClipData(text="grüezi"))
    assert client.loop.call(lambda: phone.clipboard.text) == "grüezi"
    assert client.controller.getClipboard(Empty()).text == "grüezi"


def test_snapshots(client: Client, phone: Phone) -> None:
    assert client.snapshot("Save") == (True, "")
    client.controller.setClipboard(control.ClipData(text="later"))
    assert client.snapshot("Load") == (True, "")
    assert client.controller.getClipboard(Empty()).text == ""
    kept = {
        each.snapshot_id: each.status
        for each in client.snapshots.ListSnapshots(control.SnapshotFilter()).snapshots
    }
    kinds = control.SnapshotDetails
    assert kept == {"default_boot": kinds.Compatible, "mine": kinds.Loaded}
    assert client.snapshot("Delete") == (True, "")
    assert client.snapshot("Load") == (False, "Snapshot load failure: snapshot doesn't exist")


def test_a_read_only_phone_keeps_no_snapshots(loop: Loop) -> None:
    client = Client(loop, read_only=True)
    told = 'Snapshot save is disabled because "-read-only" was specified'
    assert client.snapshot("Save") == (False, told)
    client.close()


def test_the_phone_is_switched_off_and_restarted(client: Client, phone: Phone) -> None:
    ended = asyncio.Event()
    phone.init.on_shutdown.append(ended.set)
    states = control.VmRunState
    client.controller.setVmState(states(state=states.RESET))
    assert client.loop.call(lambda: phone.activities.top.package) == phone.launcher
    client.controller.setVmState(states(state=states.SHUTDOWN))
    assert ended.is_set()
    with pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
        client.controller.setVmState(states(state=states.UNKNOWN))


def test_a_port_that_is_taken_is_reported(client: Client) -> None:
    async def again() -> None:
        async with serve(client.phone, client.port):
            pass

    with pytest.raises(OSError, match=f"port {client.port} cannot be used"):
        client.loop.run(again())
