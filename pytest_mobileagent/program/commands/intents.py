"""Parses intents of Android's `am`, and the acts of sending them."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Key, Open, Raw
from pytest_mobileagent.program.commands import Act, Clear, fixed, inputs
from pytest_mobileagent.program.commands.inputs import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TWO = {
    "-e", "--es", "--ez", "--ei", "--el", "--ef", "--ed", "--eu", "--ecn", "--eia", "--eial",
    "--ela", "--elal", "--efa", "--efal", "--eda", "--edal", "--esa", "--esal",
}  # fmt: skip
_ONE = {
    "--esn", "-a", "-d", "-t", "-i", "-c", "-n", "-p", "-f", "--user", "--display", "-P", "-R",
    "--windowingMode", "--activityType", "--task", "--receiver-permission", "--start-profiler",
    "--sampling", "--attach-agent", "--attach-agent-bind", "--bg-start-allowlist-duration",
}  # fmt: skip
_FIELDS = {"-a": "action", "-d": "data", "-t": "type", "-n": "component", "-p": "package"}
_MAIN = "android.intent.action.MAIN"
_LAUNCHER = "android.intent.category.LAUNCHER"
_HOME = "android.intent.category.HOME"
# Apps that belong to tools: they serve programs rather than the phone's user.
TOOLS = {
    "io.appium.settings", "io.appium.uiautomator2.server", "io.appium.uiautomator2.server.test",
    "com.github.uiautomator", "com.github.uiautomator.test", "com.wetest.uia2",
    "com.android.adbkeyboard", "com.droidrun.portal", "com.mobilerun.portal",
    "com.mobilenext.devicekit", "com.genymobile.scrcpy", "ca.zgrs.clipper",
    "com.google.androidenv.accessibilityforwarder",
}  # fmt: skip
CLIPBOARD = "clipboard: "  # the prefix of a Raw that copies text


@dataclass(slots=True)
class Intent:
    """The contents of an intent; all `extras` are kept as text."""

    action: str = ""
    data: str = ""
    type: str = ""
    component: str = ""
    package: str = ""
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)

    @property
    def app(self) -> str:
        """The package that the intent addresses; empty if it names none."""
        return self.component.partition("/")[0] or self.package


def read_intent(words: Sequence[str]) -> Intent:
    """Return the intent that the arguments of `am start` or `am broadcast` describe."""
    intent, rest = Intent(), list(words)
    while rest:
        word = rest.pop(0)
        if word in _TWO:
            name, value = [*rest, "", ""][:2]
            intent.extras[name] = value
            del rest[:2]
        elif word in _ONE:
            value = rest.pop(0) if rest else ""
            if word == "-c":
                intent.categories.append(value)
            elif word == "--esn":
                intent.extras[value] = ""
            elif word in _FIELDS:
                setattr(intent, _FIELDS[word], value)
        elif not word.startswith("-"):  # a URI, a component or a package
            setattr(
                intent, "data" if ":" in word else "component" if "/" in word else "package", word
            )
    return intent


def started(intent: Intent, raw: str) -> tuple[Act, ...]:
    """Return the act of starting an activity; `raw` is the command's text."""
    if intent.app in TOOLS:
        return ()
    if _HOME in intent.categories and not intent.app:
        return (Key("home"),)
    bare = not (intent.data or intent.type or intent.extras)
    main = intent.action in {"", _MAIN} and set(intent.categories) <= {_LAUNCHER}
    if intent.app and bare and main:
        return (Open(intent.app),)
    return (Raw(raw),)


def sent(intent: Intent, raw: str) -> tuple[Act, ...]:
    """Return the acts of a broadcast: those for keyboards type, others do not change the screen."""
    reader = _BROADCASTS.get(intent.action)
    if reader is None:
        return ()
    if intent.app and intent.app not in TOOLS:  # may be part of an unquoted text with spaces
        return (Raw(raw),)
    try:
        return reader(intent.extras, raw)
    except (ValueError, OverflowError):  # binascii.Error is one
        return (Raw(raw),)


def from_base64(text: str) -> str:
    """Decode text from base64.

    Raises:
        ValueError: if the text is not base64, or the bytes are not UTF-8.
    """
    data = "".join(text.split())
    return base64.b64decode(data + "=" * (-len(data) % 4), validate=True).decode("utf-8")


def _message(extras: dict[str, str], raw: str) -> tuple[Act, ...]:
    if "mcode" not in extras:
        return typed(extras.get("msg", ""))
    numbers = [int(number) for number in extras["mcode"].split(",")]
    pairs = zip(numbers[::2], numbers[1::2], strict=False)  # modifiers, then the key
    return tuple(inputs.pressed(number, raw, meta) for meta, number in pairs)


def _text_base64(extras: dict[str, str], raw: str) -> tuple[Act, ...]:
    return typed(from_base64(extras.get("text", "")))


def _clipboard(extras: dict[str, str], raw: str) -> tuple[Act, ...]:
    text = extras.get("text", "")
    return (Raw(CLIPBOARD + (from_base64(text) if extras.get("encoding") == "base64" else text)),)


# First ADBKeyboard's broadcasts, then those of uiautomator2's keyboard, then those of clipboards.
_BROADCASTS: dict[str, Callable[[dict[str, str], str], tuple[Act, ...]]] = {
    "ADB_INPUT_TEXT": _message,
    "ADB_INPUT_B64": lambda extras, _: typed(from_base64(extras.get("msg", ""))),
    "ADB_INPUT_CHARS": lambda extras, _: typed(
        "".join(chr(int(number)) for number in extras.get("chars", "").split(",") if number.strip())
    ),
    "ADB_INPUT_CODE": lambda extras, raw: (inputs.pressed(int(extras.get("code", "")), raw),),
    "ADB_EDITOR_CODE": fixed(Key("enter")),
    "ADB_CLEAR_TEXT": fixed(Clear()),
    "ADB_KEYBOARD_INPUT_TEXT": _text_base64,
    "ADB_KEYBOARD_SET_TEXT": lambda extras, raw: (Clear(), *_text_base64(extras, raw)),
    "ADB_KEYBOARD_CLEAR_TEXT": fixed(Clear()),
    "ADB_KEYBOARD_EDITOR_CODE": fixed(Key("enter")),
    "ADB_KEYBOARD_SMART_ENTER": fixed(Key("enter")),
    "devicekit.clipboard.set": _clipboard,
    "clipper.set": _clipboard,
}
_BROADCASTS["ADB_KEYBOARD_INPUT_KEYCODE"] = _BROADCASTS["ADB_INPUT_CODE"]
