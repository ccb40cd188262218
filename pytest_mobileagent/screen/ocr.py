"""Reads text in pictures with a local OCR engine, without a network.

Results of the bundled engine can be cached in a folder, because workers, agents and judges read the
same screens. All processes of a run find it by an environment variable.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.fileio import PRIVATE, read_json, write_json
from pytest_mobileagent.jsonable import expect, to_line
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from PIL.Image import Image


class MissingModelError(HostError):
    """An OCR engine's model is missing; the message says which file to put where."""


@dataclass(frozen=True, slots=True)
class TextBox:
    """A line of text in a picture.

    `bounds` are in pixels of the picture; `confidence` is the engine's own, from 0 to 1.
    """

    text: str
    bounds: Bounds
    confidence: float


class OcrEngine(Protocol):
    """A reader of text in pictures. An instance may be used by several threads, one at a time."""

    def read(self, image: Image) -> Sequence[TextBox]:
        """Return the lines of text in a picture, in any order."""


def read_text(image: Image, engine: str | OcrEngine | None = None) -> tuple[TextBox, ...]:
    """Return the lines of text in a picture, from top to bottom, and from left to right in a row.

    `engine` is "rapidocr" (English and Chinese; its models are bundled), "easyocr", or an object of
    your own; by default the one set by `use_engine`. It is loaded once per process, on first use.
    Compare results by `text.folded`: engines confuse full-width characters, and lose spaces.

    Raises:
        MissingExtraError: if the engine's packages are not installed.
        MissingModelError: if the engine's models are missing.
        ValueError: if there is no engine of this name.
    """
    return _lines(engine or _chosen, lambda: _of_pixels(image), lambda: image)


def read_screenshot(
    key: str, image: Callable[[], Image], engine: str | OcrEngine | None = None
) -> tuple[TextBox, ...]:
    """Return the text lines of a screenshot with this `Screen.key`, like `read_text`.

    `image` decodes the screenshot. It is called only if the lines are not cached, because decoding
    takes longer than everything else in that case.

    Raises:
        MissingExtraError, MissingModelError, ValueError: as for `read_text`.
    """
    return _lines(engine or _chosen, lambda: key, image)


def _lines(
    engine: str | OcrEngine, name: Callable[[], str], image: Callable[[], Image]
) -> tuple[TextBox, ...]:
    if not isinstance(engine, str):
        return tuple(_in_order(_read(image(), engine)))
    folder, reader = os.environ.get(_VARIABLE), _reader(engine)
    if folder is None or reader is None:
        return tuple(_in_order(_read(image(), _loaded(engine))))
    digest = hashlib.sha256(to_line([*reader, name()]).encode()).hexdigest()
    path = Path(folder) / digest[:2] / f"{digest}.json"
    found = _cached(path)
    if found is None:
        loaded = _loaded(engine)
        with _reading:
            found = _cached(path)  # another thread may have read it meanwhile
            if found is None:
                found = loaded.read(image())
                _cache(path, found)
    return tuple(_in_order(found))


def use_engine(name: str) -> None:
    """Set this process's default engine, as chosen by `mobile_ocr`.

    Raises:
        ValueError: if there is no engine of this name.
    """
    global _chosen  # noqa: PLW0603 - an option of the process
    _check_name(name)
    _chosen = name


def share(folder: Path | None) -> None:
    """Cache lines in a folder, in this process and all that it starts from now on.

    None disables the cache, which is the default.
    """
    if folder is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = str(folder.absolute())


class RapidOcr:
    """RapidOCR with its bundled models: PP-OCR, English and Chinese.

    `threads` is the maximum number of processors for one reading; by default two, or one if
    pytest-xdist's workers share the processors, because waiting threads keep a processor busy.
    Upside-down text is not recognised: screens have none, and detecting it takes time.

    Raises:
        MissingExtraError: if its packages are not installed.
    """

    def __init__(self, threads: int | None = None) -> None:
        check_extra("vision", "reading text in pictures")
        from rapidocr import RapidOCR  # heavy, so imported only when needed

        self._read = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,
                # By default, small pictures are enlarged, and thin ones become enormous.
                "Det.limit_type": "max",
                "Det.limit_side_len": 2000,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads or _threads(),
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, image: Image) -> list[TextBox]:
        """Return the lines of text in a picture."""
        import numpy as np

        # The engine expects BGR arrays, and fails on pictures that are little more than a line.
        found: Any = self._read(np.asarray(_padded(image))[:, :, ::-1])
        if found.boxes is None or found.txts is None:
            return []
        lines = zip(found.boxes, found.txts, found.scores, strict=True)
        return [_text_box(corners, text, score, image.size) for corners, text, score in lines]


