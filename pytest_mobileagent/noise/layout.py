"""Places the parts of noise on a screen: a pure function of template, phone and state.

Lengths are in Android's units: density-independent pixels (dp), or, for text, dp times the font
scale (sp). If the phone's language is written from right to left, the layout is mirrored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.noise import Part
from pytest_mobileagent.noise.fonts import line_height, shortened, width_of, wrapped
from pytest_mobileagent.noise.injection import KIND, arrange_injection
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.noise import Look, State
    from pytest_mobileagent.noise.template import Button, Template

PERMISSIONS: Final = "com.android.permissioncontroller"
BROWSER: Final = "com.android.chrome"
_LEAST_SCALE = 0.4  # the smallest font scale that is tried
_WORDS = {  # the content descriptions of a cross and of the back arrow
    "close": {"en": "Close", "zh": "关闭"},
    "up": {"en": "Navigate up", "zh": "转到上一层级"},
}


def arrange(template: Template, look: Look, state: State) -> Part:
    """Return the root part of a piece of noise, which contains all others.

    If the screen is too small, the text is made smaller until everything fits.
    """
    if template.kind == KIND:
        return arrange_injection(template.shape, template.text, look)
    scale = look.font_scale
    while True:
        maker = _Maker(template, replace(look, font_scale=scale), state)
        root: Part = maker.page() if state.opened else getattr(maker, f"shape_{template.shape}")()
        scale *= 0.8
        if scale < _LEAST_SCALE or all(_is_on(part, look.size) for part in root.iter()):
            return _mirrored(root, look.size[0]) if look.mirrored else root


def has_own_window(template: Template, state: State) -> bool:
    """Return whether Android would show the noise in its own window, the only one in a dump."""
    return state.opened or template.shape in {"dialog", "sheet", "full"}


def package_of(template: Template, look: Look, state: State) -> str:
    """Return the package of the app that appears to show the noise."""
    if template.kind == "permission":
        return PERMISSIONS
    return BROWSER if state.opened and template.kind == "redirect-ad" else look.package


class _Maker:
    """Builds the parts of one piece of noise in one state."""

    def __init__(self, template: Template, look: Look, state: State) -> None:
        self._noise, self._look, self._state = template, look, state
        self._width, self._height = look.size
        words = (template.title, template.text)
        self._title, self._text = template.pages[state.page] if template.pages else words
        self._package = package_of(template, look, state)

    def _dp(self, length: float) -> int:
        return max(1, round(length * self._look.density / 160))

    def _sp(self, length: float) -> int:
        return max(8, round(length * self._look.density / 160 * self._look.font_scale))

    def _id(self, name: str) -> str:
        return name if ":" in name else f"{self._package}:id/{name}" if self._package else name

    def _description(self, what: str) -> str:
        words = _WORDS[what]
        return words.get(self._noise.language, words["en"])

    def _root(self, role: str, *parts: Part, name: str = "content_root") -> Part:
        does = "close" if self._noise.outside and not self._state.opened else "nothing"
        bounds = Bounds(0, 0, self._width, self._height)
        return Part(role, bounds, id=self._id(name), does=does, parts=parts)

    # Shapes

    def shape_card(self) -> Part:
        """Return a card in the middle of the screen, with a picture at its top."""
        width = min(self._width - self._dp(64), self._dp(340))
        most = self._height - self._dp(80)
        pad = self._dp(20)
        blocks = [*self._words(width - 2 * pad, 20, 14), *self._stacked(width - 2 * pad)]
        picture = max(0, min(self._dp(150), most - self._height_of(blocks) - 2 * pad))
        blocks = self._fitted(blocks, most - 2 * pad - picture)
        height = self._height_of(blocks) + 2 * pad + picture
        left, top = (self._width - width) // 2, (self._height - height) // 2
        card = Bounds(left, top, left + width, top + height)
        parts = self._placed(blocks, left + pad, top + picture + pad)
        if picture >= self._dp(24):
            bounds = Bounds(left, top, left + width, top + picture)
            parts.insert(0, Part("picture", bounds, id=self._id("promo_image")))
        parts += [*self._badge(left + self._dp(12), top + self._dp(12)), *self._cross(card)]
        return self._root("scrim", Part("card", card, id=self._id("promo_card"),
                                        does=self._noise.body, parts=tuple(parts)))  # fmt: skip

    def shape_dialog(self) -> Part:
        """Return a dialog as Android draws it; a permission dialog stacks its buttons."""
        width = min(self._width - self._dp(48), self._dp(360))
        pad = self._dp(24)
        inner = width - 2 * pad
        is_permission = self._noise.kind == "permission"
        row = [] if is_permission else self._row(inner)
        blocks = self._words(inner, 20 if not is_permission else 18, 14)
        if not row:
            blocks += self._stacked(inner, "tonal" if is_permission else "link")
        room = self._height - self._dp(64) - 2 * pad - (self._dp(52) if row else 0)
        blocks = self._fitted(blocks, room)
        height = self._height_of(blocks) + 2 * pad + (self._dp(52) if row else 0)
        left, top = (self._width - width) // 2, (self._height - height) // 2
        parts = self._placed(blocks, left + pad, top + pad)
        parts += [_moved(part, left + pad, top + height - pad - self._dp(44)) for part in row]
        panel = Bounds(left, top, left + width, top + height)
        parts += self._cross(panel)
        name = "grant_dialog" if is_permission else "parentPanel"
        return self._root("scrim", Part("card", panel, id=self._id(name), does="nothing",
                                        parts=tuple(parts)))  # fmt: skip

    def shape_sheet(self) -> Part:
        """Return a sheet at the bottom of the screen."""
        width, pad = min(self._width, self._dp(640)), self._dp(24)
        inner = width - 2 * pad
        blocks = [*self._words(inner - self._dp(32), 20, 14), *self._stacked(inner)]
        blocks = self._fitted(blocks, self._height - self._dp(80) - 2 * pad)
        height = self._height_of(blocks) + 2 * pad + self._dp(16)
        left, top = (self._width - width) // 2, self._height - height
        sheet = Bounds(left, top, left + width, self._height)
        parts = [*self._placed(blocks, left + pad, top + pad), *self._cross(sheet)]
        return self._root("scrim", Part("sheet", sheet, id=self._id("design_bottom_sheet"),
                                        does="nothing", parts=tuple(parts)))  # fmt: skip

    def shape_full(self) -> Part:
        """Return a full-screen picture, with text and buttons at the bottom."""
        pad = self._dp(24)
        inner = min(self._width - 2 * pad, self._dp(420))
        buttons = [each for each in self._noise.buttons if each is not self._skip]
        blocks = [*self._words(inner, 28, 16), *self._stacked(inner, buttons=buttons)]
        blocks = self._fitted(blocks, self._height - self._dp(160))
        height = self._height_of(blocks)
        left, top = (self._width - inner) // 2, self._height - self._dp(72) - height
        parts = self._placed(blocks, left, top, on_picture=True)
        whole = Bounds(0, self._dp(20), self._width, self._height)
        parts += [*self._badge(pad, self._height - self._dp(44)), *self._corner(whole)]
        return replace(self._root("picture", *parts), does=self._noise.body)

    def shape_coach(self) -> Part:
        """Return a bubble beside a spotlight; the rest of the screen is dimmed."""
        width, pad = min(self._width - self._dp(48), self._dp(300)), self._dp(20)
        inner = width - 2 * pad
        row = self._row(inner)
        stacked = [] if row else self._stacked(inner, "link")
        blocks = self._fitted([*self._words(inner, 18, 14), *stacked], self._height // 2)
        height = self._height_of(blocks) + 2 * pad + (self._dp(44) if row else 0)
        spot_height, middle = self._dp(64), (0.14, 0.45, 0.7)[self._state.page % 3]
        most = self._height - spot_height - height - self._dp(32)
        spot_top = max(0, min(round(self._height * middle), most))
        spot = Bounds(self._dp(12), spot_top, self._width - self._dp(12), spot_top + spot_height)
        left, top = (self._width - width) // 2, spot.bottom + self._dp(12)
        parts = self._placed(blocks, left + pad, top + pad)
        parts += [_moved(part, left + pad, top + height - self._dp(52)) for part in row]
        bubble = Bounds(left, top, left + width, top + height)
        parts += self._cross(bubble)
        return self._root("scrim", Part("spot", spot, id=self._id("guide_target")),
                          Part("bubble", bubble, id=self._id("guide_tip"), does="nothing",
                               parts=tuple(parts)), name="guide_overlay")  # fmt: skip

    def shape_toast(self) -> Part:
        """Return a short text near the bottom of the screen, which ignores touches."""
        words = self._text or self._title
        size, pad = self._sp(14), self._dp(20)
        lines = wrapped(words, size, min(self._width - self._dp(64) - 2 * pad, self._dp(320)))
        width = max(width_of(line, size) for line in lines) + 2 * pad
        height = len(lines) * line_height(size) + self._dp(20)
        left, top = (self._width - width) // 2, self._height - self._dp(96) - height
        bounds = Bounds(left, top, left + width, top + height)
        return Part("toast", bounds, words, lines=tuple(lines), size=size)

    def page(self) -> Part:
        """Return the page that the noise leads to: a browser page for a `redirect-ad`."""
        title, text = self._noise.page
        title = title or self._noise.title
        is_browser = self._noise.kind == "redirect-ad"
        top, bar = self._dp(24), self._dp(56)
        arrow = Bounds(0, top, bar, top + bar)
        head = self._noise.url.partition("://")[2].rstrip("/") if is_browser else title
        size = self._sp(16 if is_browser else 20)
        room = self._width - bar - self._dp(16)
        lines = tuple(shortened(wrapped(head, size, room), 1, size, room))
        name = "url_bar" if is_browser else "toolbar_title"
        place = Bounds(bar, top, self._width - self._dp(8), top + bar)
        parts = [
            Part("up", arrow, description=self._description("up"), id=self._id("up_button"),
                 does="close"),
            Part("address" if is_browser else "title", place, head, id=self._id(name),
                 does="nothing" if is_browser else "", lines=lines, size=size),
        ]  # fmt: skip
        pad, below = self._dp(20), top + bar
        blocks = self._words_of(title, text, self._width - 2 * pad, 22, 16)
        blocks = self._fitted(blocks, self._height - below - 2 * pad)
        room = self._height - below - 2 * pad - self._height_of(blocks)
        picture = max(1, min(self._dp(200), room))
        parts.append(Part("picture", Bounds(0, below, self._width, below + picture),
                          id=self._id("hero_image")))  # fmt: skip
        parts += self._placed(blocks, pad, below + picture + pad)
        return self._root("page", *parts, name="page_root")

    # Blocks: parts of a column. Each has its top at 0 until it is placed.

    def _words(self, width: int, title: float, text: float) -> list[Part]:
        return self._words_of(self._title, self._text, width, title, text)

    def _words_of(
        self, title: str, text: str, width: int, title_size: float, text_size: float
    ) -> list[Part]:
        names = {
            "permission": ("permission_message", "detail_message"),
            "update": ("android:id/alertTitle", "android:id/message"),
            "rating": ("android:id/alertTitle", "android:id/message"),
        }
        ids = names.get(self._noise.kind, ("tv_title", "tv_content"))
        each = (("title", title, title_size, ids[0]), ("text", text, text_size, ids[1]))
        return [self._block(*one, width) for one in each if one[1]]

    def _block(self, role: str, text: str, size: float, name: str, width: int) -> Part:
        pixels = self._sp(size)
        lines = tuple(wrapped(text, pixels, width))
        bounds = Bounds(0, 0, width, len(lines) * line_height(pixels) + self._dp(8))
        return Part(role, bounds, text, id=self._id(name), lines=lines, size=pixels)

    def _stacked(
        self, width: int, role: str = "link", buttons: Sequence[Button] | None = None
    ) -> list[Part]:
        """Return the buttons, one below the other; as links, those that do not close are filled."""
        each = self._noise.buttons if buttons is None else buttons
        height = max(self._dp(48), line_height(self._sp(15)) + self._dp(12))
        return [
            self._button(button, Bounds(0, 0, width, height + self._dp(6)),
                         "button" if button.does != "close" and role == "link" else role)
            for button in each
        ]  # fmt: skip

    def _button(self, button: Button, bounds: Bounds, role: str) -> Part:
        size, place = self._sp(15), self._noise.buttons.index(button)
        lines = tuple(shortened(wrapped(button.text, size, bounds.width), 1, size, bounds.width))
        return Part(role, bounds, button.text, id=self._id(self._button_id(button, place)),
                    does=button.does, lines=lines, size=size)  # fmt: skip

    def _button_id(self, button: Button, place: int) -> str:
        if self._noise.kind == "permission":
            count = len(self._noise.buttons)
            names = ["permission_allow_button", "permission_deny_button"]
            if count == 3:
                names = ["permission_allow_foreground_only_button",
                         "permission_allow_one_time_button", "permission_deny_button"]  # fmt: skip
            return names[min(place, len(names) - 1)]
        if self._noise.shape == "dialog":
            return f"android:id/button{(2, 1, 3)[place]}"
        return "btn_cancel" if button.does == "close" else "btn_action"

    def _row(self, width: int) -> list[Part]:
        """Return the buttons side by side at the end of a row; empty if they do not fit."""
        size, pad, height = self._sp(15), self._dp(12), self._dp(44)
        widths = [width_of(each.text, size) + 2 * pad for each in self._noise.buttons]
        if sum(widths) > width:
            return []
        found, right = [], width
        for button, wide in reversed(list(zip(self._noise.buttons, widths, strict=True))):
            found.append(self._button(button, Bounds(right - wide, 0, right, height), "link"))
            right -= wide
        return found[::-1]

    def _height_of(self, blocks: Sequence[Part]) -> int:
        return sum(block.bounds.height for block in blocks)

    def _fitted(self, blocks: list[Part], most: int) -> list[Part]:
        """Return the blocks with enough lines of text cut off to fit a height of `most` pixels."""
        over = self._height_of(blocks) - most
        fitted = []
        for each in reversed(blocks):
            block = each
            if over > 0 and block.role in {"text", "title"}:
                high = line_height(block.size)
                keep = max(1, len(block.lines) - -(-over // high))
                lines = shortened(list(block.lines), keep, block.size, block.bounds.width)
                cut = (len(block.lines) - len(lines)) * high
                bounds = Bounds(0, 0, block.bounds.width, block.bounds.height - cut)
                block, over = replace(block, lines=tuple(lines), bounds=bounds), over - cut
            fitted.append(block)
        return fitted[::-1]

    def _placed(
        self, blocks: Sequence[Part], left: int, top: int, *, on_picture: bool = False
    ) -> list[Part]:
        found = []
        for block in blocks:
            gap = self._dp(6) if block.role in {"button", "link", "tonal"} else 0
            width, height = block.bounds[2:]
            bounds = Bounds(left, top + gap, left + width, top + height)
            role = f"light-{block.role}" if on_picture else block.role
            found.append(replace(block, bounds=bounds, role=role))
            top += height
        return found

    def _badge(self, left: int, top: int) -> list[Part]:
        if not self._noise.badge:
            return []
        size = self._sp(11)
        width = width_of(self._noise.badge, size) + self._dp(12)
        bounds = Bounds(left, top, left + width, top + line_height(size) + self._dp(4))
        words = self._noise.badge
        return [Part("badge", bounds, words, id=self._id("tv_tag"), lines=(words,), size=size)]

    def _cross(self, around: Bounds) -> list[Part]:
        """Return the cross in the corner, if the noise has one and it has already appeared."""
        if not self._noise.cross or self._state.left > 0:
            return []
        side, gap = self._dp(36), self._dp(6)
        left, top = around.right - side - gap, around.top + gap
        bounds = Bounds(left, top, left + side, top + side)
        return [Part("cross", bounds, description=self._description("close"),
                     id=self._id("iv_close"), does="close")]  # fmt: skip

    @property
    def _skip(self) -> Button | None:
        """The skip button in the corner of a timed ad; None if it has none."""
        if self._noise.kind not in {"countdown-ad", "late-ad"}:
            return None
        return next((each for each in self._noise.buttons if each.does == "close"), None)

    def _corner(self, whole: Bounds) -> list[Part]:
        """Return the corner of a full-screen ad: a cross, a skip button, or the remaining time."""
        left, button = self._state.left, self._skip
        if self._noise.kind == "late-ad" and left > 0:
            return [self._chip(str(left), whole, "")]
        if self._noise.kind == "countdown-ad" and left > 0:
            words = f"{button.text} {left}" if button is not None else str(left)
            return [self._chip(words, whole, "close" if button is not None else "")]
        if button is not None:
            return [self._chip(button.text, whole, "close")]
        return self._cross(whole)

    def _chip(self, words: str, whole: Bounds, does: str) -> Part:
        size, gap = self._sp(14), self._dp(16)
        width = width_of(words, size) + self._dp(28)
        height = max(self._dp(36), line_height(size) + self._dp(8))
        bounds = Bounds(whole.right - gap - width, whole.top + gap, whole.right - gap,
                        whole.top + gap + height)  # fmt: skip
        name = "tv_skip" if does else "tv_countdown"
        return Part("chip", bounds, words, id=self._id(name), does=does, lines=(words,), size=size)


def _is_on(part: Part, size: tuple[int, int]) -> bool:
    left, top, right, bottom = part.bounds
    return left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]


def _moved(part: Part, right: int, down: int) -> Part:
    left, top, end, bottom = part.bounds
    return replace(part, bounds=Bounds(left + right, top + down, end + right, bottom + down))


def _mirrored(part: Part, width: int) -> Part:
    left, top, right, bottom = part.bounds
    bounds = Bounds(width - right, top, width - left, bottom)
    return replace(part, bounds=bounds, parts=tuple(_mirrored(each, width) for each in part.parts))
