"""Pro Expense: nine tasks, of which two begin in other apps."""

from pytest_mobileagent import open_app, scroll, tap, type_text

from ._moves import dismiss
from ._registry import solves

EXPENSE = "com.arduia.expense"
CATEGORIES = (
    *("Others", "Income", "Food", "Housing", "Social", "Entertainment", "Transportation"),
    *("Clothes", "Health Care", "Education", "Donation"),
)  # from the number 1
SHOW_PICTURES = [
    open_app("com.simplemobiletools.gallery.pro"),
    dismiss(text="Allow"),
    tap(text="DCIM"),
    tap(content_desc="Toggle filename visibility"),
]


def amount(row):
    """Return an amount as the app writes it."""
    return f"{row['amount'] / 100:,.2f}".rstrip("0").rstrip(".")


def add(row):
    """Return the moves from the overview that add an expense."""
    category = CATEGORIES[row["category"] - 1]
    return [
        tap(resource_id="fb_main_add"),
        type_text(row["name"], resource_id="edt_name"),
        type_text(f"{row['amount'] / 100:.2f}", resource_id="edt_amount"),
        scroll("left", until={"text": category}, resource_id="rv_category"),
        tap(text=category),
        type_text(row["note"], resource_id="edt_note"),
        tap(resource_id="btn_save"),
    ]


def delete(row):
    """Return the moves that delete an expense from the list."""
    return [
        scroll("up", until={"text": amount(row), "resource_id": "tv_amount"}),
        tap(text=amount(row), resource_id="tv_amount"),
        tap(resource_id="btn_delete"),
        tap(resource_id="btn_confirm"),
    ]


def added(params):
    return [move for row in params["row_objects"] for move in add(row)]


@solves("ExpenseAddSingle", "ExpenseAddMultiple")
def add_all(params):
    return [open_app(EXPENSE), *added(params)]


@solves("ExpenseDeleteSingle", "ExpenseDeleteMultiple", "ExpenseDeleteMultiple2")
def delete_all(params):
    rows = sorted(params["row_objects"], key=lambda row: -row["modified_date"])
    moves = [move for row in rows for move in delete(row)]
    return [open_app(EXPENSE), tap(resource_id="btn_more_logs"), *moves]


@solves("ExpenseDeleteDuplicates", "ExpenseDeleteDuplicates2")
def delete_one(params):
    return [open_app(EXPENSE), tap(resource_id="btn_more_logs"), *delete(params["row_objects"][0])]


@solves("ExpenseAddMultipleFromMarkor")
def add_from_note(params):
    read = [open_app("net.gsantner.markor"), tap(text="my_expenses.txt")]
    return [*read, open_app(EXPENSE), *added(params)]


@solves("ExpenseAddMultipleFromGallery")
def add_from_picture(params):
    return [*SHOW_PICTURES, tap(text="expenses.jpg"), open_app(EXPENSE), *added(params)]
