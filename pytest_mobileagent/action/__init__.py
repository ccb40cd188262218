"""The canonical actions of agents, and the rules that match them with golden ones."""

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
