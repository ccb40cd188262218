"""Writes MP4 videos, where OpenCV is installed (the extra `vision`)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from PIL import Image as Picture

if TYPE_CHECKING:
    from PIL.Image import Image

FRAMES = 5  # per second; OpenCV writes only constant rates


class NoEncoder(Exception):
    """This machine cannot encode videos."""


class Video:
    """A video of pictures, each shown until the next; NoEncoder if OpenCV cannot write it."""

    def __init__(self, width: int, height: int) -> None:
        try:
            import cv2
        except ImportError as error:
            raise NoEncoder("OpenCV is not installed") from error
        self.size, self.frames = (width, height), 0
        self._shown: Image | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="mobileagent-video-")
        self._file = Path(self._folder.name, "video.mp4")
        code = cv2.VideoWriter.fourcc(*"mp4v")
        self._writer = cv2.VideoWriter(str(self._file), code, FRAMES, self.size)
        if not self._writer.isOpened():
            self._folder.cleanup()
            raise NoEncoder(f"OpenCV cannot write a video of {width}x{height}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.release()
        self._folder.cleanup()

    def show(self, picture: Image, until: float) -> None:
        """Show a picture, fitted into the frame, up to a time in seconds."""
        import numpy as np

        if (count := int(until * FRAMES + 0.5) - self.frames) < 1:
            return
        if picture is not self._shown:
            self._pixels = np.asarray(_fitted(picture, self.size))[:, :, ::-1].copy()
            self._shown = picture
        for _ in range(count):
            self._writer.write(self._pixels)
        self.frames += count

    def data(self) -> bytes:
        """End the video and return its MP4 file."""
        self._writer.release()
        return self._file.read_bytes()


def _fitted(picture: Image, size: tuple[int, int]) -> Image:
    """Scale a picture into the middle of a black frame."""
    if picture.size == size:
        return picture
    scale = min(wide / each for wide, each in zip(size, picture.size, strict=True))
    width, height = (max(1, round(each * scale)) for each in picture.size)
    small = picture.resize((width, height))
    frame = Picture.new("RGB", size)
    left, top = ((a - b) // 2 for a, b in zip(size, small.size, strict=True))
    frame.paste(small, (left, top))
    return frame
