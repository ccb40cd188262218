"""A small app with a bit of everything, for the tests of the phone."""

from __future__ import annotations

from functools import partial

from pytest_mobileagent.virtual.sdk import (
    Activity,
    App,
    AppBar,
    Button,
    Column,
    Dialog,
    Fab,
    Frame,
    Icon,
    Intent,
    List,
    Row,
    Scroll,
    Switch,
    Text,
    View,
)


class Notes(Activity):
    name = ".NotesActivity"
    title = "Notes"

    def on_create(self) -> None:
        self.state = {"rating": "", "loud": False}

    def content(self) -> View:
        rows = [
            Row(
                [Text(row["title"], id="note_title", size=18)],
                id="note",
                key=f"note{row['_id']}",
                padding=16,
                on_click=partial(self.start, Editor, note=row["_id"]),
                on_long_click=partial(self.delete, row["_id"]),
            )
            for row in self.app.database("notes.db").query("select * from notes order by _id")
        ]
        bar = AppBar(
            title="Notes",
            overflow=[
                ("Rate", partial(self.set, rating="asked")),
                ("About", partial(self.start, Intent(action="demo.ABOUT"))),
            ],
        )
        loud = Switch("Loud", self.state["loud"], self.set_loud, id="loud", padding=(16, 0))
        fab = Fab("add", id="add", desc="Add", on_click=partial(self.start, Editor, request="new"))
        body = Column([bar, loud, List(rows, id="notes")], height=-1)
        return Frame([body, fab], height=-1)

    def dialog(self) -> Dialog | None:
        if self.state["rating"] != "asked":
            return None
        return Dialog(
            title="Rate Demo",
            message="Do you like it?",
            buttons=[("Yes", self.liked), ("Later", partial(self.set, rating=""))],
            on_cancel=partial(self.set, rating="cancelled"),
        )

    def liked(self) -> None:
        self.set(rating="yes")
        self.toast("Thank you")

    def set_loud(self, on: bool) -> None:
        self.set(loud=on)
        self.app.preferences().put("loud", on)

    def delete(self, note: int) -> None:
        self.app.database("notes.db").execute("delete from notes where _id = ?", note)

    def on_result(self, request: str, result: dict[str, object]) -> None:
        self.toast(f"{request}: {result['title']}")


class Editor(Activity):
    name = ".EditorActivity"
    title = "Edit note"
    actions = ("android.intent.action.EDIT",)
    schemes = ("note",)

    def on_create(self) -> None:
        found = self.app.database("notes.db").query(
            "select * from notes where _id = ?", self.extras.get("note")
        )
        self.state = {"title": found[0]["title"] if found else "", "body": ""}

    def content(self) -> View:
        fields = [
            self.field("title", id="title", hint="Title", action="next"),
            *[Text(f"Line {number}", padding=(0, 12)) for number in range(30)],
            self.field("body", id="body", hint="Body", on_submit=lambda _: self.save()),
            Button("Save", id="save", on_click=self.save),
            Button("Crash", id="crash", on_click=lambda: 1 / 0),
        ]
        bar = AppBar(title="Edit note", up=self.finish)
        return Column([bar, Scroll(Column(fields, padding=16), id="form")], height=-1)

    def save(self) -> None:
        self.app.database("notes.db").execute(
            "insert into notes (title) values (?)", self.state["title"]
        )
        self.finish(title=self.state["title"])


class About(Activity):
    name = "org.demo.about.AboutActivity"
    title = "About"
    actions = ("demo.ABOUT",)
    exported = False
    refresh = True

    def content(self) -> View:
        return Text(f"It is {self.phone.clock.now():%H:%M:%S}", id="now")


class Demo(App):
    package = "org.demo"
    label = "Demo"
    version_name = "1.2"
    version_code = 42
    icon = Icon("note", "#00897b")
    accent = "#00897b"
    activities = (Notes, Editor, About)
    permissions = ("android.permission.CAMERA", "android.permission.INTERNET")

    def install(self) -> None:
        self.database("notes.db").script(
            "create table notes (_id integer primary key, title text);"
            "insert into notes (title) values ('Milk'), ('Bread <&> \"salt\"');"
        )
        self.preferences().put_all({"loud": False, "name": "Ann & Bob", "opened": 3})

    def on_broadcast(self, intent: Intent) -> str | None:
        return "pong" if intent.action == "demo.PING" else None
