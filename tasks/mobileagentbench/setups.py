"""What the tasks find on a phone: an app as if it were new, and the data that the release creates.

The release creates most data through the screens of the apps; here they are stored in databases,
files and providers, so that a task depends on no other screen than those that it is about. Data of
an app itself need `adb root`.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Tap
from pytest_mobileagent.action import Open
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Setup = Callable[[Any, str], None]

MEDIA = ("READ_EXTERNAL_STORAGE", "READ_MEDIA_IMAGES", "READ_MEDIA_VIDEO",
         "READ_MEDIA_VISUAL_USER_SELECTED", "ACCESS_MEDIA_LOCATION")  # fmt: skip
# Those that the release grants, and those of the app for messages, of which it has none. Some exist
# in few versions of Android only.
PERMISSIONS = {
    "com.simplemobiletools.calendar.pro": ("POST_NOTIFICATIONS",),
    "com.simplemobiletools.contacts.pro": ("READ_CONTACTS", "WRITE_CONTACTS"),
    "com.simplemobiletools.filemanager.pro": ("WRITE_EXTERNAL_STORAGE", "POST_NOTIFICATIONS"),
    "com.simplemobiletools.gallery.pro": MEDIA,
    "com.simplemobiletools.smsmessenger": (
        *("READ_SMS", "SEND_SMS", "RECEIVE_SMS", "READ_CONTACTS", "READ_PHONE_STATE"),
        "POST_NOTIFICATIONS",
    ),
    "com.simplemobiletools.musicplayer": ("READ_MEDIA_AUDIO", "POST_NOTIFICATIONS"),
    "com.simplemobiletools.voicerecorder": ("RECORD_AUDIO", "POST_NOTIFICATIONS"),
}
ALL_FILES = ("com.simplemobiletools.filemanager.pro", "com.simplemobiletools.gallery.pro")
READY = "READY"
DOWNLOAD, MUSIC = "/sdcard/Download", "/sdcard/Music"
SCAN = "am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d file://"


def fresh(*before: Setup, after: Sequence[Setup] = ()) -> Setup:
    """Return a set-up that clears an app, stores data for it, and opens it.

    `after` is what is done when the app is open.
    """

    def prepare(device: Any, app: str) -> None:
        run(device, f"am force-stop {app}; pm clear {app}")
        for name in PERMISSIONS.get(app, ()):
            device.system.shell(f"pm grant {app} android.permission.{name}")
        if app in ALL_FILES:
            device.system.shell(f"appops set {app} MANAGE_EXTERNAL_STORAGE allow")
        for each in before:
            each(device, app)
        device.perform(Open(app))
        for each in after:
            each(device, app)

    return prepare


def run(device: Any, script: str) -> None:
    """Run a script on a phone.

    Raises:
        TaskError: if it fails.
    """
    said = device.system.shell(f"{{ {script}\n}} 2>&1 && echo {READY}").strip()
    if not said.endswith(READY):
        msg = f"cannot set up the task, which may take `adb root`: {said[-200:]}"
        raise TaskError(msg)


def script(text: str) -> Setup:
    """Return a set-up that runs a script."""
    return lambda device, app: run(device, text.format(app=app))


def press(**criteria: Any) -> Setup:
    """Return a set-up that taps an element of the app."""

    def touch(device: Any, _: str) -> None:
        device.perform(Tap(*device.observe().screen.get(**criteria).bounds.center))

    return touch


def both(*each: Setup) -> Setup:
    """Return set-ups as one."""

    def prepare(device: Any, app: str) -> None:
        for one in each:
            one(device, app)

    return prepare


def stored(database: str, *statements: str, where: str = "") -> Setup:
    """Return a set-up that changes a database of the app, which it creates when it is opened.

    With `where`, which sets variables of the shell, `$name` in a statement stands for one of them.
    """

    def store(device: Any, app: str) -> None:
        path = f"/data/data/{app}/databases/{database}"
        _started(device, app, path)
        done = "; ".join(statements)
        quoted = f'"{done}"' if where else shlex.quote(done)
        run(device, f"{where}\nsqlite3 {path} {quoted}")

    return store


# A file of an app, for one that has not written it when it is opened.
NEW_FILE = (
    "[ -f {path} ] || {{ mkdir -p $(dirname {path}) && echo '<map />' > {path} &&"
    " chown -R $(stat -c %u:%g /data/data/{app}) $(dirname {path}); }}"
)


def preferred(**values: bool) -> Setup:
    """Return a set-up that changes preferences of the app, whose file keeps its owner."""

    def store(device: Any, app: str) -> None:
        path = f"/data/data/{app}/shared_prefs/Prefs.xml"
        _started(device, app, path)
        each = "".join(
            f'<boolean name="{k}" value="{str(v).lower()}" />' for k, v in values.items()
        )
        rule = shlex.quote(f"s#</map>#{each}</map>#; s#<map />#<map>{each}</map>#")
        run(device, NEW_FILE.format(path=path, app=app))
        run(device, f'kept=$(sed {rule} {path}) && printf %s "$kept" > {path}')

    return store


def _started(device: Any, app: str, path: str) -> None:
    """Start an app that has not created a file yet, and stop it."""
    if READY not in device.system.shell(f"[ -f {path} ] && echo {READY}"):
        device.perform(Open(app))
        device.observe()
    run(device, f"am force-stop {app}")


# Notes. The first note is the one that the app shows.

CHECKLIST = '[{{"id":{0},"dateCreated":0,"title":"{1}","isDone":false}}]'


def notes(*each: tuple[str, str], items: tuple[str, ...] = (), pin: str = "") -> Setup:
    """Return a set-up with notes of a title and a text; the first is a checklist if it has items.

    `pin` is the hash of the PIN that locks the first one.
    """
    listed = ",".join(CHECKLIST.format(n, item)[1:-1] for n, item in enumerate(items))
    rows: list[str] = []
    for title, text in each:
        is_first = not rows
        value = f"[{listed}]" if items and is_first else text
        lock = (1, pin) if pin and is_first else (-1, "")
        cells = (len(rows) + 1, title, value, int(bool(items) and is_first), "", *lock)
        rows.append("({}, {}, {}, {}, {}, {}, {})".format(*map(_sql, cells)))
    columns = "id, title, value, type, path, protection_type, protection_hash"
    return stored(
        "notes.db",
        "DELETE FROM notes",
        f"INSERT INTO notes ({columns}) VALUES {', '.join(rows)}",  # noqa: S608 - texts of ours
    )


def _sql(value: object) -> str:
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


# Contacts.

RAW, DATA = (f"content://com.android.contacts/{table}" for table in ("raw_contacts", "data"))
IDS = f"content query --uri {RAW} --projection _id"


def person(name: str, number: str, email: str = "") -> Setup:
    """Return a set-up with another contact in the phone's storage."""
    kinds = {"name": name, "phone_v2": number, "email_v2": email}
    lines = [
        f"content insert --uri {RAW} --bind starred:i:0",
        f"id=$({IDS} | sed -n 's/.*_id=//p' | sort -n | tail -n 1)",
    ]
    for kind, value in kinds.items():
        mime = f"--bind mimetype:s:vnd.android.cursor.item/{kind} --bind data1:s:{value}"
        if value:
            lines.append(f"content insert --uri {DATA} --bind raw_contact_id:i:$id {mime}")
    return script("\n".join(lines))


