"""What the system requires of apps and their activities; `sdk` adds the interface for authors."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.virtual.content.data import Database, Preferences
from pytest_mobileagent.virtual.content.intent import Filter, class_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.virtual.apk import Instrumentation
    from pytest_mobileagent.virtual.app.provider import AccessibilityService, Context, Provider
    from pytest_mobileagent.virtual.content.intent import Intent, Reply
    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.ui import Dialog, Icon, View


class App:
    """An installed app."""

    package: ClassVar[str]
    label: ClassVar[str]
    version_name: ClassVar[str] = "1.0"
    version_code: ClassVar[int] = 1
    icon: ClassVar[Icon | bytes | None] = None  # bytes are an encoded picture
    activities: ClassVar[Sequence[type[Activity]]] = ()
    system: ClassVar[bool] = False
    on_home: ClassVar[bool] = True  # a new phone's home screen has its icon, not only its drawer
    permissions: ClassVar[Sequence[str]] = ()  # requested; install-time ones are granted
    services: ClassVar[Sequence[str]] = ()
    accessibility_services: ClassVar[Mapping[str, Callable[[App], AccessibilityService]]] = {}
    foreground_services: ClassVar[Sequence[str]] = ()  # run whenever the app's process runs
    input_methods: ClassVar[Mapping[str, str]] = {}  # labels by input method id
    instrumentations: ClassVar[Sequence[Instrumentation]] = ()
    providers: ClassVar[Sequence[type[Provider]]] = ()  # serving content:// URIs
    accent: ClassVar[str] = "#3F51B5"  # the theme's colour
    data_dir: str = ""

    def __init__(self, phone: Context, uid: int) -> None:
        self.phone = phone
        self.uid = uid
        self.data_dir = self.data_dir or f"/data/data/{self.package}"
        self._databases: dict[str, Database] = {}
        self._folder = Path(inspect.getfile(type(self))).parent

    @property
    def dark(self) -> bool | None:
        """Whether the app uses its night theme; None follows the phone's setting."""
        return None

    def install(self) -> None:
        """Create databases and preferences; called at first boot and after `pm clear`."""

    def on_create(self) -> None:
        """Prepare what the app needs; called whenever its process starts with an activity.

        By default, the files `<name>.sql` beside the app's module create its databases.
        """
        for file in sorted(self._folder.glob("*.sql")):
            self.database(file.stem).script(file.read_text("utf-8"))

    def furnish(self) -> None:
        """Add this app's initial data to the phone's own databases; called only once."""

    def on_broadcast(self, intent: Intent) -> str | Reply | None:
        """Return the result data for a broadcast, or None if the app has no receiver for it."""

    def on_typed(self, text: str) -> bool:
        """Handle text typed with this app's input method; return whether to type it no further."""
        return False

    def database(self, name: str) -> Database:
        """Return a database of the app; the file is created on the first write."""
        if name not in self._databases:
            path = f"{self.data_dir}/databases/{name}"
            self._databases[name] = Database(self.phone.files, path, self.uid)
        return self._databases[name]

    def preferences(self, name: str | None = None) -> Preferences:
        """Return a preferences file, by default the app's default one."""
        name = name or f"{self.package}_preferences"
        return Preferences(self.phone.files, f"{self.data_dir}/shared_prefs/{name}.xml", self.uid)

    @property
    def locale(self) -> Locale:
        """The app's language, which determines how dates, times and numbers are written."""
        return self.phone.locales.of(self.package)

    @property
    def name(self) -> str:
        """The label in the phone's language."""
        return self.t(self.label)

    def t(self, english: str, **values: object) -> str:
        """Return the text in the app's language, with each `{name}` replaced by its value.

        Translations are in `strings/<language>.toml` beside the app's module.
        """
        text = self.phone.locales.text(self.package, self._folder / "strings", english)
        return self.locale.filled(text, values) if values else text


