"""What is done: the canonical actions, and scripts of them."""

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
    ends_episode,
)

__all__ = [
    "Action",
    "Ask",
    "DoubleTap",
    "Finish",
    "Impossible",
    "Key",
    "LongPress",
    "Open",
    "Scroll",
    "Swipe",
    "Tap",
    "Type",
    "Wait",
    "ends_episode",
]