# As in the release: among all of a person's contacts, the limits would be too low.
nobody = script("pm clear com.android.providers.contacts")


# Messages.

NUMBER, WORDS = "123456789", "i luv u"
ROLE = "cmd role add-role-holder android.app.role.SMS {app}"
unsent = script(f"{ROLE}; content delete --uri content://sms --where \"address='{NUMBER}'\"")
sent = both(
    unsent,
    script(
        f"content insert --uri content://sms/sent --bind address:s:{NUMBER}"
        f" --bind body:s:'{WORDS}' --bind read:i:1"
    ),
)


# Files and media.


def files(*names: str) -> Setup:
    """Return a set-up with these files in the folder Download."""
    each = " ".join(f"{DOWNLOAD}/{name}" for name in names)
    return script(
        f"mkdir -p {DOWNLOAD}; for file in {each}; do echo MobileAgentBench > $file; done"
    )


image = script(f"screencap -p {DOWNLOAD}/wallpaper.png; {SCAN}{DOWNLOAD}/wallpaper.png")
# Two seconds of silence, 8000 bytes each: the head of a WAV file, and zeros.
SILENCE = (
    "( echo UklGRqQ+AABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YYA+AAA= | base64 -d;"
    " head -c 16000 /dev/zero ) > {0}"
)


def sounds(folder: str, *names: str, scanned: bool = True) -> Setup:
    """Return a set-up with short recordings of silence in a folder."""
    lines = [f"mkdir -p {folder}"]
    for name in names:
        lines.append(SILENCE.format(f"{folder}/{name}"))
        lines += [f"{SCAN}{folder}/{name}"] * scanned
    return script("\n".join(lines))
