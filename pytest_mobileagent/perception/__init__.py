"""Present a screen to a model: tools for authors of agents.

Marks are elements with a number or letter; they can be drawn on the screenshot, or listed in a
prompt as lines or HTML. Pictures are scaled and encoded for the model. Texts and icons are found in
pictures without a view hierarchy. Papers' conventions are named after their format, with a source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.action import in_words
    from pytest_mobileagent.perception.apps import name_of, package_of
    from pytest_mobileagent.perception.grounding import (
        Seen,
        find_icons,
        find_text,
        lies_in,
        paragraphs,
        rounded,
        say_exactly,
        surroundings,
        widened,
    )
    from pytest_mobileagent.perception.listing import (
        autodroid_html,
        bmoca_lines,
        m3a_lines,
        position,
        seeact_choices,
        seeact_description,
        t3a_lines,
    )
    from pytest_mobileagent.perception.marks import (
        Mark,
        appagent_grid,
        appagent_marks,
        bmoca_marks,
        is_actionable,
        is_editable,
        lettered,
        m3a_marks,
        numbered,
        seeact_marks,
        som_marks,
    )
    from pytest_mobileagent.perception.picture import (
        draw_appagent,
        draw_grid,
        draw_letters,
        draw_m3a,
        draw_som,
        draw_strip,
        draw_touches,
        encode,
        fit,
        resized,
        scaled,
        smart_size,
        square,
    )
    from pytest_mobileagent.screen import keyboard_is_shown
    from pytest_mobileagent.screen.ocr import OcrEngine, TextBox, read_text
    from pytest_mobileagent.screen.text import folded, normalise
    from pytest_mobileagent.screen.xml import parse_tree

__getattr__ = lazy_names(__name__)

__all__ = [
    "Mark", "OcrEngine", "Seen", "TextBox", "appagent_grid", "appagent_marks", "autodroid_html",
    "bmoca_lines", "bmoca_marks", "draw_appagent", "draw_grid", "draw_letters", "draw_m3a",
    "draw_som", "draw_strip", "draw_touches", "encode", "find_icons", "find_text", "fit", "folded",
    "in_words", "is_actionable", "is_editable", "keyboard_is_shown", "lettered", "lies_in",
    "m3a_lines", "m3a_marks", "name_of", "normalise", "numbered", "package_of", "paragraphs",
    "parse_tree", "position", "read_text", "resized", "rounded", "say_exactly", "scaled",
    "seeact_choices", "seeact_description", "seeact_marks", "smart_size", "som_marks", "square",
    "surroundings", "t3a_lines", "widened",
]  # fmt: skip
