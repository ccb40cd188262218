"""An app for the virtual phone: a shopping list, which is kept in a SQLite database."""

from pytest_mobileagent.virtual.sdk import Activity, App, Button, CheckBox, Column, Icon


class Main(Activity):
    name = ".MainActivity"
    title = "Shopping"

    def content(self):  # built again after every tap
        rows = self.app.list.query("select name, bought from items order by rowid")
        boxes = [
            CheckBox(
                row["name"],
                checked=bool(row["bought"]),
                on_change=lambda bought, name=row["name"]: self.app.list.execute(
                    "update items set bought = ? where name = ?", bought, name
                ),
            )
            for row in rows
        ]
        field = self.field("new", id="new_item", hint="New item")
        return Column([field, Button("Add", id="add", on_click=self.add), *boxes])

    def add(self):
        self.app.list.execute("insert into items values (?, 0)", self.state.get("new", ""))
        self.set(new="")


class Shopping(App):
    package = "com.example.shopping"
    label = "Shopping"
    icon = Icon("check_circle", "#2e7d32")
    activities = [Main]

    @property
    def list(self):
        return self.database("shopping.db")

    def install(self):  # what a new phone has
        self.list.script(
            "create table items (name text, bought integer);"
            "insert into items values ('Bread', 0), ('Eggs', 0);"
        )
