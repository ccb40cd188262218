"""Simple Gallery: one task of its own."""

from pytest_mobileagent import long_press, open_app, scroll, tap

from ._registry import solves


@solves("SaveCopyOfReceiptTaskEval")
def copy_picture(params):
    return [
        open_app("com.simplemobiletools.gallery.pro"),
        tap(resource_id="dir_holder"),
        long_press(resource_id="media_item_holder"),
        tap(content_desc="More options"),
        tap(text="Copy to"),
        scroll("up", until={"text": "Download"}),
        tap(text="Download"),
    ]
