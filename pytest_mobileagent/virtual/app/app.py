"""What the system asks of an app and of its activities; `sdk` adds what authors use."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.virtual.content.data import Database, Preferences
from pytest_mobileagent.virtual.content.filters import Filter
from pytest_mobileagent.virtual.content.intent import class_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.virtual.apk import Instrumentation
    from pytest_mobileagent.virtual.app.context import AccessibilityService, Context
    from pytest_mobileagent.virtual.app.provider import Provider
    from pytest_mobileagent.virtual.content.intent import Intent, Reply
    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.ui.dialog import Dialog
    from pytest_mobileagent.virtual.ui.views import Icon, View


class App:
    """One installed app."""

    package: ClassVar[str]
    label: ClassVar[str]
    version_name: ClassVar[str] = "1.0"
    version_code: ClassVar[int] = 1
    icon: ClassVar[Icon | bytes | None] = None  # bytes are an encoded picture
    activities: ClassVar[Sequence[type[Activity]]] = ()
    system: ClassVar[bool] = False
    permissions: ClassVar[Sequence[str]] = ()  # that it requests; install-time ones are granted
    services: ClassVar[Sequence[str]] = ()
    accessibility_services: ClassVar[Mapping[str, Callable[[App], AccessibilityService]]] = {}
    foreground_services: ClassVar[Sequence[str]] = ()  # that run whenever the app does
    input_methods: ClassVar[Mapping[str, str]] = {}  # labels by id
    instrumentations: ClassVar[Sequence[Instrumentation]] = ()
    providers: ClassVar[Sequence[type[Provider]]] = ()  # of content:// URIs
    accent: ClassVar[str] = "#3F51B5"  # the theme's colour
    data_dir: str = ""

    def __init__(self, phone: Context, uid: int) -> None:
        self.phone = phone
        self.uid = uid
        self.data_dir = self.data_dir or f"/data/data/{self.package}"
        self._databases: dict[str, Database] = {}
        self._strings = Path(inspect.getfile(type(self))).parent / "strings"

    @property
    def dark(self) -> bool | None:
        """Whether the app wears its night theme; None leaves that to the phone."""
        return None

    def install(self) -> None:
        """Create databases and preferences: at first boot, and after `pm clear`."""

    def furnish(self) -> None:
        """Put into the phone's own databases what a new phone with this app has: once, ever."""

    def on_broadcast(self, intent: Intent) -> str | Reply | None:
        """Answer a broadcast with result data; None when the app has no receiver for it."""

    def on_typed(self, text: str) -> bool:
        """Take what a keyboard types while an input method of this app is in use, or leave it."""
        return False

    def database(self, name: str) -> Database:
        """Give a database of the app's own, made when first written."""
        if name not in self._databases:
            path = f"{self.data_dir}/databases/{name}"
            self._databases[name] = Database(self.phone.files, path, self.uid)
        return self._databases[name]

    def preferences(self, name: str | None = None) -> Preferences:
        """Give a preferences file, the app's default one unless named."""
        name = name or f"{self.package}_preferences"
        return Preferences(self.phone.files, f"{self.data_dir}/shared_prefs/{name}.xml", self.uid)

    @property
    def locale(self) -> Locale:
        """The language that the app speaks: how it writes dates, times and numbers."""
        return self.phone.locales.of(self.package)

    @property
    def name(self) -> str:
        """The label in the phone's language."""
        return self.t(self.label)

    def t(self, english: str, **values: object) -> str:
        """Give a text in the app's language, with `{name}` for each of the values filled in.

        Translations are in `strings/<language>.toml` beside the app's module.
        """
        text = self.phone.locales.text(self.package, self._strings, english)
        return self.locale.filled(text, values) if values else text


class Activity:
    """One screen of an app."""

    name: ClassVar[str]  # class name as in a manifest: .Main, or in full
    title: ClassVar[str] = ""
    main: ClassVar[Sequence[str] | None] = None  # categories of MAIN; the first one's: LAUNCHER
    actions: ClassVar[Sequence[str]] = ()  # implicit intents that it answers
    schemes: ClassVar[Sequence[str]] = ()  # of data URIs that it takes with these actions
    hosts: ClassVar[Sequence[str]] = ()  # of those URIs: "example.org", "*.example.org"
    mime_types: ClassVar[Sequence[str]] = ()  # that it takes with these actions: "image/*"
    filters: ClassVar[Sequence[Filter]] = ()  # for what the four above cannot say
    exported: ClassVar[bool] = True
    refresh: ClassVar[bool] = False  # content shows running time: drawn anew every second
    secure: ClassVar[bool] = False  # black in screenshots
    fullscreen: ClassVar[bool] = False  # under the bars too, over the wallpaper
    translucent: ClassVar[bool] = False  # the activity below is seen behind it, darkened
    show_when_locked: ClassVar[bool] = False  # it is seen above the lock screen
    no_history: ClassVar[bool] = False  # it ends as soon as another activity covers it
    exclude_from_recents: ClassVar[bool] = False  # the overview does not show its task
    bar_ink: str = "on_surface"  # colour of the bars' signs

    def __init__(self, app: App, intent: Intent) -> None:
        self.app = app
        self.intent = intent
        self.state: dict[str, Any] = {}

    # What an author overrides.

    def on_create(self) -> None:
        """Fill `state` when the activity starts: JSON data, as snapshots keep it so."""

    def content(self) -> View:
        """Build the screen."""
        raise NotImplementedError

    def dialog(self) -> Dialog | None:
        """Build what is shown over the screen, while there is something."""
        return None

    def on_back(self) -> bool:
        """Handle back; True if there is nothing more to do."""
        return False

    def on_resume(self) -> None:
        """Act when the activity comes to the front, also after `on_create`."""

    def on_swipe(self, direction: str) -> None:
        """Act on a finger moved where nothing scrolls.

        It went "up", "down", "left" or "right"; in a mirrored layout the latter two are told
        the other way round, so that "left" always leads on.
        """

    def on_pinch(self, scale: float) -> None:
        """Act on two fingers that moved apart, to `scale` times their distance, or together."""

    def on_result(self, request: str, result: dict[str, Any]) -> None:
        """Take what an activity that this one started has given to `finish`."""

    def on_permission(self, request: str, granted: Mapping[str, bool]) -> None:
        """Take the answer to `request_permission`: what is granted now."""

    def on_intent(self, intent: Intent) -> None:
        """Take a new intent while already at the top."""

    # What the system asks.

    def t(self, english: str, **values: object) -> str:
        """Give a text in the app's language, with `{name}` for each of the values filled in."""
        return self.app.t(english, **values)

    @classmethod
    def intent_filters(cls) -> list[Filter]:
        """Give the filters of this activity, but for the one of its icon."""
        own = Filter(cls.actions, cls.schemes, cls.hosts, (), cls.mime_types, lenient=True)
        return [own, *cls.filters]

    @classmethod
    def component(cls, package: str) -> str:
        """Give the component name: package/class."""
        return f"{package}/{class_name(package, cls.name)}"
