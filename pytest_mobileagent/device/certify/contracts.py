"""The table of contracts, in the order in which they are tried.

A contract is a function of a bench, whose docstring says what is done and what must hold. It
returns what was seen, or raises `Unwell` if it does not hold and `CannotBe` if this device has not
what it needs. None knows what kind of device it is tried on.
"""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.device.certify import actions, looks, state
from pytest_mobileagent.device.doctor import checks
from pytest_mobileagent.device.doctor.checks import Doubtful, Unwell

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.certify.bench import Bench
    from pytest_mobileagent.device.device import Device

    Contract = Callable[[Bench], str]

_MAIN = "-a android.intent.action.MAIN -c"


def _checked(check: Callable[[Device], str], bench: Bench) -> str:
    try:
        return check(bench.device)
    except Doubtful as doubt:  # no device lacks what these read
        raise Unwell(str(doubt), doubt.remedy) from doubt


CONTRACTS: dict[str, Contract] = {
    "commands": state.answers,
    "awake": partial(_checked, checks.awake),
    "unlocked": partial(_checked, checks.unlocked),
    "root": state.root,
    "storage": partial(_checked, checks.storage),
    "screenshot": partial(_checked, checks.screenshot),
    "hierarchy": partial(_checked, checks.hierarchy),
    "install": state.installs,
    "facts": looks.device_facts,
    "picture and hierarchy": looks.pictures,
    "hierarchy alone": looks.spares_pictures,
    "at rest": looks.settles,
    "focus": looks.focus,
    "clock": looks.clock,
    "tap": actions.taps,
    "double tap": actions.double_taps,
    "long press": actions.long_presses,
    "swipe": actions.swipes,
    "drag": actions.drags,
    "scroll up": partial(actions.scrolls, direction="up"),
    "scroll down": partial(actions.scrolls, direction="down"),
    "scroll left": partial(actions.scrolls, direction="left"),
    "scroll right": partial(actions.scrolls, direction="right"),
    "wait": actions.waits,
    "open": actions.opens,
    "key home": actions.goes_home,
    "key back": actions.goes_back,
    "key overview": actions.shows_overview,
    "key enter": partial(actions.enters, key=True),
    "keys delete, tab": actions.edits,
    "keys volume": actions.changes_volume,
    "type ASCII": partial(actions.types, text="Wi-Fi & 100 of it; a|b <c> (d) #1 = ~2?"),
    "type %s": partial(actions.types, text="50%s off, 5 %s, %d %%"),
    "type quotes": partial(actions.types, text='it\'s "so" `$HOME` \\n \\ $(id)'),
    "type a new line": partial(actions.types, text="one\ntwo", field="lines"),
    "type, clear": actions.clears,
    "type, enter": actions.enters,
    "type Latin": partial(actions.types, text="Zürich, año, œuvre, łódź, İstanbul"),
    "type Cyrillic": partial(actions.types, text="Привет, мир"),
    "type Greek": partial(actions.types, text="Καλημέρα κόσμε"),
    "type Arabic": partial(actions.types, text="مرحبا بالعالم"),
    "type Hebrew": partial(actions.types, text="שלום עולם"),
    "type Devanagari": partial(actions.types, text="नमस्ते दुनिया"),
    "type Chinese": partial(actions.types, text="你好,世界 北京"),
    "type emoji": partial(actions.types, text="😀 👍🏽 👨‍👩‍👧"),
    "keyboard afterwards": actions.keeps_keyboard,
    "turned left": partial(looks.turns, rotation=1),
    "turned right": partial(looks.turns, rotation=3),
    "split screen": looks.splits,
    "secure page": looks.secure_page,
    "notification shade": looks.opens_shade,
    "lock and wake": looks.locks,
    "app Settings": partial(actions.opens_app, intent="-a android.settings.SETTINGS"),
    "app Clock": partial(actions.opens_app, intent="-a android.intent.action.SHOW_ALARMS"),
    "app Contacts": partial(
        actions.opens_app, intent=f"{_MAIN} android.intent.category.APP_CONTACTS"
    ),
    "app Files": partial(actions.opens_app, intent="-a android.intent.action.VIEW_DOWNLOADS"),
    "probe setting": state.settings,
    "probe provider": state.providers,
    "probe prop": state.properties,
    "probe sqlite": state.databases,
    "probe preferences": state.preference,
    "probes file, files": state.stored_files,
    "probe packages": state.listed_packages,
    "probe volume": state.volumes,
    "probe activity": state.front,
    "probe log": state.logs,
    "permission dialog": state.permissions,
    "reset": state.resets,
    "log lines": state.log_lines,
    "crash": state.crash,
    "events": state.events,
    "uninstall": state.uninstalls,
}


def about(contract: Contract) -> str:
    """Return what a contract does and what must hold, on one line."""
    function: object = contract
    if isinstance(contract, partial):
        function = contract.args[0] if contract.args else contract.func
    return (inspect.getdoc(function) or "").partition("\n")[0]
