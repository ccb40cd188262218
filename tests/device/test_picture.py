"""Screenshots of phones that print more than a picture, refuse it, or scale it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from pytest_mobileagent.device.screen import Camera, Panels, Shot
from pytest_mobileagent.errors import DeviceError

SIZE = (108, 240)
SEVERAL = (
    b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the "
    b'first display found.\nSee "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
LINKER = b"WARNING: linker: /system/lib64/libx.so: unused DT entry\n"
REFUSED = b"Failed to take screenshot. Status: -1\nCapturing failed.\n"


def picture(size: tuple[int, int] = SIZE, colour: str = "white") -> bytes:
    """Return a picture of which the upper left quarter has a colour, and the rest is black."""
    image, encoded = Image.new("RGB", size), io.BytesIO()
    ImageDraw.Draw(image).rectangle((0, 0, size[0] // 2 - 1, size[1] // 2 - 1), colour)
    image.save(encoded, "PNG")
    return encoded.getvalue()


def page(size: tuple[int, int] = SIZE, rotation: int = 0) -> str:
    place = f"bounds='[0,0][{size[0]},{size[1]}]'"
    return f"<hierarchy rotation='{rotation}'><node text='a' {place}/></hierarchy>"


def camera(size: tuple[int, int] = SIZE, panels: Panels | None = None) -> Camera:
    return Camera("R5", lambda: size, "screencap", panels)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"", b"", ""),
        (SEVERAL, b"", SEVERAL.decode().strip()),
        (LINKER, b"\nhwui: \xff\x1b[0m done\n", f"{LINKER.decode()}hwui: \ufffd [0m done"),
        (b"", b"\r\n\r\n", ""),
    ],
)
def test_a_picture_is_found_in_what_a_phone_prints(before, after, said):
    assert Shot.of(before + picture() + after) == Shot(picture(), said)


@given(st.binary(max_size=40), st.integers(0, len(picture()) - 1))
def test_a_cut_picture_is_none(before, kept):
    shot = Shot.of(before + picture()[:kept])
    assert shot.png == b""
    if kept >= 8:
        assert shot.said.endswith(f"a picture that is cut off after {kept} bytes")


@pytest.mark.parametrize(
    ("output", "is_refused"),
    [
        (b"", True),
        (SEVERAL + LINKER, True),
        (REFUSED, True),
        (b"Status: -1\n", True),
        (b"Capturing failed.\n", True),
        (b"Does the current view have 'secure' flag set?", True),
        (REFUSED.replace(b"-1", b"-2"), False),
        (REFUSED.replace(b"-1", b"-19"), False),
        (b"/system/bin/sh: screencap: inaccessible or not found\n", False),
        (picture()[:-4], False),
        (picture(), False),
    ],
)
def test_a_refusal_is_told_from_a_failure(output, is_refused):
    shot, xml = Shot.of(output), page()
    assert shot.is_refused == is_refused
    if is_refused:
        assert camera().look(shot, xml, SIZE) == (b"", True)
        png, notice = camera().picture(shot, xml, SIZE)
        assert Image.open(io.BytesIO(png)).size == SIZE
        assert "forbids screenshots" in notice
    elif not shot.png:
        assert camera().look(shot, xml, SIZE) == (b"", False)
        with pytest.raises(DeviceError, match="R5 takes no screenshot: screencap returned '"):
            camera().picture(shot, xml, SIZE)


def test_a_phone_that_has_shown_others_refuses_a_page_in_its_own_words():
    used, words = camera(), Shot.of(b"Nicht erlaubt")
    used.look(Shot(picture()), page(), SIZE)
    assert used.look(words, page(), SIZE) == (b"", True)
    assert "'Nicht erlaubt'" in used.picture(words, page(), SIZE)[1]
    assert not used.look(Shot.of(picture()[:50]), page(), SIZE)[1]


@pytest.mark.parametrize(
    ("xml", "is_told"),
    [
        (page(), True),
        ("<hierarchy><node text='' clickable='true'/></hierarchy>", True),
        ("<hierarchy rotation='0'/>", False),  # There is nothing to be seen.
    ],
)
def test_a_black_picture_of_a_page_with_content_is_no_view_of_it(xml, is_told):
    black = Shot(picture(colour="black"))
    assert camera().look(black, xml, SIZE) == (b"" if is_told else black.png, is_told)
    assert ("forbids screenshots" in camera().picture(black, xml, SIZE)[1]) == is_told


def test_a_dark_page_with_visible_text_is_seen():
    shot = Shot(picture())
    assert camera().look(shot, page(), SIZE) == (shot.png, True)
    assert camera().picture(shot, page(), SIZE) == (shot.png, "")
    below = page().replace("[0,0]", "[60,130]")  # Where the picture is black, as with a status bar.
    assert "forbids" in camera().picture(shot, below, SIZE)[1]


@pytest.mark.parametrize(
    ("seen", "frame", "rotation", "natural", "corner"),
    [
        (SIZE, SIZE, 0, SIZE, (0, 0)),
        ((240, 108), (240, 108), 1, SIZE, (0, 0)),
        (SIZE, (240, 108), 1, SIZE, (0, 107)),  # The natural top is at the left.
        (SIZE, (240, 108), 3, SIZE, (239, 0)),
        ((216, 480), SIZE, 0, SIZE, (0, 0)),  # `wm size` overrides the size.
        ((480, 216), (240, 108), 1, SIZE, (0, 0)),
        ((200, 240), (200, 240), 0, (200, 240), (0, 0)),  # The phone has been unfolded.
        ((240, 108), (240, 108), 0, SIZE, (0, 0)),  # A dump with a wrong rotation.
    ],
)
def test_picture_and_hierarchy_have_the_same_frame(seen, frame, rotation, natural, corner):
    shot, xml = Shot(picture(seen)), page(frame, rotation)
    png, notice = camera(natural).picture(shot, xml, SIZE)
    image = Image.open(io.BytesIO(png)).convert("RGB")
    assert (image.size, notice) == (frame, "")
    assert image.getpixel(corner) == (255, 255, 255)


@pytest.mark.parametrize(
    ("shots", "asked"),
    [
        ([picture()], [False]),
        ([SEVERAL + picture(colour="black"), picture()], [False, True]),
        ([b"", b""], [False, True]),
        ([SEVERAL, b"", b"", picture()], [False, True, True, True]),
    ],
)
def test_another_panel_is_tried_if_one_shows_nothing(shots, asked):
    used, found = camera(panels=(panels := Panels())), []
    for number, output in enumerate(shots, 1):
        found.append("-d" in panels.script)
        assert used.look(Shot.of(output), page(), SIZE)[1] == (number == len(shots))
    assert found == asked
