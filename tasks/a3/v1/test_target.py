"""A3's first release: its nine tasks in Target."""

from pytest_mobileagent import tasks

from .asks import both, button, shows, touches, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "target"
APP = "com.target.ui"
BEST = (
    {"content_desc": word("sort by")},
    button("@text='Best selling'"),
    {"content_desc": word("See results")},
)
ADD = {"resource_id": f"{APP}:id/add_to_cart_button"}


def favorite(episode):
    first = episode.screen.get(resource_id=f"{APP}:id/favorites_icon")
    assert first.content_desc.casefold().startswith("unfavorite")


BODIES: Bodies = {
    "target_1": shows(text=word("sausage"), package=APP),
    "target_2": touches(*BEST),
    "target_3": favorite,
    "target_4": touches(ADD, {"xpath": "//*[*[@text='Delivery']]"}, ADD),
    "target_5": shows(resource_id=f"{APP}:id/largeLabel", text="Cart", selected=True),
    "target_6": touches(
        {"resource_id": f"{APP}:id/fulfillment_header_edit_button"},
        {"text": "Remove items"},
        {"resource_id": f"{APP}:id/checkout_confirmation_go_ahead_button"},
    ),
    "target_7": both(
        touches(button("@text='Show my barcode'")),
        shows(text="Show at checkout or scan with hand scanner"),
    ),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_target(episode, row, judge):
    decide(BODIES, episode, row, judge)