class Activity:
    """A screen of an app."""

    name: ClassVar[str]  # class name as in a manifest: ".Main", or fully qualified
    title: ClassVar[str] = ""
    main: ClassVar[Sequence[str] | None] = None  # of MAIN; None: LAUNCHER for the first activity
    actions: ClassVar[Sequence[str]] = ()  # implicit intents that the activity answers
    schemes: ClassVar[Sequence[str]] = ()  # of data URIs accepted with these actions
    hosts: ClassVar[Sequence[str]] = ()  # of those URIs: "example.org", "*.example.org"
    mime_types: ClassVar[Sequence[str]] = ()  # accepted with these actions: "image/*"
    filters: ClassVar[Sequence[Filter]] = ()  # for more specific conditions
    exported: ClassVar[bool] = True
    refresh: ClassVar[bool] = False  # content shows running time: redrawn every second
    secure: ClassVar[bool] = False  # black in screenshots
    fullscreen: ClassVar[bool] = False  # extends under the bars, over the wallpaper
    translucent: ClassVar[bool] = False  # the activity below stays visible, dimmed
    show_when_locked: ClassVar[bool] = False  # shown above the lock screen
    no_history: ClassVar[bool] = False  # finishes as soon as another activity covers it
    exclude_from_recents: ClassVar[bool] = False  # its task is not shown in the overview
    bar_ink: str = "on_surface"  # colour of the icons in the bars

    def __init__(self, app: App, intent: Intent) -> None:
        self.app = app
        self.intent = intent
        self.state: dict[str, Any] = {}

    # Methods for authors to override.

    def on_create(self) -> None:
        """Initialise `state` when the activity starts, with JSON data that snapshots can store."""

    def content(self) -> View:
        """Build the screen."""
        raise NotImplementedError

    def dialog(self) -> Dialog | None:
        """Build the dialog to show over the screen, or return None for no dialog."""
        return None

    def on_back(self) -> bool:
        """Handle Back; return True if it was handled, or False to let the activity finish."""
        return False

    def on_resume(self) -> None:
        """React to the activity coming to the front, also after `on_create`."""

    def on_pause(self) -> None:
        """React to another activity coming to the front; not called when this one is finished."""

    def on_swipe(self, direction: str) -> None:
        """Handle a swipe where nothing scrolls.

        `direction` is "up", "down", "left" or "right". In a mirrored layout left and right are
        swapped, so that "left" always moves forward.
        """

    def on_pinch(self, scale: float) -> None:
        """Handle a two-finger pinch; `scale` is the ratio of the final to the initial distance."""

    def on_result(self, request: str, result: dict[str, Any]) -> None:
        """Handle the result that an activity started by this one passed to `finish`."""

    def on_permission(self, request: str, granted: Mapping[str, bool]) -> None:
        """Handle the answer to `request_permission`: which permissions are granted now."""

    def on_intent(self, intent: Intent) -> None:
        """Handle a new intent that arrives while the activity is already on top."""

    # Methods called by the system.

    def t(self, english: str, **values: object) -> str:
        """Return the text in the app's language, with each `{name}` replaced by its value."""
        return self.app.t(english, **values)

    @classmethod
    def intent_filters(cls) -> list[Filter]:
        """Return the activity's intent filters, except the one for its launcher icon."""
        own = Filter(cls.actions, cls.schemes, cls.hosts, (), cls.mime_types, lenient=True)
        return [own, *cls.filters]

    @classmethod
    def component(cls, package: str) -> str:
        """Return the component name: package/class."""
        return f"{package}/{class_name(package, cls.name)}"


def later(package: str, target: str, name: str, **manifest: Any) -> type[Activity]:
    """Declare an activity whose code is imported when it is first started.

    `target` is "module:Class" in a Python package, in general `__name__` of the app's own. `name`
    repeats the class's; what else the system has to know beforehand, such as `filters`, stands
    here as well, or here only.
    """
    module, _, kind = target.partition(":")

    def started(declared: type[Activity], app: App, intent: Intent) -> Activity:
        code: type[Activity] = getattr(importlib.import_module(f"{package}.{module}"), kind)
        if code.name != declared.name:
            raise TypeError(f"{target} is {code.name}, but was declared as {declared.name}")
        return code(app, intent)

    return type(kind, (Activity,), {"name": name, "__new__": started, **manifest})
