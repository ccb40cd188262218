"""Camera: two tasks."""

from pytest_mobileagent import open_app, swipe, tap

from ._moves import dismiss
from ._registry import solves

START = [open_app("com.android.camera2"), dismiss(text="NEXT")]


@solves("CameraTakePhoto")
def take_photo(params):
    return [*START, tap(content_desc="Shutter")]


@solves("CameraTakeVideo")
def take_video(params):
    choose = [swipe((0.1, 0.5), (0.9, 0.5)), tap(text="Video")]
    return [*START, *choose, tap(content_desc="Shutter"), tap(content_desc="Shutter")]
