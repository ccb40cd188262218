"""Simple Draw: one task."""

from pytest_mobileagent import open_app, swipe, tap, type_text

from ._registry import solves
from .files import DEVICE, to


@solves("SimpleDrawProCreateDrawing")
def draw(params):
    name, _, kind = params["file_name"].rpartition(".")
    return [
        open_app("com.simplemobiletools.draw.pro"),
        swipe((0.3, 0.4), (0.7, 0.6)),
        tap(content_desc="Save"),
        type_text(name, clear=True, resource_id="save_image_filename"),
        tap(text=f".{kind}"),
        tap(resource_id="android:id/button1"),
        tap(content_desc="Show roots"),
        tap(xpath=DEVICE),
        *to("Pictures"),
        tap(text="Save"),
    ]