class EasyOcr:
    """EasyOCR, whose models must already be on this machine: nothing is downloaded.

    `languages` are EasyOCR's codes; `models` is the folder with the models, by default EasyOCR's
    own (`~/.EasyOCR/model`, or as set by EASYOCR_MODULE_PATH).

    Raises:
        MissingExtraError: if its packages are not installed.
        MissingModelError: if a model is missing from the folder.
        HostError: if its packages are incompatible with each other.
    """

    def __init__(
        self,
        languages: Sequence[str] = ("ch_sim", "en"),
        models: Path | None = None,
        **options: Any,
    ) -> None:
        check_extra("easyocr", "reading text in pictures with easyocr")
        try:
            import easyocr
        except (ImportError, OSError, RuntimeError) as error:
            why = "usually because torch and torchvision are incompatible"
            raise HostError(f"easyocr cannot be loaded, {why}: {error}") from error
        folder = models or Path(easyocr.config.MODULE_PATH) / "model"
        try:
            self._reader = easyocr.Reader(
                list(languages),
                gpu=False,
                # With downloads enabled, it deletes files that it does not expect.
                download_enabled=False,
                model_storage_directory=str(folder),
                quantize=False,  # torch deprecates this way of quantising, with a warning
                verbose=False,
                **options,
            )
        except FileNotFoundError as error:
            raise MissingModelError(
                f"easyocr has no model for {', '.join(languages)}, and none is downloaded during a "
                f"run: {error}. Put the file there: https://www.jaided.ai/easyocr/modelhub/ has "
                f"craft_mlt_25k.pth, which finds text, and one file for each group of languages"
            ) from error

    def read(self, image: Image) -> list[TextBox]:
        """Return the lines of text in a picture."""
        import numpy as np

        found: Iterable[Any] = self._reader.readtext(np.asarray(image.convert("RGB")))
        return [_text_box(corners, text, score, image.size) for corners, text, score in found]


ENGINES: dict[str, Callable[[], OcrEngine]] = {"rapidocr": RapidOcr, "easyocr": EasyOcr}

_FORMAT = 1  # version of the cached format; increase it if `RapidOcr` changes the engine's settings

_VARIABLE = "PYTEST_MOBILEAGENT_OCR"  # the folder of cached lines

_chosen = "rapidocr"
_engines: dict[str, OcrEngine] = {}
_left_behind: list[dict[str, OcrEngine]] = []
_loading = threading.Lock()
_reading = threading.Lock()  # engines keep state during a reading


def _begin_anew() -> None:
    """Reset the engines in a forked process, which does not have their threads.

    References to the old engines are kept: deleting an engine would wait for its threads.
    """
    global _engines, _loading, _reading
    _left_behind.append(_engines)
    _engines, _loading, _reading = {}, threading.Lock(), threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)


def _threads() -> int:
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT") or 1)  # also set in agents' processes
    return 2 if 2 * workers <= (os.cpu_count() or 1) else 1


def _check_name(name: str) -> None:
    if name not in ENGINES:
        raise ValueError(f"there is no OCR engine {name!r} (engines: {', '.join(ENGINES)})")


def _loaded(name: str) -> OcrEngine:
    _check_name(name)
    with _loading:
        if name not in _engines:
            _engines[name] = ENGINES[name]()
        return _engines[name]


def _read(image: Image, engine: OcrEngine) -> Sequence[TextBox]:
    with _reading:
        return engine.read(image)


def _reader(engine: str) -> list[Any] | None:
    """Return what the lines depend on, apart from the picture, or None if unknown.

    The models of other engines are user files, which may change.
    """
    if engine != "rapidocr":
        return None
    try:
        versions = [metadata.version(name) for name in ("rapidocr", "onnxruntime")]
    except metadata.PackageNotFoundError:
        return None
    return [_FORMAT, engine, *versions]


def _of_pixels(image: Image) -> str:
    """Return a name for a picture without a `key`, such as a part of a screen, from its pixels."""
    digest = hashlib.sha256(to_line(image.size).encode())
    digest.update(image.convert("RGB").tobytes())
    return digest.hexdigest()


def _cached(path: Path) -> Sequence[TextBox] | None:
    """Return the text lines in a file, or None if they are missing or invalid."""
    try:
        return [
            TextBox(expect(text, str, "a string"), Bounds(*map(int, bounds)), float(confidence))
            for text, bounds, confidence in expect(read_json(path), list, "lines")
        ]
    except (OSError, ValueError, TypeError):
        return None


def _cache(path: Path, boxes: Sequence[TextBox]) -> None:
    """Store text lines in a file, if the folder is writable."""
    rows = [[box.text, list(box.bounds), box.confidence] for box in boxes]
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        write_json(path, rows, indent=None)


def _in_order(boxes: Iterable[TextBox]) -> Iterable[TextBox]:
    """Yield boxes row by row; a row includes the boxes whose middle is beside its first box."""
    row: list[TextBox] = []
    for box in sorted(boxes, key=lambda each: (each.bounds.center[1], each.bounds.left)):
        if row and box.bounds.center[1] >= row[0].bounds.bottom:
            yield from sorted(row, key=lambda each: each.bounds.left)
            row = []
        row.append(box)
    yield from sorted(row, key=lambda each: each.bounds.left)


def _padded(image: Image) -> Image:
    """Return the picture with white added at the right or bottom if it is very thin."""
    from PIL import Image as image_

    least = max(32, max(image.size) // 30)
    size = max(image.width, least), max(image.height, least)
    if size == image.size:
        return image.convert("RGB")
    padded = image_.new("RGB", size, "white")
    padded.paste(image)
    return padded


def _text_box(corners: Any, text: str, score: float, size: tuple[int, int]) -> TextBox:
    """Return a line whose box has four corners, as upright bounds inside the picture."""
    columns = [min(max(float(x), 0), size[0]) for x, _ in corners]
    rows = [min(max(float(y), 0), size[1]) for _, y in corners]
    bounds = Bounds(round(min(columns)), round(min(rows)), round(max(columns)), round(max(rows)))
    return TextBox(text, bounds, float(score))
