"""A small app for the tests: a count in a database, a text field, and a second screen."""

from pytest_mobileagent.virtual.sdk import Activity, App, Button, Column, Icon, Text


class Second(Activity):
    name = ".SecondActivity"
    title = "Second"

    def content(self):
        return Column([Text("The code is 4711", id="code")])


class Main(Activity):
    app: "Counter"
    name = ".MainActivity"
    title = "Counter"

    def content(self):
        count = self.app.count()
        return Column(
            [
                Text(f"Count: {count}", id="count"),
                Button("Add one", id="add", on_click=self.app.add),
                Button("Second page", id="second", on_click=lambda: self.start(Second)),
                self.field("note", id="note", hint="Note"),
            ]
        )


class Counter(App):
    package = "com.example.counter"
    label = "Counter"
    icon = Icon("add", "#2e7d32")
    activities = (Main, Second)

    def install(self):
        self.database("counter.db").script("create table counter (n integer)")
        self.database("counter.db").execute("insert into counter values (0)")

    def count(self):
        return self.database("counter.db").query("select n from counter")[0]["n"]

    def add(self):
        self.database("counter.db").execute("update counter set n = n + 1")
